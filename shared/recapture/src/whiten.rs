//! How far each frequency stands above those around it.
//!
//! A photo's spectrum falls by orders of magnitude from low frequencies to high ones, and differently in each photo. Taken
//! against its surroundings, a logarithm of power is the same everywhere for all that has no period.

use crate::half_plane::HalfPlane;

/// The middle of the surroundings that is left out, in bins to each side: a peak shall not hide in its own mean.
const MIDDLE: usize = 2;

/// Whitens the spectra of tiles of one side.
pub(crate) struct Whitener {
    /// How far the surroundings reach, in bins.
    reach: usize,
    /// 0 at the harmonics of JPEG's blocks, which every JPEG may have; 1 elsewhere.
    open: HalfPlane,
    /// How many open bins the surroundings have.
    counts: HalfPlane,
}

impl Whitener {
    /// `blocks` is the number of JPEG blocks along a tile.
    pub(crate) fn new(side: usize, blocks: usize, reach: usize) -> Self {
        // The window spreads a line by a bin to each side.
        let on_line = |bin: usize| (bin + 1) % blocks <= 2;
        let open = HalfPlane::from_fn(side, |u, v| if on_line(u) && on_line(v) { 0.0 } else { 1.0 });
        let counts = around(&open, reach);
        Self { reach, open, counts }
    }

    /// The prominence of each frequency: how much its logarithm of power is above the mean of its surroundings.
    pub(crate) fn prominence(&self, log_power: &HalfPlane) -> HalfPlane {
        let open = log_power.zip(&self.open, |value, open| value * open);
        let mean = around(&open, self.reach).zip(&self.counts, |sum, count| sum / count);
        log_power.zip(&mean, |value, mean| value - mean).zip(&self.open, |value, open| value * open)
    }
}

fn around(values: &HalfPlane, reach: usize) -> HalfPlane {
    let add = |a, b| a + b;
    let middle = values.over_squares(MIDDLE, add);
    let wide =
        if reach == 3 * MIDDLE + 1 { middle.over_nine_squares(MIDDLE, add) } else { values.over_squares(reach, add) };
    wide.zip(&middle, |wide, middle| wide - middle)
}
