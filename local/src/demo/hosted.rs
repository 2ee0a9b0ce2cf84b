//! Creates a hosted session, as an integrator's backend does: the page gets a link, and later reads the results with
//! the token that the redirect carries.

use axum::{Json, extract::State, http::HeaderMap};
use lacre_domain::{Profile, SessionToken};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared,
    answer::{Refused, refused, success},
};

#[derive(Deserialize)]
pub(super) struct Wanted {
    profile: Profile,
}

#[derive(Deserialize)]
pub(super) struct Returned {
    pub(super) token: String,
}

/// `POST /hosted-sessions`: creates a session whose redirect leads back to the requesting page, and returns its link.
pub(super) async fn create(
    State(backend): Shared,
    headers: HeaderMap,
    Json(Wanted { profile }): Json<Wanted>,
) -> Result<Json<Value>, Refused> {
    let demo = &backend.demo;
    let page = headers.get("origin").and_then(|origin| origin.to_str().ok()).unwrap_or(&backend.origins[0]);
    let body = json!({
        "reference_id": "demo", "profile": profile, "redirect_uri": backend.page_of(page),
        // The service calls the webhook from this machine, so the address is the local one even if the page is opened
        // elsewhere.
        "webhook_url": format!("{}/webhook", backend.origins[0]),
    });
    let post =
        backend.http.post(format!("{}/web/sessions", demo.own.capture_url)).header("x-api-key", &demo.keys.api_key);
    let session = success(post.json(&body).send().await?).await?;
    let token = session["token"].as_str().unwrap_or_default();
    Ok(Json(json!({ "link": format!("{}/?token={token}", demo.pages.capture_url) })))
}

/// `POST /hosted-results`: returns the results of a hosted session.
pub(super) async fn results(
    State(backend): Shared,
    Json(Returned { token }): Json<Returned>,
) -> Result<Json<Value>, Refused> {
    let token = SessionToken::parse(&token)
        .ok_or_else(|| refused(axum::http::StatusCode::NOT_FOUND, "Sessão não encontrada"))?;
    let url = format!("{}/web/session-results/{}", backend.demo.own.capture_url, token.expose());
    Ok(Json(success(backend.http.get(url).send().await?).await?))
}
