//! Splits a delivered JPEG into the frame and the manifest.
//!
//! If the two parts are joined again like the service does it, the result must equal the file. So the manifest's
//! segments are contiguous and in the right place, their headers are as expected, and every other byte belongs to the
//! frame.

use lacre_photo::{APP11, Jpeg, JpegError};
use lacre_proof::app11::{self, embed};

/// Maximum size of a manifest in bytes. Those of the service have about 8 KB. Decoding takes a multiple of the input's
/// size in memory, so a crafted manifest is limited before anything decodes it.
const MAX_MANIFEST: usize = 64 * 1024;

/// The two parts of a delivered JPEG.
pub(super) struct Parts {
    /// The bytes that the browser uploaded.
    pub(super) frame: Vec<u8>,
    /// The manifest, with the same bytes as the sidecar.
    pub(super) manifest: Vec<u8>,
    /// The offset of the manifest's segments, in bytes.
    pub(super) offset: usize,
    /// The length of the manifest's segments, in bytes.
    pub(super) length: usize,
}

/// Why a file is not a delivered JPEG.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("the file carries no manifest")]
    NoManifest,
    #[error("the manifest's segments are malformed")]
    Segments,
    #[error("the manifest is larger than {MAX_MANIFEST} bytes")]
    TooLarge,
    #[error("the photo around the manifest: {0}")]
    Frame(JpegError),
    #[error("the manifest's segments are not in the canonical form")]
    Form,
}

impl Parts {
    pub(super) fn of(file: &[u8]) -> Result<Self, Fault> {
        let offset = match Jpeg::parse(file) {
            Err(JpegError::App11(offset)) => offset,
            Err(error) => return Err(Fault::Frame(error)),
            Ok(_) => return Err(Fault::NoManifest),
        };
        let (head, rest) = file.split_at_checked(offset).ok_or(Fault::Segments)?;
        let mut tail = rest;
        let mut manifest = Vec::new();
        while let Some(slice) = take_segment(&mut tail, manifest.is_empty())? {
            manifest.extend_from_slice(slice);
            if manifest.len() > MAX_MANIFEST {
                return Err(Fault::TooLarge);
            }
        }
        let parts = Self { frame: [head, tail].concat(), manifest, offset, length: rest.len() - tail.len() };
        let frame = Jpeg::parse(&parts.frame).map_err(Fault::Frame)?;
        if embed(&parts.frame, frame.manifest_offset(), &parts.manifest) == file { Ok(parts) } else { Err(Fault::Form) }
    }
}

/// Embeds a manifest that was delivered as a separate `.c2pa` file into its frame, at the place where the service
/// embeds it.
///
/// # Errors
/// A text with the reason why the two cannot belong together: the photo is not a JPEG or already has a manifest, or the
/// other file is not a manifest or is too large.
pub fn join(frame: &[u8], manifest: &[u8]) -> Result<Vec<u8>, String> {
    if manifest.len() > MAX_MANIFEST {
        return Err(Fault::TooLarge.to_string());
    }
    if manifest.get(4..8) != Some(b"jumb") {
        return Err("the file beside the photo is not a C2PA manifest".into());
    }
    let jpeg = Jpeg::parse(frame).map_err(|error| match error {
        JpegError::App11(_) => "the photo carries a manifest of its own; check it without the other one".to_owned(),
        error => format!("the photo beside the manifest: {error}"),
    })?;
    Ok(embed(frame, jpeg.manifest_offset(), manifest))
}

/// Takes an APP11 segment from the front and returns its slice of the box; `None` if another segment begins there.
fn take_segment<'a>(bytes: &mut &'a [u8], first: bool) -> Result<Option<&'a [u8]>, Fault> {
    let Some([0xFF, APP11, l1, l0, ..]) = bytes.first_chunk::<4>() else { return Ok(None) };
    let end = 2 + usize::from(u16::from_be_bytes([*l1, *l0]));
    let segment = bytes.get(..end).ok_or(Fault::Segments)?;
    let slice = segment.get(app11::head_length(first)..).ok_or(Fault::Segments)?;
    *bytes = &bytes[end..];
    Ok(Some(slice))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use jpeg_encoder::{ColorType, Encoder};

    use super::*;

    #[test]
    fn extracts_manifests_up_to_the_limit() {
        let mut frame = Vec::new();
        Encoder::new(&mut frame, 80).encode(&[128; 240 * 240], 240, 240, ColorType::Luma).unwrap();
        let jpeg = Jpeg::parse(&frame).unwrap();
        let taken = |length: usize| {
            // The segments repeat the header of the box, so the box must have a valid one.
            let mut manifest = vec![0; length];
            manifest[..4].copy_from_slice(&u32::try_from(length).unwrap().to_be_bytes());
            manifest[4..8].copy_from_slice(b"jumb");
            Parts::of(&embed(&frame, jpeg.manifest_offset(), &manifest))
                .map(|parts| (parts.frame == frame, parts.manifest == manifest))
        };
        for length in [100, 64_000, 64_001, MAX_MANIFEST] {
            assert_eq!(taken(length), Ok((true, true)), "{length}");
        }
        assert_eq!(taken(MAX_MANIFEST + 1), Err(Fault::TooLarge));
    }
}
