//! Whether a lattice glows.
//!
//! The cells of a display are as bright as their part of the picture: where the picture is twice as bright, so is the lattice, from
//! one detail of it to the next, and whatever its color there. Light that falls on a woven or perforated thing makes its pattern stronger
//! as well, but light falls smoothly, and leaves a thing its color. Print is strongest where it is neither bright nor dark.

use std::f32::consts::{PI, TAU};

use rustfft::num_complex::Complex;

use crate::Pixels;
use crate::lattice::{Lattice, TILTED};
use crate::peaks::Peak;
use crate::tiles::{BURNT, LUMA_SIDE, Tile};

/// Blocks along a tile. Each has one strength, one light and one color: a few cells of a display.
const BLOCKS: usize = 16;
/// Pixels along a block.
const SIDE: usize = LUMA_SIDE / BLOCKS;
/// More peaks say nothing new.
const MOST: usize = 4;
/// Detail is what differs from its surroundings, which reach this far, in blocks.
const REACH: usize = 2;
/// Strengths below are noise, and lights below are what a display's black and a camera's flare leave: neither halves to nothing.
const LEAST_STRENGTH: f32 = 0.5;
const LEAST_LIGHT: f32 = 6.0;
/// The middle of Cb and Cr.
const GREY: f32 = 128.0;

/// How a lattice's strength goes with what is seen in its place.
pub(crate) struct Glow {
    /// The correlation, from −1 to 1, of the lattice's strength and the light, from detail to detail; 0 where either is even.
    pub(crate) correlation: f32,
    /// How much the color differs over the lattice, from 0: the standard deviation of Cb and Cr over luma.
    pub(crate) variety: f32,
}

impl Glow {
    /// Of a lattice, by its strongest peaks.
    pub(crate) fn of(pixels: &Pixels, lattice: &Lattice, peaks: &[Peak]) -> Self {
        let (mut correlated, mut colors) = (Sums::default(), Sums::default());
        for view in &lattice.views {
            let own = peaks.iter().take(MOST).map(|peak| view.own(peak, TILTED + 1));
            let waves: Vec<_> = own.map(|(across, down)| [wave(across), wave(down)]).collect();
            let blocks: [Block; BLOCKS * BLOCKS] = std::array::from_fn(|i| Block::of(pixels, view.tile, i, &waves));
            let strengths = details(&blocks.map(|block| (block.strength + LEAST_STRENGTH).ln()));
            let lights = details(&blocks.map(|block| (block.light + LEAST_LIGHT).ln()));
            for (i, block) in blocks.iter().enumerate().filter(|(_, block)| block.light < f32::from(BURNT)) {
                correlated.add(1.0, strengths[i], lights[i]);
                let [blue, red] = block.color.map(|color| color / (block.light + LEAST_LIGHT));
                colors.add(block.strength, blue, red);
            }
        }
        let (blue, red, _) = colors.covariance();
        Self { correlation: correlated.correlation() as f32, variety: (blue + red).sqrt() as f32 }
    }
}

/// What is seen in a small square.
#[derive(Clone, Copy)]
struct Block {
    /// The lattice's.
    strength: f32,
    /// The mean of luma.
    light: f32,
    /// How far the means of Cb and Cr are from grey.
    color: [f32; 2],
}

/// A value for each place along a block.
type Along<T> = [T; SIDE];

impl Block {
    /// The block of that number in a tile, row by row.
    fn of(pixels: &Pixels, tile: Tile, number: usize, waves: &[[Along<Complex<f32>>; 2]]) -> Self {
        let (x, y) = (tile.x + number % BLOCKS * SIDE, tile.y + number / BLOCKS * SIDE);
        let (mut luma, mut light, mut color) = ([[0.0; SIDE]; SIDE], 0, [0.0; 2]);
        for (row, values) in luma.iter_mut().enumerate() {
            let start = ((y + row) * pixels.width + x) * pixels.components;
            let samples = &pixels.samples[start..start + SIDE * pixels.components];
            for (value, sample) in values.iter_mut().zip(samples.iter().step_by(pixels.components)) {
                *value = f32::from(*sample);
                light += u32::from(*sample);
            }
            // Color has half the resolution in nearly every JPEG.
            if pixels.components == 3 && row % 2 == 0 {
                for pixel in samples.chunks_exact(3).step_by(2) {
                    color[0] += f32::from(pixel[1]) - GREY;
                    color[1] += f32::from(pixel[2]) - GREY;
                }
            }
        }
        let power: f32 = waves.iter().map(|wave| part(&luma, wave).norm_sqr()).sum();
        let mean = |sum: f32| sum / (SIDE * SIDE) as f32;
        Self { strength: power.sqrt(), light: mean(light as f32), color: color.map(|sum| mean(4.0 * sum)) }
    }
}

/// A wave of that many cycles along a tile, in Hann's window, whose sum is 1: what has no period has no part in fine waves.
fn wave(cycles: isize) -> Along<Complex<f32>> {
    std::array::from_fn(|i| {
        let window = (PI * (i as f32 + 0.5) / SIDE as f32).sin().powi(2) * 2.0 / SIDE as f32;
        Complex::from_polar(window, -TAU * (cycles * i.cast_signed()) as f32 / LUMA_SIDE as f32)
    })
}

/// The part that a wave has in a block, by its factors across and down.
fn part(block: &Along<Along<f32>>, [across, down]: &[Along<Complex<f32>>; 2]) -> Complex<f32> {
    let (mut re, mut im) = ([0.0; SIDE], [0.0; SIDE]);
    for (row, factor) in block.iter().zip(down) {
        for ((re, im), value) in re.iter_mut().zip(&mut im).zip(row) {
            *re += value * factor.re;
            *im += value * factor.im;
        }
    }
    across.iter().zip(re).zip(im).map(|((factor, re), im)| factor * Complex::new(re, im)).sum()
}

/// What each block differs by from the mean of those around it.
fn details(values: &[f32; BLOCKS * BLOCKS]) -> [f32; BLOCKS * BLOCKS] {
    let around = |at: usize| at.saturating_sub(REACH)..(at + REACH + 1).min(BLOCKS);
    std::array::from_fn(|i| {
        let (rows, columns) = (around(i / BLOCKS), around(i % BLOCKS));
        let count = (rows.len() * columns.len()) as f32;
        let sum: f32 = rows.map(|row| values[row * BLOCKS..][columns.clone()].iter().sum::<f32>()).sum();
        values[i] - sum / count
    })
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

    /// The variances of both, and their covariance; 0 of nothing.
    fn covariance(&self) -> (f64, f64, f64) {
        if self.weight <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let mean = |sum: f64| sum / self.weight;
        let [x, y] = [self.x, self.y].map(mean);
        ((mean(self.xx) - x * x).max(0.0), (mean(self.yy) - y * y).max(0.0), mean(self.xy) - x * y)
    }

    /// Pearson's coefficient; 0 where one of the two does not vary.
    fn correlation(&self) -> f64 {
        /// The variance of what is even but for rounding.
        const EVEN: f64 = 1e-12;
        let (x, y, xy) = self.covariance();
        if x > EVEN && y > EVEN { (xy / (x * y).sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
    }
}
