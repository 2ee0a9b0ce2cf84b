//! Parts of buildings. One unit is a slat, a picket, a brick, a tile, a window or a plank.

use super::{Texture, bar, fraction, step, unit};
use crate::picture::{Light, mix, scaled};

pub(super) fn blinds(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let slat = unit(v);
    let y = v - slat;
    // A slat is lit from above and shades the next one. Cords hang at long intervals.
    let lit = (1.0 - 0.6 * y) * (1.0 - step(0.88, 0.1, y));
    let cord = bar(u / 14.0, 0.006);
    mix(scaled(texture.colors[0], (0.08 + lit) * texture.differing(slat, 0.0)), [0.4; 3], cord)
}

pub(super) fn picket_fence(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let behind = scaled([0.15, 0.25, 0.08], 0.4 + texture.scatter.smooth(u * 3.0, v * 3.0));
    let wood = scaled(texture.colors[0], texture.differing(unit(u), 0.0));
    mix(behind, wood, bar(u, 0.33))
}

/// The joints between blocks whose rows are offset by `shift`: 1 on a joint; also the column and the row.
fn joints(u: f32, v: f32, shift: f32, thickness: f32) -> (f32, f32, f32) {
    let row = unit(v);
    let u = u + row * shift;
    let column = unit(u);
    let near = |part: f32| 1.0 - step(thickness, thickness, part.min(1.0 - part));
    (near(u - column).max(near(v - row)), column, row)
}

/// Rough blocks of varying brightness between joints.
fn blocks(texture: &Texture<'_>, (u, v): (f32, f32), shift: f32, thickness: f32, joint: Light) -> Light {
    let (on_joint, column, row) = joints(u, v, shift, thickness);
    let rough = 0.85 + 0.3 * texture.scatter.smooth(u * 5.0, v * 5.0);
    mix(scaled(texture.colors[0], rough * texture.differing(column, row)), joint, on_joint)
}

pub(super) fn brick(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // A brick is three times as wide as high.
    let red = Texture { colors: [[0.32, 0.1, 0.06]; 2], ..*texture };
    blocks(&red, (u / 3.0, v), 0.5, 0.06, [0.45, 0.42, 0.38])
}

pub(super) fn floor_tiles(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    blocks(texture, (u, v), 0.0, 0.025, texture.colors[1])
}

pub(super) fn mosaic(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let many = Texture { uneven: 0.5, ..*texture };
    blocks(&many, (u, v), 0.0, 0.07, [0.5, 0.5, 0.47])
}

pub(super) fn roof_tiles(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let row = unit(v);
    let x = fraction(u + row * 0.5) - 0.5;
    // Each tile has a round end and shades the one below.
    let end = 0.75 + (0.25 - x * x).max(0.0).sqrt() * 0.4;
    let shade = 1.0 - 0.7 * step(end, 0.12, v - row);
    let bulge = 0.6 + 0.4 * (x * std::f32::consts::PI).cos();
    scaled([0.4, 0.15, 0.08], shade * bulge * texture.differing(unit(u + row * 0.5), row))
}

pub(super) fn facade(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let glass = bar(u, 0.28) * bar(v, 0.32);
    let cross = bar(u, 0.02).max(bar(v + 0.1, 0.02));
    let pane = scaled([0.06, 0.09, 0.13], 2.0 * texture.scatter.of(unit(u) as i32, unit(v) as i32));
    mix(texture.colors[0], mix(pane, [0.5; 3], cross), glass)
}

pub(super) fn planks(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let plank = unit(v);
    let grain = 0.75 + 0.5 * texture.scatter.smooth(u * 0.6 + plank * 17.0, v * 9.0);
    let gap = 1.0 - step(0.05, 0.06, (v - plank).min(1.0 - (v - plank)));
    mix(scaled(texture.colors[0], grain * texture.differing(plank, 3.0)), [0.01; 3], gap)
}
