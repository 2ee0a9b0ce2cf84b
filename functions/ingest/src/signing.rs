//! Makes both signatures of a proof: the seal (the ICP-Brasil signature), then the claim signature of the manifest that
//! contains it.

use std::sync::Arc;

use lacre_api::Refusal;
use lacre_domain::{CaptureId, Clock, SignError};
use lacre_http::{OrRefuse, OrRefuseAs, Rejection};
use lacre_proof::revocation::Staple;
use lacre_sign::{Facts, ProofFailure, SignedPhoto, Signers};
use lacre_storage::{Connection, SignerProfiles, TimeBudgets};

use crate::{
    failure::Failure,
    image::Accepted,
    signers::{NotReady, ReadyProfile, SignerCache},
    submission::Submission,
    timestamps::Stamping,
};

/// The part of the delivery that signs.
pub(crate) struct SignPhoto {
    signers: SignerCache,
    /// Read by the warm-up only: a submission comes with its signer profile.
    profiles: SignerProfiles,
    budgets: TimeBudgets,
}

impl SignPhoto {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self {
            signers: SignerCache::new(connection, clock),
            profiles: SignerProfiles::new(connection),
            budgets: connection.config().budgets,
        }
    }

    /// Prepares the signer of the first environment. The others are prepared at their first capture, because a process
    /// mostly serves one environment, and preparing three would slow every cold start.
    pub(crate) async fn warm_up(&self) {
        if let Some(profile) = self.profiles.in_force().await.unwrap_or_default().first() {
            let _ = self.signers.ready(profile).await;
        }
    }

    /// The signer profile of a submission, ready to sign with everything that its license requires.
    pub(crate) async fn ready(&self, submission: &Submission) -> Result<Arc<ReadyProfile>, Rejection> {
        let profile = submission.signer.as_ref().map_err(Rejection::clone)?;
        let ready = self.signers.ready(profile).await.or_refuse_as(not_ready)?;
        if submission.license.terms.tsa_required && ready.authorities.is_none() {
            let cause = &"the signer profile has no timestamp authority";
            return Err(Rejection::because(Refusal::SignerUnavailable, cause));
        }
        ready.signers.check_dates(submission.ingested_at).or_refuse(Refusal::SignerRejected)?;
        Ok(ready)
    }

    /// Makes the seal, then the manifest, each with a timestamp where one is requested. Also returns the OID of the
    /// seal's signature policy.
    pub(crate) async fn sign(
        &self,
        accepted: &Accepted,
        profile: &ReadyProfile,
        capture_id: CaptureId,
    ) -> Result<(SignedPhoto, String), Failure> {
        let Accepted { submission, photo, analysis, gps_result, .. } = accepted;
        let (signers, hash) = (&profile.signers, &submission.frame_hash);
        let facts = Facts {
            capture_id,
            ingested_at: submission.ingested_at,
            claims: submission.claims.clone(),
            gps_result: *gps_result,
            recapture_risk: analysis.risk,
            asked_for: submission.session.asked_for(submission.photo_order),
        };
        let required = submission.license.terms.tsa_required;
        let stamping = Stamping::of(profile, required, &self.budgets, submission.ingested_at);
        let timestamps = Stamping::wanted(stamping.as_ref());
        let seal = signers.sign_frame(hash, &facts, &profile.seal_key, timestamps).await;
        let seal = seal.map_err(|error| no_proof(&error))?;
        let staple = staple(signers, submission);
        let key = &profile.claim_key;
        let signed = signers.sign_manifest(photo, hash, &seal, key, timestamps, staple.as_ref()).await;
        Ok((signed.map_err(|error| no_proof(&error))?, seal.policy_oid()))
    }
}

/// The stored OCSP response, if the manifest may carry it. A capture without one is delivered all the same; the function
/// `revocation` reports that none is stored.
fn staple(signers: &Signers, submission: &Submission) -> Option<Staple> {
    let staple = signers.staple(submission.staple.as_deref()?, submission.ingested_at);
    staple.inspect_err(|fault| tracing::warn!(cause = %fault, "the stored OCSP response is not embedded")).ok()
}

/// The refusal of a profile that is not ready to sign.
fn not_ready(error: &NotReady) -> Refusal {
    match error {
        NotReady::Key(SignError::Unavailable(_)) => Refusal::SignerUnavailable,
        NotReady::Key(SignError::Unreadable(_)) => Refusal::SignerResponseInvalid,
        NotReady::Key(SignError::Rejected(_)) | NotReady::Unusable(_) | NotReady::Mismatch(_) => {
            Refusal::SignerRejected
        }
    }
}

/// The failure of a capture for which no proof was made. If a signature may exist outside of this process, the
/// reservation is kept.
fn no_proof(error: &ProofFailure) -> Failure {
    let rejection = |refusal| Rejection::because(refusal, error);
    match error {
        ProofFailure::Rejected(_) => Failure::released(rejection(Refusal::SignerRejected)),
        ProofFailure::Unavailable(_) => Failure::kept(rejection(Refusal::SignerUnavailable)),
        ProofFailure::NotTimestamped(_) => Failure::released(rejection(Refusal::SignerUnavailable)),
        ProofFailure::InvalidResponse(_) => Failure::kept(rejection(Refusal::SignerResponseInvalid)),
    }
}
