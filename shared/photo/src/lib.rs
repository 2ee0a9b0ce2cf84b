//! Photos: which JPEGs the service signs, and the pictures in them.
//!
//! The C2PA signing that follows does not examine the image, so this is the only check of it. An accepted file is one
//! picture, and the same picture in every decoder: [`CheckedPhoto::read`] decodes the file itself, in one pass, and
//! refuses whatever decoders are known to treat differently. `docs/reference/manifest.md` has a table of the rules.
//!
//! - [`Jpeg`] parses a file from marker to marker: a single JPEG from SOI to EOI with nothing after it, without APP11
//!   segment, baseline or progressive with at most 64 scans, 8 bits per sample, 1 or 3 components, sides of 240 to 8192
//!   pixels, at most 16,777,216 pixels. It is cheap, and sufficient to take a signed file apart.
//! - [`CheckedPhoto`] is a file that may be signed: it contains a complete photo and nothing else.
//! - [`Planes`] are the photo's samples, for the analysis of the picture.

mod exif;
mod foreign;
mod huffman;
mod jpeg;
mod planes;
mod profile;
mod reading;
mod scans;
mod segments;
mod transform;

pub use jpeg::{APP11, Coding, Jpeg, JpegError, MAX_PIXELS};
pub use planes::{Plane, Planes};
pub use reading::{CheckedPhoto, decode};
