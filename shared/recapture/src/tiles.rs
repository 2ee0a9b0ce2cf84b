//! Selects the analysed parts of the frame: up to nine square tiles, or sixteen of a large frame, in native resolution.
//! They are spread over the frame, each at the brightest place of its part.

use std::{cmp::Reverse, ops::RangeInclusive};

use lacre_photo::{Plane, Planes};

/// The side of a luma tile in pixels. In larger tiles perspective would smear the lattice, smaller ones have less
/// resolution.
pub(crate) const LUMA_SIDE: usize = 256;
/// The side of a tile in the color planes, which have half the resolution in nearly every JPEG.
pub(crate) const CHROMA_SIDE: usize = LUMA_SIDE / 2;

/// Maximum number of tiles along each side of the frame. More tiles would agree by chance more often.
const MOST: usize = 3;
/// Maximum number of tiles along each side of a frame of more than [`LARGE`] pixels. Nine tiles would cover a small
/// part of it, where a picture may be dark or plain.
const MOST_OF_LARGE: usize = 4;
const LARGE: usize = 3_000_000;
/// The distance between tiles, which may overlap by a quarter. With more overlap they would share noise and agree in
/// it.
const STEP: usize = LUMA_SIDE * 3 / 4;
/// Tiles begin at multiples of the largest common JPEG block size, so that block artefacts have the same frequencies in
/// all tiles, and half an origin is an origin in the color planes.
const BLOCK: usize = 16;

/// The luma value from which on a pixel counts as overexposed.
pub(crate) const BURNT: u8 = 245;

/// A tile, by its upper left corner in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    x: usize,
    y: usize,
}

/// The tiles of a frame; empty if it is smaller than one. Each begins in a separate part of the frame, where it covers
/// the most light, because a display's cells are visible where they glow.
pub(crate) fn tiles(planes: &Planes) -> Vec<Tile> {
    let light = Light::of(&planes.luma);
    let (width, height) = (planes.luma.width(), planes.luma.height());
    let most = if width * height > LARGE { MOST_OF_LARGE } else { MOST };
    let rows = places(height, most);
    let pairs = places(width, most).flat_map(|across| rows.clone().map(move |down| (across.clone(), down)));
    pairs.map(|(across, down)| light.best(&across, &down)).collect()
}

/// The possible origins of at most `most` tiles along one side of the frame, in blocks: ranges around positions that
/// are spread from edge to edge.
fn places(length: usize, most: usize) -> impl Iterator<Item = RangeInclusive<usize>> + Clone {
    let room = length.checked_sub(LUMA_SIDE);
    let count = room.map_or(0, |room| (room / STEP + 1).min(most));
    let room = room.unwrap_or_default();
    let apart = room / (count.max(2) - 1);
    // Neighbouring tiles stay at least half as far apart as these positions, so that a single bright object does not
    // attract all of them.
    let shift = (apart.saturating_sub(STEP) / 2).min(apart / 4);
    (0..count).map(move |i| (apart * i).saturating_sub(shift) / BLOCK..=(apart * i + shift).min(room) / BLOCK)
}

/// The light in any part of the frame, without overexposed pixels.
struct Light {
    /// The sums over all blocks above and to the left, preceded by a row and a column of zeros.
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

    /// The tile with the most light that begins at one of these blocks; among equal ones the tile nearest to the
    /// middle.
    fn best(&self, across: &RangeInclusive<usize>, down: &RangeInclusive<usize>) -> Tile {
        const BLOCKS: usize = LUMA_SIDE / BLOCK;
        let sum = |column: usize, row: usize| self.sums[row * self.stride + column];
        let within =
            |x: usize, y: usize| sum(x + BLOCKS, y + BLOCKS) + sum(x, y) - sum(x + BLOCKS, y) - sum(x, y + BLOCKS);
        let off = |at: usize, range: &RangeInclusive<usize>| (2 * at).abs_diff(range.start() + range.end());
        let places = across.clone().flat_map(|x| down.clone().map(move |y| (x, y)));
        let best = places.max_by_key(|(x, y)| (within(*x, *y), Reverse(off(*x, across) + off(*y, down))));
        // The ranges are never empty.
        let (x, y) = best.unwrap_or((*across.start(), *down.start()));
        Tile { x: x * BLOCK, y: y * BLOCK }
    }
}

/// The light of a block, from one in sixteen of its pixels. The position differs in each row, so that no lattice falls
/// between the samples.
fn light_of_block(luma: &Plane, column: usize, row: usize) -> u64 {
    let (left, top) = (column * BLOCK, row * BLOCK);
    let places = (0..BLOCK / 4).flat_map(|i| (0..BLOCK / 4).map(move |j| (left + 4 * j + i, top + 4 * i + j)));
    places.map(|(x, y)| luma.row(y)[x]).filter(|luma| *luma < BURNT).map(u64::from).sum()
}

/// The samples of a tile, as integers.
pub(crate) struct Samples {
    /// Luma, row by row.
    pub(crate) luma: Vec<u16>,
    /// Cb and Cr at half the resolution, each value the sum of [`SUMMED`] samples; `None` for a grey photo.
    pub(crate) color: Option<[Vec<u16>; 2]>,
}

/// The number of samples in a value of the color planes: two by two.
pub(crate) const SUMMED: usize = 4;

impl Samples {
    pub(crate) fn of(planes: &Planes, tile: Tile) -> Self {
        let mut luma = Vec::with_capacity(LUMA_SIDE * LUMA_SIDE);
        for y in tile.y..tile.y + LUMA_SIDE {
            luma.extend(planes.luma.row(y)[tile.x..][..LUMA_SIDE].iter().map(|luma| u16::from(*luma)));
        }
        let color = planes.color.as_ref();
        let color = color.map(|color| color.each_ref().map(|plane| halved(plane, &planes.luma, tile)));
        Self { luma, color }
    }
}

/// A tile of a color plane at half the resolution of luma. The plane may already have that resolution along either
/// side.
fn halved(plane: &Plane, luma: &Plane, tile: Tile) -> Vec<u16> {
    // The number of samples of the plane in a value, horizontally and vertically. The weight makes up for those that
    // are missing.
    let across = if plane.width() < luma.width() { 1 } else { 2 };
    let down = if plane.height() < luma.height() { 1 } else { 2 };
    let weight = (SUMMED / (across * down)) as u16;
    let (left, top) = (tile.x / 2 * across, tile.y / 2 * down);
    let add = if across == 1 { add_row::<1> } else { add_row::<2> };
    let mut sums = vec![0; CHROMA_SIDE * CHROMA_SIDE];
    for (row, sums) in sums.chunks_exact_mut(CHROMA_SIDE).enumerate() {
        for y in (top + row * down..).take(down) {
            add(sums, &plane.row(y)[left..][..CHROMA_SIDE * across], weight);
        }
    }
    sums
}

/// Adds a row's samples to sums, `ACROSS` neighbours to each, with a weight.
fn add_row<const ACROSS: usize>(sums: &mut [u16], row: &[u8], weight: u16) {
    for (sum, samples) in sums.iter_mut().zip(row.as_chunks::<ACROSS>().0) {
        *sum += weight * samples.iter().map(|sample| u16::from(*sample)).sum::<u16>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 1920;

    /// A dark frame with bright squares of the size of a tile, by their upper left corners.
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
    fn each_tile_moves_to_the_light() {
        let corners = corners(&lit(&[((160, 64), 180), ((1648, 800), 180)]));
        assert_eq!((corners.len(), corners[0], corners[8]), (9, (160, 64), (1648, 800)));
        // If the light is equal everywhere, the tile is in the middle of its range: here between 624 and 1040, and
        // between 304 and 512.
        assert_eq!(corners[4], (832, 416));
    }

    #[test]
    fn a_large_frame_has_more_tiles() {
        let frame = |width, height| grey(width, vec![90; width * height]);
        assert_eq!([frame(1920, 1080), frame(2560, 1440)].map(|planes| tiles(&planes).len()), [9, 16]);
    }

    #[test]
    fn ignores_burnt_out_corners() {
        let corners = corners(&lit(&[((0, 0), 255), ((208, 96), 120)]));
        assert_eq!(corners[0], (208, 96));
    }

    #[test]
    fn tiles_stay_inside_and_overlap_little() {
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
