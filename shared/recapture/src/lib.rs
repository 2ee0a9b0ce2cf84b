//! Whether a photo might be a photo of a screen: the analysis behind the recapture gate.
//!
//! A display is a lattice of colored cells, and a camera that looks at one samples that lattice. What it leaves in the photo
//! is periodic, the same all over the frame, finer than most of what the world repeats, and colored. The analysis looks
//! for just that: it takes a few tiles at native resolution, each where the light is (`tiles`), the part of
//! their spectra that stands above its surroundings (`spectrum`, `whiten`), what the tiles have in common (`lattice`), the peaks
//! of that (`peaks`), their colors (`color`), how sharp they are (`line`), whether they glow (`glow`), what the camera left of fine detail (`falloff`), and then what all of that says
//! together (`decision`, by `weights`).
//!
//! # Scores
//!
//! Strengths are natural logarithms of power over the power nearby: 2.3 is ten times as much. Every score is finite.
//!
//! | Name | What it is |
//! |---|---|
//! | `evidence` | the natural logarithm of a likelihood ratio, simulated displays against the rest: a sum over the scores below, fitted together |
//! | `fine` | strength of the strongest fine peak, from 0.22 cycles per pixel |
//! | `fine_frequency` | the frequency of that peak, in cycles per pixel |
//! | `count` | how many fine peaks are about as strong, up to 16 |
//! | `coarser` | by how much the strongest coarser peak is stronger: brick, cloth, façades have such. Those do not count that are a display's own |
//! | `line` | by how much power at the peak is more than around it: a display repeats exactly |
//! | `chroma` | the logarithm of color's power over luma's at the fine peaks: about 0 on a display, negative on what is grey |
//! | `hue` | how the hue turns along the lattice, from 0 to 1: near 0 on all that has one hue, or too little color |
//! | `scene` | the logarithm of the power of the scene's own colors |
//! | `glow` | how the lattice's strength goes with the light from detail to detail, a correlation from −1 to 1: a display's cells are as bright as its picture |
//! | `detail` | how much detail `glow` is measured on: the standard deviation of the light's logarithm |
//! | `falloff` | how fast the spectrum falls from coarse to fine detail: the logarithm of power at 0.28 to 0.34 cycles per pixel less that at 0.18 to 0.22 |
//! | `high_falloff` | the same on to the finest detail, at 0.44 to 0.5 |
//! | `variety` | how much the color differs over the lattice, from 0: glow in one color alone may be the light's that falls on it |
//!
//! A frame that is too small for the tiles, or without any fine peak, has no scores. Without a peak that is stronger than noise there is
//! no `evidence`. A photo that is grey itself, with planes of color or without, has neither that nor the scores of
//! color, and is never `HIGH`.

mod color;
mod decision;
mod falloff;
mod glow;
mod half_plane;
mod lattice;
mod line;
mod peaks;
mod spectrum;
mod tiles;
mod weights;
mod whiten;

use lacre_domain::RecaptureScores;

pub use lacre_domain::RecaptureRisk;

pub use lacre_photo::{Plane, Planes};

/// The result of the analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Its conclusion.
    pub risk: RecaptureRisk,
    /// The scores behind it, by name.
    pub scores: RecaptureScores,
}

/// An analysis of a photo, by a threshold: the evidence from which on it is `HIGH`.
pub type Analyse = fn(Planes, f64) -> Analysis;

/// Looks for a display's lattice in a photo, which is `HIGH` from evidence of `threshold` on. Where the frame is too small for that,
/// the answer is [`RecaptureRisk::Unknown`]. Takes the planes, to let them go once it has its tiles: they are most of the memory.
#[must_use]
pub fn analyse(planes: Planes, threshold: f64) -> Analysis {
    match lattice::measure(planes) {
        Some(lattice) => decision::decide(&lattice, threshold),
        None => Analysis { risk: RecaptureRisk::Unknown, scores: [].into() },
    }
}
