//! The spectra of square tiles, which are windowed and transformed in pairs.

use std::sync::Arc;

use lacre_fourier::{Complex, Fft};
use transpose::transpose;
use wide::f32x8;

use crate::half_plane::HalfPlane;

/// The power per value of a tile that counts as zero: the variance of rounding to integers, below which no information
/// from the camera can lie.
const ROUNDING: f32 = 1.0 / 12.0;

/// Transforms tiles of one side, which is a power of two.
pub(crate) struct Transform {
    side: usize,
    /// The window, scaled so that a transformed tile of rounding noise has a mean power of 1.
    window: Vec<f32>,
    fft: Arc<dyn Fft<f32>>,
    scratch: Vec<Complex<f32>>,
    values: Vec<Complex<f32>>,
}

impl Transform {
    /// For tiles whose values are sums of `summed` samples each, and count as their means.
    pub(crate) fn new(side: usize, summed: usize) -> Self {
        let fft = lacre_fourier::forward(side);
        let scratch = vec![Complex::default(); fft.get_inplace_scratch_len()];
        // A periodic Hann window: a line that is centered on a bin reaches one bin to each side, and no further.
        let hann = |i: usize| (std::f32::consts::PI * i as f32 / side as f32).sin().powi(2);
        let energy: f32 = (0..side).map(|i| hann(i).powi(2)).sum();
        // The window is applied twice, horizontally and vertically.
        let scale = (ROUNDING.sqrt() * energy * summed as f32).sqrt().recip();
        let window = (0..side).map(|i| hann(i) * scale).collect();
        Self { side, window, fft, scratch, values: Vec::with_capacity(side * side) }
    }

    /// Transforms two tiles at once, one as the real part and the other as the imaginary part.
    pub(crate) fn pair(&mut self, first: &[u16], second: &[u16]) -> Pair {
        self.set_windowed(first, second);
        self.fft.process_with_scratch(&mut self.values, &mut self.scratch);
        let mut values = vec![Complex::default(); self.values.len()];
        transpose(&self.values, &mut values, self.side, self.side);
        self.fft.process_with_scratch(&mut values, &mut self.scratch);
        Pair { side: self.side, values }
    }

    fn set_windowed(&mut self, first: &[u16], second: &[u16]) {
        let mean = |tile: &[u16]| tile.iter().map(|value| u32::from(*value)).sum::<u32>() as f32 / tile.len() as f32;
        let (first_mean, second_mean) = (mean(first), mean(second));
        self.values.clear();
        let rows = first.chunks(self.side).zip(second.chunks(self.side));
        for ((first, second), down) in rows.zip(&self.window) {
            self.values.extend(first.iter().zip(second).zip(&self.window).map(|((a, b), across)| {
                let weight = down * across;
                Complex::new((f32::from(*a) - first_mean) * weight, (f32::from(*b) - second_mean) * weight)
            }));
        }
    }
}

/// The spectra of two tiles.
pub(crate) struct Pair {
    side: usize,
    values: Vec<Complex<f32>>,
}

impl Pair {
    /// Both tiles' spectra at any integer frequency, wrapped around as often as necessary.
    pub(crate) fn at(&self, u: isize, v: isize) -> [Complex<f32>; 2] {
        // The sides are powers of two, so masking computes the remainder.
        let around = |bin: isize| bin.cast_unsigned() & (self.side - 1);
        let value = |u: isize, v: isize| self.values[around(u) * self.side + around(v)];
        parts(value(u, v), value(-u, -v))
    }

    /// ln(1 + power) of both tiles, where a power of 1 is that of rounding.
    pub(crate) fn log_powers(&self) -> [HalfPlane; 2] {
        let row = |u: usize| &self.values[u * self.side..(u + 1) * self.side];
        let mut planes: [_; 2] = std::array::from_fn(|_| Vec::with_capacity((self.side / 2 + 1) * self.side));
        let mut opposite = Vec::with_capacity(self.side);
        for u in 0..=self.side / 2 {
            // Column v of the opposite row is column −v.
            let mirrored = row((self.side - u) % self.side);
            opposite.clear();
            opposite.push(mirrored[0]);
            opposite.extend(mirrored[1..].iter().rev());
            // One tile after the other, so that each loop can be vectorized.
            for (part, plane) in planes.iter_mut().enumerate() {
                let power = |(value, opposite): (&Complex<f32>, &_)| parts(*value, *opposite)[part].norm_sqr();
                plane.extend(row(u).iter().zip(&opposite).map(power));
            }
        }
        planes.map(|mut values| {
            // The sides are powers of two, so no remainder is left.
            for eight in values.as_chunks_mut().0 {
                *eight = (f32x8::from(*eight) + 1.0).ln().to_array();
            }
            HalfPlane { side: self.side, values }
        })
    }
}

/// The spectra of both tiles at a frequency, from the pair's values there and at the negative frequency.
fn parts(value: Complex<f32>, opposite: Complex<f32>) -> [Complex<f32>; 2] {
    let mirrored = opposite.conj();
    // The even part is the first tile's spectrum; the odd part is the second's, times i.
    let odd = (value - mirrored) / 2.0;
    [(value + mirrored) / 2.0, Complex::new(odd.im, -odd.re)]
}
