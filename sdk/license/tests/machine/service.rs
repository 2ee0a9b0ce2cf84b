//! A simulated licensing service, and the network in front of it.

use serde_json::{Value, json};

/// The licenses that the vectors refer to.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// The refusal of the license `first`; the others are always valid.
    pub(crate) refusal: Option<&'static str>,
    pub(crate) rotated: bool,
    pub(crate) policy: Value,
}

/// What arrives over the network.
pub(crate) enum Reply {
    Answer(u16, Vec<u8>),
    /// A response that arrives after the attempt's time limit.
    Late(u16, Vec<u8>),
    None,
}

impl Service {
    pub(crate) fn new() -> Self {
        let policy = json!({
            "valid": true, "environment": "STAGING", "integrity_enforcement": "WARN", "capture_resolution": "FHD",
            "tsa_required": false, "max_captures_per_session": null, "captures_used": 0, "volume_limit": 100,
            "expires_at": "2027-12-31T23:59:59Z",
        });
        Self { refusal: None, rotated: false, policy }
    }

    /// Changes the license `first` like an operator.
    pub(crate) fn change(&mut self, change: &str) {
        match change {
            "revoke" => self.refusal = Some("REVOKED"),
            "expire" => self.refusal = Some("EXPIRED"),
            "exhaust" => self.refusal = Some("VOLUME_EXCEEDED"),
            "suspend" => self.refusal = Some("CLIENT_SUSPENDED"),
            "resume" => self.refusal = None,
            "rotate" => self.rotated = true,
            "resolution" => self.policy["capture_resolution"] = json!("HD"),
            "tsa_required" => self.policy["tsa_required"] = json!(true),
            "max_captures" => self.policy["max_captures_per_session"] = json!(3),
            "volume" => self.policy["volume_limit"] = json!(200),
            other => panic!("the vectors have no change {other}"),
        }
    }

    fn verdict(&self, key: &str) -> Value {
        let refused = |reason| json!({ "valid": false, "reason": reason });
        match (key, self.refusal) {
            ("unknown" | "malformed", _) => refused("INVALID_KEY"),
            ("first", _) if self.rotated => refused("INVALID_KEY"),
            ("first" | "rotated", Some(reason)) => refused(reason),
            ("sandbox", _) => self.policy_in("SANDBOX", "IGNORE"),
            ("live", _) => self.policy_in("PRODUCTION", "BLOCK"),
            _ => self.policy.clone(),
        }
    }

    fn policy_in(&self, environment: &str, enforcement: &str) -> Value {
        let mut policy = self.policy.clone();
        policy["environment"] = json!(environment);
        policy["integrity_enforcement"] = json!(enforcement);
        policy
    }

    /// What the network delivers in the given state.
    pub(crate) fn reply(&self, network: &str, key: &str) -> Reply {
        let verdict = self.verdict(key);
        let body = verdict.to_string().into_bytes();
        let answer = |status, body: &[u8]| Reply::Answer(status, body.to_vec());
        match network {
            "up" => Reply::Answer(200, body),
            "late" => Reply::Late(200, body),
            "down" => Reply::None,
            "cut" => answer(200, &body[..body.len() / 2]),
            "garbage" => answer(200, b"<html>Log in to the network</html>"),
            "unknown_policy" => {
                let mut newer = verdict;
                newer["environment"] = json!("MOON");
                answer(200, newer.to_string().as_bytes())
            }
            "unknown_reason" => answer(200, br#"{"valid": false, "reason": "MOON"}"#),
            "no_valid" => answer(200, b"{}"),
            "html_error" => answer(502, b"<html>Bad gateway</html>"),
            "redirect" => answer(302, b""),
            other => match other.strip_prefix("http_") {
                Some(status) => answer(status.parse().unwrap(), &body),
                None => panic!("the vectors have no network {other}"),
            },
        }
    }
}
