//! Whether a lattice glows.
//!
//! The cells of a display are as bright as their part of the picture: where the picture is twice as bright, so is the
//! lattice, from one detail to the next, and whatever its color. Light on a woven or perforated object strengthens its
//! pattern too, but mostly varies more smoothly than the details of a picture, and hardly changes an object's color.
//! Print has the strongest lattice where it is neither bright nor dark. A scene behind a very fine mesh does glow like
//! a display.

use std::f32::consts::{PI, TAU};

use lacre_fourier::Complex;

use crate::lattice::{Lattice, TILTED};
use crate::peaks::Peak;
use crate::tiles::{BURNT, CHROMA_SIDE, LUMA_SIDE, Samples};

/// The number of blocks along a tile. Each block covers a few cells of a display, and has one strength, brightness and
/// color.
const BLOCKS: usize = 16;
/// The number of blocks in a tile.
const COUNT: usize = BLOCKS * BLOCKS;
/// The side of a block in pixels.
const SIDE: usize = LUMA_SIDE / BLOCKS;
/// Maximum number of peaks; more add no information.
const MOST: usize = 4;
/// The surroundings from which a detail differs reach this far, in blocks.
const REACH: usize = 2;
/// Added before logarithms are taken, so that noise and nearly black areas do not cause large ratios.
const LEAST_STRENGTH: f32 = 0.5;
const LEAST_LIGHT: f32 = 6.0;
/// The middle of Cb and Cr.
const GREY: f32 = 128.0;

/// The relation between the lattice's strength and what is seen at the same place.
pub(crate) struct Glow {
    /// The correlation, from −1 to 1, between the lattice's strength and the brightness, from detail to detail; 0 if
    /// either is constant.
    pub(crate) correlation: f32,
    /// How much detail the correlation is based on: the standard deviation of the logarithm of brightness.
    pub(crate) detail: f32,
    /// How much the color varies over the lattice, from 0: the square root of the variances of Cb and Cr relative to
    /// luma, weighted by the lattice's strength.
    pub(crate) variety: f32,
}

impl Glow {
    /// Measures a lattice by its strongest peaks.
    pub(crate) fn of(lattice: &Lattice, peaks: &[Peak]) -> Self {
        let (mut details, mut colors) = (Sums::default(), Sums::default());
        for view in &lattice.views {
            let own = peaks.iter().take(MOST).map(|peak| view.own(peak, TILTED + 1));
            let waves: Vec<_> = own.map(|(across, down)| [wave(across), wave(down)]).collect();
            let blocks: [Block; COUNT] = std::array::from_fn(|i| Block::of(&view.samples, i, &waves));
            let seen = blocks.map(|block| (block.light < f32::from(BURNT)).then(|| block.logarithms()));
            for (i, block) in blocks.iter().enumerate().filter(|(i, _)| seen[*i].is_some()) {
                let [blue, red] = block.color.map(|color| color / (block.light + LEAST_LIGHT));
                colors.add(block.strength, blue, red);
                if let Some([strength, light]) = detail(&seen, i) {
                    details.add(1.0, strength, light);
                }
            }
        }
        let Moments { x: blue, y: red, .. } = colors.moments();
        Self {
            correlation: details.correlation() as f32,
            detail: details.moments().y.sqrt() as f32,
            variety: (blue + red).sqrt() as f32,
        }
    }
}

/// The measurements of a block.
#[derive(Clone, Copy)]
struct Block {
    /// The amplitude of the lattice.
    strength: f32,
    /// The mean of luma.
    light: f32,
    /// The distance of the means of Cb and Cr from grey.
    color: [f32; 2],
}

/// A value for each pixel along a block.
type Along<T> = [T; SIDE];

impl Block {
    /// The block with a given number in a tile, row by row.
    fn of(samples: &Samples, number: usize, waves: &[[Along<Complex<f32>>; 2]]) -> Self {
        let (x, y) = (number % BLOCKS * SIDE, number / BLOCKS * SIDE);
        let rows = || samples.luma[y * LUMA_SIDE..].chunks(LUMA_SIDE).take(SIDE).map(|row| &row[x..x + SIDE]);
        let sum: u32 = rows().flatten().map(|sample| u32::from(*sample)).sum();
        let light = sum as f32 / (SIDE * SIDE) as f32;
        // The mean is subtracted, because the window's sidelobes would let it through.
        let mut luma = [[0.0; SIDE]; SIDE];
        for (values, row) in luma.iter_mut().zip(rows()) {
            values.iter_mut().zip(row).for_each(|(value, sample)| *value = f32::from(*sample) - light);
        }
        let power: f32 = waves.iter().map(|wave| coefficient(&luma, wave).norm_sqr()).sum();
        let color = samples.color.as_ref().map_or([0.0; 2], |color| {
            color.each_ref().map(|plane| {
                let rows = plane[y / 2 * CHROMA_SIDE..].chunks(CHROMA_SIDE).take(SIDE / 2);
                let sum: u32 = rows.flat_map(|row| &row[x / 2..][..SIDE / 2]).map(|sum| u32::from(*sum)).sum();
                sum as f32 / (SIDE * SIDE) as f32 - GREY
            })
        });
        Self { strength: power.sqrt(), light, color }
    }

    fn logarithms(&self) -> [f32; 2] {
        [(self.strength + LEAST_STRENGTH).ln(), (self.light + LEAST_LIGHT).ln()]
    }
}

/// A complex exponential with the given number of cycles per tile, over one block, in a Hann window whose sum is 1.
fn wave(cycles: isize) -> Along<Complex<f32>> {
    std::array::from_fn(|i| {
        let window = (PI * (i as f32 + 0.5) / SIDE as f32).sin().powi(2) * 2.0 / SIDE as f32;
        Complex::from_polar(window, -TAU * (cycles * i.cast_signed()) as f32 / LUMA_SIDE as f32)
    })
}

/// A block's Fourier coefficient at the frequency of a wave, which is given by its horizontal and vertical factors.
fn coefficient(block: &Along<Along<f32>>, [across, down]: &[Along<Complex<f32>>; 2]) -> Complex<f32> {
    let (mut re, mut im) = ([0.0; SIDE], [0.0; SIDE]);
    for (row, factor) in block.iter().zip(down) {
        for ((re, im), value) in re.iter_mut().zip(&mut im).zip(row) {
            *re += value * factor.re;
            *im += value * factor.im;
        }
    }
    across.iter().zip(re).zip(im).map(|((factor, re), im)| factor * Complex::new(re, im)).sum()
}

/// The difference of a block from the mean of its symmetric surroundings, so that a uniform gradient is not a detail.
/// `None` if the block is not usable, or has no surroundings.
fn detail(seen: &[Option<[f32; 2]>; COUNT], number: usize) -> Option<[f32; 2]> {
    let around = |at: usize| {
        let reach = REACH.min(at).min(BLOCKS - 1 - at);
        at - reach..=at + reach
    };
    let own = seen[number]?;
    let rows = around(number / BLOCKS);
    let columns = around(number % BLOCKS);
    let square = rows.flat_map(|row| &seen[row * BLOCKS..][columns.clone()]).flatten();
    let (sums, count) =
        square.fold(([0.0; 2], 0), |(sums, count), values| ([sums[0] + values[0], sums[1] + values[1]], count + 1));
    (count > 1).then(|| std::array::from_fn(|k| own[k] - sums[k] / count as f32))
}

/// Sums over weighted pairs of values.
#[derive(Default)]
struct Sums {
    weight: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn add(&mut self, weight: f32, x: f32, y: f32) {
        let [weight, x, y] = [weight, x, y].map(f64::from);
        self.weight += weight;
        self.x += weight * x;
        self.y += weight * y;
        self.xx += weight * x * x;
        self.yy += weight * y * y;
        self.xy += weight * x * y;
    }

    /// The moments; 0 if there are no values.
    fn moments(&self) -> Moments {
        if self.weight <= 0.0 {
            return Moments { x: 0.0, y: 0.0, xy: 0.0 };
        }
        let mean = |sum: f64| sum / self.weight;
        let [x, y] = [self.x, self.y].map(mean);
        Moments { x: (mean(self.xx) - x * x).max(0.0), y: (mean(self.yy) - y * y).max(0.0), xy: mean(self.xy) - x * y }
    }

    /// Pearson's correlation coefficient; 0 if one of the values does not vary.
    fn correlation(&self) -> f64 {
        /// The largest variance of values that are constant except for rounding.
        const EVEN: f64 = 1e-12;
        let Moments { x, y, xy } = self.moments();
        if x > EVEN && y > EVEN { (xy / (x * y).sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// The variances of both values, and their covariance.
struct Moments {
    x: f64,
    y: f64,
    xy: f64,
}
