//! Returns a session's results and the verification of its photo, which the service retained or the page sends.
//!
//! The token gives access to the results, so it travels in the body or a header: paths appear in logs.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
};
use bytes::Bytes;
use lacre_domain::{Environment, SessionToken};
use lacre_pki::SEAL_HOLDER_CNPJ;
use lacre_proof::Cnpj;
use lacre_verify::{Requirements, Revocations, check_with};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Backend, Shared,
    answer::{Refused, refused, success},
};

/// Header with the session token, for requests whose body is the photo.
const TOKEN: &str = "x-session-token";

#[derive(Deserialize)]
pub(super) struct Session {
    token: String,
}

/// `POST /result`: returns the session's results and the report of `verify`, which is `null` if the service did not
/// retain the photo.
pub(super) async fn result(State(backend): Shared, Json(session): Json<Session>) -> Result<Json<Value>, Refused> {
    let results = backend.results(&session).await?;
    let report = match photo_url(&results) {
        Some(url) => Some(verify(&backend, backend.fetch(url).await?).await?),
        None => None,
    };
    Ok(Json(json!({ "results": results, "report": report })))
}

/// `POST /photo`: returns the authenticated photo as a file.
pub(super) async fn photo(
    State(backend): Shared,
    Json(session): Json<Session>,
) -> Result<impl IntoResponse + use<>, Refused> {
    let results = backend.results(&session).await?;
    let url = photo_url(&results).ok_or_else(|| refused(StatusCode::NOT_FOUND, "O serviço não guardou esta foto"))?;
    let headers = [
        (header::CONTENT_TYPE, "image/jpeg"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"foto-autenticada.jpg\""),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, backend.fetch(url).await?))
}

/// `POST /verify`: like `/result`, for a photo that the service did not retain. The body is the photo, which the page
/// got from the component. A page can send any file, so a valid proof must also belong to this session's capture.
pub(super) async fn verify_own(
    State(backend): Shared,
    headers: HeaderMap,
    photo: Bytes,
) -> Result<Json<Value>, Refused> {
    let token = headers.get(TOKEN).and_then(|token| token.to_str().ok()).unwrap_or_default();
    let results = backend.results(&Session { token: token.to_owned() }).await?;
    let report = verify(&backend, photo).await?;
    if report["valid"] == true && report["frame_hash"] != results["photos"][0]["frame_hash_hex"] {
        return Err(refused(StatusCode::CONFLICT, "A foto é de outra captura"));
    }
    Ok(Json(json!({ "results": results, "report": report })))
}

impl Backend {
    async fn results(&self, session: &Session) -> Result<Value, Refused> {
        let malformed = || refused(StatusCode::NOT_FOUND, "Sessão não encontrada");
        SessionToken::parse(&session.token).ok_or_else(malformed)?;
        let url = format!("{}/web/session-results/{}", self.demo.own.base_url, session.token);
        success(self.http.get(url).send().await?).await
    }

    async fn fetch(&self, url: &str) -> Result<Bytes, Refused> {
        Ok(self.demo.objects.get(url).send().await?.error_for_status()?.bytes().await?)
    }
}

/// The URL of the session's photo; `None` before the capture and if the license does not retain photos.
fn photo_url(results: &Value) -> Option<&str> {
    results["photos"][0]["authenticated_jpeg_url"].as_str()
}

/// Verifies a photo on a blocking thread, because it takes much CPU time. The local service's proofs are of the
/// sandbox.
async fn verify(backend: &Arc<Backend>, photo: Bytes) -> Result<Value, Refused> {
    let backend = Arc::clone(backend);
    let checked = tokio::task::spawn_blocking(move || {
        let (anchors, now) = (&backend.demo.anchors, backend.demo.clock.now());
        let seal_holder = Some(Cnpj::parse(SEAL_HOLDER_CNPJ)?);
        let requirements = Requirements { seal_holder, ..Requirements::of(Environment::Sandbox) };
        let verdict = check_with(&photo, anchors, &Revocations::default(), &requirements, now);
        serde_json::to_value(verdict.report).map_err(|error| error.to_string())
    });
    let report = checked.await.map_err(|error| error.to_string()).and_then(|report| report);
    report.map_err(|error| refused(StatusCode::INTERNAL_SERVER_ERROR, &error))
}
