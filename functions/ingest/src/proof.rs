//! The proof is stored before the capture is committed, so that no record names a proof that is missing.

use lacre_api::Refusal;
use lacre_http::Rejection;
use lacre_storage::{Connection, Frames, ProofObjects, Reservation};

use crate::{delivery::Delivery, failure::Failure};

/// The step that stores the proof.
pub(crate) struct StoreProof {
    proofs: ProofObjects,
    frames: Frames,
}

impl StoreProof {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self { proofs: ProofObjects::new(connection), frames: Frames::new(connection) }
    }

    /// Stores the proof and makes the reservation permanent at the same time.
    pub(crate) async fn store(&self, delivery: &Delivery, reservation: &Reservation) -> Result<(), Failure> {
        let capture = &delivery.capture;
        let jpeg = capture.jpeg_key.as_deref().zip(delivery.jpeg.as_deref());
        let (stored, marked) = tokio::join!(
            self.proofs.store(
                (&capture.manifest_key, &delivery.manifest, &capture.manifest_sha256),
                jpeg.map(|(key, bytes)| (key, bytes, &capture.jpeg_sha256)),
            ),
            self.frames.mark_signed(reservation),
        );
        let rejection = match (stored, marked) {
            (Ok(()), Ok(true)) => return Ok(()),
            (Ok(()), Ok(false)) => Refusal::Duplicate.into(),
            (Ok(()), Err(error)) => Rejection::because(Refusal::HashStoreUnavailable, &error),
            (Err(error), _) => Rejection::because(Refusal::ProofStoreUnavailable, &error),
        };
        Err(Failure::released(rejection))
    }
}
