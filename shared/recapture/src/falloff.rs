//! How fast the spectrum falls off, which shows how much fine detail lens, denoising and scaling have left.
//!
//! Other scores depend on this: after downscaling, the same display has a finer lattice with less color. As a score of
//! its own, it lets the weights take that into account.

use crate::half_plane::HalfPlane;
use crate::lattice::{Lattice, View};
use crate::tiles::LUMA_SIDE;

/// Rings of the spectrum, from and to, in cycles per pixel.
const RINGS: [(f32, f32); 3] = [(0.18, 0.22), (0.28, 0.34), (0.44, 0.5)];

/// The differences of the mean log power between rings. For each ring, the median over the tiles is used.
pub(crate) struct Falloff {
    /// From coarse to fine detail.
    pub(crate) middle: f32,
    /// From fine detail to the finest.
    pub(crate) high: f32,
}

impl Falloff {
    pub(crate) fn of(lattice: &Lattice) -> Self {
        let [coarse, fine, finest] = rings().map(|bins| {
            let mean = |view: &View| bins.iter().map(|bin| view.luma.values[*bin]).sum::<f32>() / bins.len() as f32;
            let mut means: Vec<f32> = lattice.views.iter().map(mean).collect();
            means.sort_by(f32::total_cmp);
            means.get(means.len() / 2).copied().unwrap_or_default()
        });
        Self { middle: fine - coarse, high: finest - fine }
    }
}

/// The bins of each ring, as indexes of the values of a tile's half plane.
fn rings() -> [Vec<usize>; RINGS.len()] {
    let half = (LUMA_SIDE / 2).cast_signed();
    let bounds = RINGS.map(|(from, to)| [from, to].map(|cycles| (cycles * LUMA_SIDE as f32).powi(2)));
    let mut rings = RINGS.map(|_| Vec::new());
    for (u, v) in (0..half).flat_map(|u| (-half..half).map(move |v| (u, v))) {
        let square = (u * u + v * v) as f32;
        if let Some(ring) = bounds.iter().position(|[from, to]| *from <= square && square < *to) {
            rings[ring].push(HalfPlane::index(LUMA_SIDE, u, v));
        }
    }
    rings
}
