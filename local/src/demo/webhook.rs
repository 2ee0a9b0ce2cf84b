//! A webhook receiver as an integrator would write it: it verifies the signature over the raw body before it parses it.

use axum::{Json, body::Bytes, extract::State, http::HeaderMap, http::StatusCode};
use lacre_domain::SessionToken;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::{Shared, hosted::Returned};

/// Number of latest messages that are kept.
const KEPT: usize = 32;

/// `POST /webhook`: answers 204 to a message with a valid signature, and 401 to any other.
pub(super) async fn receive(State(backend): Shared, headers: HeaderMap, body: Bytes) -> StatusCode {
    let verified = Webhook::new(&backend.demo.keys.webhook_secret).and_then(|webhook| webhook.verify(&body, &headers));
    if let Err(error) = verified {
        tracing::warn!(cause = %error, "a webhook was refused");
        return StatusCode::UNAUTHORIZED;
    }
    let Ok(message) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST };
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let mut received = backend.webhooks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    received.push_back(json!({ "id": id, "message": message }));
    if received.len() > KEPT {
        received.pop_front();
    }
    StatusCode::NO_CONTENT
}

/// `POST /hosted-webhook`: returns the message about a session, or `null` until it has arrived.
pub(super) async fn of_session(State(backend): Shared, Json(Returned { token }): Json<Returned>) -> Json<Value> {
    let first = SessionToken::parse(&token).map(|token| token.session_id(1).expose());
    let received = backend.webhooks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let of_session = |known: &&Value| known["message"]["photos"][0]["session_id"].as_str() == first.as_deref();
    Json(received.iter().rfind(of_session).cloned().unwrap_or_default())
}
