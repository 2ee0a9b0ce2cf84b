//! Whether a photo might be a photo of a screen: the interface of the analysis behind the recapture gate.
//!
//! No analysis is built in yet, so every photo is [`RecaptureRisk::Unknown`], which never refuses. What is here already is
//! the decoding that an analysis will look at, and that tells a JPEG which can be shown from one which only looks like it.

use domain::{RecaptureRisk, RecaptureScores};
use zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};
use zune_jpeg::JpegDecoder;

/// A photo's pixels at their native resolution: interleaved 8-bit components, luma first (Y, or Y Cb Cr).
#[derive(Debug)]
pub struct Pixels {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Components per pixel: 1 or 3.
    pub components: usize,
    /// `width * height * components` bytes, row by row.
    pub samples: Vec<u8>,
}

/// The image cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[error("the image cannot be decoded: {0}")]
pub struct DecodeError(String);

/// What the analysis found.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Its conclusion.
    pub risk: RecaptureRisk,
    /// The scores behind it, by name.
    pub scores: RecaptureScores,
}

/// Decodes a JPEG of known size whole; one that ends early or holds damaged data is an error, not a picture with a grey
/// rest. `width` and `height` bound the memory, before any is taken.
///
/// # Errors
/// [`DecodeError`].
pub fn decode(jpeg: &[u8], width: u16, height: u16) -> Result<Pixels, DecodeError> {
    let fail = |error: &dyn std::fmt::Display| DecodeError(error.to_string());
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(usize::from(width))
        .set_max_height(usize::from(height))
        .jpeg_set_out_colorspace(ColorSpace::YCbCr);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(jpeg), options);
    decoder.decode_headers().map_err(|error| fail(&error))?;
    let info = decoder.info().ok_or_else(|| fail(&"no header"))?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    if info.components == 1 {
        decoder.set_options(options.jpeg_set_out_colorspace(ColorSpace::Luma));
    }
    let samples = decoder.decode().map_err(|error| fail(&error))?;
    let components = samples.len() / (width * height).max(1);
    Ok(Pixels { width, height, components, samples })
}

/// Analyses a photo.
#[must_use]
pub fn analyse(_pixels: &Pixels) -> Analysis {
    Analysis { risk: RecaptureRisk::Unknown, scores: RecaptureScores::new() }
}
