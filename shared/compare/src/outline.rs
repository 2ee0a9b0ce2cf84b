//! Draws original and copy side by side, with what differs outlined.

use crate::{
    Comparison, Picture, Region, Verdict,
    raster::{Frame, Window, scale, shrink},
};

/// Longest side of each of the two pictures.
const LONGEST: usize = 1600;
/// Width of the gap between them, and of an outline, which is white outside and red inside.
const GAP: usize = 16;
const LINE: usize = 3;
const RED: [u8; 3] = [220, 0, 0];
const WHITE: [u8; 3] = [255; 3];
/// What the copy does not show of the original.
const GREY: [u8; 3] = [128; 3];

impl Comparison {
    /// The original at the left and the copy at the right, as [panels](Self::panels), with each region that differs
    /// outlined in both. `None` if a picture is empty or inconsistent.
    #[must_use]
    pub fn side_by_side(&self, copy: &Picture, original: &Picture) -> Option<Picture> {
        let [mut left, mut right] = self.panels(copy, original)?;
        let factor = f64::from(left.width) / f64::from(original.width);
        for region in &self.regions {
            outline(&mut left, *region, factor);
            outline(&mut right, *region, factor);
        }
        Some(join(&left, &right))
    }

    /// The original and the copy at the same scale, each with at most 1600 pixels on the original's longest side. What
    /// the copy does not show is grey. A copy that is not confirmed is scaled to the original's height. `None` if a
    /// picture is empty or inconsistent.
    #[must_use]
    pub fn panels(&self, copy: &Picture, original: &Picture) -> Option<[Picture; 2]> {
        let left = shrink(original, LONGEST)?;
        let right = match self.verdict {
            Verdict::NotConfirmed => fit(copy, left.height as usize)?,
            Verdict::Same | Verdict::SameWithDifferences => self.place(copy, original, &left)?,
        };
        Some([left, right])
    }

    /// The part of the copy that shows the original, where it is in the original, which was scaled to `scaled`.
    fn place(&self, copy: &Picture, original: &Picture, scaled: &Picture) -> Option<Picture> {
        let factor = f64::from(scaled.width) / f64::from(original.width);
        let frame = Frame {
            left: self.frame.left * factor,
            top: self.frame.top * factor,
            width: self.frame.width * factor,
            height: self.frame.height * factor,
        };
        let (width, height) = (scaled.width as usize, scaled.height as usize);
        let window = frame.inside(width, height);
        let shown = crate::align::place(copy, frame, window)?;
        let mut placed = filled(width, height, GREY);
        paste(&mut placed, &shown, window.left, window.top);
        Some(placed)
    }
}

/// Scales a picture to this height.
fn fit(picture: &Picture, height: usize) -> Option<Picture> {
    let whole = Frame { left: 0.0, top: 0.0, width: f64::from(picture.width), height: f64::from(picture.height) };
    // A picture of one row would become as wide as the comparison's largest ones together.
    let width = (whole.width * height as f64 / whole.height).round().clamp(1.0, 4.0 * LONGEST as f64);
    scale(picture, whole, width as usize, height)
}

fn filled(width: usize, height: usize, color: [u8; 3]) -> Picture {
    Picture { width: width as u32, height: height as u32, rgb: color.repeat(width * height) }
}

/// Copies a picture into a larger one.
fn paste(into: &mut Picture, picture: &Picture, left: usize, top: usize) {
    let (row, length) = (3 * into.width as usize, 3 * picture.width as usize);
    for (y, pixels) in picture.rgb.chunks_exact(length).enumerate() {
        let start = (top + y) * row + 3 * left;
        into.rgb[start..start + length].copy_from_slice(pixels);
    }
}

fn join(left: &Picture, right: &Picture) -> Picture {
    let start = left.width as usize + GAP;
    let mut joined = filled(start + right.width as usize, left.height.max(right.height) as usize, WHITE);
    paste(&mut joined, left, 0, 0);
    paste(&mut joined, right, start, 0);
    joined
}

/// Draws a line around a region, in a picture that was scaled by a factor.
fn outline(picture: &mut Picture, region: Region, factor: f64) {
    let scaled = |at: u32| (f64::from(at) * factor).round() as usize;
    let (left, top) = (scaled(region.left), scaled(region.top));
    let inner = Window {
        left,
        top,
        width: scaled(region.left + region.width) - left,
        height: scaled(region.top + region.height) - top,
    };
    for distance in 1..=2 * LINE {
        let color = if distance <= LINE { RED } else { WHITE };
        let (right, bottom) = (inner.left + inner.width + distance - 1, inner.top + inner.height + distance - 1);
        let mut paint = |x: Option<usize>, y: Option<usize>| {
            let inside = x.zip(y).filter(|&(x, y)| x < picture.width as usize && y < picture.height as usize);
            if let Some((x, y)) = inside {
                let at = 3 * (y * picture.width as usize + x);
                picture.rgb[at..at + 3].copy_from_slice(&color);
            }
        };
        let (left, top) = (inner.left.checked_sub(distance), inner.top.checked_sub(distance));
        for x in left.unwrap_or(0)..=right {
            paint(Some(x), top);
            paint(Some(x), Some(bottom));
        }
        for y in top.unwrap_or(0)..=bottom {
            paint(left, Some(y));
            paint(Some(right), Some(y));
        }
    }
}
