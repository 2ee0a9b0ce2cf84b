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
use lacre_domain::{Clock, Operation, SessionId};
use lacre_http::{
    Backend, Body, Context, Endpoint, OrRefuse, Rejection, Request, Response, StatusCode, header, json, path_parameter,
    record_log_subject, response,
};
use lacre_lookup::{Found, Lookup, Match, Owner};
use lacre_storage::{Accounts, Audit, Connection, Sessions};
use lambda_http::{
    RequestExt,
    http::{HeaderValue, header as names},
};

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
        let Some(route) = route(&request) else { return not_found() };
        Backend::challenged(self.context.respond(self.answer(route, &request)).await)
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
            // The function `dossiers` serves it.
            Route::Dossier => Ok(not_found()),
        }
    }

    async fn by_binding(
        &self,
        request: &Request,
        parse: impl FnOnce(&Request) -> Result<BindingQuery, Refusal>,
    ) -> Result<Response<Body>, Rejection> {
        let caller = Backend::identify(&self.accounts, request).await?;
        let query = parse(request)?;
        caller.count(&self.sessions, request, self.context.now()).await?;
        let found = self.lookup.by_code(&owner(&caller), query.code).await.or_refuse(Refusal::UpstreamUnavailable)?;
        self.conclude(request, &caller, found, query.max_results).await
    }

    async fn by_content(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = Backend::identify(&self.accounts, request).await?;
        let query = ContentQuery::of(request)?;
        caller.count(&self.sessions, request, self.context.now()).await?;
        let bytes = request.body().to_vec();
        let picture = tokio::task::spawn_blocking(move || Picture::read(&bytes)).await;
        let picture = picture.or_refuse(Refusal::PictureUnreadable)?.or_refuse(Refusal::PictureUnreadable)?;
        let found = self.lookup.by_photo(&owner(&caller), picture).await.or_refuse(Refusal::UpstreamUnavailable)?;
        self.conclude(request, &caller, found, query.max_results).await
    }

    async fn manifest(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = Backend::identify(&self.accounts, request).await?;
        let id = path_parameter(request, "manifest_id");
        let manifest = self.lookup.manifest(&owner(&caller), &id).await.or_refuse(Refusal::UpstreamUnavailable)?;
        let manifest = manifest.ok_or(Refusal::CaptureNotFound)?;
        let mut response = response(StatusCode::OK, String::new());
        *response.body_mut() = Body::Binary(manifest);
        response.headers_mut().insert(names::CONTENT_TYPE, HeaderValue::from_static(MANIFEST_TYPE));
        Ok(response)
    }

    async fn evidence(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = Backend::identify(&self.accounts, request).await?;
        caller.count(&self.sessions, request, self.context.now()).await?;
        let now = self.context.now();
        let session_id = SessionId::parse(&path_parameter(request, "session_id")).ok_or(Refusal::CaptureNotFound)?;
        let capture = session_id.capture_id();
        record_log_subject("capture", capture.short());
        let evidence = self.evidence.of(&owner(&caller), &capture, now).await?;
        let entry = caller.entry(request, Operation::GetEvidence, evidence.outcome(), now);
        let entry = if matches!(evidence, Evidence::Missing) { entry } else { entry.about(capture.as_str()) };
        self.audit.add(&entry).await.or_refuse(Refusal::UpstreamUnavailable)?;
        match evidence {
            Evidence::Found(files) => json(&files),
            Evidence::Pending { retry_after } => Err(Refusal::EvidencePending { retry_after }.into()),
            Evidence::Missing => Err(Refusal::CaptureNotFound.into()),
        }
    }

    async fn renewed_evidence(&self, request: &Request) -> Result<Response<Body>, Rejection> {
        let caller = Backend::identify(&self.accounts, request).await?;
        let query = RenewalQuery::of(request)?;
        caller.count(&self.sessions, request, self.context.now()).await?;
        json(&self.evidence.renewed(caller.record.environment, query.since).await?)
    }

    /// Records the lookup in the audit log, and responds with what was found.
    async fn conclude(
        &self,
        request: &Request,
        caller: &Backend,
        found: Found,
        max_results: usize,
    ) -> Result<Response<Body>, Rejection> {
        let matches: Vec<_> = found.matches.into_iter().take(max_results).map(found_manifest).collect();
        let outcome = format!("{} found", matches.len());
        let entry = caller.entry(request, Operation::FindCopy, &outcome, self.context.now());
        self.audit.add(&entry).await.or_refuse(Refusal::UpstreamUnavailable)?;
        json(&Matches { matches, truncated: found.truncated })
    }
}

/// The owner of the captures that a backend may see.
fn owner(caller: &Backend) -> Owner {
    Owner { client: caller.record.client_id.clone(), environment: caller.record.environment }
}

/// The response for a route that is not this function's.
fn not_found() -> Response<Body> {
    response(StatusCode::NOT_FOUND, r#"{"message":"Not Found"}"#.to_owned())
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

fn found_manifest(found: Match) -> ManifestMatch {
    ManifestMatch { similarity_score: found.similarity(), manifest_id: found.manifest_id }
}

fn discovery(request: &Request) -> Discovery {
    let scheme = header(request, "x-forwarded-proto").unwrap_or("https");
    Discovery::at(&format!("{scheme}://{}", header(request, "host").unwrap_or_default()))
}
