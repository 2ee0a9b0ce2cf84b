//! Finds the regions in which an aligned copy differs from its original.

use std::cmp::Reverse;

use crate::{
    Comparison, Picture, Region, Verdict,
    align::{median, place, polish, refine, search, steps, uncropped},
    raster::{Frame, Window, cut, shrink},
    tone::predict,
};

/// Longest side of the original at the size that the comparison works with, in pixels.
const WORKING: usize = 512;
/// Longest side to which a copy is reduced first.
const COPY: usize = 1600;

/// Pixels at the border of the shown part that are not compared: what surrounds it in a screenshot shines into them.
const MARGIN: usize = 2;
/// Side of a cell, which is a window of the structural similarity, and the distance from one cell to the next.
const SIDE: usize = 16;
const STEP: usize = 8;
/// Constants of the structural similarity, for values up to 255.
const C1: f32 = 6.5025;
const C2: f32 = 58.5225;
/// Standard deviation from which a cell of the original has texture.
const TEXTURE: f32 = 8.0;

/// Share of the textured cells that agree from which a copy is confirmed, and their minimum number.
const CONFIRMING_AGREEMENT: f64 = 0.75;
const CONFIRMING_CELLS: usize = 40;
/// Median similarity from which a copy is confirmed: in two pictures of which one is flat, few cells have texture.
const CONFIRMING_SIMILARITY: f64 = 0.6;
/// Structure from which a cell agrees.
const AGREEING_STRUCTURE: f32 = 0.5;
/// Agreement from which no other place is tried for the copy.
const SURE_AGREEMENT: f64 = 0.9;

/// Bounds of the limit above which a cell differs: by structure, and by color in levels of chroma.
const DISSIMILARITY: (f32, f32) = (0.35, 0.5);
const CHROMA: (f32, f32) = (12.0, 25.0);
/// Share of the limit above which a cell belongs to a region that it touches.
const BELONGING: f32 = 0.6;
/// Cells that differ and make a region: about three that do not overlap.
const MIN_CELLS: usize = 5;
/// Difference from which a pixel counts in the outline of a region: levels, added up over the colors.
const MIN_ERROR: u16 = 45;

/// Compares a copy with its original.
///
/// The copy may be re-encoded, scaled, brighter or darker, cropped, or a screenshot that shows the original among other
/// things. One that was rotated or mirrored is not confirmed, and neither is one that shows only a small part of the
/// original.
#[must_use]
pub fn compare(copy: &Picture, original: &Picture) -> Comparison {
    let Some(aligned) = align(copy, original).filter(Aligned::is_confirmed) else {
        return Comparison {
            verdict: Verdict::NotConfirmed,
            regions: Vec::new(),
            shown: Region::default(),
            agreement: 0.0,
            similarity: 0.0,
            frame: Frame { left: 0.0, top: 0.0, width: 0.0, height: 0.0 },
        };
    };
    let in_original = |window: Window| aligned.in_original(window, original);
    let regions: Vec<Region> = aligned.differences().into_iter().map(in_original).collect();
    Comparison {
        verdict: if regions.is_empty() { Verdict::Same } else { Verdict::SameWithDifferences },
        regions,
        shown: in_original(aligned.shown),
        agreement: aligned.agreement,
        similarity: aligned.similarity(),
        frame: aligned.frame_in_original(original),
    }
}

/// Puts the copy where it agrees with the original best. `None` if there is no such place.
fn align(copy: &Picture, original: &Picture) -> Option<Aligned> {
    let (copy, original) = (shrink(copy, COPY)?, shrink(original, WORKING)?);
    let mut best: Option<Aligned> = None;
    let mut is_sure = |frame| {
        let refined = refine(&copy, &original, frame).and_then(|frame| polish(&copy, &original, frame));
        let Some(aligned) = refined.and_then(|frame| Aligned::new(&copy, &original, frame)) else { return false };
        let is_sure = aligned.agreement >= SURE_AGREEMENT;
        if best.as_ref().is_none_or(|best| best.agreeing < aligned.agreeing) {
            best = Some(aligned);
        }
        is_sure
    };
    if !uncropped(&copy, &original).is_some_and(&mut is_sure) {
        search(&copy, &original)?.into_iter().any(is_sure);
    }
    best
}

/// A copy in its place, compared cell by cell.
struct Aligned {
    /// Width and height of the original at the working size, in whose pixels the windows are.
    working: (u32, u32),
    frame: Frame,
    /// What the copy shows of the original.
    shown: Window,
    /// The part of it that is compared, with the original's pixels in the copy's brightness and contrast, and the copy's.
    compared: Window,
    expected: Picture,
    found: Picture,
    /// The cells, row by row, and the columns and rows at which they start.
    cells: Vec<Cell>,
    lefts: Vec<usize>,
    tops: Vec<usize>,
    /// How many cells of those with texture agree, and their share.
    agreeing: usize,
    agreement: f64,
}

/// How a window of the copy differs from the original's.
struct Cell {
    /// Contrast and structure of the structural similarity: 1 if they are the same.
    structure: f32,
    /// 1 less the structural similarity.
    dissimilarity: f32,
    /// Difference of the mean color, in levels.
    chroma: f32,
    is_textured: bool,
}

impl Aligned {
    fn new(copy: &Picture, original: &Picture, frame: Frame) -> Option<Self> {
        let shown = frame.inside(original.width as usize, original.height as usize);
        let compared = shown.inset(MARGIN);
        let found = place(copy, frame, compared)?;
        let expected = predict(&cut(original, compared), &found);
        let lefts: Vec<usize> = steps(compared.width, SIDE, STEP).collect();
        let tops: Vec<usize> = steps(compared.height, SIDE, STEP).collect();
        let (a, b) = (components(&expected), components(&found));
        let places = tops.iter().flat_map(|&top| lefts.iter().map(move |&left| top * compared.width + left));
        let cells: Vec<Cell> = places.map(|start| Cell::new(&a, &b, start, compared.width)).collect();
        let textured = cells.iter().filter(|cell| cell.is_textured).count();
        let agreeing = cells.iter().filter(|cell| cell.is_textured && cell.structure >= AGREEING_STRUCTURE).count();
        let agreement = agreeing as f64 / textured.max(1) as f64;
        let working = (original.width, original.height);
        Some(Self { working, frame, shown, compared, expected, found, cells, lefts, tops, agreeing, agreement })
    }

    fn is_confirmed(&self) -> bool {
        self.agreement >= CONFIRMING_AGREEMENT
            && self.agreeing >= CONFIRMING_CELLS
            && self.similarity() >= CONFIRMING_SIMILARITY
    }

    /// Median of the structural similarities.
    fn similarity(&self) -> f64 {
        1.0 - median(&mut self.cells.iter().map(|cell| f64::from(cell.dissimilarity)).collect::<Vec<_>>())
            .unwrap_or(1.0)
    }

    /// The regions that differ, the largest first.
    fn differences(&self) -> Vec<Window> {
        let dissimilarity = limit(self.cells.iter().map(|cell| cell.dissimilarity), DISSIMILARITY);
        let chroma = limit(self.cells.iter().map(|cell| cell.chroma), CHROMA);
        let differs =
            |cell: &Cell, share: f32| cell.dissimilarity > share * dissimilarity || cell.chroma > share * chroma;
        let regions = connected(self.cells.iter().map(|cell| differs(cell, BELONGING)).collect(), self.lefts.len());
        let large = regions
            .into_iter()
            .filter(|region| region.iter().filter(|&&at| differs(&self.cells[at], 1.0)).count() >= MIN_CELLS);
        let mut found: Vec<Window> = large.map(|region| self.outline(&region)).collect();
        found.sort_by_key(|region| Reverse(region.width * region.height));
        found
    }

    /// The smallest window around the pixels that differ in these cells.
    fn outline(&self, cells: &[usize]) -> Window {
        let columns = || cells.iter().map(|at| self.lefts[at % self.lefts.len()]);
        let rows = || cells.iter().map(|at| self.tops[at / self.lefts.len()]);
        let columns = columns().min().unwrap_or(0)..columns().max().unwrap_or(0) + SIDE;
        let rows = rows().min().unwrap_or(0)..rows().max().unwrap_or(0) + SIDE;
        let differs = |x: usize, y: usize| {
            let at = 3 * (y * self.compared.width + x);
            let pairs = self.expected.rgb[at..at + 3].iter().zip(&self.found.rgb[at..at + 3]);
            pairs.map(|(a, b)| u16::from(a.abs_diff(*b))).sum::<u16>() >= MIN_ERROR
        };
        let by_column = columns.clone().map(|x| rows.clone().filter(|&y| differs(x, y)).count()).collect::<Vec<_>>();
        let by_row = rows.clone().map(|y| columns.clone().filter(|&x| differs(x, y)).count()).collect::<Vec<_>>();
        let ((left, width), (top, height)) = (core(&by_column), core(&by_row));
        Window {
            left: self.compared.left + columns.start + left,
            top: self.compared.top + rows.start + top,
            width,
            height,
        }
    }

    fn frame_in_original(&self, original: &Picture) -> Frame {
        let x = f64::from(original.width) / f64::from(self.working.0);
        let y = f64::from(original.height) / f64::from(self.working.1);
        let Frame { left, top, width, height } = self.frame;
        Frame { left: left * x, top: top * y, width: width * x, height: height * y }
    }

    /// A window in pixels of the original.
    fn in_original(&self, window: Window, original: &Picture) -> Region {
        let scale = |start: usize, length: usize, side: u32, working: u32| {
            let scaled = |at: usize| (at as f64 * f64::from(side) / f64::from(working)).round() as u32;
            (scaled(start), scaled(start + length) - scaled(start))
        };
        let (left, width) = scale(window.left, window.width, original.width, self.working.0);
        let (top, height) = scale(window.top, window.height, original.height, self.working.1);
        Region { left, top, width, height }
    }
}

/// Brightness and the two color differences (BT.601) of each pixel.
fn components(picture: &Picture) -> Vec<[f32; 3]> {
    let pixels = picture.rgb.as_chunks::<3>().0.iter().zip(picture.luma());
    pixels.map(|(&[r, _, b], luma)| [luma, 0.564 * (f32::from(b) - luma), 0.713 * (f32::from(r) - luma)]).collect()
}

impl Cell {
    /// Compares the window that starts with this pixel, of two pictures of this width.
    fn new(a: &[[f32; 3]], b: &[[f32; 3]], start: usize, width: usize) -> Self {
        let (mut sum_a, mut sum_b, mut aa, mut bb, mut ab, mut blue, mut red) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for row in (0..SIDE).map(|y| start + y * width) {
            for (a, b) in a[row..row + SIDE].iter().zip(&b[row..row + SIDE]) {
                sum_a += a[0];
                sum_b += b[0];
                aa += a[0] * a[0];
                bb += b[0] * b[0];
                ab += a[0] * b[0];
                blue += b[1] - a[1];
                red += b[2] - a[2];
            }
        }
        let n = (SIDE * SIDE) as f32;
        let (mean_a, mean_b) = (sum_a / n, sum_b / n);
        let (variance_a, variance_b) = (aa / n - mean_a * mean_a, bb / n - mean_b * mean_b);
        let structure = (2.0 * (ab / n - mean_a * mean_b) + C2) / (variance_a + variance_b + C2);
        let light = (2.0 * mean_a * mean_b + C1) / (mean_a * mean_a + mean_b * mean_b + C1);
        Self {
            structure,
            dissimilarity: 1.0 - structure * light,
            chroma: blue.abs().max(red.abs()) / n,
            is_textured: variance_a > TEXTURE * TEXTURE,
        }
    }
}

/// The limit above which a value is an outlier: median + 6 MAD, within bounds.
fn limit(values: impl Iterator<Item = f32>, (lowest, highest): (f32, f32)) -> f32 {
    let mut values: Vec<f64> = values.map(f64::from).collect();
    let middle = median(&mut values).unwrap_or(0.0);
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    ((middle + 6.0 * median(&mut deviations).unwrap_or(0.0)) as f32).clamp(lowest, highest)
}

/// Groups marked cells that touch, also at a corner, by the cells' numbers. The cells lie in rows of `columns`.
fn connected(mut marked: Vec<bool>, columns: usize) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    for start in 0..marked.len() {
        let mut open = Vec::new();
        let mut group = Vec::new();
        if std::mem::take(&mut marked[start]) {
            open.push(start);
        }
        while let Some(at) = open.pop() {
            group.push(at);
            let (x, y) = (at % columns, at / columns);
            for y in y.saturating_sub(1)..=y + 1 {
                for x in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    if marked.get_mut(y * columns + x).is_some_and(std::mem::take) {
                        open.push(y * columns + x);
                    }
                }
            }
        }
        groups.push(group);
    }
    groups
}

/// A series without the low values at its ends: where it then begins, and its length.
fn core(counts: &[usize]) -> (usize, usize) {
    let enough = counts.iter().max().map_or(0, |most| most / 4);
    let first = counts.iter().position(|&count| count >= enough).unwrap_or(0);
    let last = counts.iter().rposition(|&count| count >= enough).unwrap_or(0);
    (first, last + 1 - first)
}
