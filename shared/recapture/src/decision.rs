//! From peaks to a conclusion.

use domain::RecaptureRisk;

use crate::Analysis;
use crate::color::Hue;
use crate::glow::Glow;
use crate::lattice::{Lattice, STILL, TILTED};
use crate::peaks::{Peak, peaks};

/// From here on, in cycles per pixel, a peak is fine: a display seen from where its picture fills the frame.
const FINE: f32 = 0.22;
/// Fine peaks count together from this part of the strongest one's strength on.
const TOGETHER: f32 = 0.75;
/// More of them say nothing new.
const MOST: usize = 16;
/// Below this strength a peak is noise: noise reaches 2.5.
const SOME: f32 = 3.8;

/// A display's lattice has coarser parts too, where its cells alternate, as red and blue do on many phones. They are no
/// coarser than this, in cycles per pixel, and as colored as this.
const OWN_FROM: f32 = 0.11;
const OWN_CHROMA: f32 = -2.5;

/// The evidence of one unit of a license's threshold. At the default threshold it is the first half step with at most 0.5 % of
/// false `HIGH` on the photos that thresholds are chosen on, of the bench's seeds 61 and 62; half of what is allowed, since other
/// textures fare worse, as figures of other seeds had shown before.
const UNIT: f64 = 6.0;
/// And the lattice must be there at all.
const STRONG_FINE: f32 = 5.0;

/// What speaks for a display, and what against: each score times its weight, within bounds beyond which it says no more.
/// The weights, in units of `fine`'s, are those that found the most displays at 0.1 to 0.8 % of false `HIGH`, on photos that
/// thresholds are chosen on, of the bench's simulator as it was at first.
const FINE_MOST: f32 = 11.0;
const CHROMA_WEIGHT: f32 = 1.5;
const CHROMA_BOUNDS: (f32, f32) = (-7.0, 1.0);
/// Where all fine peaks are among false color.
const CHROMA_UNTOLD: f32 = -1.5;
const COARSER_WEIGHT: f32 = 3.5;
/// By how much the strongest coarse peak is stronger than the strongest fine one.
const COARSER_BOUNDS: (f32, f32) = (-3.0, 4.0);
const HUE_WEIGHT: f32 = 16.5;
const HUE_MOST: f32 = 0.6;
/// Below this `chroma` the hue is undefined: no display is so grey.
const HUE_FROM: f32 = -6.5;
/// Glow was weighed later, with the other weights as they were, on photos of the same part (seeds 61 and 62, in which a third of the
/// textures stand in the shade; 51 and 52, in which none do). It is much: a lattice that glows in many colors may be `HIGH` for
/// that alone.
const GLOW_WEIGHT: f32 = 17.0;
const GLOW_BOUNDS: (f32, f32) = (-0.3, 0.9);
/// From this `variety` on, glow counts in full: on what has one color, the light that falls on it may look the same.
const VARIED: f32 = 0.05;

/// The measurements of a frame.
struct Findings {
    fine: f32,
    frequency: f32,
    coarse: f32,
    glow: Glow,
    /// Of a photo that is not grey.
    color: Option<(f32, f32)>,
}

/// Decides on what a frame's tiles have in common: evidence from the threshold on is `HIGH`.
pub(crate) fn decide(lattice: &Lattice, threshold: f64) -> Analysis {
    let Some(findings) = find(lattice) else {
        return Analysis { risk: RecaptureRisk::None, scores: [("evidence".to_owned(), 0.0)].into() };
    };
    let evidence = findings.evidence();
    let risk = match findings.fine {
        fine if fine < SOME => RecaptureRisk::None,
        fine if fine >= STRONG_FINE && f64::from(evidence) >= threshold * UNIT => RecaptureRisk::High,
        _ => RecaptureRisk::Unknown,
    };
    let mut scores = vec![
        ("evidence", evidence),
        ("fine", findings.fine),
        ("fine_frequency", findings.frequency),
        ("coarse", findings.coarse),
        ("glow", findings.glow.correlation),
        ("variety", findings.glow.variety),
    ];
    if let Some((chroma, hue)) = findings.color {
        scores.extend([("chroma", chroma), ("hue", hue)]);
    }
    let scores = scores.into_iter().map(|(name, score)| (name.to_owned(), f64::from(score))).collect();
    Analysis { risk, scores }
}

/// `None` without a fine peak.
fn find(lattice: &Lattice) -> Option<Findings> {
    let mut fine = peaks(&lattice.tilted);
    fine.retain(|peak| peak.frequency() >= FINE);
    let top = *fine.first()?;
    fine.retain(|peak| peak.strength >= TOGETHER * top.strength);
    fine.truncate(MOST);
    let hue = Hue::of(lattice, &fine, TILTED + 1);
    let grey = lattice.views.iter().all(|view| view.color.is_none());
    Some(Findings {
        fine: top.strength,
        frequency: top.frequency(),
        coarse: coarse(lattice),
        glow: Glow::of(lattice, &fine),
        color: (!grey).then(|| {
            let chroma = hue.chroma().unwrap_or(CHROMA_UNTOLD);
            (chroma, if chroma >= HUE_FROM { hue.turn() } else { 0.0 })
        }),
    })
}

/// The strength of the strongest coarse peak that is not a display's own.
fn coarse(lattice: &Lattice) -> f32 {
    let own = |peak: &Peak| {
        let chroma = Hue::of(lattice, &[*peak], STILL + 1).chroma();
        peak.frequency() >= OWN_FROM && chroma.is_some_and(|chroma| chroma >= OWN_CHROMA)
    };
    let coarse = peaks(&lattice.still).into_iter().filter(|peak| peak.frequency() < FINE);
    coarse.take(MOST).find(|peak| !own(peak)).map_or(0.0, |peak| peak.strength)
}

impl Findings {
    fn evidence(&self) -> f32 {
        let Some((chroma, hue)) = self.color else { return 0.0 };
        let coarser = self.coarse - self.fine;
        let sum = self.fine.min(FINE_MOST) + CHROMA_WEIGHT * chroma.clamp(CHROMA_BOUNDS.0, CHROMA_BOUNDS.1)
            - COARSER_WEIGHT * coarser.clamp(COARSER_BOUNDS.0, COARSER_BOUNDS.1)
            + HUE_WEIGHT * hue.min(HUE_MOST)
            + GLOW_WEIGHT * self.glow();
        sum.max(0.0)
    }

    /// The correlation, as far as it counts. No light makes a display's cells weaker where they are brighter.
    fn glow(&self) -> f32 {
        let Glow { correlation, variety } = self.glow;
        let counts = if correlation > 0.0 { (variety / VARIED).min(1.0) } else { 1.0 };
        correlation.clamp(GLOW_BOUNDS.0, GLOW_BOUNDS.1) * counts
    }
}
