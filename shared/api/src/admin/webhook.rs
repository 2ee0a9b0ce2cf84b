//! Webhook secrets, and attempts at webhooks.

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, LimitText, MessageIdText, WebhookSecretId};
use crate::{Environment, Time, values::words};

words! {
    /// Whether a webhook secret signs messages.
    WebhookSecretState {
        /// The secret signs messages.
        Live = "live",
        /// The secret no longer signs.
        Ended = "ended",
    }

    /// How an attempt ended.
    DeliveryResult {
        /// The receiver responded with status 2xx in time.
        Delivered = "delivered",
        /// The receiver responded with another status; redirects are not followed.
        Rejected = "rejected",
        /// No complete response was received in time.
        TimedOut = "timed_out",
        /// The name has no address, the connection or its TLS handshake failed, or the connection closed before the
        /// response.
        Unreachable = "unreachable",
        /// Webhooks may not reach the URL, or any address of its host name. Nothing was sent.
        Forbidden = "forbidden",
        /// The client has no secret to sign with. Nothing was sent.
        Unsigned = "unsigned",
        /// An operator requested another attempt before this one was made. Nothing was sent.
        Superseded = "superseded",
    }

    /// The state of an attempt.
    AttemptState {
        /// The attempt was not made yet.
        Pending = "pending",
        /// The attempt is being made.
        InProgress = "in_progress",
        /// The receiver accepted the message.
        Delivered = "delivered",
        /// The receiver was not reached, or did not accept the message.
        Failed = "failed",
        /// The attempt was started, but its end is not recorded: the receiver may have the message.
        Unknown = "unknown",
    }
}

/// The first webhook secret of an environment, to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookSecretRequest {
    /// The environment whose webhooks the secret signs.
    pub environment: Environment,
}

/// Another webhook secret of an environment, to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RotationRequest {
    /// The environment whose webhooks the secret signs.
    pub environment: Environment,
    /// How long earlier secrets continue to sign, in hours.
    #[cfg_attr(
        feature = "openapi",
        schemars(
            range(max = super::limits::WEBHOOK_SECRET_OVERLAP_MAX.whole_hours()),
            extend("default" = super::limits::WEBHOOK_SECRET_OVERLAP.whole_hours())
        )
    )]
    pub overlap_hours: Option<u16>,
}

/// A request to end a webhook secret.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RevocationRequest {
    /// Confirms that a secret may be ended although no other one signs.
    #[serde(default)]
    pub last: bool,
}

/// A webhook secret as operators see it, without the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "WebhookSecret"))]
pub struct WebhookSecretView {
    /// The id of the secret.
    #[cfg_attr(feature = "openapi", schemars(with = "super::Id"))]
    pub id: WebhookSecretId,
    /// The client whose webhooks the secret signs.
    pub client_id: ClientId,
    /// The environment whose webhooks the secret signs.
    pub environment: Environment,
    /// Whether the secret signs.
    pub state: WebhookSecretState,
    /// When the secret was issued.
    pub issued_at: Time,
    /// When the secret stops signing, or stopped; null until it is rotated or revoked.
    pub ends_at: Option<Time>,
}

/// A new webhook secret. This response is the only one that shows the secret.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NewWebhookSecret {
    /// The secret itself, in base64.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^whsec_[A-Za-z0-9+/]{43}=$")))]
    pub webhook_secret: String,
    /// The record of the secret.
    #[serde(flatten)]
    pub view: WebhookSecretView,
}

/// The filter of a list of attempts at webhooks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptParameters {
    /// Only attempts in this state. The filter applies to each page, so a page may have fewer entries.
    pub state: Option<AttemptState>,
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// An attempt as operators see it, without its message, which gives access to photos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Attempt", deny_unknown_fields))]
pub struct AttemptView {
    /// The id of the message.
    pub message_id: MessageIdText,
    /// The number of the attempt, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub attempt: u32,
    /// The client that the session belongs to.
    pub client_id: ClientId,
    /// The environment of the session.
    pub environment: Environment,
    /// The receiver's origin. The rest of its URL may contain a secret of the integrator.
    pub receiver: String,
    /// The state of the attempt.
    pub state: AttemptState,
    /// How the attempt ended; null until then, and if that is unknown.
    pub result: Option<DeliveryResult>,
    /// The HTTP status of the response; null if there was none.
    #[cfg_attr(feature = "openapi", schemars(range(min = 100, max = 999)))]
    pub status: Option<u16>,
    /// How long the attempt took, in milliseconds; null until it ended.
    pub duration_ms: Option<u64>,
    /// The beginning of an error response's body, or the cause of a failure.
    pub detail: String,
    /// When the attempt was requested.
    pub requested_at: Time,
    /// When the attempt was started; null until then.
    pub claimed_at: Option<Time>,
    /// When the message expires and can no longer be delivered.
    pub expires_at: Time,
}
