//! Webhooks: the message that announces the result of a hosted session, and the attempts to deliver it.
//!
//! The terms are those of Standard Webhooks: a message has an id, which every attempt at it repeats. An attempt is
//! executed at most once, by the process that claims it. A redelivery is a new attempt at the same message.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    AttemptState, CaptureId, ClientId, DeliveryResult, Environment, WebUrl, clock::epoch_millis, limits,
    text::is_invisible,
};

const PREFIX: &str = "msg_";

/// The id of a message, sent in the header `webhook-id`: `msg_` and a UUID v7 without hyphens, so that ids sort by
/// time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(String);

impl MessageId {
    /// A new id.
    #[must_use]
    pub fn new(now: OffsetDateTime, entropy: [u8; 10]) -> Self {
        let millis = u64::try_from(epoch_millis(now)).unwrap_or_default();
        let id = uuid::Builder::from_unix_timestamp_millis(millis, &entropy).into_uuid();
        Self(format!("{PREFIX}{}", id.simple()))
    }

    /// Parses an id; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text.strip_prefix(PREFIX)?).ok()?;
        (text == format!("{PREFIX}{}", id.simple())).then(|| Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for MessageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not a message id"))
    }
}

/// One attempt to deliver a message, whether executed yet or not. The message's body is stored beside it, encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The client that the session belongs to.
    pub client_id: ClientId,
    /// The environment of the session, which selects the secrets that sign the message.
    pub environment: Environment,
    /// The id of the message.
    pub message_id: MessageId,
    /// The number of the attempt for this message, from 1.
    pub number: u32,
    /// The URL of the receiver.
    pub url: WebUrl,
    /// The captures whose photos the message links to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<CaptureId>,
    /// When the attempt was requested.
    #[serde(with = "crate::exact::millis")]
    pub requested_at: OffsetDateTime,
    /// When the message is removed from the outbox, in whole seconds. Its URLs expire at the same time.
    #[serde(with = "time::serde::timestamp")]
    pub expires_at: OffsetDateTime,
    /// When a process claimed the attempt; `None` before.
    #[serde(default, with = "crate::exact::optional_millis", skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<OffsetDateTime>,
    /// How the attempt ended; `None` until then, and forever if the process that claimed it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The kind of the outcome.
    pub result: DeliveryResult,
    /// The HTTP status of the response, if one was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: u64,
    /// Diagnostics: the beginning of the response's body, or the cause of the failure. Empty for a successful delivery.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Attempt {
    /// The first attempt at a new message.
    #[must_use]
    pub fn first(
        client_id: ClientId,
        environment: Environment,
        message_id: MessageId,
        url: WebUrl,
        captures: Vec<CaptureId>,
        now: OffsetDateTime,
    ) -> Self {
        let expires_at = now.replace_nanosecond(0).unwrap_or(now) + limits::WEBHOOK_RETENTION;
        Self {
            client_id,
            environment,
            message_id,
            number: 1,
            url,
            captures,
            requested_at: now,
            expires_at,
            claimed_at: None,
            outcome: None,
        }
    }

    /// Whether another attempt may follow at `now`: this one ended, was interrupted, or has been pending for longer
    /// than [`limits::WEBHOOK_ATTEMPT`].
    #[must_use]
    pub fn may_be_followed(&self, now: OffsetDateTime) -> bool {
        match self.state(now) {
            AttemptState::Pending => now - self.requested_at >= limits::WEBHOOK_ATTEMPT,
            AttemptState::InProgress => false,
            AttemptState::Delivered | AttemptState::Failed | AttemptState::Unknown => true,
        }
    }

    /// The next attempt at the same message.
    #[must_use]
    pub fn next(&self, now: OffsetDateTime) -> Self {
        Self { number: self.number + 1, requested_at: now, claimed_at: None, outcome: None, ..self.clone() }
    }

    /// The state of the attempt at `now`.
    #[must_use]
    pub fn state(&self, now: OffsetDateTime) -> AttemptState {
        match (&self.outcome, self.claimed_at) {
            (Some(outcome), _) if outcome.result == DeliveryResult::Delivered => AttemptState::Delivered,
            (Some(_), _) => AttemptState::Failed,
            (None, Some(at)) if now - at < limits::WEBHOOK_ATTEMPT => AttemptState::InProgress,
            (None, Some(_)) => AttemptState::Unknown,
            (None, None) => AttemptState::Pending,
        }
    }
}

/// The beginning of untrusted text for an operator to read: without control and format characters, at most
/// [`limits::WEBHOOK_EXCERPT_CHARS`] characters.
#[must_use]
pub fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let visible = text.chars().map(|c| if c.is_whitespace() || is_invisible(c) { ' ' } else { c });
    let words: String = visible.take(limits::WEBHOOK_EXCERPT_CHARS).collect();
    words.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use time::{Duration, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-23 12:00:00.5 UTC);

    fn attempt() -> Attempt {
        let url = WebUrl::parse("https://hooks.example.com/lacre").unwrap();
        let id = MessageId::new(NOW, [7; 10]);
        Attempt::first(ClientId::from_u128(1), Environment::Production, id, url, Vec::new(), NOW)
    }

    #[test]
    fn ids_of_messages_sort_by_time() {
        let (earlier, later) =
            (MessageId::new(NOW, [255; 10]), MessageId::new(NOW + Duration::milliseconds(1), [0; 10]));
        assert!(earlier < later, "{earlier} {later}");
        assert_eq!(earlier.as_str().len(), 36);
        assert_eq!(MessageId::parse(earlier.as_str()), Some(earlier));
        for wrong in ["", "msg_", "msg_x", "0190a0b0c0d07000800000000000000", "msg_0190A0B0C0D070008000000000000000"] {
            assert_eq!(MessageId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn claim_and_outcome_determine_attempt_state() {
        let mut attempt = attempt();
        assert_eq!(attempt.expires_at, datetime!(2026-11-30 12:00:00 UTC));
        assert_eq!(attempt.state(NOW), AttemptState::Pending);
        assert!(!attempt.may_be_followed(NOW + Duration::seconds(59)));
        assert!(attempt.may_be_followed(NOW + Duration::seconds(60)));
        attempt.claimed_at = Some(NOW);
        assert_eq!(attempt.state(NOW + Duration::seconds(59)), AttemptState::InProgress);
        assert!(!attempt.may_be_followed(NOW + Duration::seconds(59)));
        assert_eq!(attempt.state(NOW + Duration::seconds(60)), AttemptState::Unknown);
        assert!(attempt.may_be_followed(NOW + Duration::seconds(60)));
        let outcome = |result| Outcome { result, status: Some(200), duration_ms: 12, detail: String::new() };
        attempt.outcome = Some(outcome(DeliveryResult::Delivered));
        assert_eq!(attempt.state(NOW), AttemptState::Delivered);
        attempt.outcome = Some(outcome(DeliveryResult::Rejected));
        assert_eq!(attempt.state(NOW), AttemptState::Failed);
        let again = attempt.next(NOW + Duration::DAY);
        assert_eq!((again.number, again.state(NOW), again.expires_at), (2, AttemptState::Pending, attempt.expires_at));
        assert_eq!((again.message_id, again.requested_at), (attempt.message_id, NOW + Duration::DAY));
    }

    #[test]
    fn an_excerpt_is_short_and_plain() {
        assert_eq!(excerpt(b"<h1>500</h1>\r\n\tno\0 \x1b[31mway"), "<h1>500</h1> no [31mway");
        assert_eq!(excerpt("a\u{202e}b \u{ff}".as_bytes()), "a b \u{ff}");
        assert_eq!(excerpt(&[0xff, b'x']), "\u{fffd}x");
        assert_eq!(excerpt(&[b'x'; 70_000]).chars().count(), limits::WEBHOOK_EXCERPT_CHARS);
    }
}
