//! Converts the coefficients of a block to its 64 samples: dequantization and the inverse cosine transform.
//!
//! The arithmetic is that of the accurate integer transform of the Independent JPEG Group (Loeffler, Ligtenberg and
//! Moschytz, ICASSP 1989, with 13 fraction bits, two of which are kept between the passes), so each sample equals the
//! one that libjpeg and libjpeg-turbo compute. No library offers this transform on its own.
//!
//! Decoders differ in how they handle values that no picture causes. Some multiply and add in 16 bits, which wrap
//! around, others in 32; and libjpeg looks samples up in a table of 1,024 entries, so that those outside −512 to 511
//! wrap as well. So a block is refused if any decoder could decode it differently:
//!
//! - A dequantized coefficient is at most 1,280 plus half a quantization step. Samples from −128 to 127 cause at most
//!   1,024, rounding adds half a step, and an encoder that avoids ringing exceeds white by up to 31 (mozjpeg).
//! - A sample, before it is clipped to 0 to 255, differs from the middle by at most 160 plus half the norm of the
//!   quantization table, and by less than 512. The transform is orthonormal: rounding each coefficient by at most half
//!   a step moves no sample by more. Below 512 no intermediate value exceeds 16 bits, since it stays below 16,384
//!   between the passes; and a decoder that scales the picture while decoding, and therefore clips means instead of
//!   samples, shows about the same.

use wide::{i16x8, i32x8, u8x16};

/// The number of coefficients of a block.
pub(crate) const COEFFICIENTS: usize = 64;
/// The side of a block in samples.
pub(crate) const SIDE: usize = 8;

/// The quantized coefficients of a block, by frequency, row by row.
pub(crate) type Block = [i16; COEFFICIENTS];
/// The samples of a block, row by row.
pub(crate) type Samples = [[u8; SIDE]; SIDE];

/// The position of each coefficient in a block, in the order of the file: from low to high frequencies.
#[rustfmt::skip]
pub(crate) const ZIGZAG: [u8; COEFFICIENTS] = [
     0,  1,  8, 16,  9,  2,  3, 10,
    17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34,
    27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46,
    53, 60, 61, 54, 47, 55, 62, 63,
];

/// The largest dequantized coefficient, before half a quantization step is added.
const MAX_COEFFICIENT: i16 = 1280;
/// The limit of a sample's distance from the middle in any picture, before the middle is added.
const MAX_SAMPLE: i16 = 512;
/// The limit of a sample's distance from the middle before rounding: black and white, and what an encoder adds to avoid
/// ringing.
const MAX_ENCODED: f64 = 160.0;
/// The limit of values between the passes: √8 for the scale of each pass, √8 for the sum over a row, and two fraction
/// bits.
const MAX_BETWEEN: i16 = 16_384;
/// The middle of the range of samples.
const MIDDLE: i16 = 128;

/// The number of fraction bits of the constants, and of the values between the passes.
const CONSTANT_BITS: i32 = 13;
const BETWEEN_BITS: i32 = 2;

/// A constant in fixed-point representation, rounded.
const fn fixed(value: f64) -> i16 {
    (value * (1 << CONSTANT_BITS) as f64 + if value < 0.0 { -0.5 } else { 0.5 }) as i16
}

/// A quantization table with its limits.
#[derive(Clone, Copy)]
pub(crate) struct Quantization {
    factors: [i16x8; SIDE],
    /// The largest quantized coefficients.
    limits: [i16x8; SIDE],
    /// Maximum distance of samples from the middle.
    reach: i16,
}

impl Quantization {
    /// Creates a table from its 64 factors in the order of the file, none of which is zero.
    pub(crate) fn new(factors: &[u8; COEFFICIENTS]) -> Self {
        let mut rows = [[0; SIDE]; SIDE];
        for (factor, place) in factors.iter().zip(ZIGZAG) {
            rows.as_flattened_mut()[usize::from(place)] = i16::from(*factor);
        }
        let limit = |factor: i16| (MAX_COEFFICIENT + factor / 2).checked_div(factor).unwrap_or_default();
        let norm = factors.iter().map(|factor| f64::from(*factor).powi(2)).sum::<f64>().sqrt();
        Self {
            factors: rows.map(i16x8::new),
            limits: rows.map(|row| i16x8::new(row.map(limit))),
            reach: MAX_SAMPLE.min((MAX_ENCODED + norm / 2.0) as i16 + 1),
        }
    }

    /// The samples of a block; `None` if no picture causes such a block.
    #[inline]
    pub(crate) fn samples(&self, block: &Block) -> Option<Samples> {
        let (quantized, _) = block.as_chunks::<SIDE>();
        let mut rows = [i16x8::ZERO; SIDE];
        let mut beyond = i16x8::ZERO;
        for (at, (row, quantized)) in rows.iter_mut().zip(quantized).enumerate() {
            let quantized = i16x8::new(*quantized);
            beyond |= quantized.simd_gt(self.limits[at]) | quantized.simd_lt(-self.limits[at]);
            *row = quantized * self.factors[at];
        }
        if beyond.any() {
            return None;
        }
        let columns = pass::<{ CONSTANT_BITS - BETWEEN_BITS }>(&rows);
        let between = within(&columns, MAX_BETWEEN)?;
        let rows = pass::<{ CONSTANT_BITS + BETWEEN_BITS + 3 }>(&i16x8::transpose(*between));
        let samples = i16x8::transpose(*within(&rows, self.reach)?).map(|row| row + i16x8::splat(MIDDLE));
        let mut limited = [[0; SIDE]; SIDE];
        for (two, pair) in limited.as_chunks_mut::<2>().0.iter_mut().zip(samples.as_chunks::<2>().0) {
            // Clips to 0 to 255.
            let bytes = u8x16::narrow_i16x8(pair[0], pair[1]).to_array();
            two.as_flattened_mut().copy_from_slice(&bytes);
        }
        Some(limited)
    }

    /// The value of all samples of a block with only a DC coefficient; `None` if no picture causes such a block.
    #[inline]
    pub(crate) fn even_sample(&self, coefficient: i16) -> Option<u8> {
        let ([limits, ..], [factors, ..]) = (&self.limits, &self.factors);
        let dequantized = coefficient.unsigned_abs().le(&limits.as_array()[0].unsigned_abs());
        let dequantized = dequantized.then(|| coefficient * factors.as_array()[0])?;
        Some((((dequantized + 4) >> 3) + MIDDLE).clamp(0, 255) as u8)
    }
}

/// The values, if the absolute value of all is less than `limit`.
#[inline]
fn within(values: &[i16x8; SIDE], limit: i16) -> Option<&[i16x8; SIDE]> {
    let [most, least] = [i16x8::max, i16x8::min].map(|choose| {
        let [a, b, c, d, e, f, g, h] = *values;
        choose(choose(choose(a, b), choose(c, d)), choose(choose(e, f), choose(g, h)))
    });
    let beyond = most.simd_ge(i16x8::splat(limit)) | least.simd_le(i16x8::splat(-limit));
    (!beyond.any()).then_some(values)
}

/// The one-dimensional inverse transform of each lane, multiplied by √8, shifted right and rounded. Inputs are less
/// than 2^14.
#[inline]
fn pass<const SHIFT: i32>(inputs: &[i16x8; SIDE]) -> [i16x8; SIDE] {
    let times = |value: i16x8, constant: f64| value.widening_mul(i16x8::splat(fixed(constant)));
    let whole = |value: i16x8| value.widening_mul(i16x8::splat(1 << CONSTANT_BITS));
    let [i0, i1, i2, i3, i4, i5, i6, i7] = *inputs;

    // The even part of the transform.
    let (sum, difference) = (whole(i0) + whole(i4), whole(i0) - whole(i4));
    let z = times(i2 + i6, 0.541_196_100);
    let (low, high) = (z + times(i2, 0.765_366_865), z - times(i6, 1.847_759_065));
    let even = [sum + low, difference + high, difference - high, sum - low];

    // The odd part of the transform.
    let (z1, z2) = (times(i7 + i1, -0.899_976_223), times(i5 + i3, -2.562_915_447));
    let (z3, z4) = (i7 + i3, i5 + i1);
    let z5 = times(z3, 1.175_875_602) + times(z4, 1.175_875_602);
    let z3 = z5 + times(z3, -1.961_570_560);
    let z4 = z5 + times(z4, -0.390_180_644);
    let odd = [
        times(i1, 1.501_321_110) + z1 + z4,
        times(i3, 3.072_711_026) + z2 + z3,
        times(i5, 2.053_119_869) + z2 + z4,
        times(i7, 0.298_631_336) + z1 + z3,
    ];

    let half = i32x8::splat(1 << (SHIFT - 1));
    let rounded = |value: i32x8| i16x8::from_i32x8_saturate((value + half) >> SHIFT);
    std::array::from_fn(|at| match at {
        0..4 => rounded(even[at] + odd[at]),
        _ => rounded(even[7 - at] - odd[7 - at]),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

    use super::*;

    /// The transform as the standard defines it (A.3.3), clipped and not rounded.
    fn defined(block: &Block, factor: i16) -> [[f64; SIDE]; SIDE] {
        let scale = |frequency: usize| if frequency == 0 { FRAC_1_SQRT_2 } else { 1.0 };
        let wave = |at: usize, frequency: usize| (PI * (2 * at + 1) as f64 * frequency as f64 / 16.0).cos();
        let sample = |x: usize, y: usize| {
            let terms = (0..COEFFICIENTS).map(|at| {
                let (v, u) = (at / SIDE, at % SIDE);
                let coefficient = f64::from(block[at]) * f64::from(factor);
                scale(u) * scale(v) * coefficient * wave(x, u) * wave(y, v) / 4.0
            });
            (terms.sum::<f64>() + f64::from(MIDDLE)).clamp(0.0, 255.0)
        };
        std::array::from_fn(|y| std::array::from_fn(|x| sample(x, y)))
    }

    #[test]
    fn samples_are_those_of_the_standard() {
        let mut random = 7_u32;
        let mut next = |size: i16| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((random >> 16) % (2 * size as u32 + 1)) as i16 - size
        };
        for factor in [1, 3, 17] {
            let table = Quantization::new(&[factor as u8; COEFFICIENTS]);
            for _ in 0..500 {
                let mut block: Block = std::array::from_fn(|_| next(20 / factor));
                block[0] = next(400 / factor);
                let samples = table.samples(&block).unwrap();
                for (ours, defined) in samples.as_flattened().iter().zip(defined(&block, factor).as_flattened()) {
                    assert!((f64::from(*ours) - defined).abs() < 1.0, "{ours} for {defined}");
                }
            }
        }
    }

    #[test]
    fn an_even_block_needs_no_transform() {
        for factor in [1, 2, 7, 16, 255] {
            let table = Quantization::new(&[factor; COEFFICIENTS]);
            for coefficient in -2047..=2047 {
                let mut block = [0; COEFFICIENTS];
                block[0] = coefficient;
                let even = table.even_sample(coefficient).map(|sample| [[sample; SIDE]; SIDE]);
                assert_eq!(even, table.samples(&block), "{coefficient} times {factor}");
            }
        }
    }

    #[test]
    fn refuses_coefficients_out_of_range() {
        // The coarsest table, with which a single coefficient causes no sample that is too far from the middle.
        let table = Quantization::new(&[255; COEFFICIENTS]);
        for (at, largest) in [(0, 5), (9, 5), (63, 5)] {
            let with = |value: i16| {
                let mut block = [0; COEFFICIENTS];
                block[at] = value;
                table.samples(&block)
            };
            // 1,280 and half a step.
            assert!(with(largest).is_some() && with(-largest).is_some(), "{at}");
            assert!(with(largest + 1).is_none() && with(-largest - 1).is_none(), "{at}");
            assert!(with(i16::MAX).is_none() && with(i16::MIN).is_none(), "{at}");
        }
        // In the corner these add up to 1,020, and a quarter of them to 255: more than rounding can cause with this
        // table. A coarser table allows it.
        let table = Quantization::new(&[10; COEFFICIENTS]);
        let mut block = [0; COEFFICIENTS];
        block[..4].fill(100);
        block[8..10].fill(100);
        assert!(table.samples(&block).is_none());
        assert!(table.samples(&block.map(|coefficient| coefficient / 4)).is_none());
        assert!(table.samples(&block.map(|coefficient| coefficient / 6)).is_some());
        assert!(Quantization::new(&[50; COEFFICIENTS]).samples(&block.map(|coefficient| coefficient / 20)).is_some());
    }
}
