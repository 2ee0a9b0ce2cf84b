//! Ink on paper. One unit is a halftone cell, a letter's width or a square.

use super::{Texture, bar, step, unit};
use crate::picture::{Light, mix};

const PAPER: Light = [0.82, 0.81, 0.77];

/// Each ink's color and its screen angle in degrees. These angles are used in printing; their dots form rosettes.
const INKS: [(Light, f32); 4] =
    [([0.02, 0.35, 0.62], 15.0), ([0.6, 0.03, 0.25], 75.0), ([0.85, 0.72, 0.02], 0.0), ([0.03, 0.03, 0.03], 45.0)];

/// The ink coverage (0 to 1) of a halftone screen at an angle, for a wanted tone.
fn dot(u: f32, v: f32, angle: f32, part: f32) -> f32 {
    let (sin, cos) = angle.to_radians().sin_cos();
    let phase = |at: f32| (at * std::f32::consts::TAU).cos();
    // The usual spot function: round dots in light areas, round holes in dark ones.
    let spot = (phase(u * cos + v * sin) + phase(v * cos - u * sin)) / 4.0 + 0.5;
    step(1.0 - part, 0.25, spot)
}

pub(super) fn color_halftone(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let tone = texture.picture_at(u, v).map(|value| value.clamp(0.0, 1.0).sqrt());
    let black = (1.0 - tone[0].max(tone[1]).max(tone[2])) * 0.8;
    let parts = [1.0 - tone[0] - black * 0.7, 1.0 - tone[1] - black * 0.7, 1.0 - tone[2] - black * 0.7, black];
    INKS.iter().zip(parts).fold(PAPER, |light, ((ink, angle), part)| {
        let covered = dot(u, v, *angle, part.clamp(0.0, 1.0));
        std::array::from_fn(|c| light[c] * (1.0 + (ink[c] - 1.0) * covered))
    })
}

pub(super) fn black_halftone(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let light = texture.picture_at(u, v);
    let tone = (light[0] * 0.3 + light[1] * 0.6 + light[2] * 0.1).clamp(0.0, 1.0).sqrt();
    mix(PAPER, [0.03; 3], dot(u, v, 45.0, 1.0 - tone))
}

pub(super) fn text_page(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    // Lines of two units with words of strokes, in a column with margins.
    let line = unit(v / 2.0);
    let y = v / 2.0 - line;
    let letter = unit(u);
    let word = texture.scatter.of((letter / 5.0) as i32, line as i32 + 5000) > 0.12;
    let last = 60.0 + 40.0 * texture.scatter.of(line as i32, 77);
    let printed = word
        && letter.abs() < last
        && line.rem_euclid(12.0) > 0.5
        && texture.scatter.of(letter as i32, line as i32) > 0.14;
    if !printed {
        return PAPER;
    }
    // A letter: two vertical strokes and a bow or bar, each present or absent.
    let has = |part: i32| texture.scatter.of(letter as i32 * 8 + part, line as i32) > 0.4;
    let x = u - letter;
    let near = |at: f32, half: f32, value: f32| 1.0 - step(half, 0.06, (value - at).abs());
    let body = near(0.5, 0.22, y);
    let upright = |part: i32, at: f32| if has(part) { near(at, 0.07, x) * body } else { 0.0 };
    let level = |part: i32, at: f32| if has(part) { near(at, 0.03, y) * near(0.45, 0.28, x) } else { 0.0 };
    let ink = upright(0, 0.22).max(upright(1, 0.68)).max(level(2, 0.3)).max(level(3, 0.5)).max(level(4, 0.7));
    mix(PAPER, [0.03; 3], ink)
}

pub(super) fn graph_paper(texture: &Texture<'_>, u: f32, v: f32) -> Light {
    let fine = bar(u + 0.5, 0.06).max(bar(v + 0.5, 0.06)) * 0.5;
    let heavy = bar(u / 5.0 + 0.5, 0.02).max(bar(v / 5.0 + 0.5, 0.02));
    mix(PAPER, texture.colors[1], fine.max(heavy))
}
