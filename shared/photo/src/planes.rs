//! The samples of a photo: brightness and color in separate planes, each in the resolution of the file.

use crate::{
    jpeg::{Component, FrameHeader},
    transform::{SIDE, Samples},
};

/// A photo's samples from 0 to 255: Y and, for a color photo, Cb and Cr, in the same resolution or half of it along one
/// or both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planes {
    /// Y, in the size of the photo.
    pub luma: Plane,
    /// Cb and Cr, of equal size; `None` for a grey photo.
    pub color: Option<[Plane; 2]>,
}

/// A rectangle of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    width: usize,
    height: usize,
    /// The samples row by row, with `stride` samples per row, which cover whole MCUs.
    samples: Vec<u8>,
    stride: usize,
}

impl Planes {
    /// Combines the planes of one or three components.
    pub(crate) fn of(planes: Vec<Plane>) -> Option<Self> {
        let mut planes = planes.into_iter();
        Some(Self { luma: planes.next()?, color: planes.next().zip(planes.next()).map(|(blue, red)| [blue, red]) })
    }
}

impl Plane {
    /// A plane with rows of `width` samples. An incomplete row at the end is dropped.
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

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The samples of a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, y: usize) -> &[u8] {
        &self.samples[y * self.stride..][..self.width]
    }

    /// The number of blocks per row, padding to whole MCUs included.
    pub(crate) fn blocks_across(&self) -> usize {
        self.stride / SIDE
    }

    /// The number of all blocks, padding to whole MCUs included.
    pub(crate) fn blocks(&self) -> usize {
        self.samples.len() / (SIDE * SIDE)
    }

    /// Sets the samples of a block.
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
