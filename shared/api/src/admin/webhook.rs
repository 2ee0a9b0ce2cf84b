//! Webhook secrets, and attempts at webhooks.

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, Id, LimitText, MessageIdText};
use crate::{Environment, Time, values::words};

words! {
    /// Whether a webhook secret signs.
    WebhookSecretState {
        /// It does.
        Live = "live",
        /// It does not any more.
        Ended = "ended",
    }

    /// How an attempt ended.
    DeliveryResult {
        /// A response of 2xx came in time.
        Delivered = "delivered",
        /// A response with another status came; redirects are not followed.
        Rejected = "rejected",
        /// No whole response came in time.
        TimedOut = "timed_out",
        /// The name has no address, the connection or its TLS failed, or it ended before the response.
        Unreachable = "unreachable",
        /// The URL, or every address of its name, is one that webhooks may not reach. Nothing was sent.
        Forbidden = "forbidden",
        /// The client has no secret to sign with. Nothing was sent.
        Unsigned = "unsigned",
        /// An operator asked for another attempt before this one was made. Nothing was sent.
        Superseded = "superseded",
    }

    /// Where an attempt stands.
    AttemptState {
        /// Not made yet.
        Pending = "pending",
        /// Under way.
        InProgress = "in_progress",
        /// The receiver has the message.
        Delivered = "delivered",
        /// The receiver does not have it, or did not accept it.
        Failed = "failed",
        /// It began, and its end is not recorded: the receiver may have the message.
        Unknown = "unknown",
    }
}

/// The first webhook secret of an environment, which is to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookSecretRequest {
    /// The environment that it signs for.
    pub environment: Environment,
}

/// Another webhook secret of an environment, which is to be issued.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RotationRequest {
    /// The environment that it signs for.
    pub environment: Environment,
    /// How long the secrets before it sign beside it, in hours.
    #[cfg_attr(
        feature = "openapi",
        schemars(
            range(max = super::limits::WEBHOOK_SECRET_OVERLAP_MAX.whole_hours()),
            extend("default" = super::limits::WEBHOOK_SECRET_OVERLAP.whole_hours())
        )
    )]
    pub overlap_hours: Option<u16>,
}

/// A webhook secret's end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RevocationRequest {
    /// Whether the caller knows that no other secret signs.
    #[serde(default)]
    pub last: bool,
}

/// A webhook secret as operators see it: never the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "WebhookSecret"))]
pub struct WebhookSecretView {
    /// Its identity.
    pub id: Id,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it signs for.
    pub environment: Environment,
    /// Whether it signs.
    pub state: WebhookSecretState,
    /// When it was issued.
    pub issued_at: Time,
    /// When it stops signing, or stopped; null until it is rotated or revoked.
    pub ends_at: Option<Time>,
}

/// A webhook secret that was issued: the one time at which it is shown.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NewWebhookSecret {
    /// The secret itself, in base64.
    #[cfg_attr(feature = "openapi", schemars(regex(pattern = "^whsec_[A-Za-z0-9+/]{43}=$")))]
    pub webhook_secret: String,
    /// What is stored of it.
    #[serde(flatten)]
    pub view: WebhookSecretView,
}

/// Which attempts at webhooks are listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptParameters {
    /// Of each page only the attempts that stand so.
    pub state: Option<AttemptState>,
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// An attempt as operators see it: not its message, which opens photos.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Attempt", deny_unknown_fields))]
pub struct AttemptView {
    /// The message.
    pub message_id: MessageIdText,
    /// The number of the attempt, from 1.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub attempt: u32,
    /// The client.
    pub client_id: ClientId,
    /// The environment of the session.
    pub environment: Environment,
    /// The receiver's origin. The rest of its URL may hold a secret of the integrator.
    pub receiver: String,
    /// Where it stands.
    pub state: AttemptState,
    /// How it ended; null before, and where that is not known.
    pub result: Option<DeliveryResult>,
    /// The HTTP status of the response; null where none came.
    #[cfg_attr(feature = "openapi", schemars(range(min = 100, max = 999)))]
    pub status: Option<u16>,
    /// How long it took, in milliseconds; null before its end.
    pub duration_ms: Option<u64>,
    /// The beginning of a response that refused, or the cause of a failure.
    pub detail: String,
    /// When it was asked for.
    pub requested_at: Time,
    /// When it began; null until then.
    pub claimed_at: Option<Time>,
    /// When the message can no longer be delivered.
    pub expires_at: Time,
}
