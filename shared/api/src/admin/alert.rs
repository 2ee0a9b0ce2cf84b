//! Alerts.

use serde::{Deserialize, Serialize};

use super::{ClientId, Cursor, LicenseId, LimitText, Month};
use crate::{Environment, Time, values::words};

words! {
    /// The kind of an alert.
    AlertKind {
        /// The month's captures have reached 70 % of the volume limit.
        Volume70 = "VOLUME_70",
        /// The month's captures have reached 90 % of the volume limit.
        Volume90 = "VOLUME_90",
        /// The month's captures have reached the volume limit: the license is refused with `VOLUME_EXCEEDED`.
        Volume100 = "VOLUME_100",
        /// The license was revoked.
        Revoked = "REVOKED",
    }

    /// The state by which alerts can be filtered.
    AlertState {
        /// No operator has acknowledged the alert.
        Open = "open",
    }
}

/// The filter of a list of alerts. Without `license` and `client`, the alerts of a month are listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AlertParameters {
    /// Only alerts in this state, of all clients and months. It cannot be combined with another filter.
    pub state: Option<AlertState>,
    /// Only alerts of this license.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<LicenseId>"))]
    pub license: Option<String>,
    /// Only alerts of this client.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<ClientId>"))]
    pub client: Option<String>,
    /// Only alerts of this month. The default is the current one, unless the request names a license or a client.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<Month>"))]
    pub month: Option<String>,
    /// Maximum number of entries on the page.
    pub limit: Option<LimitText>,
    /// The `next` of the previous page of the same list.
    pub cursor: Option<Cursor>,
}

/// An alert as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Alert", deny_unknown_fields))]
pub struct AlertView {
    /// The kind of the alert.
    pub alert: AlertKind,
    /// The license that the alert is about.
    pub license_id: LicenseId,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The environment of the license.
    pub environment: Environment,
    /// The month for which the alert was raised.
    pub month: Month,
    /// When the alert was raised.
    pub raised_at: Time,
    /// The month's captures when the alert was raised; only for alerts about the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures_used: Option<u64>,
    /// The volume limit when the alert was raised; only for alerts about the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<u64>,
    /// When the alert was published; null until then.
    pub published_at: Option<Time>,
    /// When an operator acknowledged the alert; null until then.
    pub acknowledged_at: Option<Time>,
    /// The ARN of the IAM principal of the operator who acknowledged the alert.
    pub acknowledged_by: Option<String>,
}
