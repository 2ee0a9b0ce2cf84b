//! The photo: which JPEGs the service signs, and the picture in them.
//!
//! The C2PA signing that follows looks at no byte of the image, so there is no other check than this one. What passes is one
//! picture, and the same one in every decoder: [`CheckedPhoto::read`] decodes the file itself, in one pass, and refuses whatever
//! decoders are known to treat differently. `docs/reference/manifest.md` has the table of these rules.
//!
//! - [`Jpeg`] is the walk from marker to marker: one JPEG from SOI to EOI and nothing after it, no APP11 segment, baseline or
//!   progressive with at most 64 scans, 8 bits a sample, 1 or 3 components, sides of 240 to 8192 pixels, at most 16,777,216
//!   pixels. It is cheap, and enough to take a file apart that was signed.
//! - [`CheckedPhoto`] is what may be signed: such a file with nothing in it but a photo, and with all of it.
//! - [`Planes`] are its samples, for the analysis of the picture.

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
