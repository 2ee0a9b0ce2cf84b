//! The analysed parts of the frame: up to nine square tiles, or sixteen of a large one, spread over it, each where the light is, at native resolution.

use std::{cmp::Reverse, ops::RangeInclusive};

use lacre_photo::{Plane, Planes};

/// Pixels along a side of a tile of luma. Larger ones would be smeared by perspective, smaller ones resolve less.
pub(crate) const LUMA_SIDE: usize = 256;
/// The same tile in the color planes, which have half the resolution in nearly every JPEG.
pub(crate) const CHROMA_SIDE: usize = LUMA_SIDE / 2;

/// The largest number of tiles along either side of the frame. More of them would agree by chance more often.
const MOST: usize = 3;
/// The same of a frame of more than [`LARGE`] pixels: nine tiles would see a small part of it, where a picture may be dark or plain.
const MOST_OF_LARGE: usize = 4;
const LARGE: usize = 3_000_000;
/// Tiles may overlap by a quarter: more, and they would share their noise, and agree in it.
const STEP: usize = LUMA_SIDE * 3 / 4;
/// Origins are multiples of a JPEG's largest common block, so that what its blocks leave behind is at the same frequencies
/// in all tiles, and half an origin is one in the color planes.
const BLOCK: usize = 16;

/// Luma from here on is burnt out.
pub(crate) const BURNT: u8 = 245;

/// The left upper corner of a tile, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    x: usize,
    y: usize,
}

/// The tiles of a frame; none where it is smaller than one. Each begins in a part of the frame of its own, and there where it
/// sees the most light: a display's cells are seen where they glow.
pub(crate) fn tiles(planes: &Planes) -> Vec<Tile> {
    let light = Light::of(&planes.luma);
    let (width, height) = (planes.luma.width(), planes.luma.height());
    let most = if width * height > LARGE { MOST_OF_LARGE } else { MOST };
    let rows = places(height, most);
    let pairs = places(width, most).flat_map(|across| rows.clone().map(move |down| (across.clone(), down)));
    pairs.map(|(across, down)| light.best(&across, &down)).collect()
}

/// Along one side of the frame, where each of at most so many tiles may begin, in blocks: around places that are spread from edge to
/// edge.
fn places(length: usize, most: usize) -> impl Iterator<Item = RangeInclusive<usize>> + Clone {
    let room = length.checked_sub(LUMA_SIDE);
    let count = room.map_or(0, |room| (room / STEP + 1).min(most));
    let room = room.unwrap_or_default();
    let apart = room / (count.max(2) - 1);
    // Neighbors stay at least half as far apart as those places are: one bright thing shall not draw them all.
    let shift = (apart.saturating_sub(STEP) / 2).min(apart / 4);
    (0..count).map(move |i| (apart * i).saturating_sub(shift) / BLOCK..=(apart * i + shift).min(room) / BLOCK)
}

/// The light in any part of the frame, without what is burnt out.
struct Light {
    /// Sums over all blocks above and to the left, with a row and a column of zeros before them.
    sums: Vec<u64>,
    stride: usize,
}

impl Light {
    fn of(luma: &Plane) -> Self {
        let (columns, rows) = (luma.width() / BLOCK, luma.height() / BLOCK);
        let stride = columns + 1;
        let mut sums = vec![0; stride * (rows + 1)];
        for row in 0..rows {
            let mut along = 0;
            for column in 0..columns {
                along += light_of_block(luma, column, row);
                sums[(row + 1) * stride + column + 1] = sums[row * stride + column + 1] + along;
            }
        }
        Self { sums, stride }
    }

    /// Of the tiles that begin at one of these blocks, the one with the most light; of several, the one nearest to the middle.
    fn best(&self, across: &RangeInclusive<usize>, down: &RangeInclusive<usize>) -> Tile {
        const BLOCKS: usize = LUMA_SIDE / BLOCK;
        let sum = |column: usize, row: usize| self.sums[row * self.stride + column];
        let within =
            |x: usize, y: usize| sum(x + BLOCKS, y + BLOCKS) + sum(x, y) - sum(x + BLOCKS, y) - sum(x, y + BLOCKS);
        let off = |at: usize, range: &RangeInclusive<usize>| (2 * at).abs_diff(range.start() + range.end());
        let places = across.clone().flat_map(|x| down.clone().map(move |y| (x, y)));
        let best = places.max_by_key(|(x, y)| (within(*x, *y), Reverse(off(*x, across) + off(*y, down))));
        // No range is empty.
        let (x, y) = best.unwrap_or((*across.start(), *down.start()));
        Tile { x: x * BLOCK, y: y * BLOCK }
    }
}

/// The light of a block, of one in sixteen of its pixels: at another place in each row, so that no lattice hides in between.
fn light_of_block(luma: &Plane, column: usize, row: usize) -> u64 {
    let (left, top) = (column * BLOCK, row * BLOCK);
    let places = (0..BLOCK / 4).flat_map(|i| (0..BLOCK / 4).map(move |j| (left + 4 * j + i, top + 4 * i + j)));
    places.map(|(x, y)| luma.row(y)[x]).filter(|luma| *luma < BURNT).map(u64::from).sum()
}

/// The samples of a tile, as integers.
pub(crate) struct Samples {
    /// Luma, row by row.
    pub(crate) luma: Vec<u16>,
    /// Cb and Cr at half the resolution, each value the sum of [`SUMMED`] samples. A grey photo has none.
    pub(crate) color: Option<[Vec<u16>; 2]>,
}

/// How many samples a value of the color planes is the sum of: two by two.
pub(crate) const SUMMED: usize = 4;

impl Samples {
    pub(crate) fn of(planes: &Planes, tile: Tile) -> Self {
        let rows = tile.y..tile.y + LUMA_SIDE;
        let luma = rows.flat_map(|y| &planes.luma.row(y)[tile.x..][..LUMA_SIDE]).map(|luma| u16::from(*luma)).collect();
        let color = planes.color.as_ref();
        let color = color.map(|color| color.each_ref().map(|plane| halved(plane, &planes.luma, tile)));
        Self { luma, color }
    }
}

/// A tile of a color plane at half the resolution of luma, which it may have along either side already.
fn halved(plane: &Plane, luma: &Plane, tile: Tile) -> Vec<u16> {
    // How many samples of the plane a value is the sum of, across and down; each then counts for as many as are left out.
    let across = if plane.width() < luma.width() { 1 } else { 2 };
    let down = if plane.height() < luma.height() { 1 } else { 2 };
    let weight = (SUMMED / (across * down)) as u16;
    let (left, top) = (tile.x / 2 * across, tile.y / 2 * down);
    let mut sums = Vec::with_capacity(CHROMA_SIDE * CHROMA_SIDE);
    for y in (top..).step_by(down).take(CHROMA_SIDE) {
        let rows = [y, y + down - 1].map(|y| &plane.row(y)[left..][..CHROMA_SIDE * across]);
        let rows = rows.get(..down).unwrap_or_default();
        let sum =
            |at: usize| rows.iter().flat_map(|row| &row[at..at + across]).map(|value| u16::from(*value)).sum::<u16>();
        sums.extend((0..CHROMA_SIDE).map(|column| weight * sum(column * across)));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 1920;

    /// A dark frame with squares of light, each as large as a tile, by their left upper corners.
    fn lit(squares: &[((usize, usize), u8)]) -> Planes {
        let light = |x: usize, y: usize| {
            let of = squares.iter().find(|((left, top), _)| {
                (*left..left + LUMA_SIDE).contains(&x) && (*top..top + LUMA_SIDE).contains(&y)
            });
            of.map_or(20, |(_, luma)| *luma)
        };
        grey(WIDTH, (0..WIDTH * 1080).map(|i| light(i % WIDTH, i / WIDTH)).collect())
    }

    fn grey(width: usize, samples: Vec<u8>) -> Planes {
        Planes { luma: Plane::new(width, samples), color: None }
    }

    fn corners(planes: &Planes) -> Vec<(usize, usize)> {
        tiles(planes).iter().map(|tile| (tile.x, tile.y)).collect()
    }

    #[test]
    fn each_tile_stands_where_the_light_is() {
        let corners = corners(&lit(&[((160, 64), 180), ((1648, 800), 180)]));
        assert_eq!((corners.len(), corners[0], corners[8]), (9, (160, 64), (1648, 800)));
        // Where there is as much everywhere, in the middle: here between 624 and 1040, and between 304 and 512.
        assert_eq!(corners[4], (832, 416));
    }

    #[test]
    fn a_large_frame_has_more_tiles() {
        let frame = |width, height| grey(width, vec![90; width * height]);
        assert_eq!([frame(1920, 1080), frame(2560, 1440)].map(|planes| tiles(&planes).len()), [9, 16]);
    }

    #[test]
    fn what_is_burnt_out_is_no_light() {
        let corners = corners(&lit(&[((0, 0), 255), ((208, 96), 120)]));
        assert_eq!(corners[0], (208, 96));
    }

    #[test]
    fn tiles_stay_in_the_frame_and_share_little() {
        assert_eq!(places(LUMA_SIDE - 1, MOST).count(), 0);
        let lengths = (LUMA_SIDE..5000).step_by(7);
        for (length, most) in lengths.flat_map(|length| [(length, MOST), (length, MOST_OF_LARGE)]) {
            let places: Vec<_> = places(length, most).collect();
            assert!(!places.is_empty() && places.iter().all(|place| !place.is_empty()), "{length}");
            assert!(places.iter().all(|place| place.end() * BLOCK + LUMA_SIDE <= length), "{length}");
            assert!(places.windows(2).all(|two| (two[1].start() - two[0].end()) * BLOCK >= STEP), "{length}");
        }
    }
}
