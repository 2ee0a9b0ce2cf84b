//! Finds the place of a copy in its original by correlating the directions of their gradients.
//!
//! The direction of a gradient does not depend on brightness and contrast, and each pixel counts as much as any other.
//! A first search at a small size goes over all scales; the place is then refined by the displacements of tiles, whose
//! median is not moved by a region that differs.

use std::{cmp::Ordering, sync::Arc};

use lacre_fourier::{Complex, Fft};

use crate::{
    Picture,
    raster::{Frame, Window, cut, scale, shrink},
    tone::predict,
};

/// Longest side of the original in the search over scales, and the side of its transforms. A copy's longest side is at
/// most 2.56 times the original's: a phone's screen that shows a photo in landscape.
const SMALL: usize = 100;
const SMALL_FIELD: usize = 256;
/// The smallest longest side of a copy, relative to the original's: a crop.
const SMALLEST_COPY: f64 = 0.5;
/// Ratio of one scale to the next in the search.
const SCALE_STEP: f64 = 1.025;
/// A copy whose ratio of width to height is this close to the original's may be uncropped.
const SAME_ASPECT: f64 = 0.02;
/// Number of scales to refine.
const CANDIDATES: usize = 3;

/// Side of the tiles, in pixels of the working size, and the distance from one to the next.
const TILE: usize = 64;
const TILE_STEP: usize = 48;
/// Correlation from which a tile's displacement is used.
const TILE_CORRELATION: f32 = 0.15;
/// Sum of agreeing directions from which it is used: in a tile without detail, few would correlate by chance.
const MIN_PEAK: f32 = 8.0;
/// Tiles needed to correct the scale; with fewer only the position is corrected.
const TILES_FOR_SCALE: usize = 6;
/// Rounds of refinement.
const ROUNDS: usize = 5;

/// Rounds of the last, finest correction.
const POLISHES: usize = 6;

/// Gradients below this are noise, in levels of brightness for each pixel.
const MIN_GRADIENT: f32 = 4.0;

type Field = Vec<Complex<f32>>;

/// Two-dimensional transforms of one size.
struct Transform {
    side: usize,
    forward: Arc<dyn Fft<f32>>,
    inverse: Arc<dyn Fft<f32>>,
}

impl Transform {
    fn new(side: usize) -> Self {
        Self { side, forward: lacre_fourier::forward(side), inverse: lacre_fourier::inverse(side) }
    }

    /// Transforms rows, then columns.
    fn run(&self, fft: &dyn Fft<f32>, field: &mut Field) {
        for _ in 0..2 {
            fft.process(field);
            for y in 0..self.side {
                for x in 0..y {
                    field.swap(y * self.side + x, x * self.side + y);
                }
            }
        }
    }

    /// The directions of the gradients in a window of a picture, in the frequency domain; and the sum of their squared
    /// weights.
    fn spectrum(
        &self,
        luma: &[f32],
        width: usize,
        window: Window,
        weight: impl Fn(usize, usize) -> f32,
    ) -> (Field, f32) {
        let mut field = vec![Complex::default(); self.side * self.side];
        let mut energy = 0.0;
        for y in 1..window.height.saturating_sub(1).min(self.side) {
            for x in 1..window.width.saturating_sub(1).min(self.side) {
                let at = (window.top + y) * width + window.left + x;
                let gradient = Complex::new(luma[at + 1] - luma[at - 1], luma[at + width] - luma[at - width]);
                let norm = gradient.norm();
                if norm > MIN_GRADIENT {
                    let value = gradient * (weight(x, y) / norm);
                    energy += value.norm_sqr();
                    field[y * self.side + x] = value;
                }
            }
        }
        self.run(&*self.forward, &mut field);
        (field, energy)
    }

    /// Correlates two spectra. The peak's position is the displacement of `b` relative to `a`; the field repeats, so one from
    /// `negative_from` on is negative.
    fn correlate(&self, a: &Field, b: &Field, negative_from: (usize, usize)) -> Peak {
        let mut product: Field = a.iter().zip(b).map(|(a, b)| a.conj() * b).collect();
        self.run(&*self.inverse, &mut product);
        let side = self.side;
        let value = |x: usize, y: usize| product[(y % side) * side + x % side].re;
        let at =
            (0..product.len()).max_by(|&a, &b| product[a].re.partial_cmp(&product[b].re).unwrap_or(Ordering::Equal));
        let (x, y) = at.map_or((0, 0), |at| (at % side, at / side));
        let height = value(x, y);
        let dx = vertex(value(x + side - 1, y), height, value(x + 1, y));
        let dy = vertex(value(x, y + side - 1), height, value(x, y + 1));
        let signed = |at: usize, limit: usize| if at >= limit { at as f64 - side as f64 } else { at as f64 };
        Peak {
            x: signed(x, negative_from.0) + dx,
            y: signed(y, negative_from.1) + dy,
            height: height / (side * side) as f32,
        }
    }
}

/// Where the parabola through three neighbors has its vertex, relative to the middle one.
fn vertex(before: f32, middle: f32, after: f32) -> f64 {
    let curvature = before - 2.0 * middle + after;
    if curvature < 0.0 { f64::from(0.5 * (before - after) / curvature).clamp(-0.5, 0.5) } else { 0.0 }
}

/// A maximum of a correlation.
#[derive(Debug, Clone, Copy)]
struct Peak {
    x: f64,
    y: f64,
    height: f32,
}

/// Places to try for a copy in its original, the most plausible first: frames in pixels of the original.
pub(crate) fn search(copy: &Picture, original: &Picture) -> Option<Vec<Frame>> {
    let (small, copy) = (shrink(original, SMALL)?, shrink(copy, SMALL_FIELD)?);
    let longest = f64::from(original.width.max(original.height));
    let unit = longest / f64::from(small.width.max(small.height));
    let transform = Transform::new(SMALL_FIELD);
    let (spectrum, _) = spectrum_of(&transform, &small);
    let copy_longest = f64::from(copy.width.max(copy.height));
    let whole = Frame { left: 0.0, top: 0.0, width: f64::from(copy.width), height: f64::from(copy.height) };

    let mut found: Vec<(Peak, Frame)> = Vec::new();
    let mut side = SMALL as f64 * SMALLEST_COPY;
    while side <= SMALL_FIELD as f64 {
        let (width, height) = (f64::from(copy.width), f64::from(copy.height));
        let pixels = |length: f64| ((length * side / copy_longest).round() as usize).max(1);
        let scaled = scale(&copy, whole, pixels(width), pixels(height))?;
        let (other, _) = spectrum_of(&transform, &scaled);
        // A copy that begins behind the original's end would not overlap it.
        let peak = transform.correlate(&other, &spectrum, (small.width as usize, small.height as usize));
        let frame = Frame {
            left: peak.x * unit,
            top: peak.y * unit,
            width: f64::from(scaled.width) * unit,
            height: f64::from(scaled.height) * unit,
        };
        found.push((peak, frame));
        side *= SCALE_STEP;
    }
    found.sort_by(|(a, _), (b, _)| b.height.total_cmp(&a.height));
    Some(found.into_iter().map(|(_, frame)| frame).take(CANDIDATES).collect())
}

/// The frame of a copy that shows the whole original, if the ratios of their sides allow it.
pub(crate) fn uncropped(copy: &Picture, original: &Picture) -> Option<Frame> {
    let whole = Frame { left: 0.0, top: 0.0, width: f64::from(original.width), height: f64::from(original.height) };
    let aspect = f64::from(copy.width) / f64::from(copy.height) * whole.height / whole.width;
    ((aspect - 1.0).abs() < SAME_ASPECT).then_some(whole)
}

fn spectrum_of(transform: &Transform, picture: &Picture) -> (Field, f32) {
    let (width, height) = (picture.width as usize, picture.height as usize);
    transform.spectrum(&picture.luma(), width, Window { left: 0, top: 0, width, height }, |_, _| 1.0)
}

/// Moves and scales a copy's frame until its tiles lie on those of the original, which has the working
/// size.
pub(crate) fn refine(copy: &Picture, original: &Picture, mut frame: Frame) -> Option<Frame> {
    let transform = Transform::new(TILE);
    let luma = original.luma();
    let (width, height) = (original.width as usize, original.height as usize);
    let bell: Vec<f32> =
        (0..TILE).map(|at| 0.5 - 0.5 * (std::f32::consts::TAU * (at as f32 + 0.5) / TILE as f32).cos()).collect();
    let weight = |x: usize, y: usize| bell[x] * bell[y];
    for _ in 0..ROUNDS {
        let window = frame.inside(width, height);
        let placed = place(copy, frame, window)?.luma();
        let mut tiles = Vec::new();
        for top in steps(window.height, TILE, TILE_STEP) {
            for left in steps(window.width, TILE, TILE_STEP) {
                let of_copy = Window { left, top, width: TILE, height: TILE };
                let of_original = Window { left: window.left + left, top: window.top + top, ..of_copy };
                let (a, a_energy) = transform.spectrum(&luma, width, of_original, weight);
                let (b, b_energy) = transform.spectrum(&placed, window.width, of_copy, weight);
                let peak = transform.correlate(&b, &a, (TILE / 2, TILE / 2));
                if peak.height > TILE_CORRELATION * (a_energy * b_energy).sqrt() && peak.height > MIN_PEAK {
                    let center = |start: usize| (start + TILE / 2) as f64;
                    tiles.push((center(of_original.left), center(of_original.top), peak));
                }
            }
        }
        let corrected = correct(frame, &tiles);
        let moved = (corrected.left - frame.left).abs()
            + (corrected.top - frame.top).abs()
            + (corrected.width - frame.width).abs()
            + (corrected.height - frame.height).abs();
        frame = corrected.plausible(original)?;
        if moved < 0.05 {
            break;
        }
    }
    Some(frame)
}

/// Corrects a frame by the displacements of tiles at these centers: medians, so that outliers have no weight.
fn correct(frame: Frame, tiles: &[(f64, f64, Peak)]) -> Frame {
    if tiles.is_empty() {
        return frame;
    }
    let mut slopes = Vec::new();
    if tiles.len() >= TILES_FOR_SCALE {
        for (at, a) in tiles.iter().enumerate() {
            for b in &tiles[at + 1..] {
                if (a.0 - b.0).abs() >= 2.0 * TILE as f64 {
                    slopes.push((a.2.x - b.2.x) / (a.0 - b.0));
                }
                if (a.1 - b.1).abs() >= 2.0 * TILE as f64 {
                    slopes.push((a.2.y - b.2.y) / (a.1 - b.1));
                }
            }
        }
    }
    let slope = median(&mut slopes).unwrap_or(0.0);
    let mut shifts_x: Vec<f64> = tiles.iter().map(|(x, _, peak)| peak.x - slope * x).collect();
    let mut shifts_y: Vec<f64> = tiles.iter().map(|(_, y, peak)| peak.y - slope * y).collect();
    let (dx, dy) = (median(&mut shifts_x).unwrap_or(0.0), median(&mut shifts_y).unwrap_or(0.0));
    Frame {
        left: frame.left * (1.0 + slope) + dx,
        top: frame.top * (1.0 + slope) + dy,
        width: frame.width * (1.0 + slope),
        height: frame.height * (1.0 + slope),
    }
}

/// Moves and scales a copy's frame, each axis for itself, until brightness agrees best (Gauss-Newton). Pixels that differ
/// more than most have no weight.
pub(crate) fn polish(copy: &Picture, original: &Picture, mut frame: Frame) -> Option<Frame> {
    for _ in 0..POLISHES {
        let window = frame.inside(original.width as usize, original.height as usize);
        let placed = place(copy, frame, window)?;
        let (a, b) = (predict(&cut(original, window), &placed).luma(), placed.luma());
        let mut errors: Vec<f64> = a.iter().zip(&b).step_by(7).map(|(a, b)| f64::from((a - b).abs())).collect();
        let limit = 3.0 * median(&mut errors)? as f32 + 2.0;
        let (width, height) = (window.width, window.height);
        let mut equations = [[0.0; 5]; 4];
        for y in 1..height.saturating_sub(1) {
            let v = y as f32 / height as f32 - 0.5;
            for x in 1..width.saturating_sub(1) {
                let at = y * width + x;
                let error = b[at] - a[at];
                if error.abs() > limit {
                    continue;
                }
                let u = x as f32 / width as f32 - 0.5;
                let gradient = |before: usize, after: usize| (a[after] - a[before] + b[after] - b[before]) / 4.0;
                let (gx, gy) = (gradient(at - 1, at + 1), gradient(at - width, at + width));
                let terms = [gx, gx * u, gy, gy * v, error];
                for (row, term) in equations.iter_mut().zip(terms) {
                    for (sum, other) in row.iter_mut().zip(terms) {
                        *sum += f64::from(term * other);
                    }
                }
            }
        }
        let [x, stretch_x, y, stretch_y] = solve(equations);
        let moved = |start: f64, length: f64, shift: f64, stretch: f64, origin: usize, side: usize| {
            let displaced = |at: f64| at + shift + stretch * ((at - origin as f64) / side as f64 - 0.5);
            (displaced(start), displaced(start + length) - displaced(start))
        };
        let (left, columns) = moved(frame.left, frame.width, x, stretch_x, window.left, width);
        let (top, rows) = moved(frame.top, frame.height, y, stretch_y, window.top, height);
        frame = Frame { left, top, width: columns, height: rows }.plausible(original)?;
        if [x, stretch_x, y, stretch_y].iter().all(|step| step.abs() < 0.02) {
            break;
        }
    }
    Some(frame)
}

/// Solves four linear equations by elimination, damped so that a picture without detail moves nothing.
fn solve(mut equations: [[f64; 5]; 4]) -> [f64; 4] {
    let trace: f64 = equations.iter().enumerate().map(|(at, row)| row[at]).sum();
    for (at, row) in equations.iter_mut().enumerate() {
        row[at] += 1e-4 * trace + 1.0;
    }
    for pivot in 0..4 {
        let of_pivot = equations[pivot];
        for (_, row) in equations.iter_mut().enumerate().filter(|(at, _)| *at != pivot) {
            let factor = row[pivot] / of_pivot[pivot];
            for (value, subtracted) in row.iter_mut().zip(of_pivot) {
                *value -= factor * subtracted;
            }
        }
    }
    std::array::from_fn(|at| equations[at][4] / equations[at][at])
}

/// The copy's pixels in a window of the original.
pub(crate) fn place(copy: &Picture, frame: Frame, window: Window) -> Option<Picture> {
    let (x, y) = (f64::from(copy.width) / frame.width, f64::from(copy.height) / frame.height);
    let part = Frame {
        left: (window.left as f64 - frame.left) * x,
        top: (window.top as f64 - frame.top) * y,
        width: window.width as f64 * x,
        height: window.height as f64 * y,
    };
    scale(copy, part, window.width, window.height)
}

/// Starts of windows of this length that cover a side; the last one ends with it.
pub(crate) fn steps(side: usize, length: usize, step: usize) -> impl Iterator<Item = usize> + Clone {
    let last = side.checked_sub(length);
    last.into_iter().flat_map(move |last| (0..last.div_ceil(step)).map(move |at| at * step).chain([last]))
}

/// The median, for an even number the upper one; `None` of nothing.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    // A standard library that is built for size, as the verification page's is, selects in a time quadratic in the number
    // of equal values.
    if cfg!(target_family = "wasm") {
        values.sort_unstable_by(f64::total_cmp);
        return Some(values[middle]);
    }
    Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
}
