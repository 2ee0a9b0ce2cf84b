//! From a frame to a JPEG.

use fastrand::Rng;
use jpeg_encoder::{ColorType, Encoder, EncodingError, ImageBuffer, JpegColorType, SamplingFactor, rgb_to_ycbcr};

use crate::picture::Frame;

/// How a frame is compressed.
#[derive(Clone, Copy, Debug)]
pub struct Jpeg {
    /// 1 to 100.
    pub quality: u8,
    /// Color at full resolution (4:4:4) rather than at half of it (4:2:0).
    pub full_color: bool,
}

impl Jpeg {
    /// As a web page makes them: quality 80 to 95, mostly 4:2:0.
    #[must_use]
    pub fn some(rng: &mut Rng) -> Jpeg {
        Jpeg { quality: rng.u8(80..=95), full_color: rng.u8(..) < 38 }
    }

    /// Compresses a frame.
    ///
    /// # Errors
    /// A side beyond what JPEG can hold.
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

/// A side as the encoder takes it; 0, which it refuses, where that is too long.
fn side(side: usize) -> u16 {
    u16::try_from(side).unwrap_or(0)
}

/// A frame whose color is averaged over squares of four pixels, as cameras and browsers halve it. The encoder alone takes the
/// color of one pixel of the four, and what is finer than the square then remains as if it were coarser.
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

/// Of the square whose left upper pixel this is; at the frame's end, of what there is of it.
fn mean_of_square(frame: &Frame, x: usize, y: usize) -> [u8; 3] {
    let (right, below) = ((x + 1).min(frame.width - 1), (y + 1).min(frame.height - 1));
    let codes = [(x, y), (right, y), (x, below), (right, below)].map(|(x, y)| frame.code(x, y));
    std::array::from_fn(|c| ((codes.iter().map(|code| u16::from(code[c])).sum::<u16>() + 2) / 4) as u8)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// How much color there is on average in a JPEG of single pixels, red and green in turn in both directions.
    fn color_of_pixels(full_color: bool) -> f64 {
        let rgb = (0..241 * 243).flat_map(|i| if i % 2 == 0 { [200, 50, 50] } else { [50, 200, 50] }).collect();
        let jpeg = Jpeg { quality: 95, full_color }.encode(&Frame { width: 241, height: 243, rgb }).unwrap();
        let [_, red] = lacre_photo::decode(&jpeg).unwrap().color.unwrap();
        let sum = (0..red.height()).flat_map(|y| red.row(y)).map(|red| f64::from(red.abs_diff(128))).sum::<f64>();
        sum / (red.width() * red.height()) as f64
    }

    #[test]
    fn color_finer_than_a_square_is_gone_where_it_is_halved() {
        assert!(color_of_pixels(true) > 60.0);
        // The mean of red and green is a little of both.
        assert!(color_of_pixels(false) < 10.0);
    }
}
