//! Woven and knitted cloth. One unit is a thread, a stitch, a cord or a stripe.

use super::{Texture, bar, fraction, step, unit};
use crate::picture::{Light, mix, scaled};

/// Brightness across a round thread, which is brightest in the middle.
fn round(part: f32) -> f32 {
    let off = 2.0 * part - 1.0;
    (1.0 - off * off).max(0.0).sqrt()
}

/// Warp and weft threads, of which `over` selects the upper one at each crossing.
fn woven(texture: &Texture<'_>, u: f32, v: f32, over: impl Fn(i32, i32) -> bool, colors: [Light; 2]) -> Light {
    let (i, j) = (unit(u), unit(v));
    let (x, y) = (u - i, v - j);
    let (thread, along, across, number) = if over(i as i32, j as i32) { (0, y, x, i) } else { (1, x, y, j) };
    // The upper thread bends down at both ends of a crossing.
    let bright = round(across) * (0.55 + 0.45 * round(along)) * texture.differing(number, thread as f32 * 1000.0);
    scaled(colors[thread], 0.15 + 0.85 * bright)
}

pub(super) fn plain_weave(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let color = texture.colors[0];
    woven(texture, u * 2.0, v * 2.0, |i, j| (i + j) & 1 == 0, [color, scaled(color, 0.9)])
}

pub(super) fn denim(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let (blue, white) = ([0.05, 0.09, 0.22], [0.55, 0.55, 0.5]);
    woven(texture, u * 3.0, v * 3.0, |i, j| (i + j).rem_euclid(3) != 0, [blue, white])
}

pub(super) fn knit(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // A column of stitches consists of two rows of slanted loops that form a V.
    let column = unit(u);
    let x = (u - column) * 2.0 - 1.0;
    let slanted = v + x.abs() * 0.6;
    let row = unit(slanted);
    let loops = round(slanted - row) * round(x.abs().clamp(0.02, 0.98));
    scaled(texture.colors[0], (0.2 + 0.8 * loops) * texture.differing(column, row))
}

pub(super) fn corduroy(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let cord = unit(u);
    let pile = 0.8 + 0.4 * texture.scatter.smooth(u * 6.0, v * 6.0);
    scaled(texture.colors[0], (0.12 + 0.88 * round(u - cord)) * pile * texture.differing(cord, 0.0))
}

pub(super) fn striped_shirt(texture: &Texture<'_>, u: f32, _v: f32) -> Light {
    mix(texture.colors[0], texture.colors[1], bar(u, 0.25))
}

pub(super) fn checked_shirt(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let stripes = (step(0.5, 0.1, (fraction(u) - 0.5).abs() * 2.0), step(0.5, 0.1, (fraction(v) - 0.5).abs() * 2.0));
    mix(texture.colors[0], texture.colors[1], (stripes.0 + stripes.1) / 2.0)
}
