//! Logos: PNG images, read by their chunks (W3C, Portable Network Graphics, section 5) and written again.
//!
//! What is written has only the chunks that a still picture needs, so neither metadata nor an animation passes. The compressed
//! pixels are not read: a browser draws no more of them than the size in `IHDR`, which is small.

use lacre_api::{
    kit::KitRule,
    sender::{LOGO_BYTES, LOGO_SIDE},
};

/// Why a logo is refused: the rule, and what is wrong.
type Fault = (KitRule, String);

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The chunks of a still picture, in their order. Only `IDAT` may stand more than once.
const KEPT: [&[u8; 4]; 5] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"];

/// Reads a PNG, and writes it again with the chunks of a still picture only.
pub(super) fn canonical(png: &[u8]) -> Result<Vec<u8>, Fault> {
    if png.len() > LOGO_BYTES {
        let message = format!("The logo has {} bytes, more than {LOGO_BYTES}. Use a smaller one.", png.len());
        return Err((KitRule::LogoSize, message));
    }
    let Some(mut rest) = png.strip_prefix(SIGNATURE) else {
        return Err(form("it does not begin with the signature of a PNG"));
    };
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        chunks.push(next_chunk(&mut rest)?);
    }
    if chunks.first().is_none_or(|first| first.name != b"IHDR") || chunks.last().is_none_or(|last| last.name != b"IEND")
    {
        return Err(form("its first chunk must be `IHDR`, and its last one `IEND`"));
    }
    if chunks.iter().any(|chunk| matches!(chunk.name, b"acTL" | b"fcTL" | b"fdAT")) {
        return Err(form("it is animated. Use a still picture"));
    }
    // Without a lower-case first letter a chunk is critical: the picture cannot be drawn without it.
    if chunks.iter().any(|chunk| !chunk.is_kept() && !chunk.name[0].is_ascii_lowercase()) {
        return Err(form("it has a critical chunk that the standard does not know"));
    }
    chunks.retain(Chunk::is_kept);
    check_picture(&chunks)?;
    let written = chunks.iter().flat_map(|chunk| chunk.bytes);
    Ok(SIGNATURE.iter().chain(written).copied().collect())
}

/// A chunk of a PNG.
struct Chunk<'a> {
    name: &'a [u8; 4],
    data: &'a [u8],
    /// The whole chunk, with its length and its checksum.
    bytes: &'a [u8],
}

impl Chunk<'_> {
    /// Where the chunk stands among those of a still picture; `None` for one that is left out.
    fn rank(&self) -> Option<usize> {
        KEPT.iter().position(|kept| *kept == self.name)
    }

    fn is_kept(&self) -> bool {
        self.rank().is_some()
    }
}

fn next_chunk<'a>(rest: &mut &'a [u8]) -> Result<Chunk<'a>, Fault> {
    let truncated = || form("it ends within a chunk, or has bytes after its end");
    let (length, after) = rest.split_first_chunk().ok_or_else(truncated)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| truncated())?;
    let (name, after) = after.split_first_chunk().ok_or_else(truncated)?;
    let (data, after) = after.split_at_checked(length).ok_or_else(truncated)?;
    let (checksum, after) = after.split_first_chunk().ok_or_else(truncated)?;
    let bytes = &rest[..rest.len() - after.len()];
    if crc(&bytes[4..8 + length]) != u32::from_be_bytes(*checksum) {
        return Err(form("the checksum of a chunk is wrong, so the file is damaged"));
    }
    *rest = after;
    Ok(Chunk { name, data, bytes })
}

/// Checks the order of the chunks of a still picture, and what they contain apart from the pixels.
fn check_picture(chunks: &[Chunk<'_>]) -> Result<(), Fault> {
    let in_order =
        |pair: &[Chunk<'_>]| pair[0].rank() < pair[1].rank() || (pair[0].name, pair[1].name) == (b"IDAT", b"IDAT");
    if !chunks.windows(2).all(in_order) {
        return Err(form("its chunks are not in the order of the standard, or one of them is repeated"));
    }
    let data = |name: &[u8; 4]| chunks.iter().find(|chunk| chunk.name == name).map(|chunk| chunk.data);
    let Some(&[w0, w1, w2, w3, h0, h1, h2, h3, depth, color, 0, 0, interlace]) = data(b"IHDR") else {
        return Err(form("its header is invalid"));
    };
    let [width, height] = [[w0, w1, w2, w3], [h0, h1, h2, h3]].map(u32::from_be_bytes);
    if !(1..=LOGO_SIDE).contains(&width) || !(1..=LOGO_SIDE).contains(&height) {
        let message = format!(
            "The logo has {width} by {height} pixels. Each side must have 1 to {LOGO_SIDE}. Use a smaller one."
        );
        return Err((KitRule::LogoSize, message));
    }
    let colors = data(b"PLTE").map(|palette| palette.len() / 3);
    let whole = data(b"PLTE").is_none_or(|palette| palette.len().is_multiple_of(3) && !palette.is_empty());
    let transparent = data(b"tRNS").map(<[u8]>::len);
    // The combinations of table 11.1 with at most 8 bits for each channel.
    let fits = match (color, depth) {
        (0, 1 | 2 | 4 | 8) => colors.is_none() && transparent.is_none_or(|bytes| bytes == 2),
        (2, 8) => colors.is_none_or(|colors| colors <= 256) && transparent.is_none_or(|bytes| bytes == 6),
        (3, 1 | 2 | 4 | 8) => colors.is_some_and(|colors| {
            colors <= 1 << depth && transparent.is_none_or(|bytes| (1..=colors).contains(&bytes))
        }),
        (4, 8) => colors.is_none() && transparent.is_none(),
        (6, 8) => colors.is_none_or(|colors| colors <= 256) && transparent.is_none(),
        _ => return Err(form("its kind of colours is not supported. Save it with 8 bits for each channel")),
    };
    if !fits || !whole || interlace > 1 {
        return Err(form("its header, palette and transparency do not fit together"));
    }
    if data(b"IDAT").is_none_or(<[u8]>::is_empty) || data(b"IEND").is_none_or(|end| !end.is_empty()) {
        return Err(form("it has no pixels, or data in its end"));
    }
    Ok(())
}

/// The CRC-32 of annex D, without a table: a logo is small.
fn crc(bytes: &[u8]) -> u32 {
    let shift = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), shift))
}

fn form(fault: &str) -> Fault {
    (KitRule::LogoForm, format!("This logo cannot be used, because {fault}."))
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The name of a chunk and its data.
    type Part<'a> = (&'a [u8; 4], &'a [u8]);

    /// The header of a picture of this size, depth and kind of colours.
    fn header(width: u32, height: u32, depth: u8, color: u8) -> Vec<u8> {
        [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth, color, 0, 0, 0]].concat()
    }

    fn chunk_of(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let named = [name, data].concat();
        [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], &named, &crc(&named).to_be_bytes()].concat()
    }

    fn png_of(chunks: &[Part<'_>]) -> Vec<u8> {
        let chunks = chunks.iter().flat_map(|(name, data)| chunk_of(name, data));
        SIGNATURE.iter().copied().chain(chunks).collect()
    }

    /// A grey pixel, which is what Python's zlib makes of `00 80`.
    const PIXEL: &[u8] = b"\x78\x9c\x63\x68\x00\x00\x00\x82\x00\x81";

    /// A PNG of one pixel.
    pub(in super::super) fn png() -> Vec<u8> {
        png_of(&[(b"IHDR", &header(1, 1, 8, 0)), (b"IDAT", PIXEL), (b"IEND", b"")])
    }

    /// A PNG of this many bytes.
    pub(in super::super) fn with_pixels(bytes: usize) -> Vec<u8> {
        let pixels = vec![0; bytes - png().len() + PIXEL.len()];
        png_of(&[(b"IHDR", &header(LOGO_SIDE, LOGO_SIDE, 8, 6)), (b"IDAT", &pixels), (b"IEND", b"")])
    }

    fn rule(png: &[u8]) -> KitRule {
        canonical(png).unwrap_err().0
    }

    #[test]
    fn writes_pictures_without_metadata() {
        // The checksum that the standard's own end has.
        assert_eq!(chunk_of(b"IEND", b""), b"\0\0\0\0IEND\xaeB`\x82");
        assert_eq!(canonical(&png()).unwrap(), png());
        let header = header(1, 1, 8, 3);
        let kept: [Part<'_>; 6] =
            [(b"IHDR", &header), (b"PLTE", b"rgb"), (b"tRNS", b"a"), (b"IDAT", PIXEL), (b"IDAT", b""), (b"IEND", b"")];
        let mut all = kept.to_vec();
        for (at, name) in [(1, b"gAMA"), (3, b"tEXt"), (5, b"eXIf"), (7, b"prVt")] {
            all.insert(at, (name, b"secret"));
        }
        let written = canonical(&png_of(&all)).unwrap();
        assert_eq!(written, png_of(&kept));
        assert_eq!(canonical(&written).unwrap(), written);
    }

    #[test]
    fn knows_the_kinds_of_colours() {
        let of = |depth, color, palette: Option<&[u8]>, transparent: Option<&[u8]>| {
            let header = header(2, 2, depth, color);
            let mut chunks: Vec<Part<'_>> = vec![(b"IHDR", &header)];
            chunks.extend(palette.map(|palette| (b"PLTE", palette)));
            chunks.extend(transparent.map(|transparent| (b"tRNS", transparent)));
            chunks.extend([(b"IDAT", PIXEL), (b"IEND", b"")]);
            canonical(&png_of(&chunks)).is_ok()
        };
        let colors = |count: usize| vec![7; 3 * count];
        assert!(of(8, 0, None, None) && of(1, 0, None, Some(b"ab")) && !of(16, 0, None, None));
        assert!(!of(8, 0, Some(b"rgb"), None) && !of(8, 0, None, Some(b"abc")));
        assert!(of(8, 2, None, None) && of(8, 2, Some(b"rgb"), Some(b"abcdef")) && !of(16, 2, None, None));
        assert!(!of(8, 2, None, Some(b"ab")) && !of(8, 2, Some(&colors(257)), None));
        assert!(of(2, 3, Some(&colors(4)), Some(b"abcd")) && of(8, 3, Some(&colors(256)), None));
        assert!(!of(2, 3, Some(&colors(5)), None) && !of(2, 3, Some(&colors(4)), Some(b"abcde")));
        assert!(!of(8, 3, None, None) && !of(8, 3, Some(b"rgbr"), None) && !of(8, 3, Some(b""), None));
        assert!(!of(8, 3, Some(b"rgb"), Some(b"")));
        assert!(of(8, 4, None, None) && !of(8, 4, Some(b"rgb"), None) && !of(8, 4, None, Some(b"ab")));
        assert!(of(8, 6, None, None) && of(8, 6, Some(b"rgb"), None) && !of(8, 6, None, Some(b"ab")));
        assert!(!of(8, 1, None, None) && !of(3, 0, None, None) && !of(4, 2, None, None));
    }

    #[test]
    fn refuses_damaged_and_hidden_data() {
        let whole = png();
        for end in 0..whole.len() {
            assert_eq!(rule(&whole[..end]), KitRule::LogoForm, "{end}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(rule(&damaged), KitRule::LogoForm, "{at}");
        }
        for trailing in [&b"\0"[..], b"hidden bytes", &chunk_of(b"tEXt", b"after the end"), &whole] {
            assert_eq!(rule(&[&whole[..], trailing].concat()), KitRule::LogoForm);
        }
        let size = header(1, 1, 8, 0);
        let [ihdr, idat, iend]: [Part<'_>; 3] = [(b"IHDR", &size), (b"IDAT", PIXEL), (b"IEND", b"")];
        for chunks in [
            vec![ihdr, iend],
            vec![idat, iend],
            vec![ihdr, ihdr, idat, iend],
            vec![ihdr, idat, iend, iend],
            vec![ihdr, idat, (b"IEND", b"x")],
            vec![ihdr, (b"IDAT", b""), iend],
            vec![(b"tEXt", b"first"), ihdr, idat, iend],
            vec![ihdr, idat, (b"tRNS", b"ab"), iend],
            vec![ihdr, (b"ABCD", b""), idat, iend],
            vec![ihdr, (b"acTL", b"\0\0\0\x02\0\0\0\0"), idat, iend],
            vec![ihdr, idat, (b"fdAT", PIXEL), iend],
            vec![(b"IHDR", &size[..12]), idat, iend],
            vec![(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 2]), idat, iend],
            vec![(b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 1, 0, 0]), idat, iend],
        ] {
            assert_eq!(rule(&png_of(&chunks)), KitRule::LogoForm, "{chunks:?}");
        }
    }

    #[test]
    fn refuses_large_pictures() {
        assert!(canonical(&with_pixels(LOGO_BYTES)).is_ok());
        assert_eq!(rule(&with_pixels(LOGO_BYTES + 1)), KitRule::LogoSize);
        let of = |width, height| png_of(&[(b"IHDR", &header(width, height, 8, 0)), (b"IDAT", PIXEL), (b"IEND", b"")]);
        for (width, height) in [(LOGO_SIDE + 1, 1), (1, LOGO_SIDE + 1), (0, 1), (1, 0), (u32::MAX, u32::MAX)] {
            assert_eq!(rule(&of(width, height)), KitRule::LogoSize, "{width} by {height}");
        }
        assert!(canonical(&of(LOGO_SIDE, 1)).is_ok());
    }
}
