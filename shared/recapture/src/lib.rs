//! Decides whether a photo might be a photo of a screen: the analysis behind the recapture gate.
//!
//! A display is a lattice of colored cells, and a camera that photographs one samples that lattice. What the lattice
//! leaves in the photo is periodic, the same all over the frame, finer than most repetitions in real scenes, and
//! colored. The analysis searches for exactly that. It selects a few tiles in native resolution at bright places
//! (`tiles`), computes the part of their spectra that stands out from its surroundings (`spectrum`, `whiten`),
//! determines what the tiles have in common (`lattice`) and its peaks (`peaks`), and measures their colors (`color`),
//! how sharp they are (`line`), whether they glow (`glow`), and how much fine detail the camera left (`falloff`).
//! Finally it combines all scores to a conclusion (`decision`, with the fitted `weights`).
//!
//! # Scores
//!
//! Strengths are natural logarithms of power relative to the surrounding power: 2.3 means ten times as much. Every
//! score is finite.
//!
//! | Name | Meaning |
//! |---|---|
//! | `evidence` | the natural logarithm of a likelihood ratio of simulated displays to all other photos: a sum over the scores below, fitted together |
//! | `fine` | the strength of the strongest fine peak, from 0.22 cycles per pixel |
//! | `fine_frequency` | the frequency of that peak, in cycles per pixel |
//! | `count` | the number of fine peaks of similar strength, up to 16 |
//! | `coarser` | by how much the strongest coarser peak is stronger, as in brick, cloth and façades; peaks of a display's own lattice are excluded |
//! | `line` | by how much the power at the peak exceeds that around it: a display repeats exactly |
//! | `chroma` | the logarithm of color's power relative to luma's at the fine peaks: about 0 for a display, negative for grey objects |
//! | `hue` | how the hue rotates along the lattice, from 0 to 1: near 0 for everything with a single hue or too little color |
//! | `scene` | the logarithm of the power of the scene's own colors |
//! | `glow` | the correlation, from −1 to 1, of the lattice's strength with the brightness from detail to detail: a display's cells are as bright as its picture |
//! | `detail` | how much detail `glow` is based on: the standard deviation of the logarithm of brightness |
//! | `falloff` | how fast the spectrum falls from coarse to fine detail: the log power at 0.28 to 0.34 cycles per pixel minus that at 0.18 to 0.22 |
//! | `high_falloff` | the same from fine detail to the finest, at 0.44 to 0.5 |
//! | `variety` | how much the color varies over the lattice, from 0: glow in a single color may come from light that falls on an object |
//!
//! A frame that is too small for the tiles, or has no fine peak, has no scores. Without a peak that is stronger than
//! noise there is no `evidence`. A grey photo, with or without color planes, has neither `evidence` nor the scores of
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
    /// The conclusion.
    pub risk: RecaptureRisk,
    /// The scores from which it was concluded, by name.
    pub scores: RecaptureScores,
}

/// A function that analyses a photo with a threshold: the evidence from which on the photo is `HIGH`.
pub type Analyse = fn(Planes, f64) -> Analysis;

/// Searches a photo for a display's lattice. The photo is `HIGH` if its evidence reaches `threshold`; if the frame is
/// too small, the risk is [`RecaptureRisk::Unknown`]. Takes ownership of the planes, which are most of the memory, to
/// free them once the tiles are extracted.
#[must_use]
pub fn analyse(planes: Planes, threshold: f64) -> Analysis {
    match lattice::measure(planes) {
        Some(lattice) => decision::decide(&lattice, threshold),
        None => Analysis { risk: RecaptureRisk::Unknown, scores: [].into() },
    }
}
