//! Licenses.

use serde::{Deserialize, Serialize};

use super::{ClientId, KeyId, KeySuffix, LicenseId, Month, page::MonthsText};
use crate::{Environment, IntegrityEnforcement, LicenseTerms, NamedTerms, Reason, Time, values::words};

words! {
    /// Whether a license is in force. Revocation is irreversible.
    LicenseStatus {
        /// In force.
        Active = "active",
        /// Revoked, for ever.
        Revoked = "revoked",
    }
}

/// A license that is to be issued. Fields that are unknown are refused, each with the text of its own kind: so the
/// environment is read first, and the terms after it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LicenseRequest<T = NamedTerms> {
    /// The environment that it is for.
    pub environment: Environment,
    /// The terms that are named. The others get their defaults.
    #[serde(flatten)]
    pub terms: T,
}

/// A license as operators see it. In the sandbox its `volume_limit` is 9007199254740991, which is no limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "License"))]
pub struct LicenseView {
    /// Its identity.
    pub id: LicenseId,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: LicenseStatus,
    /// Its terms.
    #[serde(flatten)]
    pub terms: LicenseTerms,
    /// How the native SDKs treat a compromised device, which depends on the environment.
    pub integrity_enforcement: IntegrityEnforcement,
    /// When it was issued.
    pub issued_at: Time,
    /// The beginning of the key's hash.
    pub key_id: KeyId,
    /// How the key begins.
    #[cfg_attr(feature = "openapi", schemars(extend("enum" = ["svc_live_", "svc_stag_", "svc_sand_"])))]
    pub key_prefix: String,
    /// How the key ends; null for one of an earlier version.
    pub key_suffix: Option<KeySuffix>,
    /// Counts up at every change.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1)))]
    pub revision: u32,
}

/// A license with its usage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct LicenseWithUsage {
    /// The license.
    #[serde(flatten)]
    pub view: LicenseView,
    /// Why `POST /validate` refuses it now, whatever page asks; absent while it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(
            with = "String",
            extend("enum" = [Reason::Revoked, Reason::ClientSuspended, Reason::Expired, Reason::VolumeExceeded])
        )
    )]
    pub refusal: Option<Reason>,
    /// The captures under it in this month.
    pub usage: Usage,
}

/// A license in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ListedLicense {
    /// The license with its usage, which may be some seconds behind.
    #[serde(flatten)]
    pub license: LicenseWithUsage,
    /// The name of its client; absent when the client does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
}

/// A license with the key that was issued for it: the one time at which the key is shown.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct NewLicense {
    /// The key itself.
    #[cfg_attr(feature = "openapi", schemars(with = "crate::LicenseKeyText"))]
    pub license_key: String,
    /// The license.
    #[serde(flatten)]
    pub view: LicenseView,
}

/// The license that hosted sessions of a client use in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "HostedLicense", deny_unknown_fields))]
pub struct HostedLicenseView {
    /// The client.
    pub client_id: ClientId,
    /// The environment.
    pub environment: Environment,
    /// The license.
    pub license_id: LicenseId,
}

/// How many months of usage are listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UsageParameters {
    /// The number of months, the current one included.
    pub months: Option<MonthsText>,
}

/// The captures of a license in a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Usage {
    /// The month.
    pub month: Month,
    /// The number of captures.
    pub captures_used: u64,
}
