//! From a block's coefficients to its 64 samples: dequantization and the inverse cosine transform.
//!
//! The arithmetic is that of the accurate integer transform of the Independent JPEG Group (Loeffler, Ligtenberg and Moschytz,
//! ICASSP 1989, with 13 bits of fraction, two of which are kept between the passes), so a sample is equal to the one that
//! libjpeg and libjpeg-turbo compute. No library offers it: the decoders keep theirs to themselves.
//!
//! Decoders differ in what they do with numbers that no picture leads to. Some multiply and add in 16 bits, which wrap around;
//! some in 32; and libjpeg looks samples up in a table of 1,024 entries, where those outside of −512 to 511 wrap as well. So a
//! block of which any decoder could make another one is no picture:
//!
//! - A dequantized coefficient is at most 1,280 and half a quantization step. Samples from −128 to 127 lead to 1,024 at most,
//!   rounding adds half a step, and an encoder that avoids ringing goes up to 31 beyond white (mozjpeg).
//! - A sample, before it is limited to 0 to 255, is within 160 and half the norm of the quantization table of the middle, and
//!   within 512. The transform is orthonormal: rounding each coefficient by half a step at most moves no sample by more. Within
//!   512 no intermediate value exceeds 16 bits, being 16,384 between the passes; and a decoder that scales the picture as it
//!   decodes, and so limits means in place of samples, shows about the same.

use wide::{i16x8, i32x8, u8x16};

/// The coefficients of a block.
pub(crate) const COEFFICIENTS: usize = 64;
/// The side of a block, in samples.
pub(crate) const SIDE: usize = 8;

/// The coefficients of a block by frequency, row by row: quantized.
pub(crate) type Block = [i16; COEFFICIENTS];
/// The samples of a block, row by row.
pub(crate) type Samples = [[u8; SIDE]; SIDE];

/// Where the coefficients stand in a block, in the order of the file: from low to high frequencies.
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

/// The largest coefficient, before half a quantization step is added.
const MAX_COEFFICIENT: i16 = 1280;
/// Samples, before the middle is added, are less than this away from it, in any picture.
const MAX_SAMPLE: i16 = 512;
/// The same before rounding: black and white, and what an encoder adds to avoid ringing.
const MAX_ENCODED: f64 = 160.0;
/// Values between the passes are less than this: √8 for each pass's scale, √8 for the sum over a row, and two bits of fraction.
const MAX_BETWEEN: i16 = 16_384;
/// The middle of the samples.
const MIDDLE: i16 = 128;

/// The bits of fraction of the constants, and of the values between the passes.
const CONSTANT_BITS: i32 = 13;
const BETWEEN_BITS: i32 = 2;

/// A constant with its bits of fraction, rounded.
const fn fixed(value: f64) -> i16 {
    (value * (1 << CONSTANT_BITS) as f64 + if value < 0.0 { -0.5 } else { 0.5 }) as i16
}

/// A quantization table, and what it allows.
#[derive(Clone, Copy)]
pub(crate) struct Quantization {
    factors: [i16x8; SIDE],
    /// The largest quantized coefficients.
    limits: [i16x8; SIDE],
    /// How far samples may be from the middle.
    reach: i16,
}

impl Quantization {
    /// A table by its 64 factors in the order of the file, none of which is zero.
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

    /// The samples of a block; `None` where they are no picture.
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
            // Limits to 0 to 255.
            let bytes = u8x16::narrow_i16x8(pair[0], pair[1]).to_array();
            two.as_flattened_mut().copy_from_slice(&bytes);
        }
        Some(limited)
    }

    /// The value of all samples of a block that has but the first coefficient; `None` where that is no picture.
    #[inline]
    pub(crate) fn even_sample(&self, coefficient: i16) -> Option<u8> {
        let ([limits, ..], [factors, ..]) = (&self.limits, &self.factors);
        let dequantized = coefficient.unsigned_abs().le(&limits.as_array()[0].unsigned_abs());
        let dequantized = dequantized.then(|| coefficient * factors.as_array()[0])?;
        Some((((dequantized + 4) >> 3) + MIDDLE).clamp(0, 255) as u8)
    }
}

/// The values, if all are less than `limit` away from zero.
#[inline]
fn within(values: &[i16x8; SIDE], limit: i16) -> Option<&[i16x8; SIDE]> {
    let [most, least] = [i16x8::max, i16x8::min].map(|choose| {
        let [a, b, c, d, e, f, g, h] = *values;
        choose(choose(choose(a, b), choose(c, d)), choose(choose(e, f), choose(g, h)))
    });
    let beyond = most.simd_ge(i16x8::splat(limit)) | least.simd_le(i16x8::splat(-limit));
    (!beyond.any()).then_some(values)
}

/// The one-dimensional inverse transform of each lane, times √8, less some bits of fraction, rounded. Inputs are less than 2^14.
#[inline]
fn pass<const SHIFT: i32>(inputs: &[i16x8; SIDE]) -> [i16x8; SIDE] {
    let times = |value: i16x8, constant: f64| value.widening_mul(i16x8::splat(fixed(constant)));
    let whole = |value: i16x8| value.widening_mul(i16x8::splat(1 << CONSTANT_BITS));
    let [i0, i1, i2, i3, i4, i5, i6, i7] = *inputs;

    // The even part.
    let (sum, difference) = (whole(i0) + whole(i4), whole(i0) - whole(i4));
    let z = times(i2 + i6, 0.541_196_100);
    let (low, high) = (z + times(i2, 0.765_366_865), z - times(i6, 1.847_759_065));
    let even = [sum + low, difference + high, difference - high, sum - low];

    // The odd part.
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

    /// The transform as the standard defines it, A.3.3, limited and not rounded.
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
    fn what_is_out_of_every_picture_is_refused() {
        // The coarsest table, by which a single coefficient leads to no sample that is too far away.
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
        // In the corner these add up to 1,020, a quarter to 255: more than rounding by this table leads to. A coarser one may.
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
