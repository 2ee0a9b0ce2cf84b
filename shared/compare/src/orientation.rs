//! The orientation of a photo by its EXIF: how a viewer turns and mirrors the stored pixels.

use crate::Picture;

/// The tag of the orientation, and the type of its value, in the directory of the main image.
const TAG: u16 = 0x0112;
const SHORT: u16 = 3;

/// How stored pixels are turned for display. The default leaves them as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Orientation {
    /// Rows become columns. It is applied before the two others.
    transposed: bool,
    flipped_x: bool,
    flipped_y: bool,
}

impl Orientation {
    /// Reads the tag from an EXIF segment without its signature, which is a TIFF. `None` if there is no valid tag.
    pub(crate) fn read(tiff: &[u8]) -> Option<Self> {
        let (short, long): (fn(_) -> _, fn(_) -> _) = match tiff.first_chunk()? {
            b"II*\0" => (u16::from_le_bytes, u32::from_le_bytes),
            b"MM\0*" => (u16::from_be_bytes, u32::from_be_bytes),
            _ => return None,
        };
        let start = usize::try_from(long(*tiff.get(4..)?.first_chunk()?)).ok()?;
        let directory = tiff.get(start..)?;
        let short = |at: usize| Some(short(*directory.get(at..)?.first_chunk()?));
        let entries = usize::from(short(0)?);
        let at = (0..entries).map(|entry| 2 + entry * 12).find(|&at| short(at) == Some(TAG))?;
        if short(at + 2)? != SHORT {
            return None;
        }
        let (transposed, flipped_x, flipped_y) = match short(at + 8)? {
            1 => (false, false, false),
            2 => (false, true, false),
            3 => (false, true, true),
            4 => (false, false, true),
            5 => (true, false, false),
            6 => (true, true, false),
            7 => (true, true, true),
            8 => (true, false, true),
            _ => return None,
        };
        Some(Self { transposed, flipped_x, flipped_y })
    }

    /// Turns a picture as this orientation asks for.
    pub(crate) fn apply(self, picture: Picture) -> Picture {
        if self == Self::default() {
            return picture;
        }
        let Picture { width, height, rgb } = picture;
        let (new_width, new_height) = if self.transposed { (height, width) } else { (width, height) };
        let pixels = rgb.as_chunks::<3>().0;
        let mut turned = Vec::with_capacity(rgb.len());
        for y in 0..new_height {
            let y = if self.flipped_y { new_height - 1 - y } else { y };
            for x in 0..new_width {
                let x = if self.flipped_x { new_width - 1 - x } else { x };
                let (x, y) = if self.transposed { (y, x) } else { (x, y) };
                turned.extend_from_slice(&pixels[y as usize * width as usize + x as usize]);
            }
        }
        Picture { width: new_width, height: new_height, rgb: turned }
    }
}
