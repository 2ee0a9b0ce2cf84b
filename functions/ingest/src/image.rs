//! The checks of the uploaded frame: a whole JPEG as the component makes it, decodable, of the world.

use std::sync::Arc;

use lacre_api::{Refusal, limits};
use lacre_domain::{License, RecaptureGate, RecaptureRisk, RecaptureScores};
use lacre_http::{OrRefuse, Rejection};
use lacre_photo::CheckedPhoto;
use lacre_recapture::{Analyse, Analysis};

#[cfg(panic = "abort")]
compile_error!("a panic over an image must not end the process: build with panic = \"unwind\"");

const _: () = assert!(lacre_photo::MAX_PIXELS == limits::MAX_ASSET_PIXELS, "what is read is what the API promises");

/// Checks the bytes off the runtime's thread: it keeps a core busy, while the reservation waits for the network. What comes
/// out is what can be signed.
///
/// # Errors
/// [`Refusal::ImageInvalid`].
pub(crate) async fn check(
    bytes: Arc<[u8]>,
    license: &License,
    analyse: Analyse,
) -> Result<(CheckedPhoto, Analysis), Rejection> {
    let threshold = threshold(license);
    let checked = tokio::task::spawn_blocking(move || check_now(bytes, threshold, analyse));
    checked.await.or_refuse(Refusal::ImageInvalid)?
}

/// The evidence that makes a license's photo `HIGH`; `None` where nothing is analysed.
pub(crate) fn threshold(license: &License) -> Option<f64> {
    (license.terms.recapture_gate != RecaptureGate::Off).then_some(license.terms.recapture_threshold)
}

fn check_now(
    bytes: Arc<[u8]>,
    threshold: Option<f64>,
    analyse: Analyse,
) -> Result<(CheckedPhoto, Analysis), Rejection> {
    let (photo, planes) = CheckedPhoto::read(bytes).or_refuse(Refusal::ImageInvalid)?;
    let analysis = match threshold {
        None => Analysis { risk: RecaptureRisk::Unknown, scores: RecaptureScores::new() },
        Some(threshold) => analyse(planes, threshold),
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
