//! Encodes a frame as JPEG.

use fastrand::Rng;
use jpeg_encoder::{ColorType, Encoder, EncodingError, ImageBuffer, JpegColorType, SamplingFactor, rgb_to_ycbcr};

use crate::picture::Frame;

/// Settings of the encoder.
#[derive(Clone, Copy, Debug)]
pub struct Jpeg {
    /// Quality, 1 to 100.
    pub quality: u8,
    /// Whether color has full resolution (4:4:4) instead of half (4:2:0).
    pub full_color: bool,
}

impl Jpeg {
    /// Settings as web pages use them: quality 80 to 95, mostly 4:2:0.
    #[must_use]
    pub fn some(rng: &mut Rng) -> Jpeg {
        Jpeg { quality: rng.u8(80..=95), full_color: rng.u8(..) < 38 }
    }

    /// Encodes a frame.
    ///
    /// # Errors
    /// If a side is longer than JPEG allows.
    pub fn encode(self, frame: &Frame) -> Result<Vec<u8>, EncodingError> {
        let mut jpeg = Vec::new();
        let mut encoder = Encoder::new(&mut jpeg, self.quality);
        if self.full_color {
            encoder.set_sampling_factor(SamplingFactor::F_1_1);
            encoder.encode(&frame.rgb, side(frame.width), side(frame.height), ColorType::Rgb)?;
        } else {
            encoder.set_sampling_factor(SamplingFactor::F_2_2);
            encoder.encode_image(HalvedColor(frame))?;
        }
        Ok(jpeg)
    }
}

/// A side for the encoder; 0, which it rejects, if it is too long.
fn side(side: usize) -> u16 {
    u16::try_from(side).unwrap_or(0)
}

/// A frame whose color is averaged over squares of four pixels, as cameras and browsers subsample it. The encoder
/// itself would take the color of one of the four pixels, which aliases finer patterns.
struct HalvedColor<'a>(&'a Frame);

impl ImageBuffer for HalvedColor<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    fn width(&self) -> u16 {
        side(self.0.width)
    }

    fn height(&self) -> u16 {
        side(self.0.height)
    }

    fn fill_buffers(&self, y: u16, [luma, blue, red, _]: &mut [Vec<u8>; 4]) {
        let (frame, y) = (self.0, usize::from(y));
        for x in 0..frame.width {
            let [r, g, b] = frame.code(x, y);
            luma.push(rgb_to_ycbcr(r, g, b).0);
            let [r, g, b] = mean_of_square(frame, x / 2 * 2, y / 2 * 2);
            let (_, cb, cr) = rgb_to_ycbcr(r, g, b);
            blue.push(cb);
            red.push(cr);
        }
    }
}

/// The mean color of the square with this upper left pixel; at the frame's edge, of the pixels that exist.
fn mean_of_square(frame: &Frame, x: usize, y: usize) -> [u8; 3] {
    let (right, below) = ((x + 1).min(frame.width - 1), (y + 1).min(frame.height - 1));
    let codes = [(x, y), (right, y), (x, below), (right, below)].map(|(x, y)| frame.code(x, y));
    std::array::from_fn(|c| ((codes.iter().map(|code| u16::from(code[c])).sum::<u16>() + 2) / 4) as u8)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The mean chroma of a JPEG with alternating red and green pixels in both directions.
    fn color_of_pixels(full_color: bool) -> f64 {
        let rgb = (0..241 * 243).flat_map(|i| if i % 2 == 0 { [200, 50, 50] } else { [50, 200, 50] }).collect();
        let jpeg = Jpeg { quality: 95, full_color }.encode(&Frame { width: 241, height: 243, rgb }).unwrap();
        let [_, red] = lacre_photo::decode(&jpeg).unwrap().color.unwrap();
        let sum = (0..red.height()).flat_map(|y| red.row(y)).map(|red| f64::from(red.abs_diff(128))).sum::<f64>();
        sum / (red.width() * red.height()) as f64
    }

    #[test]
    fn chroma_subsampling_loses_fine_color() {
        assert!(color_of_pixels(true) > 60.0);
        // The mean of red and green has little chroma.
        assert!(color_of_pixels(false) < 10.0);
    }
}
