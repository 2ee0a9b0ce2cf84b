//! Accepts EXIF only as a canvas writes it: information on how to display the file, and none about a camera, a place, a
//! time or a person.
//!
//! Browsers rotate a picture according to its orientation and other decoders do not, so the only accepted orientation
//! is 1.

/// Maximum number of directories: the image's, and the photo's below it.
const DIRECTORIES: usize = 2;
/// The size of an entry in bytes: tag, type, number of values, and the values or their offset.
const ENTRY: usize = 12;
/// The bytes before the first directory: byte order, 42, and the directory's offset.
const HEAD: usize = 8;

const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;
const UNDEFINED: u16 = 7;

/// Whether a segment is EXIF for a photo of this size and contains only entries that canvases write, each at most once.
pub(crate) fn is_plain(body: &[u8], width: u16, height: u16) -> bool {
    read(body, width, height).is_some()
}

fn read(body: &[u8], width: u16, height: u16) -> Option<()> {
    let tiff = Tiff::of(body.strip_prefix(b"Exif\0\0")?)?;
    let mut seen = Vec::new();
    let mut needed = HEAD;
    let mut directory = Some(tiff.long(4)?);
    for level in 0..DIRECTORIES {
        let Some(start) = directory.take() else { break };
        let start = usize::try_from(start).ok()?;
        let entries = usize::from(tiff.short(start)?);
        needed += 2 + entries * ENTRY + 4;
        for entry in 0..entries {
            let at = start + 2 + entry * ENTRY;
            let (tag, kind, count) = (tiff.short(at)?, tiff.short(at + 2)?, tiff.long(at + 4)?);
            let (short, long) = (tiff.short(at + 8)?, tiff.long(at + 8)?);
            let sides = |side: u16| (kind == SHORT && short == side) || (kind == LONG && long == u32::from(side));
            let plain = match (level, tag, kind, count) {
                // Orientation, unit of the resolution, position of the color samples.
                (0, 0x0112, SHORT, 1) => short == 1,
                (0, 0x0128, SHORT, 1) => (1..=3).contains(&short),
                (0, 0x0213, SHORT, 1) => (1..=2).contains(&short),
                // Horizontal and vertical resolution.
                (0, 0x011A | 0x011B, RATIONAL, 1) => {
                    needed += 8;
                    tiff.long(usize::try_from(long).ok()? + 4).is_some()
                }
                // The offset of the photo's directory.
                (0, 0x8769, LONG, 1) => directory.replace(long).is_none(),
                // The versions of EXIF and FlashPix consist of digits; the components are Y, Cb and Cr.
                (1, 0x9000 | 0xA000, UNDEFINED, 4) => tiff.bytes.get(at + 8..at + 12)?.iter().all(u8::is_ascii_digit),
                (1, 0x9101, UNDEFINED, 4) => tiff.bytes.get(at + 8..at + 12)? == [1, 2, 3, 0],
                // The color space is sRGB, or given by the color profile.
                (1, 0xA001, SHORT, 1) => short == 1 || short == 0xFFFF,
                (1, 0xA002, _, 1) => sides(width),
                (1, 0xA003, _, 1) => sides(height),
                // The scene capture type is standard.
                (1, 0xA406, SHORT, 1) => short == 0,
                _ => false,
            };
            if !plain || seen.contains(&tag) {
                return None;
            }
            seen.push(tag);
        }
        // A second directory after the first would be that of a thumbnail.
        if tiff.long(start + 2 + entries * ENTRY)? != 0 {
            return None;
        }
    }
    // The segment is exactly as long as its entries need, so there is no space for anything else.
    (directory.is_none() && tiff.bytes.len() <= needed).then_some(())
}

/// Reads numbers from an EXIF segment in its byte order.
struct Tiff<'a> {
    bytes: &'a [u8],
    little_endian: bool,
}

impl<'a> Tiff<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let little_endian = match bytes.first_chunk()? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        Some(Self { bytes, little_endian })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.little_endian { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.little_endian { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }
}
