//! The spectra of square tiles: windowed and transformed, two at a time.

use rustfft::{Fft, FftDirection, algorithm::Radix4, num_complex::Complex};

use crate::half_plane::HalfPlane;

/// Power per value of a tile that counts as none: the variance of rounding to whole numbers. What lies below, no camera put
/// there.
const ROUNDING: f32 = 1.0 / 12.0;

/// Transforms tiles of one side, a power of two.
pub(crate) struct Transform {
    side: usize,
    /// Scaled so that a transformed tile of rounding noise has the mean power 1.
    window: Vec<f32>,
    fft: Radix4<f32>,
    scratch: Vec<Complex<f32>>,
}

impl Transform {
    pub(crate) fn new(side: usize) -> Self {
        let fft = Radix4::new(side, FftDirection::Forward);
        let scratch = vec![Complex::default(); fft.get_inplace_scratch_len()];
        // Hann's window, periodic: a line on a bin then reaches one bin to each side, and no further.
        let hann = |i: usize| (std::f32::consts::PI * i as f32 / side as f32).sin().powi(2);
        let energy: f32 = (0..side).map(|i| hann(i).powi(2)).sum();
        let scale = (ROUNDING.sqrt() * energy).sqrt().recip();
        Self { side, window: (0..side).map(|i| hann(i) * scale).collect(), fft, scratch }
    }

    /// Both tiles at once: one is the real part and the other the imaginary part of what is transformed.
    pub(crate) fn pair(&mut self, first: &[f32], second: &[f32]) -> Pair {
        let mut values = self.windowed(first, second);
        self.fft.process_with_scratch(&mut values, &mut self.scratch);
        let mut values = transposed(&values, self.side);
        self.fft.process_with_scratch(&mut values, &mut self.scratch);
        Pair { side: self.side, values }
    }

    fn windowed(&self, first: &[f32], second: &[f32]) -> Vec<Complex<f32>> {
        let mean =
            |tile: &[f32]| tile.chunks(self.side).map(|row| row.iter().sum::<f32>()).sum::<f32>() / tile.len() as f32;
        let (first_mean, second_mean) = (mean(first), mean(second));
        let mut values = Vec::with_capacity(first.len());
        let rows = first.chunks(self.side).zip(second.chunks(self.side));
        for ((first, second), down) in rows.zip(&self.window) {
            values.extend(first.iter().zip(second).zip(&self.window).map(|((a, b), across)| {
                let weight = down * across;
                Complex::new((a - first_mean) * weight, (b - second_mean) * weight)
            }));
        }
        values
    }
}

fn transposed(values: &[Complex<f32>], side: usize) -> Vec<Complex<f32>> {
    let mut columns = Vec::with_capacity(values.len());
    for x in 0..side {
        columns.extend(values[x..].iter().step_by(side));
    }
    columns
}

/// The spectra of two tiles.
pub(crate) struct Pair {
    side: usize,
    values: Vec<Complex<f32>>,
}

impl Pair {
    /// Both tiles' spectra at any whole frequency, across and down; around as often as it takes.
    pub(crate) fn at(&self, u: isize, v: isize) -> [Complex<f32>; 2] {
        // The sides are powers of two.
        let around = |bin: isize| bin.cast_unsigned() & (self.side - 1);
        let value = self.values[around(u) * self.side + around(v)];
        let mirrored = self.values[around(-u) * self.side + around(-v)].conj();
        // The even part is the first tile's spectrum; the odd part is the second's, times i.
        let odd = (value - mirrored) / 2.0;
        [(value + mirrored) / 2.0, Complex::new(odd.im, -odd.re)]
    }

    /// ln(1 + power) of both tiles, where 1 is the power of rounding.
    pub(crate) fn log_powers(&self) -> [HalfPlane; 2] {
        // `ln_1p` is exact for powers near zero too, which nothing here asks for, and three times as slow.
        let log = |part: Complex<f32>| (1.0 + part.norm_sqr()).ln();
        let mut seconds = Vec::with_capacity((self.side / 2 + 1) * self.side);
        let first = HalfPlane::from_fn(self.side, |u, v| {
            let [first, second] = self.at(u.cast_signed(), v.cast_signed());
            seconds.push(log(second));
            log(first)
        });
        [first, HalfPlane { side: self.side, values: seconds }]
    }
}
