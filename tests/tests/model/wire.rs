//! Checks responses: whole bodies and relevant headers. Of values that only the service can choose, only the form is
//! checked.

use lacre_api::Refusal;
use lacre_domain::{Environment, FrameHash, clock::rfc3339, limits};
use lacre_tests::Answer;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    call::{Call, Id},
    client::{Client, reference},
    model::{Photo, Reply, VOLUME_LIMIT},
};

/// The period in which a response was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) from: OffsetDateTime,
    pub(crate) to: OffsetDateTime,
}

/// Whether a response is exactly this reply.
pub(crate) fn says(answer: Option<&Answer>, reply: Reply, call: &Call, client: &Client<'_>, window: Window) -> bool {
    match (answer, reply) {
        (None, Reply::Done | Reply::Uploaded) => true,
        (None, _) | (Some(_), Reply::Done | Reply::Uploaded) => false,
        (Some(answer), Reply::Refused(refusal)) => {
            answer.outcome() == (refusal.status(), refused(refusal)) && secured(answer) && retry_after(answer, refusal)
        }
        (Some(answer), reply) => {
            let expected = body(reply, call, client);
            answer.status == 200 && secured(answer) && agrees(&expected, &answer.body, window)
        }
    }
}

fn secured(answer: &Answer) -> bool {
    answer.header("cache-control") == Some("no-store") && answer.header("x-content-type-options") == Some("nosniff")
}

fn refused(refusal: Refusal) -> Value {
    let mut body = json!({ "error": refusal.text("Lacre") });
    if let Some(reason) = refusal.block_reason() {
        body["block_reason"] = reason.into();
    }
    if refusal == Refusal::RecaptureDetected {
        body["recapture_risk"] = "HIGH".into();
    }
    body
}

/// Whether `Retry-After` matches the refusal. The model counts minutes, the service seconds.
fn retry_after(answer: &Answer, refusal: Refusal) -> bool {
    let reply = answer.header("retry-after").map(|seconds| seconds.parse::<u32>().unwrap());
    match (refusal, reply) {
        (Refusal::CreationLimitReached { retry_after }, Some(reply)) => {
            (retry_after - 59..=retry_after).contains(&reply)
        }
        (refusal, reply) => refusal.retry_after() == reply,
    }
}

/// The body of a success. A text in angle brackets is a placeholder for a value of that form.
fn body(reply: Reply, call: &Call, client: &Client<'_>) -> Value {
    match (reply, *call) {
        (Reply::Created, _) => json!({ "token": "<token>", "expires_at": "<in 30 minutes>" }),
        (Reply::Loaded, Call::Load { session, .. }) => json!({
            "token": token(session, client), "status": "pending", "expires_at": client.sessions[&session].expires_at,
            "total_photos": 1, "captured_count": 0, "photo_order": 1,
            "nonce": "<nonce>", "upload_url": "<url>", "upload_method": "PUT",
            "upload_headers": { "content-type": "image/jpeg" }, "upload_expires_at": "<in 5 minutes>",
            "image_key": "<image key>", "max_asset_bytes": limits::MAX_ASSET_BYTES, "capture_resolution": "HD",
            "server_time_ms": "<now>", "position_required": false,
        }),
        (Reply::Captured { retained }, Call::Ingest(ingest)) => json!({
            "session_id": session_id(ingest.session, client), "photo_order": 1,
            "authenticated_jpeg_url": if retained { json!("<url>") } else { Value::Null },
            "manifest_url": "<url>", "complete": true, "signed_image_base64": "<image>",
        }),
        (Reply::Results { status, photo, withheld }, Call::Results { session }) => json!({
            "reference_id": reference(session), "status": status, "total_photos": 1,
            "captured_count": u8::from(photo.is_some()), "created_at": created_at(session, client),
            "photos": [photo.map_or_else(
                || json!({ "order": 1, "label": "", "status": "pending" }),
                |photo| captured(photo, withheld, session, client),
            )],
        }),
        (Reply::Renewed, Call::Image { session }) => json!({
            "session_id": session_id(session, client), "authenticated_jpeg_url": "<url>", "expires_at": "<in 7 days>",
        }),
        (Reply::Valid { captures_used }, _) => {
            let sandbox = client.accounts.environment == Environment::Sandbox;
            json!({
                "valid": true, "environment": client.accounts.environment.name(),
                "integrity_enforcement": if sandbox { "IGNORE" } else { "WARN" },
                "capture_resolution": "HD", "tsa_required": false, "max_captures_per_session": null,
                "captures_used": captures_used,
                "volume_limit": if sandbox { 9_007_199_254_740_991 } else { VOLUME_LIMIT },
                "expires_at": rfc3339(client.accounts.agreement_end),
            })
        }
        (Reply::Invalid { reason }, _) => json!({ "valid": false, "reason": reason }),
        (reply, call) => unreachable!("{call:?} never gets {reply:?}"),
    }
}

/// A captured photo, with the values of its ingest.
fn captured(photo: Photo, withheld: bool, session: Id, client: &Client<'_>) -> Value {
    let url = |is_there: bool| if is_there && !withheld { json!("<url>") } else { Value::Null };
    let custody = if withheld { "withheld" } else { "held" };
    let sent = &client.sent[&photo.ingest];
    json!({
        "order": 1, "label": sent.body["label"], "status": "captured", "custody": custody, "session_id": session_id(session, client),
        "gps_lat": sent.body["gps_lat"], "gps_lon": sent.body["gps_lon"], "gps_accuracy": sent.body["gps_accuracy"],
        "captured_at_ms": sent.body["captured_at_ms"],
        "frame_hash_hex": FrameHash::of(client.frames.bytes(sent.ingest.frame)).hex(), "authenticated_jpeg_sha256": "<hash>",
        "authenticated_jpeg_url": url(photo.retained), "manifest_url": url(true),
    })
}

fn token(session: Id, client: &Client<'_>) -> String {
    client.sessions[&session].token.expose()
}

fn session_id(session: Id, client: &Client<'_>) -> String {
    client.sessions[&session].token.session_id(1).expose()
}

fn created_at(session: Id, client: &Client<'_>) -> String {
    rfc3339(parsed(&client.sessions[&session].expires_at).unwrap() - Duration::minutes(30))
}

/// Whether two values are equal, or the value has the form that the placeholder names.
fn agrees(expected: &Value, reply: &Value, window: Window) -> bool {
    match (expected, reply) {
        (Value::Object(expected), Value::Object(reply)) => {
            expected.len() == reply.len()
                && expected
                    .iter()
                    .all(|(name, value)| reply.get(name).is_some_and(|reply| agrees(value, reply, window)))
        }
        (Value::Array(expected), Value::Array(reply)) => {
            expected.len() == reply.len() && expected.iter().zip(reply).all(|(one, other)| agrees(one, other, window))
        }
        (Value::String(form), reply) if form.starts_with('<') => is_of_form(form, reply, window),
        (expected, reply) => expected == reply,
    }
}

fn is_of_form(form: &str, reply: &Value, window: Window) -> bool {
    let text = reply.as_str().unwrap_or_default();
    let is_now = |at: OffsetDateTime| (window.from..window.to).contains(&at);
    let is_in = |ahead| parsed(text).is_some_and(|at| is_now(at - ahead));
    match form {
        "<token>" => lacre_domain::SessionToken::parse(text).is_some(),
        "<nonce>" => lacre_domain::Nonce::parse(Some(text)).is_ok(),
        "<image key>" => text.len() == 36 && text.ends_with(".jpg"),
        "<url>" => text.starts_with("http://") && text.contains("X-Amz-Signature="),
        "<hash>" => lacre_domain::Sha256Digest::parse(text).is_some(),
        "<image>" => text.len() > 10_000,
        "<now>" => reply.as_i64().is_some_and(|at| is_now(OffsetDateTime::UNIX_EPOCH + Duration::milliseconds(at))),
        "<in 5 minutes>" => is_in(Duration::minutes(5)),
        "<in 30 minutes>" => is_in(Duration::minutes(30)),
        "<in 7 days>" => is_in(Duration::days(7)),
        form => unreachable!("{form}"),
    }
}

fn parsed(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}
