//! The checks of the uploaded frame: it is the announced one, it is a complete JPEG of the component's form, it can be
//! decoded, and it passes the license's gates. The frame is reserved at the same time.

use std::sync::Arc;

use lacre_api::{Refusal, limits};
use lacre_domain::{
    Fingerprint, FingerprintMode, FrameHash, GpsResult, License, RecaptureGate, RecaptureRisk, RecaptureScores,
};
use lacre_http::{OrRefuse, Rejection};
use lacre_photo::CheckedPhoto;
use lacre_recapture::{Analyse, Analysis};
use lacre_storage::{Connection, Frames};

use crate::{failure::Failure, submission::Submission};

#[cfg(panic = "abort")]
compile_error!("a panic over an image must not end the process: build with panic = \"unwind\"");

const _: () = assert!(lacre_photo::MAX_PIXELS == limits::MAX_ASSET_PIXELS, "what is read is what the API promises");

/// A submission whose image passed every check, and whose frame is reserved.
pub(crate) struct Accepted {
    pub(crate) submission: Submission,
    pub(crate) photo: CheckedPhoto,
    pub(crate) analysis: Analysis,
    /// The photo's fingerprint, if the license wants one and the picture has one.
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) gps_result: GpsResult,
}

/// The step that checks the image and reserves its frame.
pub(crate) struct AcceptImage {
    frames: Frames,
    analyse: Analyse,
}

impl AcceptImage {
    pub(crate) fn new(connection: &Connection, analyse: Analyse) -> Self {
        Self { frames: Frames::new(connection), analyse }
    }

    pub(crate) fn with_analysis(self, analyse: Analyse) -> Self {
        Self { analyse, ..self }
    }

    /// Checks the image and reserves the frame at the same time.
    pub(crate) async fn accept(&self, submission: Submission, frame: Arc<[u8]>) -> Result<Accepted, Failure> {
        // This check comes first, so that only someone who has the frame can reserve it; its hash alone is not enough.
        if FrameHash::of(&frame) != submission.frame_hash {
            return Err(Failure::kept(Refusal::ImageInvalid));
        }
        let reservation = submission.reservation();
        let (checked, reserved) = tokio::join!(
            check(frame, &submission.license, self.analyse),
            self.frames.reserve(&reservation, submission.ingested_at),
        );
        let passed = checked.and_then(|Checked { photo, analysis, fingerprint }| {
            let terms = &submission.license.terms;
            let gps_result = submission.claims.position.gate(terms.gps_mode, terms.gps_max_accuracy_m)?;
            check_recapture(submission.recapture_gate(), analysis.risk)?;
            Ok((photo, analysis, fingerprint, gps_result))
        });
        match (passed, reserved) {
            (Ok((photo, analysis, fingerprint, gps_result)), Ok(true)) => {
                Ok(Accepted { submission, photo, analysis, fingerprint, gps_result })
            }
            (Ok(_), Ok(false)) => Err(Failure::kept(Refusal::Duplicate)),
            (Err(rejection), Ok(false)) => Err(Failure::kept(rejection)),
            (Err(rejection), Ok(true)) => Err(Failure::released(rejection)),
            // The frame may be reserved or not. Only this attempt's own reservation is released, so releasing is safe
            // in any case.
            (passed, Err(error)) => {
                let unavailable = Rejection::because(Refusal::HashStoreUnavailable, &error);
                Err(Failure::released(passed.err().unwrap_or(unavailable)))
            }
        }
    }
}

/// What the decoded picture shows.
struct Checked {
    photo: CheckedPhoto,
    analysis: Analysis,
    fingerprint: Option<Fingerprint>,
}

/// Checks the frame on a blocking thread: decoding keeps a CPU core busy while the reservation waits for the network.
/// The result is the photo that can be signed.
///
/// # Errors
/// [`Refusal::ImageInvalid`].
async fn check(bytes: Arc<[u8]>, license: &License, analyse: Analyse) -> Result<Checked, Rejection> {
    let (threshold, mode) = (threshold(license), license.terms.fingerprint);
    let checked = tokio::task::spawn_blocking(move || check_now(bytes, threshold, analyse, mode));
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
    mode: FingerprintMode,
) -> Result<Checked, Rejection> {
    let (photo, planes) = CheckedPhoto::read(bytes).or_refuse(Refusal::ImageInvalid)?;
    let fingerprint = match mode {
        FingerprintMode::Off => None,
        FingerprintMode::Code => lacre_fingerprint::code_of(&lacre_fingerprint::Luma::of_planes(&planes)),
    };
    let analysis = match threshold {
        None => Analysis { risk: RecaptureRisk::Unknown, scores: RecaptureScores::new() },
        Some(threshold) => analyse(planes, threshold),
    };
    Ok(Checked { photo, analysis, fingerprint })
}

/// Applies the recapture policy to the risk.
///
/// # Errors
/// [`Refusal::RecaptureDetected`].
fn check_recapture(gate: RecaptureGate, risk: RecaptureRisk) -> Result<(), Refusal> {
    match (gate, risk) {
        (RecaptureGate::Block, RecaptureRisk::High) => Err(Refusal::RecaptureDetected),
        _ => Ok(()),
    }
}
