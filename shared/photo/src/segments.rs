//! Checks the segments before the image data: only those that browsers' canvases write, in the forms that they write.
//! Each is parsed to its end, so that none contains anything else, and none changes the picture.

use crate::{
    exif,
    jpeg::{APP0, APP1, APP2, APP13, APP14, COM, FrameHeader},
    profile::{self, Profile},
};

/// Maximum length of all comments together, in bytes: enough for an encoder's name, or for a value that makes a frame
/// unique.
const MAX_COMMENTS: usize = 64;
/// Maximum length of an IPTC block, in bytes. ImageIO writes only the declaration of UTF-8 in it, without text.
const MAX_IPTC: usize = 32;

/// The segments that were read so far.
pub(super) struct Segments {
    frame: FrameHeader,
    comments: usize,
    /// The markers of the segments that may occur only once.
    seen: Vec<u8>,
    profile: Option<Profile>,
}

impl Segments {
    /// The state before the first segment of a photo.
    pub(super) fn new(frame: FrameHeader) -> Self {
        Self { frame, comments: 0, seen: Vec::new(), profile: None }
    }

    /// Checks one of APP0 to APP15, or a comment.
    pub(super) fn read(&mut self, marker: u8, body: &[u8]) -> Result<(), &'static str> {
        match marker {
            COM => {
                self.comments += body.len();
                return if self.comments <= MAX_COMMENTS { Ok(()) } else { Err("more than 64 bytes of comments") };
            }
            APP2 => return self.profile.get_or_insert_default().add(body),
            _ => {}
        }
        if self.seen.contains(&marker) {
            return Err("a segment that must occur once is repeated");
        }
        self.seen.push(marker);
        let well_formed = match marker {
            APP0 => jfif(body),
            APP1 => exif::is_plain(body, self.frame.width, self.frame.height),
            APP13 => photoshop(body).is_some(),
            APP14 => adobe(body, self.frame.components().len()),
            _ => false,
        };
        if well_formed { Ok(()) } else { Err("a segment that no browser writes") }
    }

    /// Checks what depends on all segments: the color profile, and the meaning of the components.
    pub(super) fn finish(&self) -> Result<(), &'static str> {
        // Without a segment that states the color encoding, Java interprets components 0, 1 and 2 as red, green and
        // blue.
        let stated = [APP0, APP14].iter().any(|marker| self.seen.contains(marker));
        if !stated && matches!(self.frame.components(), [first, _, _] if first.id == 0) {
            return Err("components from 0 without JFIF's segment or Adobe's");
        }
        let Some(profile) = &self.profile else { return Ok(()) };
        profile::check(profile.whole()?, self.frame.components().len())
    }
}

/// Whether a segment is JFIF 1 without a thumbnail, which browsers do not write.
fn jfif(body: &[u8]) -> bool {
    matches!(*body, [b'J', b'F', b'I', b'F', 0, 1, 0..=2, 0..=2, _, _, _, _, 0, 0])
}

/// Whether Adobe's segment states the expected color encoding: one component as it is, or three as YCbCr. Decoders
/// disagree on RGB.
fn adobe(body: &[u8], components: usize) -> bool {
    let coded = if components == 1 { 0 } else { 1 };
    matches!(*body, [b'A', b'd', b'o', b'b', b'e', 0, 100..=255, _, _, _, _, transform] if transform == coded)
}

/// Checks Photoshop resources as ImageIO writes them: an IPTC block without text, and its digest.
fn photoshop(body: &[u8]) -> Option<()> {
    let mut rest = body.strip_prefix(b"Photoshop 3.0\0")?;
    let mut before = 0;
    while !rest.is_empty() {
        // The resource's name is empty and takes two bytes.
        let (&[i1, i0, 0, 0, l3, l2, l1, l0], data) = rest.strip_prefix(b"8BIM")?.split_first_chunk()? else {
            return None;
        };
        let id = u16::from_be_bytes([i1, i0]);
        let length = u32::from_be_bytes([l3, l2, l1, l0]) as usize;
        let fits = match id {
            0x0404 => length <= MAX_IPTC,
            0x0425 => length == 16,
            _ => false,
        };
        if !fits || id <= before {
            return None;
        }
        before = id;
        // The data is padded to an even length.
        rest = data.get(length + length % 2..)?;
    }
    Some(())
}
