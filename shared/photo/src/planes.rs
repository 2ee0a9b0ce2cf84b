//! The samples of a photo: brightness and color apart, each as finely as the file has it.

use crate::{
    jpeg::{Component, FrameHeader},
    transform::{SIDE, Samples},
};

/// A photo's samples, from 0 to 255: Y, and of a photo in color Cb and Cr, as finely as Y or half as finely along one side or
/// both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    /// Y, at the size of the photo.
    pub luma: Plane,
    /// Cb and Cr, of equal size.
    pub color: Option<[Plane; 2]>,
}

/// A rectangle of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    width: usize,
    height: usize,
    /// Row by row, each of `stride` samples: whole MCUs.
    samples: Vec<u8>,
    stride: usize,
}

impl Planes {
    /// The planes of one component or of three.
    pub(crate) fn of(planes: Vec<Plane>) -> Option<Self> {
        let mut planes = planes.into_iter();
        Some(Self { luma: planes.next()?, color: planes.next().zip(planes.next()).map(|(blue, red)| [blue, red]) })
    }
}

impl Plane {
    /// A plane of rows of `width` samples; a part of a row at the end is left out.
    #[must_use]
    pub fn new(width: usize, samples: Vec<u8>) -> Self {
        Self { width, height: samples.len() / width.max(1), stride: width, samples }
    }

    /// A black plane for a component of a frame.
    pub(crate) fn of(frame: &FrameHeader, component: Component) -> Self {
        let (width, height) = frame.size(component);
        let (columns, rows) = frame.mcus();
        let along = |mcus: u32, blocks: u8| mcus as usize * usize::from(blocks) * SIDE;
        let stride = along(columns, component.horizontal);
        let samples = vec![0; stride * along(rows, component.vertical)];
        Self { width: width as usize, height: height as usize, samples, stride }
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// A row of samples.
    ///
    /// # Panics
    /// Without such a row.
    #[must_use]
    pub fn row(&self, y: usize) -> &[u8] {
        &self.samples[y * self.stride..][..self.width]
    }

    /// Blocks along a row, with those that fill up the last MCU.
    pub(crate) fn blocks_across(&self) -> usize {
        self.stride / SIDE
    }

    /// All blocks, with those.
    pub(crate) fn blocks(&self) -> usize {
        self.samples.len() / (SIDE * SIDE)
    }

    /// Sets a block's samples.
    #[inline]
    pub(crate) fn set(&mut self, column: usize, row: usize, samples: &Samples) {
        let start = row * SIDE * self.stride + column * SIDE;
        let rows = self.samples.get_mut(start..).unwrap_or_default().chunks_mut(self.stride);
        for (to, from) in rows.zip(samples) {
            if let Some(to) = to.first_chunk_mut() {
                *to = *from;
            }
        }
    }
}
