//! Parses the response of `POST /validate`.

use serde_json::Value;

use crate::policy::{Policy, Reason};

/// The meaning of a response.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// The license may be used.
    Valid(Policy),
    /// The license may not be used.
    Refused(Reason),
    /// An HTTP error, or a success without the field `valid`.
    NoVerdict,
    /// An incomplete or malformed response, which counts as a network failure.
    Unreadable,
}

/// Parses a response from its HTTP status and body.
pub(crate) fn read(status: u16, body: &[u8]) -> Answer {
    if !(200..300).contains(&status) {
        return Answer::NoVerdict;
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return Answer::Unreadable };
    match body.get("valid").and_then(Value::as_bool) {
        None => Answer::NoVerdict,
        Some(true) => serde_json::from_value(body).map_or(Answer::Unreadable, Answer::Valid),
        Some(false) => {
            let reason = body.get("reason").cloned().unwrap_or_default();
            Answer::Refused(serde_json::from_value(reason).unwrap_or(Reason::Other))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::{CaptureResolution, Environment, IntegrityEnforcement};

    fn valid() -> Value {
        json!({
            "valid": true, "environment": "STAGING", "integrity_enforcement": "WARN", "capture_resolution": "FHD",
            "tsa_required": false, "max_captures_per_session": null, "captures_used": 9, "volume_limit": 10,
            "expires_at": "2026-11-21T12:00:00Z",
        })
    }

    fn answer(status: u16, body: &Value) -> Answer {
        read(status, body.to_string().as_bytes())
    }

    #[test]
    fn a_policy_is_read() {
        let policy = Policy {
            environment: Environment::Staging,
            integrity_enforcement: IntegrityEnforcement::Warn,
            capture_resolution: CaptureResolution::Fhd,
            tsa_required: false,
            max_captures_per_session: None,
            captures_used: 9,
            volume_limit: 10,
            expires_at: "2026-11-21T12:00:00Z".into(),
        };
        assert_eq!(answer(200, &valid()), Answer::Valid(policy.clone()));
        let mut newer = valid();
        newer["a_later_field"] = json!(1);
        assert_eq!(answer(299, &newer), Answer::Valid(policy));
    }

    #[test]
    fn the_status_decides_first() {
        for status in [100, 199, 300, 302, 400, 403, 429, 500, 503] {
            assert_eq!(answer(status, &valid()), Answer::NoVerdict, "{status}");
            assert_eq!(read(status, b"<html>"), Answer::NoVerdict, "{status}");
        }
    }

    #[test]
    fn a_success_without_valid_is_no_verdict() {
        for body in [json!({}), json!([]), json!(null), json!({ "valid": "true" }), json!({ "valid": null }), json!(7)]
        {
            assert_eq!(answer(200, &body), Answer::NoVerdict, "{body}");
        }
    }

    #[test]
    fn incomplete_or_unknown_answers_are_unreadable() {
        let text = valid().to_string();
        for end in 0..text.len() {
            assert_eq!(read(200, &text.as_bytes()[..end]), Answer::Unreadable, "{end}");
        }
        for (field, value) in [
            ("environment", json!("LIVE")),
            ("integrity_enforcement", json!("HALT")),
            ("capture_resolution", json!(1080)),
            ("tsa_required", json!("no")),
            ("max_captures_per_session", json!(-1)),
            ("captures_used", json!(1.5)),
            ("expires_at", json!(null)),
        ] {
            let mut body = valid();
            body[field] = value;
            assert_eq!(answer(200, &body), Answer::Unreadable, "{field}");
        }
    }

    #[test]
    fn known_and_unknown_reasons_refuse() {
        for reason in
            [Reason::InvalidKey, Reason::Revoked, Reason::Expired, Reason::VolumeExceeded, Reason::ClientSuspended]
        {
            let body = json!({ "valid": false, "reason": reason.as_str() });
            assert_eq!(answer(200, &body), Answer::Refused(reason));
        }
        for body in [
            json!({ "valid": false }),
            json!({ "valid": false, "reason": "ORIGIN_NOT_ALLOWED" }),
            json!({ "valid": false, "reason": 4 }),
        ] {
            assert_eq!(answer(200, &body), Answer::Refused(Reason::Other), "{body}");
        }
        assert_eq!(Reason::Other.as_str(), "OTHER");
    }
}
