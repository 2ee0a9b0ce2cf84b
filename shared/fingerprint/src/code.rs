//! Computes the ISCC Image-Code of a picture.

use lacre_domain::Fingerprint;

use crate::luma::Luma;

/// The smallest difference between the darkest and the brightest of the 32 × 32 pixels.
const MIN_RANGE: u8 = 16;
/// The smallest number of ones in a code; half of the 256 bits are usual.
const MIN_ONES: u32 = 64;

/// Computes the code of a picture.
///
/// Returns `None` if the picture is too uniform: it is nearly of one brightness, or a mere gradient. Such pictures have
/// similar codes whatever they show.
#[must_use]
pub fn code_of(luma: &Luma<'_>) -> Option<Fingerprint> {
    code_of_pixels(&luma.pixels())
}

/// Like [`code_of`], for 32 × 32 pixels.
pub(crate) fn code_of_pixels(pixels: &[u8]) -> Option<Fingerprint> {
    let (darkest, brightest) = (pixels.iter().min()?, pixels.iter().max()?);
    if brightest - darkest < MIN_RANGE {
        return None;
    }
    let code = iscc_lib::gen_image_code_v0(pixels, 256).ok()?;
    let (.., body) = iscc_lib::iscc_decode(&code.iscc).ok()?;
    let bytes: [u8; 32] = body.try_into().ok()?;
    let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
    (ones >= MIN_ONES).then(|| Fingerprint::from_bytes(bytes))
}
