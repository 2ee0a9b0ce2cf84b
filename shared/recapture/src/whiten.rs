//! The prominence of each frequency over its surroundings.
//!
//! A photo's spectrum falls by orders of magnitude from low to high frequencies, and differently in each photo.
//! Relative to its surroundings, the log power of everything that is not periodic is the same everywhere.

use crate::half_plane::HalfPlane;

/// The side of the middle of the surroundings, in bins. It is excluded from the local mean, so that a peak does not
/// raise its own baseline.
const MIDDLE: usize = 5;

/// Whitens the spectra of tiles of one side. The surroundings of a frequency are `SPAN` by `SPAN` bins.
pub(crate) struct Whitener<const SPAN: usize> {
    /// 0 at the harmonics of the JPEG block size, which every JPEG may have; 1 elsewhere.
    open: HalfPlane,
    /// The factor that turns a sum over the surroundings into the mean of those bins that are not harmonics; 0 at the
    /// harmonics themselves.
    weights: HalfPlane,
}

impl<const SPAN: usize> Whitener<SPAN> {
    /// `blocks` is the number of JPEG blocks along a tile.
    pub(crate) fn new(side: usize, blocks: usize) -> Self {
        // The window function spreads a spectral line by one bin to each side.
        let on_line = |bin: usize| (bin + 1) % blocks <= 2;
        let open = HalfPlane::from_fn(side, |u, v| if on_line(u) && on_line(v) { 0.0 } else { 1.0 });
        let [middle, wide] = Self::squares(&open);
        let counts = wide.zip(&middle, |wide, middle| wide - middle);
        let weights = open.zip(&counts, |open, count| open / count);
        Self { open, weights }
    }

    /// The prominence of each frequency: the difference of its log power from the mean of its surroundings.
    pub(crate) fn prominence(&self, log_power: &HalfPlane) -> HalfPlane {
        let mut open = log_power.zip(&self.open, |value, open| value * open);
        let [middle, wide] = Self::squares(&open);
        let surroundings = wide.values.iter().zip(&middle.values).zip(&self.weights.values);
        for (value, ((wide, middle), weight)) in open.values.iter_mut().zip(surroundings) {
            *value -= (wide - middle) * weight;
        }
        open
    }

    /// The sums over the middle, and over the middle with its surroundings.
    fn squares(values: &HalfPlane) -> [HalfPlane; 2] {
        let add = |a, b| a + b;
        let middle = values.over_squares::<MIDDLE>(add);
        let wide =
            if SPAN == 3 * MIDDLE { middle.over_nine_squares(MIDDLE, add) } else { values.over_squares::<SPAN>(add) };
        [middle, wide]
    }
}
