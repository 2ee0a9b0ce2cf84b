//! Decodes a file to a picture, with its size judged before its pixels are allocated.

use std::{io::Cursor, panic};

use image_webp::WebPDecoder;
use png::{ColorType, Transformations};
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use crate::orientation::Orientation;

/// Maximum size of a picture, in pixels: a phone's largest photos.
const MAX_PIXELS: u64 = 40_000_000;

/// Maximum number of scans of a progressive JPEG. Encoders write about ten.
const MAX_SCANS: usize = 64;

/// Memory for a PNG's own buffers, which are one line and its zlib window; not for the picture.
const PNG_BUFFERS: usize = 16 * 1024 * 1024;

/// A decoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row: 3 × width × height bytes.
    pub rgb: Vec<u8>,
}

/// Why a file is no picture for a comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file has the signature of none of the three formats.
    #[error("the file is neither a JPEG, a PNG nor a WebP")]
    UnknownFormat,
    /// The header states more pixels than are decoded.
    #[error("the picture has {width} x {height} pixels; the maximum is 40 megapixels")]
    TooLarge {
        /// Width that the header states.
        width: u32,
        /// Height that the header states.
        height: u32,
    },
    /// The JPEG has four color components, made for printing.
    #[error("the JPEG has the color space CMYK; convert it to RGB")]
    Cmyk,
    /// The WebP contains several frames.
    #[error("the WebP is an animation; a photo has one frame")]
    Animation,
    /// The decoder refuses the file: it is damaged, truncated, or uses a feature that the decoder lacks.
    #[error("the {format} cannot be decoded: {reason}")]
    Malformed {
        /// The format by the file's signature.
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
}

impl Picture {
    /// Decodes a JPEG, PNG or WebP by its signature.
    ///
    /// The EXIF orientation of a JPEG is applied. Transparent pixels are composed on white. Color profiles are ignored.
    ///
    /// # Errors
    ///
    /// Fails if the file is of another format, has more than 40 megapixels, or cannot be decoded to its end.
    pub fn read(file: &[u8]) -> Result<Self, ReadError> {
        let (format, decode): (_, fn(&[u8]) -> _) = match file {
            [0xFF, 0xD8, 0xFF, ..] => ("JPEG", read_jpeg),
            [0x89, b'P', b'N', b'G', ..] => ("PNG", read_png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("WebP", read_webp),
            _ => return Err(ReadError::UnknownFormat),
        };
        // The decoders return errors for hostile files; a panic would be a fault of theirs, and not the caller's.
        match panic::catch_unwind(|| decode(file)) {
            Ok(Ok(picture)) => Ok(picture),
            Ok(Err(Fault::Known(error))) => Err(error),
            Ok(Err(Fault::Decoder(reason))) => Err(ReadError::Malformed { format, reason }),
            Err(_) => Err(ReadError::Malformed { format, reason: "the decoder failed".into() }),
        }
    }

    /// Encodes the picture as PNG.
    ///
    /// # Errors
    ///
    /// Fails if the number of bytes is not that of the pixels.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(file)
    }
}

/// An error with its own variant, or a decoder's message.
enum Fault {
    Known(ReadError),
    Decoder(String),
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        Self::Known(error)
    }
}

/// Turns a decoder's error into its message.
fn message(error: impl ToString) -> Fault {
    Fault::Decoder(error.to_string())
}

/// Fails if a picture of this size is not decoded.
fn judge(width: u32, height: u32) -> Result<(), Fault> {
    match u64::from(width) * u64::from(height) {
        0 => Err(message("it has no pixels")),
        1..=MAX_PIXELS => Ok(()),
        _ => Err(ReadError::TooLarge { width, height }.into()),
    }
}

fn read_jpeg(file: &[u8]) -> Result<Picture, Fault> {
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_max_scans(MAX_SCANS)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(message)?;
    let info = decoder.info().ok_or_else(|| message("it has no header"))?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    judge(width, height)?;
    if info.components == 4 {
        return Err(ReadError::Cmyk.into());
    }
    let rgb = decoder.decode().map_err(message)?;
    let orientation = info.exif_data.as_deref().and_then(Orientation::read).unwrap_or_default();
    Ok(orientation.apply(Picture { width, height, rgb }))
}

fn read_png(file: &[u8]) -> Result<Picture, Fault> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), png::Limits { bytes: PNG_BUFFERS });
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(message)?;
    let (width, height) = (header.width, header.height);
    judge(width, height)?;
    let mut reader = decoder.read_info().map_err(message)?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(|| message("it is too large"))?];
    let kind = reader.next_frame(&mut pixels).map_err(message)?.color_type;
    reader.finish().map_err(message)?;
    let rgb = match kind {
        ColorType::Rgb => pixels,
        ColorType::Rgba => on_white(&pixels),
        ColorType::Grayscale => pixels.iter().flat_map(|&grey| [grey; 3]).collect(),
        ColorType::GrayscaleAlpha => on_white(
            &pixels.as_chunks().0.iter().flat_map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect::<Vec<_>>(),
        ),
        ColorType::Indexed => return Err(message("its palette was not expanded")),
    };
    Ok(Picture { width, height, rgb })
}

fn read_webp(file: &[u8]) -> Result<Picture, Fault> {
    let mut decoder = WebPDecoder::new(Cursor::new(file)).map_err(message)?;
    let (width, height) = decoder.dimensions();
    judge(width, height)?;
    if decoder.is_animated() {
        return Err(ReadError::Animation.into());
    }
    // The decoder allocates what a lossy frame states, even if the header states less.
    for (width, height) in lossy_frames(file) {
        judge(width, height)?;
    }
    let mut pixels = vec![0; decoder.output_buffer_size().ok_or_else(|| message("it is too large"))?];
    decoder.read_image(&mut pixels).map_err(message)?;
    let rgb = if decoder.has_alpha() { on_white(&pixels) } else { pixels };
    Ok(Picture { width, height, rgb })
}

/// The sizes that the lossy frames (`VP8 `) of a WebP state: 14 bits each, after three bytes of tag and three of start
/// code.
fn lossy_frames(file: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let mut rest = file.get(12..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (&head, body) = rest.split_first_chunk::<8>()?;
        let [kind @ .., a, b, c, d] = head;
        let size = u32::from_le_bytes([a, b, c, d]);
        // A chunk is padded to an even number of bytes.
        rest = size
            .checked_next_multiple_of(2)
            .and_then(|size| body.get(usize::try_from(size).ok()?..))
            .unwrap_or_default();
        Some((kind, body))
    })
    .filter_map(|(kind, body)| {
        let &[_, _, _, _, _, _, a, b, c, d] = body.first_chunk()?;
        let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
        (kind == *b"VP8 ").then(|| (side(a, b), side(c, d)))
    })
}

/// Composes RGBA pixels on white.
fn on_white(rgba: &[u8]) -> Vec<u8> {
    let compose = |color: u8, alpha: u8| {
        let (color, alpha) = (u16::from(color), u16::from(alpha));
        u8::try_from((color * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    rgba.as_chunks().0.iter().flat_map(|&[r, g, b, alpha]| [r, g, b].map(|color| compose(color, alpha))).collect()
}
