//! The segments that may stand before the image data: those that the canvases of browsers write, in the forms that they
//! write. Each is read to its end, so that none carries anything else.

/// All comments together: an encoder's name, or what makes a frame unique.
const MAX_COMMENTS: usize = 64;
/// All other segments together, the color profile apart: browsers write some hundred bytes.
const MAX_METADATA: usize = 4096;
/// The color profile: that of a display has 500 bytes to some 30 KB.
const MAX_PROFILE: u64 = 64 * 1024;
/// A profile's header, and the number of its tags.
const PROFILE_HEAD: usize = 132;
/// All directories of an EXIF segment: the image's, the photo's, the position's, the one of interoperability.
const MAX_DIRECTORIES: usize = 4;
/// The longest IPTC block: ImageIO writes only the declaration of UTF-8 in it, and no text.
const MAX_IPTC: usize = 32;

const APP0: u8 = 0xE0;
const APP1: u8 = 0xE1;
const APP2: u8 = 0xE2;
const APP13: u8 = 0xED;
const APP14: u8 = 0xEE;
const COM: u8 = 0xFE;

/// The segments that were read.
#[derive(Default)]
pub(super) struct Segments {
    comments: usize,
    metadata: usize,
    /// The codes of the segments that come once.
    seen: Vec<u8>,
    profile: Option<Profile>,
}

/// A color profile whose chunks were read up to one.
struct Profile {
    chunks: u8,
    last: u8,
    length: u64,
    left: u64,
}

impl Segments {
    /// Reads one of APP0 to APP15, or a comment, of a photo of 1 or 3 components.
    pub(super) fn read(&mut self, marker: u8, body: &[u8], components: u8) -> Result<(), &'static str> {
        match marker {
            COM => {
                self.comments += body.len();
                return if self.comments <= MAX_COMMENTS { Ok(()) } else { Err("more than 64 bytes of comments") };
            }
            APP2 => return self.profile(body, components),
            _ => {}
        }
        self.metadata += body.len();
        if self.metadata > MAX_METADATA {
            return Err("more metadata than a browser writes");
        }
        if self.seen.contains(&marker) {
            return Err("a segment that comes once comes again");
        }
        self.seen.push(marker);
        let well_formed = match marker {
            APP0 => jfif(body),
            APP1 => exif(body).is_some(),
            APP13 => photoshop(body).is_some(),
            APP14 => adobe(body, components),
            _ => false,
        };
        if well_formed { Ok(()) } else { Err("a segment that no browser writes") }
    }

    /// Refuses a color profile that is not there to its end.
    pub(super) fn finish(&self) -> Result<(), &'static str> {
        match &self.profile {
            Some(profile) if profile.last != profile.chunks || profile.left != 0 => Err("a color profile is cut short"),
            _ => Ok(()),
        }
    }

    fn profile(&mut self, body: &[u8], components: u8) -> Result<(), &'static str> {
        let malformed = "a malformed color profile";
        let chunk = body.strip_prefix(b"ICC_PROFILE\0").and_then(<[u8]>::split_first_chunk::<2>);
        let Some((&[number, chunks], data)) = chunk else { return Err("a segment that no browser writes") };
        let profile = match &mut self.profile {
            Some(profile) => profile,
            before => {
                let length = profile_length(data, components).filter(|length| *length <= MAX_PROFILE);
                let length = length.ok_or(malformed)?;
                before.insert(Profile { chunks, last: 0, length, left: length })
            }
        };
        // In order, each with something in it, and no more than the profile has.
        let next = profile.last.checked_add(1).filter(|next| *next <= profile.chunks);
        if next != Some(number) || chunks != profile.chunks || data.is_empty() {
            return Err(malformed);
        }
        profile.last = number;
        profile.left = profile.left.checked_sub(data.len() as u64).ok_or(malformed)?;
        debug_assert!(profile.left < profile.length);
        Ok(())
    }
}

/// JFIF 1, without the thumbnail, which browsers do not write.
fn jfif(body: &[u8]) -> bool {
    matches!(*body, [b'J', b'F', b'I', b'F', 0, 1, 0..=2, 0..=2, _, _, _, _, 0, 0])
}

/// Adobe's mark says how colors are coded: one component or RGB as they are, or YCbCr.
fn adobe(body: &[u8], components: u8) -> bool {
    let transforms = if components == 1 { 0..=0 } else { 0..=1 };
    matches!(*body, [b'A', b'd', b'o', b'b', b'e', 0, 100..=255, _, _, _, _, transform] if transforms.contains(&transform))
}

/// The length of a color profile, by its first chunk: header and all tags within it.
fn profile_length(data: &[u8], components: u8) -> Option<u64> {
    let head = data.first_chunk::<PROFILE_HEAD>()?;
    let number = |at: usize| Some(u32::from_be_bytes(*data.get(at..)?.first_chunk()?));
    let length = u64::from(number(0)?);
    let color_space: &[u8] = if components == 1 { b"GRAY" } else { b"RGB " };
    if head.get(36..40)? != b"acsp" || head.get(16..20)? != color_space {
        return None;
    }
    let tags = number(128)? as usize;
    let table = data.get(PROFILE_HEAD..)?.get(..tags.checked_mul(12)?)?;
    let (tags, _) = table.as_chunks::<12>();
    let begin = (PROFILE_HEAD + table.len()) as u64;
    let within = |tag: &[u8; 12]| {
        let [.., o3, o2, o1, o0, l3, l2, l1, l0] = *tag;
        let (offset, size) = (u32::from_be_bytes([o3, o2, o1, o0]), u32::from_be_bytes([l3, l2, l1, l0]));
        u64::from(offset) >= begin && u64::from(offset) + u64::from(size) <= length
    };
    (!tags.is_empty() && tags.iter().all(within)).then_some(length)
}

/// EXIF's directories with all values within the segment, and no thumbnail.
fn exif(body: &[u8]) -> Option<()> {
    let tiff = Tiff::of(body.strip_prefix(b"Exif\0\0")?)?;
    let mut directories = [tiff.long(4)?; MAX_DIRECTORIES];
    let (mut known, mut at) = (1, 0);
    while at < known {
        let directory = *directories.get(at)? as usize;
        let entries = usize::from(tiff.short(directory)?);
        for entry in 0..entries {
            if let Some(below) = tiff.entry(directory + 2 + entry * 12)? {
                *directories.get_mut(known)? = below;
                known += 1;
            }
        }
        // Another directory behind the first one is a thumbnail's.
        if at == 0 && tiff.long(directory + 2 + entries * 12)? != 0 {
            return None;
        }
        at += 1;
    }
    Some(())
}

/// The numbers of an EXIF segment.
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

    /// Reads an entry: tag, type, number of values, and the values or where they stand. Returns where a directory below
    /// stands, if it is one.
    fn entry(&self, at: usize) -> Option<Option<u32>> {
        let (tag, kind, values, value) = (self.short(at)?, self.short(at + 2)?, self.long(at + 4)?, self.long(at + 8)?);
        let size: u64 = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 => 4,
            5 | 10 | 12 => 8,
            _ => return None,
        };
        let length = size * u64::from(values);
        if length > 4 && u64::from(value) + length > self.bytes.len() as u64 {
            return None;
        }
        match tag {
            // EXIF, GPS, interoperability.
            0x8769 | 0x8825 | 0xA005 if (kind, values) == (4, 1) => Some(Some(value)),
            0x8769 | 0x8825 | 0xA005 => None,
            _ => Some(None),
        }
    }
}

/// Photoshop's resources as ImageIO writes them: an IPTC block without a text, and its digest.
fn photoshop(body: &[u8]) -> Option<()> {
    let mut rest = body.strip_prefix(b"Photoshop 3.0\0")?;
    let mut before = 0;
    while !rest.is_empty() {
        // The name is empty and takes two bytes.
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
        // Of an even length.
        rest = data.get(length + length % 2..)?;
    }
    Some(())
}
