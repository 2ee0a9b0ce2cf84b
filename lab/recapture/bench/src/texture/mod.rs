//! Textures that repeat like displays do: cloth, walls, metal, print. They are drawn in linear light on a plane on
//! which one unit is about one period. Like real things they are irregular: threads, bricks and slats differ, and cloth
//! is not flat.

mod cloth;
mod metal;
mod print;
mod scatter;
mod wall;

use fastrand::Rng;

use crate::picture::{Light, Picture, floor};
use scatter::Scatter;

/// A kind of texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    PlainWeave,
    Denim,
    Knit,
    Corduroy,
    StripedShirt,
    CheckedShirt,
    Blinds,
    PicketFence,
    ChainLink,
    Brick,
    FloorTiles,
    Mosaic,
    RoofTiles,
    Facade,
    Planks,
    InsectScreen,
    RoundHoles,
    SquareHoles,
    Slots,
    ExpandedMetal,
    ColorHalftone,
    BlackHalftone,
    TextPage,
    GraphPaper,
}

/// The kinds in groups, in the order of the tables.
pub const GROUPS: [(&str, &[Kind]); 6] = {
    use Kind::*;
    [
        ("cloth", &[PlainWeave, Denim, Knit, Corduroy, StripedShirt, CheckedShirt]),
        ("blinds, fences, planks", &[Blinds, PicketFence, ChainLink, Planks]),
        ("brick, tiles, façades", &[Brick, FloorTiles, Mosaic, RoofTiles, Facade]),
        ("insect screens, grilles, perforated plates", &[InsectScreen, RoundHoles, SquareHoles, Slots, ExpandedMetal]),
        ("printed halftone", &[ColorHalftone, BlackHalftone]),
        ("text pages, graph paper", &[TextPage, GraphPaper]),
    ]
};

impl Kind {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// The shortest and longest period in photos of this kind, in frame pixels: from distant or finely made things to
    /// close ones.
    #[must_use]
    pub fn periods(self) -> (f32, f32) {
        match self {
            Kind::PlainWeave | Kind::InsectScreen => (2.2, 16.0),
            Kind::Denim | Kind::RoundHoles | Kind::SquareHoles | Kind::Slots | Kind::ExpandedMetal => (2.5, 24.0),
            Kind::ColorHalftone | Kind::BlackHalftone => (2.4, 12.0),
            Kind::Knit | Kind::Corduroy | Kind::StripedShirt | Kind::CheckedShirt => (3.0, 30.0),
            Kind::GraphPaper | Kind::TextPage => (4.0, 40.0),
            Kind::Mosaic | Kind::Blinds | Kind::ChainLink | Kind::RoofTiles | Kind::Brick => (4.0, 60.0),
            Kind::PicketFence | Kind::FloorTiles | Kind::Facade | Kind::Planks => (6.0, 90.0),
        }
    }
}

/// A texture of a kind, with its colors and irregularities.
#[derive(Debug)]
pub struct Texture<'a> {
    kind: Kind,
    scatter: Scatter,
    /// Its two main colors.
    colors: [Light; 2],
    /// Displacement of periods, in periods.
    wander: f32,
    /// Variation of brightness between neighbors.
    uneven: f32,
    /// Fraction of the light that remains in a cast shadow; 1 without a shadow.
    shade: f32,
    /// The picture that is printed on it or visible behind it.
    picture: &'a Picture,
}

impl<'a> Texture<'a> {
    /// A random texture of a kind. `picture` is printed on it, or visible through its holes.
    #[must_use]
    pub fn some(kind: Kind, picture: &'a Picture, rng: &mut Rng) -> Texture<'a> {
        let scatter = Scatter::new(rng.u32(..));
        let loose = match kind {
            Kind::PlainWeave | Kind::Denim | Kind::Knit | Kind::Corduroy => 0.35,
            Kind::StripedShirt | Kind::CheckedShirt | Kind::ChainLink => 0.5,
            Kind::Brick | Kind::RoofTiles | Kind::Planks | Kind::PicketFence | Kind::Mosaic => 0.1,
            Kind::Blinds | Kind::InsectScreen | Kind::FloorTiles | Kind::Facade => 0.04,
            // These kinds are made by machines and are flat.
            _ => 0.0,
        };
        let mut color = |low: f32, high: f32| -> Light {
            let bright = low + rng.f32() * (high - low);
            std::array::from_fn(|_| bright * (0.6 + 0.8 * rng.f32()))
        };
        let colors = [color(0.25, 0.8), color(0.02, 0.2)];
        let (wander, uneven) = (loose * rng.f32(), 0.05 + 0.2 * rng.f32());
        // One texture in three has a cast shadow: of leaves, a window frame or the photographer.
        let shade = if rng.u8(0..3) == 0 { 0.1 + 0.5 * rng.f32() } else { 1.0 };
        Texture { kind, scatter, colors, wander, uneven, shade, picture }
    }

    /// The light at a position.
    #[must_use]
    pub fn light(&self, u: f32, v: f32) -> Light {
        // Cloth and fences deform over tens of periods, not between neighboring ones.
        let (u, v) = if self.wander > 0.0 {
            let (slow_u, slow_v) = (u / 23.0, v / 23.0);
            let bend = |value: f32| (value - 0.5) * self.wander * 12.0;
            (u + bend(self.scatter.smooth(slow_u, slow_v)), v + bend(self.scatter.smooth(slow_u + 77.3, slow_v - 31.7)))
        } else {
            (u, v)
        };
        let light = match self.kind {
            Kind::PlainWeave => cloth::plain_weave(self, u, v),
            Kind::Denim => cloth::denim(self, u, v),
            Kind::Knit => cloth::knit(self, u, v),
            Kind::Corduroy => cloth::corduroy(self, u, v),
            Kind::StripedShirt => cloth::striped_shirt(self, u, v),
            Kind::CheckedShirt => cloth::checked_shirt(self, u, v),
            Kind::Blinds => wall::blinds(self, u, v),
            Kind::PicketFence => wall::picket_fence(self, u, v),
            Kind::ChainLink => metal::chain_link(self, u, v),
            Kind::Brick => wall::brick(self, u, v),
            Kind::FloorTiles => wall::floor_tiles(self, u, v),
            Kind::Mosaic => wall::mosaic(self, u, v),
            Kind::RoofTiles => wall::roof_tiles(self, u, v),
            Kind::Facade => wall::facade(self, u, v),
            Kind::Planks => wall::planks(self, u, v),
            Kind::InsectScreen => metal::insect_screen(self, u, v),
            Kind::RoundHoles => metal::round_holes(self, u, v),
            Kind::SquareHoles => metal::square_holes(self, u, v),
            Kind::Slots => metal::slots(self, u, v),
            Kind::ExpandedMetal => metal::expanded_metal(self, u, v),
            Kind::ColorHalftone => print::color_halftone(self, u, v),
            Kind::BlackHalftone => print::black_halftone(self, u, v),
            Kind::TextPage => print::text_page(self, u, v),
            Kind::GraphPaper => print::graph_paper(self, u, v),
        };
        let falling = self.falling(u, v);
        light.map(|value| value * falling)
    }

    /// The illumination of a position: slightly uneven, and much less in a cast shadow.
    fn falling(&self, u: f32, v: f32) -> f32 {
        let uneven = 0.75 + 0.5 * self.scatter.smooth(u / 60.0 + 9.1, v / 60.0);
        let lit = step(0.5, 0.15, self.scatter.smooth(u / 45.0 - 17.9, v / 45.0 + 5.3));
        uneven * (self.shade + (1.0 - self.shade) * lit)
    }

    /// The picture at a position, with one pixel per unit, repeated with mirroring.
    fn picture_at(&self, u: f32, v: f32) -> Light {
        let mirror = |at: f32, side: usize| {
            let turns = (at / side as f32 + 0.5) / 2.0;
            (1.0 - (2.0 * fraction(turns) - 1.0).abs()) * side as f32
        };
        self.picture.between(mirror(u, self.picture.width), mirror(v, self.picture.height))
    }

    /// The relative brightness of one of many similar elements.
    fn differing(&self, i: f32, j: f32) -> f32 {
        1.0 + (self.scatter.of(i as i32, j as i32) - 0.5) * 2.0 * self.uneven
    }
}

/// A smooth step from 0 to 1 as `value` passes `edge`, of this width.
fn step(edge: f32, width: f32, value: f32) -> f32 {
    let part = ((value - edge) / width + 0.5).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// 1 within `half` of the middle of each unit, 0 outside, with soft edges.
fn bar(value: f32, half: f32) -> f32 {
    1.0 - step(half, 0.1, (fraction(value) - 0.5).abs())
}

/// The index of the unit that contains a position.
fn unit(value: f32) -> f32 {
    floor(value) as f32
}

/// The position within its unit, 0 to 1.
fn fraction(value: f32) -> f32 {
    value - unit(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_are_bounded_and_not_flat() {
        let picture = Picture::from_fn(40, 30, |x, y| [x as f32 / 40.0, y as f32 / 30.0, 0.3]);
        for (_, kinds) in GROUPS {
            for &kind in kinds {
                let texture = Texture::some(kind, &picture, &mut Rng::with_seed(3));
                let lights: Vec<Light> = (0..10_000)
                    .map(|i| texture.light((i % 100) as f32 * 0.11 - 4.0, (i / 100) as f32 * 0.13))
                    .collect();
                let greens = || lights.iter().map(|light| light[1]);
                assert!(lights.as_flattened().iter().all(|value| (0.0..2.0).contains(value)), "{kind:?}");
                let (least, most) = (greens().fold(f32::MAX, f32::min), greens().fold(0.0, f32::max));
                assert!(most > 1.3 * least, "{kind:?} is flat: {least} to {most}");
            }
        }
    }
}
