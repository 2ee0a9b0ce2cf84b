//! Compares a copy of a photo with its original: aligns them, and finds the regions that differ.
//!
//! A copy is what remains of a photo that was sent through a messenger, was cropped or brightened, or is in a
//! screenshot: re-encoded, scaled, and without its proof. The comparison says whether it shows the original,
//! which part of it, and where the two differ. It does not say why they differ.

mod align;
mod differences;
mod orientation;
mod outline;
mod picture;
mod raster;
mod tone;

pub use differences::compare;
pub use picture::{Picture, ReadError};

/// What a comparison concludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The copy shows the original, or a part of it, and no region differs.
    Same,
    /// The copy shows the original, or a part of it, and at least one region differs.
    SameWithDifferences,
    /// The copy could not be aligned with the original, or too little of it agrees.
    NotConfirmed,
}

impl Verdict {
    /// The name in reports: `SAME`, `SAME_WITH_DIFFERENCES` or `NOT_CONFIRMED`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "SAME",
            Self::SameWithDifferences => "SAME_WITH_DIFFERENCES",
            Self::NotConfirmed => "NOT_CONFIRMED",
        }
    }
}

/// A rectangle in pixels of the original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Region {
    /// Columns to the left of the rectangle.
    pub left: u32,
    /// Rows above the rectangle.
    pub top: u32,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The conclusion.
    pub verdict: Verdict,
    /// Where copy and original differ, the largest first. Empty unless the verdict is `SAME_WITH_DIFFERENCES`.
    pub regions: Vec<Region>,
    /// The part of the original that the copy shows. Empty if the verdict is `NOT_CONFIRMED`.
    pub shown: Region,
    /// Share of the shown part's detail that the copy shows too, from 0 to 1: of its windows with texture, those whose
    /// structure agrees.
    pub agreement: f64,
    /// Median structural similarity (SSIM) of the shown part, after brightness and contrast were matched; at most 1.
    pub similarity: f64,
    /// Where the copy's borders are, in pixels of the original.
    frame: raster::Frame,
}
