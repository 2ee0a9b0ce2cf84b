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
        /// The month's captures have reached the limit: from here on the license is refused as over volume.
        Volume100 = "VOLUME_100",
        /// The license was revoked.
        Revoked = "REVOKED",
    }

    /// The one state by which alerts are listed.
    AlertState {
        /// Nobody has acknowledged the alert.
        Open = "open",
    }
}

/// Which alerts are listed. Without `license` and `client` they are those of a month.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AlertParameters {
    /// Only alerts in this state, of all clients and months. No other filter may stand beside it.
    pub state: Option<AlertState>,
    /// Only alerts of this license.
    pub license: Option<LicenseId>,
    /// Only alerts of this client.
    pub client: Option<ClientId>,
    /// Only alerts of this month. The default is the current one, unless the request names a license or a client.
    #[cfg_attr(feature = "openapi", schemars(with = "Option<Month>"))]
    pub month: Option<String>,
    /// Most entries of the page.
    pub limit: Option<LimitText>,
    /// The `next` of the page before, of the same list.
    pub cursor: Option<Cursor>,
}

/// An alert as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Alert", deny_unknown_fields))]
pub struct AlertView {
    /// Its kind.
    pub alert: AlertKind,
    /// The license that it is about.
    pub license_id: LicenseId,
    /// The client whose license that is.
    pub client_id: ClientId,
    /// The license's environment.
    pub environment: Environment,
    /// The month that it belongs to.
    pub month: Month,
    /// When it was raised.
    pub raised_at: Time,
    /// The month's captures at that time; only of alerts about the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures_used: Option<u64>,
    /// The volume limit at that time; only of alerts about the volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<u64>,
    /// When it was published; null until then.
    pub published_at: Option<Time>,
    /// When an operator acknowledged it; null until then.
    pub acknowledged_at: Option<Time>,
    /// The ARN of that operator's IAM principal.
    pub acknowledged_by: Option<String>,
}
