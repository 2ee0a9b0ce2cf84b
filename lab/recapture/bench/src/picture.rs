//! A picture in linear light, with interpolation between pixels.

use std::sync::LazyLock;

/// Red, green and blue in linear light; 1 is white.
pub type Light = [f32; 3];

/// Pixels in linear light, row by row.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width * height` pixels.
    pub pixels: Vec<Light>,
}

/// A finished photo: 8-bit sRGB, interleaved, row by row.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

/// Linear light of each 8-bit sRGB code.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let code = code as f32 / 255.0;
        if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
    })
});

/// The linear light of three sRGB codes.
#[must_use]
pub fn linear(rgb: [u8; 3]) -> Light {
    rgb.map(|code| LINEAR[usize::from(code)])
}

impl Picture {
    /// A picture with the value of `light` at each column and row.
    #[must_use]
    pub fn from_fn(width: usize, height: usize, light: impl Fn(usize, usize) -> Light) -> Picture {
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            pixels.extend((0..width).map(|x| light(x, y)));
        }
        Picture { width, height, pixels }
    }

    /// The pixel at a column and row, or the nearest one if outside.
    #[must_use]
    pub fn pixel(&self, x: isize, y: isize) -> Light {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.pixels[y * self.width + x]
    }

    /// Bilinear interpolation. Pixel centers are at half-integer positions.
    #[must_use]
    pub fn between(&self, x: f32, y: f32) -> Light {
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (floor(x), floor(y));
        let (right_part, low_part) = (x - left as f32, y - top as f32);
        let (left, top) = (left as isize, top as isize);
        let row = |y| mix(self.pixel(left, y), self.pixel(left + 1, y), right_part);
        mix(row(top), row(top + 1), low_part)
    }
}

/// Rounds down. `f32::floor` calls libm on processors without SSE 4.1, and this runs for every sample.
#[must_use]
pub fn floor(value: f32) -> i32 {
    let towards_zero = value as i32;
    towards_zero - i32::from(towards_zero as f32 > value)
}

/// Linear interpolation between two lights.
#[must_use]
pub fn mix(from: Light, to: Light, part: f32) -> Light {
    std::array::from_fn(|c| from[c] + (to[c] - from[c]) * part)
}

/// Multiplies a light by a factor.
#[must_use]
pub fn scaled(light: Light, by: f32) -> Light {
    light.map(|value| value * by)
}

impl Frame {
    /// A part of the frame, which must lie within it.
    #[must_use]
    pub fn cut(&self, left: usize, top: usize, width: usize, height: usize) -> Frame {
        let rows = (top..top + height).map(|y| (y * self.width + left) * 3);
        let rgb = rows.flat_map(|start| &self.rgb[start..start + width * 3]).copied().collect();
        Frame { width, height, rgb }
    }

    /// The sRGB codes at a column and a row.
    #[must_use]
    pub fn code(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// A part of the frame in linear light, averaged to a size that is not larger.
    #[must_use]
    pub fn shrunk(&self, (left, top, width, height): (usize, usize, usize, usize), to: (usize, usize)) -> Picture {
        let span = |i: usize, of: usize, to: usize| (i * of / to, ((i + 1) * of / to).max(i * of / to + 1));
        Picture::from_fn(to.0, to.1, |x, y| {
            let ((x0, x1), (y0, y1)) = (span(x, width, to.0), span(y, height, to.1));
            let mut sum = [0.0; 3];
            for (x, y) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))) {
                let light = linear(self.code((left + x).min(self.width - 1), (top + y).min(self.height - 1)));
                sum = std::array::from_fn(|c| sum[c] + light[c]);
            }
            scaled(sum, 1.0 / ((x1 - x0) * (y1 - y0)) as f32)
        })
    }
}
