//! The color of a lattice, and the direction of its hue.
//!
//! A display makes its picture of red, green and blue cells side by side. Its lattice is as strong in color as in luma, and
//! along it the hue goes around: Cb and Cr follow each other at an angle. What is grey in the world is grey in its lattice
//! too; the false color that a camera's mosaic of filters gives it is weak where the lattice is not at the limit of what
//! the camera resolves, and its Cb and Cr rise and fall together. So do those of cloth and print in one ink.

use crate::lattice::{AGREEING, Lattice, View, square};
use crate::peaks::Peak;
use crate::tiles::{CHROMA_SIDE, LUMA_SIDE};

/// The window spreads a line by a bin to each side.
const LINE: usize = 1;
/// From here on, in cycles per pixel, false color is as strong as luma, and says nothing.
const FALSE_COLOR: f32 = 0.45;
/// Folded to frequencies below this, in cycles per value of the color planes, a peak lies among the scene's own colors.
const SCENE: f32 = 0.05;
/// The prominence of color whose hue can be distinguished from noise.
const PROMINENT: f32 = 3.5;

/// A peak, where one tile has it.
#[derive(Default)]
struct Sight {
    /// Cycles per pixel.
    across: f32,
    down: f32,
    prominence: f32,
    /// The powers of luma and of color.
    luma: f32,
    color: f32,
    color_prominence: f32,
    /// Cb times the conjugate of Cr: of what angle lies between them, the sine is the imaginary part.
    cross: f32,
    blue: f32,
    red: f32,
}

/// How colored the peaks are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Hue {
    luma: f32,
    color: f32,
    turning: f32,
    all: f32,
    prominence: f32,
}

impl Hue {
    /// What several peaks give together: the more powerful, the more they weigh.
    /// A tile's own peak lies up to `reach` bins away.
    pub(crate) fn of(lattice: &Lattice, peaks: &[Peak], reach: usize) -> Self {
        peaks.iter().fold(Self::default(), |sum, peak| sum.with(&sights(lattice, peak, reach)))
    }

    /// `sights` are a peak's, in all tiles, those first that show it most.
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
        // Noise turns either way, and cancels; the hue of a lattice turns the same way everywhere.
        let prominent = || sights.iter().filter(|sight| sight.color_prominence >= PROMINENT);
        let sum = |part: fn(&Sight) -> f32| prominent().map(part).sum::<f32>();
        self.turning += sum(|sight| sight.cross).abs();
        self.all += (sum(|sight| sight.blue) * sum(|sight| sight.red)).sqrt();
        self
    }

    /// The natural logarithm of color's power over luma's; `None` where all peaks lie where false color does.
    pub(crate) fn chroma(self) -> Option<f32> {
        // A line's power grows with its tile, and luma's tiles have more values.
        let tiles = (LUMA_SIDE * LUMA_SIDE) as f32 / (CHROMA_SIDE * CHROMA_SIDE) as f32;
        (self.luma > 0.0).then(|| (tiles * self.color / self.luma).max(f32::MIN_POSITIVE).ln())
    }

    /// The sine of the angle between Cb and Cr, from 0 to 1: 0 where the hue does not turn, or there is no color.
    pub(crate) fn turn(self) -> f32 {
        if self.all > 0.0 { self.turning / self.all } else { 0.0 }
    }

    /// How prominent color is where the peaks are, in as many tiles as agree; of several peaks, where it is most.
    pub(crate) fn prominence(self) -> f32 {
        self.prominence
    }
}

/// A peak in all tiles that are not grey, those first that show it most.
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
    // The same frequency is the same bin in the smaller tile, around: the color planes' half resolution folds it.
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

/// A frequency of luma, in cycles per pixel, as one of the color planes.
fn folded(cycles: f32) -> f32 {
    2.0 * cycles - (2.0 * cycles).round()
}
