//! The checks of the uploaded frame: a JPEG as the component makes it, decodable, of the world.

use std::sync::Arc;

use domain::{RecaptureGate, RecaptureRisk, RecaptureScores, Refusal};
use lacre_http::{OrRefuse, Rejection};
use proof::Jpeg;
use recapture::{Analyse, Analysis};

/// Checks the bytes off the runtime's thread: decoding keeps a core busy, while the reservation waits for the network.
///
/// # Errors
/// [`Refusal::ImageInvalid`].
pub(crate) async fn check(bytes: Arc<[u8]>, gate: RecaptureGate, analyse: Analyse) -> Result<Analysis, Rejection> {
    let checked = tokio::task::spawn_blocking(move || check_now(&bytes, gate, analyse));
    checked.await.or_refuse(Refusal::ImageInvalid)?
}

fn check_now(bytes: &[u8], gate: RecaptureGate, analyse: Analyse) -> Result<Analysis, Rejection> {
    // The walk bounds sides and pixels before the decoder allocates anything.
    let jpeg = Jpeg::parse(bytes).or_refuse(Refusal::ImageInvalid)?;
    let pixels = recapture::decode(bytes, jpeg.width(), jpeg.height()).or_refuse(Refusal::ImageInvalid)?;
    Ok(match gate {
        RecaptureGate::Off => Analysis { risk: RecaptureRisk::Unknown, scores: RecaptureScores::new() },
        RecaptureGate::Block | RecaptureGate::Record => analyse(pixels),
    })
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
