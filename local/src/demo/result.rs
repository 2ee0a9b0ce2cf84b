//! What became of a session: its results, and the check of the photo where the service kept it.
//!
//! The token opens the results, so it comes in the body: paths are written down in logs.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use bytes::Bytes;
use domain::{Environment, SessionToken};
use proof::verify::{Requirements, Revocations, check_with};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Backend, Shared,
    answer::{Refused, refused, success},
};

#[derive(Deserialize)]
pub(super) struct Session {
    token: String,
}

/// `POST /result`: the session's results, and the report of `verify`; `null` where the service kept no photo.
pub(super) async fn result(State(backend): Shared, Json(session): Json<Session>) -> Result<Json<Value>, Refused> {
    let results = backend.results(&session).await?;
    let report = match photo_url(&results) {
        Some(url) => Some(verify(&backend, backend.fetch(url).await?).await?),
        None => None,
    };
    Ok(Json(json!({ "results": results, "report": report })))
}

/// `POST /photo`: the authenticated photo, as a file.
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

impl Backend {
    async fn results(&self, session: &Session) -> Result<Value, Refused> {
        let malformed = || refused(StatusCode::NOT_FOUND, "Sessão não encontrada");
        SessionToken::parse(&session.token).ok_or_else(malformed)?;
        let url = format!("{}/web/session-results/{}", self.demo.base_url, session.token);
        success(self.http.get(url).send().await?).await
    }

    async fn fetch(&self, url: &str) -> Result<Bytes, Refused> {
        Ok(self.http.get(url).send().await?.error_for_status()?.bytes().await?)
    }
}

/// The one photo's URL. There is none before the capture, and none where the license does not keep photos.
fn photo_url(results: &Value) -> Option<&str> {
    results["photos"][0]["authenticated_jpeg_url"].as_str()
}

/// The check computes for a while, so it has a thread of its own. The local service makes sandbox proofs.
async fn verify(backend: &Arc<Backend>, photo: Bytes) -> Result<Value, Refused> {
    let backend = Arc::clone(backend);
    let checked = tokio::task::spawn_blocking(move || {
        let (anchors, now) = (&backend.demo.anchors, backend.demo.clock.now());
        let verdict =
            check_with(&photo, anchors, &Revocations::default(), &Requirements::of(Environment::Sandbox), now);
        serde_json::to_value(verdict.report).map_err(|error| error.to_string())
    });
    let report = checked.await.map_err(|error| error.to_string()).and_then(|report| report);
    report.map_err(|error| refused(StatusCode::INTERNAL_SERVER_ERROR, &error))
}
