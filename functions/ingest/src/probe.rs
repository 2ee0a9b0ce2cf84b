//! `POST /signers/{environment}/probe` of the admin API: checks whether this function, with its own role and network,
//! could sign with a profile that is not in force yet.
//!
//! The probe uses the draft, or the version in the query. Each key signs a test message that cannot be mistaken for a
//! capture, and timestamps are discarded. Nothing is stored, and captures continue with the profile in force.

use lacre_api::admin::{Fault, FaultBody, NOTHING_CHANGED, ProbedSigners, Route, SignerCheck, SignerPart, UNREADABLE};
use lacre_domain::{Environment, SignerProfile};
use lacre_http::{Body, Request, Response, StatusCode, path_parameter, response};
use lacre_proof::TimestampSource;
use lacre_storage::{Error, test_message, within};
use lambda_http::{RequestExt, request::RequestContext};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{Ingest, phases, signers::ProfileInUse, timestamps::Stamping};

/// Why a probe was not made.
enum ProbeError {
    Invalid(String),
    NotFound(String),
    Unavailable(Error),
}

/// Whether a request came through the probe's route. Only the admin API's gateway has this route.
pub(crate) fn is_probe(request: &Request) -> bool {
    let Some(RequestContext::ApiGatewayV2(context)) = request.request_context_ref() else { return false };
    context.route_key.as_deref() == Some(Route::ProbeSigners.key())
}

impl Ingest {
    pub(crate) async fn respond_to_probe(&self, request: &Request) -> Response<Body> {
        let probed = within(self.context.budgets.request, self.probe(request)).await;
        let (fault, error) = match probed {
            Ok(probed) => return response(StatusCode::OK, json!(probed).to_string()),
            Err(ProbeError::Invalid(text)) => (Fault::Invalid, text),
            Err(ProbeError::NotFound(text)) => (Fault::NotFound, text),
            Err(ProbeError::Unavailable(cause)) => {
                tracing::error!(%cause, "the profile was not probed");
                match cause {
                    Error::Corrupt { .. } => (Fault::Unreadable, UNREADABLE.to_owned()),
                    _ => (Fault::Unavailable, NOTHING_CHANGED.to_owned()),
                }
            }
        };
        // All statuses of the table are valid HTTP status codes.
        let status = StatusCode::from_u16(fault.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response(status, json!(FaultBody { error }).to_string())
    }

    async fn probe(&self, request: &Request) -> Result<ProbedSigners, ProbeError> {
        let named = path_parameter(request, "environment");
        let environment = Environment::ALL.into_iter().find(|environment| environment.name() == named);
        let environment =
            environment.ok_or_else(|| ProbeError::Invalid("environment: PRODUCTION, STAGING or SANDBOX".into()))?;
        let parameters = request.query_string_parameters();
        let version = parameters.first("version").map(|text| text.parse().ok().filter(|version| *version > 0));
        let version = version
            .map(|version: Option<u32>| version.ok_or_else(|| ProbeError::Invalid("version: a number from 1".into())));
        let (profile, draft_revision) = match version.transpose()? {
            Some(version) => {
                let missing = || format!("the signer profile of {} has no version {version}", environment.name());
                let profile = self.profiles.version(environment, version).await.map_err(ProbeError::Unavailable)?;
                (profile.ok_or_else(|| ProbeError::NotFound(missing()))?, None)
            }
            None => {
                let state = self.profiles.state(environment).await.map_err(ProbeError::Unavailable)?;
                let missing = || format!("{} has no draft with both signers", environment.name());
                let next = state.draft.over(environment, state.profile.as_ref()).filter(|_| !state.draft.is_empty());
                (next.ok_or_else(|| ProbeError::NotFound(missing()))?, Some(state.draft_revision))
            }
        };
        let checks = self.examine(&profile).await;
        let works = checks.iter().all(|check| check.fault.is_none());
        let version = profile.version;
        tracing::info!(environment = environment.name(), version, works, "probed");
        Ok(ProbedSigners { environment, version, draft_revision, works, checks })
    }

    async fn examine(&self, profile: &SignerProfile) -> Vec<SignerCheck> {
        let parsed = self.signers.parse(profile, phases::OF_PROBES).await.map_err(|error| error.to_string());
        let ready = match parsed {
            Ok(ready) => ready,
            Err(fault) => return vec![SignerCheck { check: SignerPart::Profile, fault: Some(fault) }],
        };
        let message = test_message().into_bytes();
        let (seal, claim, timestamps) = tokio::join!(
            ready.signers.try_seal(&ready.seal_key, &message),
            ready.signers.try_claim(&ready.claim_key, &message),
            self.try_timestamp(&ready, &message),
        );
        let fault = |result: Result<(), lacre_sign::SealError>| result.err().map(|error| error.to_string());
        let dates = ready.signers.check_dates(self.context.now()).err();
        let mut checks = vec![
            SignerCheck { check: SignerPart::Profile, fault: None },
            SignerCheck { check: SignerPart::Dates, fault: dates.map(|error| error.to_string()) },
            SignerCheck { check: SignerPart::Seal, fault: fault(seal) },
            SignerCheck { check: SignerPart::Claim, fault: fault(claim) },
        ];
        checks.extend(timestamps.map(|fault| SignerCheck { check: SignerPart::Timestamps, fault }));
        checks
    }

    /// Requests a timestamp, and returns its error if it failed; `None` if the profile names no timestamp authority.
    async fn try_timestamp(&self, profile: &ProfileInUse, message: &[u8]) -> Option<Option<String>> {
        let stamping = Stamping::of(profile, true, &self.context.budgets, self.context.now())?;
        Some(stamping.timestamp(Sha256::digest(message).into()).await.err().map(|failure| failure.0))
    }
}
