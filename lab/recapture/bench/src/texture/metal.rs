//! Wire and sheet metal. One unit is a mesh, a hole or a slot. A blurred picture is visible through the holes.

use super::{Texture, bar, fraction, step, unit};
use crate::picture::{Light, mix, scaled};

pub(super) fn insect_screen(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // Wires pass over and under each other, and reflect light alternately.
    let (across, down) = (bar(u, 0.14), bar(v, 0.14));
    let turn = 0.7 + 0.3 * ((unit(u) + unit(v)) * std::f32::consts::PI).cos();
    let wire = scaled(texture.colors[1], turn * texture.differing(unit(u), unit(v)));
    mix(texture.picture_at(u, v), wire, across.max(down))
}

/// A plate with holes; `hole` is 1 inside a hole.
fn plate(texture: &Texture<'_>, u: f32, v: f32, hole: f32) -> Light {
    mix(texture.colors[0], scaled(texture.picture_at(u, v), 0.3), hole)
}

pub(super) fn round_holes(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // Holes in a triangular lattice.
    let row = unit(v / 0.866);
    let x = fraction(u + row * 0.5) - 0.5;
    let y = v - (row + 0.5) * 0.866;
    plate(texture, u, v, 1.0 - step(0.3, 0.1, x.hypot(y)))
}

pub(super) fn square_holes(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    plate(texture, u, v, bar(u, 0.32) * bar(v, 0.32))
}

pub(super) fn slots(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // Long slots in staggered columns.
    let column = unit(u);
    plate(texture, u, v, bar(u, 0.25) * bar(v / 5.0 + column * 0.5, 0.42))
}

/// Wires along both diagonals: 1 on a wire.
fn diagonal(u: f32, v: f32, half: f32) -> f32 {
    bar(u + v, half).max(bar(u - v, half))
}

pub(super) fn chain_link(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let behind = scaled([0.16, 0.22, 0.1], 0.3 + 1.2 * texture.scatter.smooth(u / 3.0, v / 3.0));
    mix(behind, [0.5, 0.51, 0.53], diagonal(u, v, 0.07))
}

pub(super) fn expanded_metal(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let strand = diagonal(u, v * 0.5, 0.16);
    mix(scaled(texture.picture_at(u, v), 0.3), texture.colors[0], strand)
}
