//! The fingerprint of a photo: the ISCC Image-Code of its picture (ISO 24138, section 5.4), by which a copy leads back to
//! the original. A copy that a messenger has scaled and compressed again has a code that differs in a few of 256 bits.
//!
//! - [`Luma`] is the brightness of a picture.
//! - [`code_of`] computes its code. The value itself, its distance to others and its bands are a type of `domain`,
//!   [`lacre_domain::Fingerprint`].
//! - [`hypotheses()`] are the codes by which a copy is searched that was cropped or has a border.
//!
//! The standard begins with a picture of 32 × 32 pixels, and leaves open how it is made. Here it is made exactly as by
//! Pillow, which the reference code uses. The reference code also trims borders of one color. Here nothing is trimmed of an
//! original: in a compressed copy such a border ends elsewhere, and then many bits differ.
//!
//! Equal codes do not show equal pictures: two photos of the same form have similar codes. `docs/concepts/fingerprint.md`
//! has figures.

mod code;
mod hypotheses;
mod luma;
mod resize;
#[cfg(test)]
mod vectors;

pub use code::code_of;
pub use hypotheses::hypotheses;
pub use lacre_domain::Fingerprint;
pub use luma::Luma;
