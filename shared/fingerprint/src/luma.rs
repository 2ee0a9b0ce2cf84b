//! The brightness of a picture, which is computed row by row while it is read, and the picture in a screenshot.

use std::ops::Range;

use lacre_photo::{Plane, Planes};

use crate::resize::{Rows, resize};

/// The columns and rows of the picture of which the standard computes a code.
pub(crate) const SIDE: usize = 32;

/// By how much the samples of a bar differ from its color at most: a screenshot may be compressed.
const BAR_TOLERANCE: u8 = 16;
/// The share of a bar's row or column that signs and text may have, in hundredths.
const BAR_OTHERS: usize = 25;
/// The height of a line in a bar, in hundredths of the screenshot's.
const BAR_LINE: usize = 2;
/// The share of a screenshot's height and width that a picture in it has at least, in hundredths.
const LEAST_SHOWN: usize = 20;

/// The brightness of a picture, as Pillow computes it.
#[derive(Debug)]
pub struct Luma<'a> {
    pixels: Pixels<'a>,
    area: Area,
}

#[derive(Clone, Copy, Debug)]
enum Pixels<'a> {
    Rgb { width: usize, rgb: &'a [[u8; 3]] },
    Grey(&'a Plane),
}

/// A rectangle of pixels.
#[derive(Debug, PartialEq, Eq)]
struct Area {
    columns: Range<usize>,
    rows: Range<usize>,
}

impl<'a> Luma<'a> {
    /// The brightness of a picture whose pixels have three bytes, red, green and blue, row by row. An incomplete row at
    /// the end is dropped.
    #[must_use]
    pub fn of_rgb(width: usize, rgb: &'a [u8]) -> Self {
        let (rgb, _) = rgb.as_chunks();
        let rows = rgb.len().checked_div(width).unwrap_or_default();
        Self { pixels: Pixels::Rgb { width, rgb }, area: Area { columns: 0..width, rows: 0..rows } }
    }

    /// The brightness of a decoded photo: its samples Y. Pillow converts them to red, green and blue and back, which only
    /// changes what these cannot express.
    #[must_use]
    pub fn of_planes(planes: &'a Planes) -> Self {
        let area = Area { columns: 0..planes.luma.width(), rows: 0..planes.luma.height() };
        Self { pixels: Pixels::Grey(&planes.luma), area }
    }

    /// The 32 × 32 pixels of which the code is computed, row by row.
    #[must_use]
    pub fn pixels(&self) -> Vec<u8> {
        resize(self, (SIDE, SIDE)).samples
    }

    /// The picture in a screenshot: what is left without bars at the top and the bottom, and then at the sides, that have
    /// nearly the color of the top left pixel, with signs and lines in them. `None` if there are no bars, or if little is
    /// left.
    pub(crate) fn without_bars(&self) -> Option<Self> {
        let Area { columns, rows } = &self.area;
        let corner = self.pixels.at(columns.start, rows.start)?;
        let differs = |x, y| {
            let pixel = self.pixels.at(x, y).unwrap_or(corner);
            pixel.iter().zip(corner).any(|(sample, of)| sample.abs_diff(of) > BAR_TOLERANCE)
        };
        let others = |length| length * BAR_OTHERS / 100;
        let rows =
            within_bars(rows, |y| columns.clone().filter(|x| differs(*x, y)).nth(others(columns.len())).is_some())?;
        let columns =
            within_bars(columns, |x| rows.clone().filter(|y| differs(x, *y)).nth(others(rows.len())).is_some())?;
        let area = Area { columns, rows };
        (area != self.area).then_some(Self { area, ..*self })
    }
}

/// The rows or columns from the first to the last that show something, without those in runs as short as a line in a bar.
/// `None` if too little is left.
fn within_bars(lines: &Range<usize>, shows: impl Fn(usize) -> bool) -> Option<Range<usize>> {
    let line = lines.len() * BAR_LINE / 100;
    let start = longer_run(lines.clone(), line, &shows)? - line;
    let end = longer_run(lines.clone().rev(), line, &shows)? + line + 1;
    (end - start > lines.len() * LEAST_SHOWN / 100).then_some(start..end)
}

/// The index at which more than `length` consecutive ones have shown something.
fn longer_run(mut indices: impl Iterator<Item = usize>, length: usize, shows: impl Fn(usize) -> bool) -> Option<usize> {
    let mut run = 0;
    indices.find(|index| {
        run = if shows(*index) { run + 1 } else { 0 };
        run > length
    })
}

impl Rows for Luma<'_> {
    fn size(&self) -> (usize, usize) {
        (self.area.columns.len(), self.area.rows.len())
    }

    fn row<'a>(&'a self, y: usize, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let y = self.area.rows.start + y;
        let row = match self.pixels {
            Pixels::Grey(plane) => plane.row(y),
            Pixels::Rgb { width, rgb } => {
                buffer.clear();
                buffer.extend(rgb[y * width..][..width].iter().copied().map(brightness));
                buffer
            }
        };
        &row[self.area.columns.clone()]
    }
}

impl Pixels<'_> {
    /// The samples of a pixel.
    fn at(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        match self {
            Self::Grey(plane) => Some([*plane.row(y).get(x)?; 3]),
            Self::Rgb { width, rgb } => rgb.get(y * width + x).copied(),
        }
    }
}

/// The brightness of red, green and blue by ITU-R BT.601, rounded as in Pillow's conversion to `L`.
fn brightness([red, green, blue]: [u8; 3]) -> u8 {
    ((u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471 + (1 << 15)) >> 16) as u8
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lacre_photo::Plane;

    use super::*;

    /// All rows of a brightness.
    fn rows(luma: &Luma) -> Vec<Vec<u8>> {
        (0..luma.size().1).map(|y| luma.row(y, &mut Vec::new()).to_vec()).collect()
    }

    #[test]
    fn weighs_red_green_and_blue() {
        let rgb = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [1, 2, 3], [9, 8, 7]].concat();
        assert_eq!(rows(&Luma::of_rgb(3, &rgb)), [[76, 150, 29], [255, 2, 8]]);
    }

    #[test]
    fn drops_an_incomplete_row() {
        let rgb = [[0; 3], [9; 3], [5; 3], [7; 3], [1; 3]].concat();
        assert_eq!(rows(&Luma::of_rgb(2, &rgb)), [[0, 9], [5, 7]]);
        for (width, rgb) in [(0, &[1, 2, 3][..]), (0, &[]), (2, &[1, 2, 3]), (1, &[])] {
            assert_eq!(rows(&Luma::of_rgb(width, rgb)), Vec::<Vec<u8>>::new());
        }
    }

    #[test]
    fn takes_the_brightness_of_a_photo() {
        let color = Plane::new(1, vec![255]);
        let planes = Planes { luma: Plane::new(2, vec![20, 250, 100, 30]), color: Some([color.clone(), color]) };
        assert_eq!(rows(&Luma::of_planes(&planes)), [[20, 250], [100, 30]]);
    }

    #[test]
    fn finds_the_picture_in_a_screenshot() {
        // Bars in nearly one color, with a sign and a line, and a picture of 100 × 50 pixels that has a bar, too.
        let pixels = (0..150).flat_map(|y| (0..120).map(move |x| (x, y)));
        let rgb: Vec<u8> = pixels
            .flat_map(|(x, y): (usize, usize)| match (x, y) {
                (10..110, 50..70 | 80..100) => [120 + x as u8, 60, y as u8],
                (15..40, 10..30) | (_, 125..128) => [200; 3],
                _ => [10 + (x + y) as u8 % 2 * 9; 3],
            })
            .collect();
        let luma = Luma::of_rgb(120, &rgb);
        let picture = luma.without_bars().unwrap();
        assert_eq!(picture.area, Area { columns: 10..110, rows: 50..100 });
        assert!(picture.without_bars().is_none(), "no bars");

        let narrow: Vec<u8> = rgb.chunks(120 * 3).flat_map(|row| [&[19; 700 * 3][..], row].concat()).collect();
        assert!(Luma::of_rgb(820, &narrow).without_bars().is_none(), "little is left");
    }
}
