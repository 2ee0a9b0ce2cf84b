//! Where the frame is looked at: up to nine square tiles, spread over it, at native resolution.

use crate::Pixels;

/// Pixels along a side of a tile of luma. Larger ones would be smeared by perspective, smaller ones resolve less.
pub(crate) const LUMA_SIDE: usize = 256;
/// The same tile in the color planes, which have half the resolution in nearly every JPEG.
pub(crate) const CHROMA_SIDE: usize = LUMA_SIDE / 2;

/// The largest number of tiles along either side of the frame.
const MOST: usize = 3;
/// Tiles may overlap by a quarter: more, and they would share their noise, and agree in it.
const STEP: usize = LUMA_SIDE * 3 / 4;
/// Origins are multiples of a JPEG's largest common block, so that what its blocks leave behind is at the same frequencies
/// in all tiles, and half an origin is one in the color planes.
const BLOCK: usize = 16;

/// The left upper corner of a tile, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Tile {
    x: usize,
    y: usize,
}

/// The tiles of a frame; none where it is smaller than one.
pub(crate) fn tiles(pixels: &Pixels) -> Vec<Tile> {
    let rows = origins(pixels.height);
    origins(pixels.width).flat_map(|x| rows.clone().map(move |y| Tile { x, y })).collect()
}

fn origins(length: usize) -> impl Iterator<Item = usize> + Clone {
    let room = length.checked_sub(LUMA_SIDE);
    let count = room.map_or(0, |room| (room / STEP + 1).min(MOST));
    let room = room.unwrap_or_default();
    // One tile stands in the middle; several reach from edge to edge.
    (0..count).map(move |i| if count == 1 { room / 2 } else { room * i / (count - 1) } / BLOCK * BLOCK)
}

/// A tile's luma.
pub(crate) fn luma(pixels: &Pixels, tile: Tile) -> Vec<f32> {
    let mut values = Vec::with_capacity(LUMA_SIDE * LUMA_SIDE);
    for y in tile.y..tile.y + LUMA_SIDE {
        values.extend(row(pixels, tile, y).map(|pixel| f32::from(pixel[0])));
    }
    values
}

/// A tile's color, Cb or Cr, each value the mean of four pixels.
pub(crate) fn chroma(pixels: &Pixels, tile: Tile, component: usize) -> Vec<f32> {
    let mut values = Vec::with_capacity(CHROMA_SIDE * CHROMA_SIDE);
    for y in (tile.y..tile.y + LUMA_SIDE).step_by(2) {
        let [upper, lower] = [y, y + 1].map(|y| row(pixels, tile, y));
        let sums: Vec<u16> = upper.zip(lower).map(|(a, b)| u16::from(a[component]) + u16::from(b[component])).collect();
        values.extend(sums.chunks_exact(2).map(|sums| f32::from(sums[0] + sums[1]) / 4.0));
    }
    values
}

/// The pixels of a tile in one row of the frame.
fn row(pixels: &Pixels, tile: Tile, y: usize) -> std::slice::ChunksExact<'_, u8> {
    let start = (y * pixels.width + tile.x) * pixels.components;
    pixels.samples[start..start + LUMA_SIDE * pixels.components].chunks_exact(pixels.components)
}
