//! `{proofs_url}`: leads from a copy of a photo back to its proof, by C2PA's Soft Binding Resolution API, and serves what
//! proves a capture for decades. Operators look up by a route of the admin API.
//!
//! A client's backend sends a copy, or the code of one, with its API key, and gets the ids of the manifests of its own
//! captures that the copy may show. Then it gets the manifest. Captures of others, unknown ones, and those that are
//! withheld or erased have the same response. Copies are neither stored nor logged; each lookup is counted and has an
//! entry in the audit log.

mod evidence;
mod operators;
mod query;

use std::sync::Arc;

use lacre_api::{
    Refusal,
    resolution::{
        Capabilities, Discovery, MANIFEST_TYPE, ManifestMatch, Matches, Route, ServiceStatus, SupportedAlgorithms,
    },
};
use lacre_compare::Picture;
use lacre_domain::{ApiKeyRecord, AuditEntry, Clock, KeyHash, Operation, Operator, RequestId, SessionId, Via};
use lacre_http::{
    Body, Context, Endpoint, OrRefuse, OrRefuseAs, Rejection, Request, Response, StatusCode, check_api_key, header,
    json, parse_api_key, path_parameter, record_log_subject, response, seconds_to_next_hour,
};
use lacre_lookup::{Found, Lookup, Match, Owner};
use lacre_storage::{Accounts, Audit, Connection, Counted, Error, Sessions, attempt_id, entropy};
use lambda_http::{
    RequestExt,
    http::{HeaderValue, header as names},
    request::RequestContext,
};
use time::OffsetDateTime;

use crate::{
    evidence::{Evidence, EvidenceLookup},
    operators::OperatorLookups,
    query::{BindingQuery, ContentQuery, RenewalQuery},
};

/// The endpoint with its ports.
pub struct FindProof {
    accounts: Accounts,
    sessions: Sessions,
    audit: Audit,
    lookup: Lookup,
    evidence: EvidenceLookup,
    operators: OperatorLookups,
    context: Context,
}

impl Endpoint for FindProof {
    async fn handle(&self, request: Request) -> Response<Body> {
        if operators::is_of_operator(&request) {
            return self.operators.respond(&request).await;
        }
        let Some(route) = route(&request) else {
            return response(StatusCode::NOT_FOUND, r#"{"message":"Not Found"}"#.to_owned());
        };
        let mut response = self.context.respond(self.answer(route, &request)).await;
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(names::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Who looks up.
struct Caller {
    key: KeyHash,
    record: ApiKeyRecord,
}

impl Caller {
    fn owner(&self) -> Owner {
        Owner { client: self.record.client_id.clone(), environment: self.record.environment }
    }
}

impl FindProof {
    /// The endpoint with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = &connection.as_program("find-proof");
        Self {
            accounts: Accounts::new(connection),
            sessions: Sessions::new(connection),
            audit: Audit::new(connection),
            lookup: Lookup::new(connection),
            evidence: EvidenceLookup::new(connection),
            operators: OperatorLookups::new(connection, Arc::clone(&clock)),
            context: Context::new(connection, clock),
        }
    }

    async fn answer(&self, route: Route, request: &Request) -> Result<Response<Body>, Rejection> {
        match route {
            Route::ByBinding => self.by_binding(request, BindingQuery::of_parameters).await,
            Route::ByBindingInBody => self.by_binding(request, BindingQuery::of_body).await,
            Route::ByContent => self.by_content(request).await,
            Route::Manifest => self.manifest(request).await,
            Route::Evidence => self.evidence(request).await,
            Route::RenewedEvidence => self.renewed_evidence(request).await,
            Route::SupportedAlgorithms => json(&SupportedAlgorithms::OURS),
            Route::Capabilities => json(&Capabilities::OURS),
            Route::Status => json(&ServiceStatus::OK),
            Route::Discovery => json(&discovery(request)),
        }
    }

    async fn by_binding(
        &self,
        request: &Request,
        parse: impl FnOnce(&Request) -> Result<BindingQuery, Refusal>,
    ) -> Result<Response<Body>, Rejection> {
        let caller = self.identify(request).await?;
        let query = parse(request)?;
        self.count(request, &caller).await?;
        let found = self.lookup.by_code(&caller.owner(), query.code).await.or_refuse(Refusal::UpstreamUnavailable)?;
        self.conclude(request, &caller, found, query.max_results).await
    }

    async fn by_content(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = self.identify(request).await?;
        let query = ContentQuery::of(request)?;
        self.count(request, &caller).await?;
        let bytes = request.body().to_vec();
        let picture = tokio::task::spawn_blocking(move || Picture::read(&bytes)).await;
        let picture = picture.or_refuse(Refusal::PictureUnreadable)?.or_refuse(Refusal::PictureUnreadable)?;
        let found = self.lookup.by_photo(&caller.owner(), picture).await.or_refuse(Refusal::UpstreamUnavailable)?;
        self.conclude(request, &caller, found, query.max_results).await
    }

    async fn manifest(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = self.identify(request).await?;
        let id = path_parameter(request, "manifest_id");
        let manifest = self.lookup.manifest(&caller.owner(), &id).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let manifest = manifest.ok_or(Refusal::CaptureNotFound)?;
        let mut response = response(StatusCode::OK, String::new());
        *response.body_mut() = Body::Binary(manifest);
        response.headers_mut().insert(names::CONTENT_TYPE, HeaderValue::from_static(MANIFEST_TYPE));
        Ok(response)
    }

    async fn evidence(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = self.identify(request).await?;
        self.count(request, &caller).await?;
        let now = self.context.now();
        let session_id = SessionId::parse(&path_parameter(request, "session_id")).ok_or(Refusal::CaptureNotFound)?;
        let capture = session_id.capture_id();
        record_log_subject("capture", capture.short());
        let evidence = self.evidence.of(&caller.owner(), &capture, now).await?;
        let entry = entry(request, &caller, Operation::GetEvidence, evidence.outcome(), now);
        let entry = if matches!(evidence, Evidence::Missing) { entry } else { entry.about(capture.as_str()) };
        self.audit.add(&entry).await.or_refuse(Refusal::UpstreamUnavailable)?;
        match evidence {
            Evidence::Found(files) => json(&files),
            Evidence::Pending { retry_after } => Err(Refusal::EvidencePending { retry_after }.into()),
            Evidence::Missing => Err(Refusal::CaptureNotFound.into()),
        }
    }

    async fn renewed_evidence(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = self.identify(request).await?;
        let query = RenewalQuery::of(request)?;
        self.count(request, &caller).await?;
        json(&self.evidence.renewed(caller.record.environment, query.since).await?)
    }

    /// Checks the API key that the request bears.
    async fn identify(&self, request: &Request) -> Result<Caller, Rejection> {
        let key = parse_api_key(header(request, "authorization").and_then(bearer))?.hash();
        record_log_subject("api_key", key.short());
        let record = self.accounts.read_api_key(&key).await;
        let refusal = |error: &Error| error.refusal(Refusal::ApiKeyInconsistent, Refusal::UpstreamUnavailable);
        Ok(Caller { record: check_api_key(record.or_refuse_as(refusal)?)?, key })
    }

    /// Counts a lookup against the hourly limit of the API key.
    async fn count(&self, request: &Request, caller: &Caller) -> Result<(), Rejection> {
        let now = self.context.now();
        let lookup = KeyHash::of(gateway(request).map_or_else(attempt_id, |(id, _)| id).as_str());
        match self.sessions.count_lookup(&caller.key, &lookup, now).await.or_refuse(Refusal::UpstreamUnavailable)? {
            Counted::Within => Ok(()),
            Counted::LimitReached => Err(Refusal::LookupLimitReached { retry_after: seconds_to_next_hour(now) }.into()),
        }
    }

    /// Records the lookup in the audit log, and responds with what was found.
    async fn conclude(
        &self,
        request: &Request,
        caller: &Caller,
        found: Found,
        max_results: usize,
    ) -> Result<Response<Body>, Rejection> {
        let matches: Vec<_> = found.matches.into_iter().take(max_results).map(found_manifest).collect();
        let outcome = format!("{} found", matches.len());
        let entry = entry(request, caller, Operation::FindCopy, &outcome, self.context.now());
        self.audit.add(&entry).await.or_refuse(Refusal::UpstreamUnavailable)?;
        json(&Matches { matches, truncated: found.truncated })
    }
}

/// The route of a request.
fn route(request: &Request) -> Option<Route> {
    let (method, path) = (request.method().as_str(), request.raw_http_path());
    let fits = |route: &Route| match route.path().split_once('{') {
        Some((prefix, _)) => path.strip_prefix(prefix).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => route.path() == path,
    };
    Route::ALL.into_iter().find(|route| route.method() == method && fits(route))
}

/// The token of an `Authorization` header with the scheme `Bearer`.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The id that API Gateway gave the request, and the address that it came from.
fn gateway(request: &Request) -> Option<(String, String)> {
    match request.request_context_ref()? {
        RequestContext::ApiGatewayV2(context) => {
            Some((context.request_id.clone()?, context.http.source_ip.clone().unwrap_or_default()))
        }
        _ => None,
    }
}

fn entry(request: &Request, caller: &Caller, operation: Operation, outcome: &str, now: OffsetDateTime) -> AuditEntry {
    let operator = Operator {
        principal: format!("api-key/{}", caller.key.id()),
        via: Via::ResolutionApi,
        source: gateway(request).map(|(_, source)| source).unwrap_or_default(),
    };
    AuditEntry::of(RequestId::from_entropy(entropy()), attempt_id(), now, operation, operator)
        .for_client(&caller.record.client_id)
        .with_detail(format!("{outcome} in {}", caller.record.environment.name()))
}

fn found_manifest(found: Match) -> ManifestMatch {
    ManifestMatch { similarity_score: found.similarity(), manifest_id: found.manifest_id }
}

fn discovery(request: &Request) -> Discovery {
    let scheme = header(request, "x-forwarded-proto").unwrap_or("https");
    Discovery::at(&format!("{scheme}://{}", header(request, "host").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_bearer_token() {
        assert_eq!(bearer("Bearer svc_api_x"), Some("svc_api_x"));
        assert_eq!(bearer("bearer  svc_api_x "), Some("svc_api_x"));
        for other in ["svc_api_x", "Basic svc_api_x", "", "Bearer"] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }
}
