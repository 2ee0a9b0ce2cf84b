//! Pictures at the size that the comparison works with.

use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};

use crate::Picture;

/// A rectangle in fractional pixels. It may lie outside the picture in whose pixels it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A rectangle of whole pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Window {
    /// The window without a margin on each side; empty if it is smaller than its margins.
    pub(crate) fn inset(self, margin: usize) -> Self {
        Self {
            left: self.left + margin,
            top: self.top + margin,
            width: self.width.saturating_sub(2 * margin),
            height: self.height.saturating_sub(2 * margin),
        }
    }
}

impl Frame {
    /// The frame, if a copy of a picture of this size may have it: it overlaps the picture, and is neither much smaller nor
    /// much larger. Numbers that are none are not plausible either.
    pub(crate) fn plausible(self, original: &Picture) -> Option<Self> {
        let within = |start: f64, length: f64, side: u32| {
            let side = f64::from(side);
            (0.2 * side..8.0 * side).contains(&length) && start < side && start + length > 0.0
        };
        let plausible = within(self.left, self.width, original.width) && within(self.top, self.height, original.height);
        plausible.then_some(self)
    }

    /// The whole pixels of a picture of this size that the frame covers.
    pub(crate) fn inside(self, width: usize, height: usize) -> Window {
        let (left, columns) = span(self.left, self.width, width);
        let (top, rows) = span(self.top, self.height, height);
        Window { left, top, width: columns, height: rows }
    }
}

/// The pixels that lie within an interval, but for a rounding error, of those from 0 to `size`.
fn span(start: f64, length: f64, size: usize) -> (usize, usize) {
    const TOLERANCE: f64 = 0.25;
    let first = (start - TOLERANCE).ceil().clamp(0.0, size as f64);
    let end = (start + length + TOLERANCE).floor().clamp(first, size as f64);
    (first as usize, (end - first) as usize)
}

/// Scales a part of a picture. `None` if the part is empty or leaves the picture, or the picture is inconsistent.
pub(crate) fn scale(picture: &Picture, part: Frame, width: usize, height: usize) -> Option<Picture> {
    if width == 0 || height == 0 {
        return None;
    }
    let source = TypedImageRef::<U8x3>::from_buffer(picture.width, picture.height, &picture.rgb).ok()?;
    let mut rgb = vec![0; 3 * width * height];
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let mut scaled = TypedImage::<U8x3>::from_buffer(width, height, &mut rgb).ok()?;
    // The resizer refuses a part that leaves the picture by a rounding error.
    let within = |start: f64, length: f64, side: u32| {
        let (start, end) = (start.clamp(0.0, f64::from(side)), (start + length).clamp(0.0, f64::from(side)));
        (start, end - start)
    };
    let (left, columns) = within(part.left, part.width, picture.width);
    let (top, rows) = within(part.top, part.height, picture.height);
    let options =
        ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Bilinear)).crop(left, top, columns, rows);
    // Not `resize`, which compiles for each of twenty types of pixels.
    Resizer::new().resize_typed(&source, &mut scaled, &options).ok()?;
    Some(Picture { width, height, rgb })
}

/// Scales a picture down so that its longest side has at most this many pixels.
pub(crate) fn shrink(picture: &Picture, longest: usize) -> Option<Picture> {
    let (width, height) = (f64::from(picture.width), f64::from(picture.height));
    let factor = (longest as f64 / width.max(height)).min(1.0);
    let side = |side: f64| ((side * factor).round() as usize).max(1);
    scale(picture, Frame { left: 0.0, top: 0.0, width, height }, side(width), side(height))
}

impl Picture {
    /// The brightness of each pixel by the weights of BT.601, from 0 to 255.
    pub(crate) fn luma(&self) -> Vec<f32> {
        let weigh = |&[r, g, b]: &[u8; 3]| 0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b);
        self.rgb.as_chunks().0.iter().map(weigh).collect()
    }
}

/// The pixels of a window.
pub(crate) fn cut(picture: &Picture, window: Window) -> Picture {
    let rgb = picture
        .rgb
        .chunks_exact(3 * picture.width as usize)
        .skip(window.top)
        .take(window.height)
        .flat_map(|row| &row[3 * window.left..3 * (window.left + window.width)])
        .copied()
        .collect();
    Picture { width: window.width as u32, height: window.height as u32, rgb }
}
