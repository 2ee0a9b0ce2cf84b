//! `POST /signers/{environment}/probe` of the admin API: checks whether this function, with its own role and network,
//! could sign with a profile that is not in force yet.
//!
//! The probe uses the draft, or the version in the query. Each key signs a test message that cannot be mistaken for a
//! capture, and timestamps are discarded. Nothing is stored, and captures continue with the profile in force.

use std::sync::Arc;

use lacre_api::admin::{Fault, FaultBody, NOTHING_CHANGED, ProbedSigners, Route, SignerCheck, SignerPart, UNREADABLE};
use lacre_domain::{Clock, Environment, SignerProfile};
use lacre_http::{Body, Request, Response, StatusCode, path_parameter, response, route_key};
use lacre_proof::TimestampSource;
use lacre_storage::{Connection, Error, SignerProfiles, SigningKeys, TimeBudgets, test_message, within};
use lambda_http::RequestExt;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{phases, signers::ReadyProfile, timestamps::Stamping};

/// Whether a request came through the probe's route. Only the admin API's gateway has this route.
pub(crate) fn is_probe(request: &Request) -> bool {
    route_key(request) == Route::ProbeSigners.key()
}

/// The endpoint of the probe, which shares nothing with captures but the function.
pub(crate) struct ProbeSigners {
    profiles: SignerProfiles,
    keys: SigningKeys,
    clock: Arc<dyn Clock>,
    budgets: TimeBudgets,
}

impl ProbeSigners {
    pub(crate) fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        Self {
            profiles: SignerProfiles::new(connection),
            keys: SigningKeys::new(connection),
            clock,
            budgets: connection.config().budgets,
        }
    }

    /// Responds to a request of the probe.
    pub(crate) async fn respond(&self, request: &Request) -> Response<Body> {
        let probed = within(self.budgets.request, self.probe(request)).await;
        let (status, body) = match probed {
            Ok(probed) => (200, json!(probed)),
            Err((fault, error)) => (fault.status(), json!(FaultBody { error })),
        };
        // All statuses of the table are valid HTTP status codes.
        response(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body.to_string())
    }

    /// Probes the profile that the request names. If it cannot be probed, returns the fault with its text.
    async fn probe(&self, request: &Request) -> Result<ProbedSigners, (Fault, String)> {
        let invalid = |text: &str| (Fault::Invalid, text.to_owned());
        let named = path_parameter(request, "environment");
        let environment = Environment::ALL.into_iter().find(|environment| environment.name() == named);
        let environment = environment.ok_or_else(|| invalid("environment: PRODUCTION, STAGING or SANDBOX"))?;
        let parameters = request.query_string_parameters();
        let version: Option<u32> = match parameters.first("version").map(str::parse) {
            None => None,
            Some(Ok(version @ 1..)) => Some(version),
            Some(_) => return Err(invalid("version: a number from 1")),
        };
        let (profile, draft_revision) = match version {
            Some(version) => {
                let missing = || format!("the signer profile of {} has no version {version}", environment.name());
                let profile = self.profiles.version(environment, version).await.map_err(unread)?;
                (profile.ok_or_else(|| (Fault::NotFound, missing()))?, None)
            }
            None => {
                let state = self.profiles.state(environment).await.map_err(unread)?;
                let missing = || format!("{} has no draft with both signers", environment.name());
                let next = state.draft.over(environment, state.profile.as_ref()).filter(|_| !state.draft.is_empty());
                (next.ok_or_else(|| (Fault::NotFound, missing()))?, Some(state.draft_revision))
            }
        };
        let checks = self.examine(&profile).await;
        let works = checks.iter().all(|check| check.fault.is_none());
        let version = profile.version;
        tracing::info!(environment = environment.name(), version, works, "probed");
        Ok(ProbedSigners { environment, version, draft_revision, works, checks })
    }

    async fn examine(&self, profile: &SignerProfile) -> Vec<SignerCheck> {
        let ready = ReadyProfile::prepare(profile, &self.keys, &self.clock, phases::OF_PROBES).await;
        let ready = match ready.map_err(|error| error.to_string()) {
            Ok(ready) => ready,
            Err(fault) => return vec![SignerCheck { check: SignerPart::Profile, fault: Some(fault) }],
        };
        let message = test_message().into_bytes();
        let (seal, claim, timestamps) = tokio::join!(
            ready.signers.try_seal(&ready.seal_key, &message),
            ready.signers.try_claim(&ready.claim_key, &message),
            self.try_timestamp(&ready, &message),
        );
        let fault = |result: Result<(), lacre_sign::ProofFailure>| result.err().map(|error| error.to_string());
        let dates = ready.signers.check_dates(self.clock.now()).err();
        let mut checks = vec![
            SignerCheck { check: SignerPart::Profile, fault: None },
            SignerCheck { check: SignerPart::Dates, fault: dates.map(|error| error.to_string()) },
            SignerCheck { check: SignerPart::Seal, fault: fault(seal) },
            SignerCheck { check: SignerPart::Claim, fault: fault(claim) },
        ];
        checks.extend(timestamps);
        checks
    }

    /// Requests a timestamp; `None` if the profile names no timestamp authority.
    async fn try_timestamp(&self, profile: &ReadyProfile, message: &[u8]) -> Option<SignerCheck> {
        let stamping = Stamping::of(profile, true, &self.budgets, self.clock.now())?;
        let stamped = stamping.timestamp(Sha256::digest(message).into()).await;
        Some(SignerCheck { check: SignerPart::Timestamps, fault: stamped.err().map(|failure| failure.0) })
    }
}

/// The fault if the profile cannot be read. Only the log has the cause.
fn unread(cause: Error) -> (Fault, String) {
    tracing::error!(%cause, "the profile was not probed");
    match cause {
        Error::Corrupt { .. } => (Fault::Unreadable, UNREADABLE.to_owned()),
        _ => (Fault::Unavailable, NOTHING_CHANGED.to_owned()),
    }
}
