//! Creates a session, as an integrator's backend does: the API key stays on the server.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared,
    answer::{Refused, success},
};

#[derive(Deserialize)]
pub(super) struct Wanted {
    policy: Policy,
}

/// Whether the service retains the photo.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Policy {
    Always,
    Never,
}

/// `POST /sessions`: returns the session token and the license key that the component needs.
pub(super) async fn create(
    State(backend): Shared,
    Json(Wanted { policy }): Json<Wanted>,
) -> Result<Json<Value>, Refused> {
    let keys = &backend.demo.keys;
    let license_key = match policy {
        Policy::Always => &keys.license_key_always,
        Policy::Never => &keys.license_key,
    };
    let post =
        backend.http.post(format!("{}/web/sessions", backend.demo.own.base_url)).header("x-api-key", &keys.api_key);
    let body = json!({ "reference_id": "demo", "license_key": license_key });
    let session = success(post.json(&body).send().await?).await?;
    Ok(Json(json!({
        "token": session["token"], "expires_at": session["expires_at"], "license_key": license_key,
    })))
}
