//! Finds the peaks of what the tiles have in common.

use crate::half_plane::{HalfPlane, larger};

/// A peak is the maximum within this distance, in bins.
const REACH: usize = 4;
/// Maximum number of peaks; more add no information.
const MOST: usize = 60;
/// The minimum strength of a peak; weaker ones are noise.
const WEAKEST: f32 = 2.0;
/// The minimum frequency of a peak, in cycles per pixel; lower ones are shapes of the scene.
const LOWEST: f32 = 0.03;
/// Bins belong to a peak's plateau if they are within this of its strength. Plateaus occur because prominence is spread
/// over squares.
const PLATEAU: f32 = 0.05;

/// A periodic component of the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peak {
    /// The horizontal frequency in cycles per pixel, from 0 to 0.5.
    pub(crate) across: f32,
    /// The vertical frequency in cycles per pixel, from −0.5 to 0.5.
    pub(crate) down: f32,
    /// The peak's prominence.
    pub(crate) strength: f32,
}

impl Peak {
    /// The frequency in cycles per pixel, regardless of direction.
    pub(crate) fn frequency(&self) -> f32 {
        self.across.hypot(self.down)
    }
}

/// The peaks, strongest first.
pub(crate) fn peaks(plane: &HalfPlane) -> Vec<Peak> {
    let side = plane.side;
    let largest = plane.over_squares::<{ 2 * REACH + 1 }>(larger);
    let tops = plane.values.iter().zip(&largest.values).enumerate();
    let tops = tops.filter(|(_, (value, largest))| value >= largest && **value >= WEAKEST);
    let mut tops: Vec<_> =
        tops.map(|(i, (value, _))| ((i / side).cast_signed(), (i % side).cast_signed(), *value)).collect();
    tops.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut peaks: Vec<Peak> = Vec::new();
    for (u, v, strength) in tops {
        let peak = centre(plane, u, v, strength);
        // A plateau has several maxima; one across the edge of the half plane has them on both sides.
        let seen = peaks.iter().any(|other| near(&peak, other, (REACH + 1) as f32 / side as f32));
        if peak.frequency() >= LOWEST && !seen {
            peaks.push(peak);
        }
        if peaks.len() == MOST {
            break;
        }
    }
    peaks
}

/// The center of the plateau that contains a bin.
fn centre(plane: &HalfPlane, u: isize, v: isize, strength: f32) -> Peak {
    let reach = REACH.cast_signed();
    let square = (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| (i, j)));
    let plateau = square.filter(|(i, j)| plane.at(u + i, v + j) >= strength - PLATEAU);
    let (across, down, count) =
        plateau.fold((0, 0, 0), |(across, down, count), (i, j)| (across + i, down + j, count + 1));
    let cycles = |bin: isize, shift: isize| (bin as f32 + shift as f32 / count as f32) / plane.side as f32;
    let (across, down) = (cycles(u, across), cycles(v, down));
    Peak { across, down: down - down.round(), strength }
}

/// Whether two frequencies are equal within `reach` in each direction, with the symmetries of a real image: wrapped
/// around, and negated.
fn near(one: &Peak, other: &Peak, reach: f32) -> bool {
    let close = |a: f32, b: f32| {
        let apart = (a - b).abs();
        apart.min((1.0 - apart).abs()) < reach
    };
    [1.0, -1.0].iter().any(|sign| close(one.across, sign * other.across) && close(one.down, sign * other.down))
}
