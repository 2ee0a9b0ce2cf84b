//! The checks of the uploaded frame: it is a complete JPEG of the component's form, it can be decoded, and it passes
//! the recapture analysis.

use std::sync::Arc;

use lacre_api::{Refusal, limits};
use lacre_domain::{License, RecaptureGate, RecaptureRisk, RecaptureScores};
use lacre_http::{OrRefuse, Rejection};
use lacre_photo::CheckedPhoto;
use lacre_recapture::{Analyse, Analysis};

#[cfg(panic = "abort")]
compile_error!("a panic over an image must not end the process: build with panic = \"unwind\"");

const _: () = assert!(lacre_photo::MAX_PIXELS == limits::MAX_ASSET_PIXELS, "what is read is what the API promises");

/// Checks the frame on a blocking thread: decoding keeps a CPU core busy while the reservation waits for the network.
/// The result is the photo that can be signed.
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

/// The license's threshold on the evidence for a recapture, from which on the risk is `HIGH`; `None` if the license
/// turns the analysis off.
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

/// Applies the license's recapture policy to the risk.
///
/// # Errors
/// [`Refusal::RecaptureDetected`].
pub(crate) fn recapture_gate(gate: RecaptureGate, risk: RecaptureRisk) -> Result<(), Refusal> {
    match (gate, risk) {
        (RecaptureGate::Block, RecaptureRisk::High) => Err(Refusal::RecaptureDetected),
        _ => Ok(()),
    }
}
