//! JUMBF boxes in the APP11 segments of a JPEG (ISO/IEC 19566-5 and JPEG XT).
//!
//! Each segment consists of `FF EB`, length, `JP`, box instance number, packet number from 1, and a slice of the box.
//! All segments but the first repeat the box's 8-byte header before their slice.

use lacre_photo::APP11;

/// Maximum bytes of the box in one segment. C2PA libraries split at the same size.
pub const SLICE: usize = 64_000;
/// The box instance number. Any value would do, since the file contains no other boxes.
const BOX_INSTANCE: [u8; 2] = [0x02, 0x11];
/// The fields before the box's bytes: marker, length, `JP`, box instance number, packet number.
const SEGMENT_HEAD: usize = 2 + 2 + 2 + 2 + 4;
/// The box header: `LBox` and `TBox`.
const BOX_HEAD: usize = 8;

/// The number of bytes that a box of `length` bytes occupies in segments.
pub fn wrapped_length(length: usize) -> usize {
    let segments = length.div_ceil(SLICE);
    length + segments * SEGMENT_HEAD + segments.saturating_sub(1) * BOX_HEAD
}

/// The number of bytes in a segment before its slice of the box. The first segment has no repeated box header.
pub const fn head_length(first: bool) -> usize {
    if first { SEGMENT_HEAD } else { SEGMENT_HEAD + BOX_HEAD }
}

/// Appends the segments of a box to a file.
pub fn wrap_into(file: &mut Vec<u8>, jumbf: &[u8]) {
    for (packet, slice) in (1u32..).zip(jumbf.chunks(SLICE)) {
        let repeated: &[u8] = if packet == 1 { &[] } else { jumbf.get(..BOX_HEAD).unwrap_or_default() };
        // At most 64,000 + 18 bytes, which fit a 16-bit length.
        let length = (SEGMENT_HEAD - 2 + repeated.len() + slice.len()) as u16;
        file.extend_from_slice(&[0xFF, APP11]);
        file.extend_from_slice(&length.to_be_bytes());
        file.extend_from_slice(b"JP");
        file.extend_from_slice(&BOX_INSTANCE);
        file.extend_from_slice(&packet.to_be_bytes());
        file.extend_from_slice(repeated);
        file.extend_from_slice(slice);
    }
}

/// Inserts the manifest's segments into the frame at `offset`.
pub fn embed(frame: &[u8], offset: usize, manifest: &[u8]) -> Vec<u8> {
    let (head, tail) = frame.split_at_checked(offset).unwrap_or((frame, &[]));
    let mut file = Vec::with_capacity(frame.len() + wrapped_length(manifest.len()));
    file.extend_from_slice(head);
    wrap_into(&mut file, manifest);
    file.extend_from_slice(tail);
    file
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn composes_segments_like_the_c2pa_library() {
        for length in [100, SLICE, SLICE + 1, 3 * SLICE + 7] {
            let manifest: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut segments = Vec::new();
            wrap_into(&mut segments, &manifest);
            assert_eq!(segments.len(), wrapped_length(length));
            assert!(segments == c2pa::Builder::composed_manifest(&manifest, "image/jpeg").unwrap(), "{length}");
        }
    }
}
