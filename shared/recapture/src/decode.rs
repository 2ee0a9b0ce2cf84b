//! Decoding, bounded: distinguishes a JPEG that can be displayed from one that only looks like it.

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

/// Decodes a JPEG of known size. `width` and `height` bound the memory, before any is taken. Entropy-coded data that ends
/// early decodes to a picture whose rest means nothing, as in browsers: that all of it is there is checked before.
///
/// # Errors
/// [`DecodeError`], also where the decoder panics: a file that is made for that is one more that cannot be decoded.
pub fn decode(jpeg: &[u8], width: u16, height: u16) -> Result<Pixels, DecodeError> {
    std::panic::catch_unwind(|| decode_or_panic(jpeg, width, height))
        .unwrap_or_else(|_| Err(DecodeError("the decoder panicked".to_owned())))
}

fn decode_or_panic(jpeg: &[u8], width: u16, height: u16) -> Result<Pixels, DecodeError> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

    const SIDE: u16 = 240;

    fn encode(color: ColorType, change: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
        let pixels = usize::from(SIDE) * usize::from(SIDE);
        let components = if matches!(color, ColorType::Luma) { 1 } else { 3 };
        let samples: Vec<u8> = (0..pixels * components).map(|i| ((i * 31) ^ (i >> 7)) as u8).collect();
        let mut jpeg = Vec::new();
        let mut encoder = Encoder::new(&mut jpeg, 90);
        change(&mut encoder);
        encoder.encode(&samples, SIDE, SIDE, color).unwrap();
        jpeg
    }

    #[test]
    fn what_cameras_make_is_decoded() {
        let three = [
            encode(ColorType::Rgb, |_| {}),
            encode(ColorType::Rgb, |encoder| encoder.set_progressive(true)),
            encode(ColorType::Rgb, |encoder| encoder.set_sampling_factor(SamplingFactor::F_2_2)),
            encode(ColorType::Rgb, |encoder| encoder.set_restart_interval(7)),
        ];
        for (i, jpeg) in three.iter().enumerate() {
            let pixels = decode(jpeg, SIDE, SIDE).unwrap();
            assert_eq!((pixels.width, pixels.height, pixels.components), (240, 240, 3), "{i}");
            assert_eq!(pixels.samples.len(), 240 * 240 * 3);
        }
        let grey = decode(&encode(ColorType::Luma, |_| {}), SIDE, SIDE).unwrap();
        assert_eq!((grey.components, grey.samples.len()), (1, 240 * 240));
    }

    #[test]
    fn restarts_change_nothing() {
        // What is flat takes few bytes: a restart marker is read together with all that precedes it.
        let grey = [[90; 3]; SIDE as usize * SIDE as usize];
        let decoded = |interval: Option<u16>| {
            let mut jpeg = Vec::new();
            let mut encoder = Encoder::new(&mut jpeg, 90);
            interval.into_iter().for_each(|interval| encoder.set_restart_interval(interval));
            encoder.encode(grey.as_flattened(), SIDE, SIDE, ColorType::Rgb).unwrap();
            decode(&jpeg, SIDE, SIDE).unwrap().samples
        };
        let whole = decoded(None);
        // Some that divide a row of 30 blocks, and some that do not.
        for interval in [1, 7, 13, 15, 30] {
            assert!(decoded(Some(interval)) == whole, "{interval}");
        }
    }

    #[test]
    fn fill_bytes_between_segments_are_decoded() {
        let mut jpeg = encode(ColorType::Rgb, |_| {});
        jpeg.splice(2..2, [0xff, 0xff]);
        assert!(decode(&jpeg, SIDE, SIDE).is_ok());
    }

    #[test]
    fn a_file_without_its_tables_is_no_picture() {
        let jpeg = encode(ColorType::Rgb, |_| {});
        for keep in [0, 2, 20, 100] {
            let cut = [&jpeg[..keep], &[0xff, 0xd9]].concat();
            assert!(decode(&cut, SIDE, SIDE).is_err(), "{keep} of {}", jpeg.len());
        }
    }

    #[test]
    fn a_picture_larger_than_the_limit_is_not_decoded() {
        assert!(decode(&encode(ColorType::Rgb, |_| {}), SIDE - 1, SIDE).is_err());
    }
}
