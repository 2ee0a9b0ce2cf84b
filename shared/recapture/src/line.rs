//! How sharp a lattice's spectral lines are.
//!
//! A display repeats exactly: within a tile its lattice is a line in the spectrum, as narrow as window and tilt allow.
//! The repetition of woven, knitted or laid objects is less regular, so that power also lies around the line.

use crate::lattice::{AGREEING, Lattice, TILTED, View};
use crate::peaks::Peak;

/// The distance from a line of the ring that the window's own spread does not reach, in bins.
const RING: isize = 3;

/// The difference of log power between a peak and a ring around it: the mean of the tiles in which the peak is most
/// prominent.
pub(crate) fn sharpness(lattice: &Lattice, peak: &Peak) -> f32 {
    let mut lines: Vec<(f32, f32)> = lattice.views.iter().map(|view| line(view, peak)).collect();
    lines.sort_by(|one, other| other.0.total_cmp(&one.0));
    lines.truncate(AGREEING);
    lines.iter().map(|(_, sharpness)| sharpness).sum::<f32>() / lines.len().max(1) as f32
}

/// The prominence of a peak in a tile, and its sharpness there.
fn line(view: &View, peak: &Peak) -> (f32, f32) {
    let (u, v) = view.own(peak, TILTED + 1);
    let along = (-RING..=RING).flat_map(|i| [(i, -RING), (i, RING)]);
    let across = (1 - RING..RING).flat_map(|i| [(-RING, i), (RING, i)]);
    let (sum, count) =
        along.chain(across).fold((0.0, 0.0), |(sum, count), (i, j)| (sum + view.luma.at(u + i, v + j), count + 1.0));
    (view.prominence.at(u, v), view.luma.at(u, v) - sum / count)
}
