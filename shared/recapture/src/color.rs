//! The color of a lattice, and the direction of its hue.
//!
//! A display consists of red, green and blue cells side by side. Its lattice is as strong in color as in luma, and the
//! hue rotates along it: Cb and Cr follow each other at an angle. A grey object has a grey lattice. The false color
//! that a camera's color filter mosaic adds is weak unless the lattice is near the camera's limit of resolution, and
//! its Cb and Cr rise and fall together, like those of cloth and of print in one ink.

use crate::lattice::{AGREEING, Lattice, View, square};
use crate::peaks::Peak;
use crate::tiles::{CHROMA_SIDE, LUMA_SIDE};

/// The window function spreads a spectral line by one bin to each side.
const LINE: usize = 1;
/// From this frequency on, in cycles per pixel, false color is as strong as luma, so color is not meaningful.
const FALSE_COLOR: f32 = 0.45;
/// A peak that is folded to a frequency below this, in cycles per value of the color planes, lies among the scene's own
/// colors.
const SCENE: f32 = 0.05;
/// The minimum prominence of color whose hue can be distinguished from noise.
const PROMINENT: f32 = 3.5;

/// A peak as one tile shows it.
#[derive(Default)]
struct Sight {
    /// The horizontal frequency in cycles per pixel.
    across: f32,
    down: f32,
    prominence: f32,
    /// The power of luma and of color.
    luma: f32,
    color: f32,
    color_prominence: f32,
    /// The imaginary part of Cb times the conjugate of Cr: the sine of the angle between them, times their magnitudes.
    cross: f32,
    blue: f32,
    red: f32,
}

/// How colored a lattice's peaks are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hue {
    luma: f32,
    color: f32,
    turning: f32,
    all: f32,
    prominence: f32,
}

impl Hue {
    /// Combines several peaks, weighted by their power. A tile's own peak may be up to `reach` bins away.
    pub(crate) fn of(lattice: &Lattice, peaks: &[Peak], reach: usize) -> Self {
        peaks.iter().fold(Self::default(), |sum, peak| sum.with(&sights(lattice, peak, reach)))
    }

    /// Adds a peak. `sights` are the peak in all tiles, sorted by prominence.
    fn with(mut self, sights: &[Sight]) -> Self {
        let resolved = sights.iter().take(AGREEING).filter(|sight| sight.across.hypot(sight.down) <= FALSE_COLOR);
        for sight in resolved {
            self.luma += sight.luma;
            self.color += sight.color;
        }
        if sights.first().is_none_or(|sight| folded(sight.across).hypot(folded(sight.down)) < SCENE) {
            return self;
        }
        let mut prominences: Vec<f32> = sights.iter().map(|sight| sight.color_prominence).collect();
        prominences.sort_by(|one, other| other.total_cmp(one));
        self.prominence = self.prominence.max(prominences.get(AGREEING - 1).copied().unwrap_or_default());
        // Noise rotates in either direction and cancels out, whereas the hue of a lattice rotates in the same direction
        // everywhere.
        let prominent = || sights.iter().filter(|sight| sight.color_prominence >= PROMINENT);
        let sum = |part: fn(&Sight) -> f32| prominent().map(part).sum::<f32>();
        self.turning += sum(|sight| sight.cross).abs();
        self.all += (sum(|sight| sight.blue) * sum(|sight| sight.red)).sqrt();
        self
    }

    /// The natural logarithm of color's power relative to luma's; `None` if all peaks lie in the range of false color.
    pub(crate) fn chroma(self) -> Option<f32> {
        // The power of a line grows with the size of its tile, and luma's tiles are larger.
        let tiles = (LUMA_SIDE * LUMA_SIDE) as f32 / (CHROMA_SIDE * CHROMA_SIDE) as f32;
        (self.luma > 0.0).then(|| (tiles * self.color / self.luma).max(f32::MIN_POSITIVE).ln())
    }

    /// The sine of the angle between Cb and Cr, from 0 to 1: 0 if the hue does not rotate, or there is no color.
    pub(crate) fn turn(self) -> f32 {
        if self.all > 0.0 { self.turning / self.all } else { 0.0 }
    }

    /// The prominence of color at the peaks, in as many tiles as must agree; for several peaks the largest one.
    pub(crate) fn prominence(self) -> f32 {
        self.prominence
    }
}

/// A peak in all tiles with color, sorted by prominence.
fn sights(lattice: &Lattice, peak: &Peak, reach: usize) -> Vec<Sight> {
    let mut sights: Vec<Sight> = lattice.views.iter().filter_map(|view| sight(view, peak, reach)).collect();
    sights.sort_by(|one, other| other.prominence.total_cmp(&one.prominence));
    sights
}

fn sight(view: &View, peak: &Peak, reach: usize) -> Option<Sight> {
    let color = view.color.as_ref()?;
    let (u, v) = view.own(peak, reach);
    let mut sight = Sight {
        across: u as f32 / LUMA_SIDE as f32,
        down: v as f32 / LUMA_SIDE as f32,
        prominence: view.prominence.at(u, v),
        luma: view.luma.at(u, v).exp_m1(),
        ..Sight::default()
    };
    // In the smaller color tile the same frequency has the same bin modulo its side: the color planes' half resolution
    // folds it.
    for (u, v) in square(u, v, LINE) {
        let [blue, red] = color.spectra.at(u, v);
        sight.color = sight.color.max(blue.norm_sqr()).max(red.norm_sqr());
        sight.color_prominence = sight.color_prominence.max(color.prominence.at(u, v));
        sight.cross += (blue * red.conj()).im;
        sight.blue += blue.norm_sqr();
        sight.red += red.norm_sqr();
    }
    Some(sight)
}

/// A luma frequency in cycles per pixel, folded to the color planes' resolution.
fn folded(cycles: f32) -> f32 {
    2.0 * cycles - (2.0 * cycles).round()
}
