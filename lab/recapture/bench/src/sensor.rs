//! A Bayer sensor (RGGB) and demosaicing.

use std::cmp::Ordering;

use fastrand::Rng;

use crate::picture::{Light, Picture};

/// How the two missing colors of each pixel are interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demosaic {
    /// Malvar, He and Cutler (2004): the mean of neighbors, corrected by the gradient of the known color.
    Malvar,
    /// After Hamilton and Adams (1997): green along edges instead of across, then the other colors by their difference
    /// from green.
    HamiltonAdams,
}

/// A sensor and its exposure.
#[derive(Clone, Copy, Debug)]
pub struct Sensor {
    /// Electrons in a pixel that sees white. Fewer electrons mean more noise.
    pub white: f32,
    /// Read noise, in electrons.
    pub read: f32,
    /// White balance gains of red and blue, whose filters pass less light than green's.
    pub gains: (f32, f32),
    /// How much of the other colors each filter passes.
    pub crosstalk: f32,
}

/// The color of a Bayer pixel: 0 red, 1 green, 2 blue.
fn color(x: usize, y: usize) -> usize {
    (x & 1) + (y & 1)
}

/// One color per pixel, as a fraction of white after white balance, with a mirrored border of two pixels, which
/// preserves the Bayer pattern.
#[derive(Debug)]
pub struct Mosaic {
    width: usize,
    height: usize,
    stride: usize,
    values: Vec<f32>,
}

const BORDER: usize = 2;

impl Sensor {
    /// Counts the electrons of each pixel.
    #[must_use]
    pub fn expose(&self, image: &Picture, rng: &mut Rng) -> Mosaic {
        let (width, height) = (image.width, image.height);
        let stride = width + 2 * BORDER;
        let mut values = vec![0.0; stride * (height + 2 * BORDER)];
        let gains = [self.gains.0, 1.0, self.gains.1];
        let own = 1.0 - self.crosstalk;
        for y in 0..height {
            let row = (y + BORDER) * stride + BORDER;
            for x in 0..width {
                let color = color(x, y);
                let light = image.pixels[y * width + x];
                let others = (light.iter().sum::<f32>() - light[color]) / 2.0;
                let seen = (own * light[color] + self.crosstalk * others) / gains[color];
                let electrons = (seen * self.white).max(0.0);
                let noise = (electrons + self.read * self.read).sqrt() * normal(rng);
                values[row + x] = ((electrons + noise) / self.white).clamp(0.0, 1.0) * gains[color];
            }
            for border in 0..BORDER {
                values[row - 1 - border] = values[row + 1 + border];
                values[row + width + border] = values[row + width - 2 - border];
            }
        }
        for border in 0..BORDER {
            let copy = |values: &mut Vec<f32>, from: usize, to: usize| {
                values.copy_within(from * stride..(from + 1) * stride, to * stride);
            };
            copy(&mut values, BORDER + 1 + border, BORDER - 1 - border);
            copy(&mut values, BORDER + height - 2 - border, BORDER + height + border);
        }
        Mosaic { width, height, stride, values }
    }

    /// Removes the crosstalk, as a camera's color matrix does.
    pub fn separate(&self, picture: &mut Picture) {
        // Each color c was measured as own * c + crosstalk * (mean of the other two); this is the inverse of that
        // matrix.
        let half = self.crosstalk / 2.0;
        let own = 1.0 - self.crosstalk - half;
        for light in &mut picture.pixels {
            let sum: f32 = light.iter().sum();
            *light = light.map(|value| (value - half * sum) / own);
        }
    }
}

/// A normally distributed number, as the sum of four uniform ones; accurate up to three and a half standard deviations.
fn normal(rng: &mut Rng) -> f32 {
    let bits = rng.u64(..);
    let sum: i32 = (0..4).map(|i| i32::from((bits >> (16 * i)) as u16)).sum();
    (sum - 2 * 65_535) as f32 / 37_837.0
}

impl Mosaic {
    /// All three colors of each pixel.
    #[must_use]
    pub fn demosaic(&self, method: Demosaic) -> Picture {
        match method {
            Demosaic::Malvar => Picture::from_fn(self.width, self.height, |x, y| self.malvar(x, y)),
            Demosaic::HamiltonAdams => self.hamilton_adams(),
        }
    }

    /// The values around a pixel.
    fn around(&self, x: usize, y: usize) -> impl Fn(isize, isize) -> f32 {
        let at = ((y + BORDER) * self.stride + x + BORDER) as isize;
        move |dx, dy| self.values[(at + dy * self.stride as isize + dx) as usize]
    }

    fn malvar(&self, x: usize, y: usize) -> Light {
        let at = self.around(x, y);
        let own = at(0, 0);
        let (beside, above) = (at(-1, 0) + at(1, 0), at(0, -1) + at(0, 1));
        let (beside2, above2) = (at(-2, 0) + at(2, 0), at(0, -2) + at(0, 2));
        let corners = corners(&at);
        let green = (4.0 * own + 2.0 * (beside + above) - beside2 - above2) / 8.0;
        let other = (6.0 * own + 2.0 * corners - 1.5 * (beside2 + above2)) / 8.0;
        // At a green pixel: the color of its horizontal neighbors, and that of its vertical neighbors.
        let in_row = (5.0 * own + 4.0 * beside - corners - beside2 + 0.5 * above2) / 8.0;
        let in_column = (5.0 * own + 4.0 * above - corners - above2 + 0.5 * beside2) / 8.0;
        match (x & 1, y & 1) {
            (0, 0) => [own, green, other],
            (1, 1) => [other, green, own],
            (1, 0) => [in_row, own, in_column],
            _ => [in_column, own, in_row],
        }
    }

    fn hamilton_adams(&self) -> Picture {
        let green: Vec<f32> =
            (0..self.width * self.height).map(|i| self.green(i % self.width, i / self.width)).collect();
        let mirrored = |at: usize, by: isize, length: usize| {
            let at = at.cast_signed() + by;
            at.abs().min(2 * length.cast_signed() - 2 - at).cast_unsigned()
        };
        Picture::from_fn(self.width, self.height, |x, y| {
            let at = self.around(x, y);
            let here = green[y * self.width + x];
            let differs = |dx: isize, dy: isize| {
                at(dx, dy) - green[mirrored(y, dy, self.height) * self.width + mirrored(x, dx, self.width)]
            };
            let beside = || here + (differs(-1, 0) + differs(1, 0)) / 2.0;
            let above = || here + (differs(0, -1) + differs(0, 1)) / 2.0;
            let other = || here + (differs(-1, -1) + differs(1, -1) + differs(-1, 1) + differs(1, 1)) / 4.0;
            match (x & 1, y & 1) {
                (0, 0) => [at(0, 0), here, other()],
                (1, 1) => [other(), here, at(0, 0)],
                (1, 0) => [beside(), here, above()],
                _ => [above(), here, beside()],
            }
        })
    }

    /// Green, interpolated in the direction with the smaller gradient.
    fn green(&self, x: usize, y: usize) -> f32 {
        let at = self.around(x, y);
        if (x ^ y) & 1 == 1 {
            return at(0, 0);
        }
        let along = |one: f32, other: f32, one2: f32, other2: f32| {
            let bend = 2.0 * at(0, 0) - one2 - other2;
            ((one - other).abs() + bend.abs(), (one + other) / 2.0 + bend / 4.0)
        };
        let (across, in_row) = along(at(-1, 0), at(1, 0), at(-2, 0), at(2, 0));
        let (down, in_column) = along(at(0, -1), at(0, 1), at(0, -2), at(0, 2));
        match across.total_cmp(&down) {
            Ordering::Less => in_row,
            Ordering::Greater => in_column,
            Ordering::Equal => (in_row + in_column) / 2.0,
        }
    }
}

/// The sum of the four diagonal neighbors.
fn corners(at: &impl Fn(isize, isize) -> f32) -> f32 {
    at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: Sensor = Sensor { white: 1e9, read: 0.0, gains: (2.0, 1.6), crosstalk: 0.2 };

    #[test]
    fn both_methods_restore_a_flat_color() {
        let light = [0.2, 0.5, 0.35];
        let flat = Picture::from_fn(12, 10, |_, _| light);
        let mosaic = CLEAN.expose(&flat, &mut Rng::with_seed(1));
        for method in [Demosaic::Malvar, Demosaic::HamiltonAdams] {
            let mut picture = mosaic.demosaic(method);
            CLEAN.separate(&mut picture);
            for found in &picture.pixels {
                assert!(found.iter().zip(light).all(|(a, b)| (a - b).abs() < 2e-3), "{method:?} {found:?}");
            }
        }
    }

    #[test]
    fn demosaicing_keeps_a_grey_edge_grey() {
        for upright in [true, false] {
            let dark = |x: usize, y: usize| if upright { x < 7 } else { y < 7 };
            let edge = Picture::from_fn(16, 14, |x, y| if dark(x, y) { [0.1; 3] } else { [0.8; 3] });
            let mut picture = CLEAN.expose(&edge, &mut Rng::with_seed(3)).demosaic(Demosaic::HamiltonAdams);
            CLEAN.separate(&mut picture);
            for (i, [red, green, blue]) in picture.pixels.iter().enumerate() {
                assert!((red - green).abs() < 2e-3 && (blue - green).abs() < 2e-3, "{upright} {i}");
            }
        }
    }

    #[test]
    fn noise_follows_from_electron_counts() {
        let sensor = Sensor { white: 1000.0, read: 5.0, gains: (1.0, 1.0), crosstalk: 0.0 };
        let flat = Picture::from_fn(200, 200, |_, _| [0.5; 3]);
        let mosaic = sensor.expose(&flat, &mut Rng::with_seed(2));
        let inner = (0..200 * 200).map(|i| mosaic.values[(i / 200 + BORDER) * mosaic.stride + i % 200 + BORDER]);
        let mean = inner.clone().sum::<f32>() / 40_000.0;
        let deviation = (inner.map(|value| (value - mean).powi(2)).sum::<f32>() / 40_000.0).sqrt();
        assert!((mean - 0.5).abs() < 1e-3, "{mean}");
        assert!((deviation - (500.0f32 + 25.0).sqrt() / 1000.0).abs() < 1e-3, "{deviation}");
    }
}
