//! Derives the conclusion from the peaks.

use lacre_domain::RecaptureRisk;

use crate::Analysis;
use crate::color::Hue;
use crate::falloff::Falloff;
use crate::glow::Glow;
use crate::lattice::{Lattice, STILL, TILTED};
use crate::line::sharpness;
use crate::peaks::{Peak, peaks};
use crate::weights::{CONSTANT, TERMS};

/// From this frequency on, in cycles per pixel, a peak is fine: that of a display whose picture fills the frame.
const FINE: f32 = 0.22;
/// Fine peaks are combined if their strength is at least this fraction of the strongest one's.
const TOGETHER: f32 = 0.75;
/// Maximum number of peaks that are combined; more add no information.
const MOST: usize = 16;
/// Below this strength a peak counts as noise. Noise reaches 2.5, and slightly stronger peaks are too weak to be
/// measured. `train_recapture.py` has the same value.
const SOME: f32 = 4.2;
/// A photo whose `scene` is below this is grey except for rounding; a grey photo may have color planes, too.
const GREY: f32 = 1.0;

/// A display's lattice also has coarser parts where its cells alternate, like red and blue on many phones. They have at
/// least this frequency, in cycles per pixel, and at least this `chroma`.
const OWN_FROM: f32 = 0.11;
const OWN_CHROMA: f32 = -2.5;
/// The `chroma` that is assumed if all fine peaks lie in the range of false color.
const CHROMA_UNTOLD: f32 = -1.5;
/// Hue counts only if there is enough color: its weight rises from 0 at the first value to 1 at the second, both by
/// `chroma` and by the prominence of color.
const CERTAIN_CHROMA: (f32, f32) = (-5.0, -2.0);
const CERTAIN_COLOR: (f32, f32) = (3.5, 6.0);

/// The contribution of a score to the evidence, as a function of its value.
pub(crate) struct Term {
    /// The name of the score.
    pub(crate) name: &'static str,
    /// Values of the score in ascending order, each with its evidence (the natural logarithm of a likelihood ratio). In
    /// between, the evidence is interpolated linearly; beyond the ends it is constant.
    pub(crate) knots: &'static [(f32, f32)],
}

impl Term {
    fn evidence(&self, score: f32) -> f32 {
        let next = self.knots.partition_point(|(at, _)| *at < score);
        match (next.checked_sub(1).and_then(|last| self.knots.get(last)), self.knots.get(next)) {
            (Some((from, low)), Some((to, high))) => low + (high - low) * (score - from) / (to - from),
            (Some((_, evidence)), None) | (None, Some((_, evidence))) => *evidence,
            (None, None) => 0.0,
        }
    }
}

/// The scores of a frame with a fine peak. A photo without color lacks the scores of color.
type Scores = Vec<(&'static str, f32)>;

/// Decides from what a frame's tiles have in common. A photo is `HIGH` if its evidence reaches `threshold`. There is no
/// evidence without a lattice or without color.
pub(crate) fn decide(lattice: &Lattice, threshold: f64) -> Analysis {
    let Some((fine, mut scores)) = scores(lattice) else {
        return Analysis { risk: RecaptureRisk::None, scores: [].into() };
    };
    let evidence = (fine >= SOME && is_colored(lattice)).then(|| evidence(&scores));
    let risk = match evidence {
        Some(evidence) if f64::from(evidence) >= threshold => RecaptureRisk::High,
        None if fine < SOME => RecaptureRisk::None,
        _ => RecaptureRisk::Unknown,
    };
    scores.extend(evidence.map(|evidence| ("evidence", evidence)));
    Analysis { risk, scores: scores.into_iter().map(|(name, score)| (name.to_owned(), f64::from(score))).collect() }
}

/// The sum of the contributions of all scores. A score that a photo lacks contributes nothing.
fn evidence(scores: &Scores) -> f32 {
    let score = |name| scores.iter().find(|(other, _)| *other == name).map(|(_, score)| *score);
    CONSTANT + TERMS.iter().filter_map(|term| Some(term.evidence(score(term.name)?))).sum::<f32>()
}

/// The strength of the strongest fine peak, and all scores; `None` without a fine peak.
fn scores(lattice: &Lattice) -> Option<(f32, Scores)> {
    let mut fine = peaks(&lattice.tilted);
    fine.retain(|peak| peak.frequency() >= FINE);
    let top = *fine.first()?;
    fine.retain(|peak| peak.strength >= TOGETHER * top.strength);
    fine.truncate(MOST);
    let (glow, falloff) = (Glow::of(lattice, &fine), Falloff::of(lattice));
    let mut scores = vec![
        ("fine", top.strength),
        ("fine_frequency", top.frequency()),
        ("count", fine.len() as f32),
        ("coarser", coarse(lattice) - top.strength),
        ("line", sharpness(lattice, &top)),
        ("glow", glow.correlation),
        ("detail", glow.detail),
        ("falloff", falloff.middle),
        ("high_falloff", falloff.high),
    ];
    if is_colored(lattice) {
        let hue = Hue::of(lattice, &fine, TILTED + 1);
        let chroma = hue.chroma().unwrap_or(CHROMA_UNTOLD);
        let certain = ramp(chroma, CERTAIN_CHROMA) * ramp(hue.prominence(), CERTAIN_COLOR);
        scores.extend([
            ("chroma", chroma),
            ("hue", certain * hue.turn()),
            ("scene", scene(lattice)),
            ("variety", glow.variety),
        ]);
    }
    Some((top.strength, scores))
}

fn is_colored(lattice: &Lattice) -> bool {
    lattice.views.iter().filter_map(|view| view.color.as_ref()).any(|color| color.scene >= GREY)
}

/// Interpolates from 0 at the first bound to 1 at the second, and clips outside.
fn ramp(value: f32, (from, to): (f32, f32)) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// The median of the tiles' `scene`.
fn scene(lattice: &Lattice) -> f32 {
    let mut scenes: Vec<f32> = lattice.views.iter().filter_map(|view| Some(view.color.as_ref()?.scene)).collect();
    scenes.sort_by(f32::total_cmp);
    scenes.get(scenes.len() / 2).copied().unwrap_or_default()
}

/// The strength of the strongest coarse peak that does not belong to a display's lattice.
fn coarse(lattice: &Lattice) -> f32 {
    let own = |peak: &Peak| {
        let chroma = Hue::of(lattice, &[*peak], STILL + 1).chroma();
        peak.frequency() >= OWN_FROM && chroma.is_some_and(|chroma| chroma >= OWN_CHROMA)
    };
    let coarse = peaks(&lattice.still).into_iter().filter(|peak| peak.frequency() < FINE);
    coarse.take(MOST).find(|peak| !own(peak)).map_or(0.0, |peak| peak.strength)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lacre_photo::{Plane, Planes};

    #[test]
    fn evidence_is_interpolated_and_clamped() {
        let term = Term { name: "a", knots: &[(1.0, -2.0), (2.0, 0.0), (4.0, 1.0)] };
        let evidence = [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(|score| term.evidence(score));
        assert_eq!(evidence, [-2.0, -2.0, -1.0, 0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn terms_have_scores_and_rising_knots() {
        // Noise has a fine peak too, but a weak one.
        let mut noise = 1_u32;
        let mut samples = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        });
        let mut plane = || Plane::new(800, samples.by_ref().take(800 * 600).collect());
        let noise = Planes { luma: plane(), color: Some([plane(), plane()]) };
        let (_, scores) = scores(&crate::lattice::measure(noise).unwrap()).unwrap();
        for term in TERMS {
            assert!(scores.iter().any(|(name, _)| *name == term.name), "{}", term.name);
            assert!(term.knots.is_sorted_by(|(one, _), (other, _)| one < other), "{}", term.name);
        }
        assert_eq!(TERMS.len(), scores.len());
    }
}
