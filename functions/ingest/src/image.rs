//! The checks of the uploaded frame: a whole JPEG as the component makes it, decodable, of the world.

use std::sync::Arc;

use domain::{License, RecaptureGate, RecaptureRisk, RecaptureScores, Refusal};
use lacre_http::{OrRefuse, Rejection};
use proof::Photo;
use recapture::{Analyse, Analysis};

/// Checks the bytes off the runtime's thread: it keeps a core busy, while the reservation waits for the network. What comes
/// out is what can be signed.
///
/// # Errors
/// [`Refusal::ImageInvalid`].
pub(crate) async fn check(
    bytes: Arc<[u8]>,
    license: &License,
    analyse: Analyse,
) -> Result<(Photo, Analysis), Rejection> {
    let threshold = threshold(license);
    let checked = tokio::task::spawn_blocking(move || check_now(bytes, threshold, analyse));
    checked.await.or_refuse(Refusal::ImageInvalid)?
}

/// The evidence that makes a license's photo `HIGH`; `None` where nothing is analysed.
pub(crate) fn threshold(license: &License) -> Option<f64> {
    (license.recapture_gate != RecaptureGate::Off).then_some(license.recapture_threshold)
}

fn check_now(bytes: Arc<[u8]>, threshold: Option<f64>, analyse: Analyse) -> Result<(Photo, Analysis), Rejection> {
    // This bounds sides and pixels before the decoder allocates anything.
    let photo = Photo::check(bytes).or_refuse(Refusal::ImageInvalid)?;
    let pixels = recapture::decode(photo.bytes(), photo.width(), photo.height()).or_refuse(Refusal::ImageInvalid)?;
    let analysis = match threshold {
        None => Analysis { risk: RecaptureRisk::Unknown, scores: RecaptureScores::new() },
        Some(threshold) => analyse(pixels, threshold),
    };
    Ok((photo, analysis))
}

/// The recapture gate of a license.
///
/// # Errors
/// [`Refusal::RecaptureDetected`].
pub(crate) fn recapture_gate(gate: RecaptureGate, risk: RecaptureRisk) -> Result<(), Refusal> {
    match (gate, risk) {
        (RecaptureGate::Block, RecaptureRisk::High) => Err(Refusal::RecaptureDetected),
        _ => Ok(()),
    }
}
