//! Pseudorandom numbers by position.

use crate::picture::floor;

/// The numbers of a seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter {
    seed: u32,
}

impl Scatter {
    pub(super) fn new(seed: u32) -> Scatter {
        Scatter { seed }
    }

    /// The number of a cell, 0 to 1.
    pub(super) fn of(self, i: i32, j: i32) -> f32 {
        let mut bits = (i as u32).wrapping_mul(0x9e37_79b1) ^ (j as u32).wrapping_mul(0x85eb_ca77) ^ self.seed;
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
        bits = (bits ^ (bits >> 12)).wrapping_mul(0x297a_2d39);
        ((bits ^ (bits >> 15)) >> 8) as f32 / 16_777_216.0
    }

    /// A number that changes smoothly over about one unit, 0 to 1.
    pub(super) fn smooth(self, x: f32, y: f32) -> f32 {
        let (i, j) = (floor(x), floor(y));
        let ease = |part: f32| part * part * (3.0 - 2.0 * part);
        let (right, low) = (ease(x - i as f32), ease(y - j as f32));
        let row = |j: i32| {
            let (a, b) = (self.of(i, j), self.of(i + 1, j));
            a + (b - a) * right
        };
        let (above, below) = (row(j), row(j + 1));
        above + (below - above) * low
    }
}
