//! Licenses.

use serde::{Deserialize, Serialize};

use super::{ClientId, KeyIdText, KeySuffix, LicenseId, Month, page::MonthsText};
use crate::{Environment, IntegrityEnforcement, LicenseTerms, NamedTerms, Reason, Time, values::words};

words! {
    /// Whether a license is active. Revocation is irreversible.
    LicenseStatus {
        /// The license may be used.
        Active = "active",
        /// The license was revoked permanently.
        Revoked = "revoked",
    }
}

/// A license to be issued. Unknown fields are refused with an error text that depends on whether the environment is
/// known, so the environment is parsed first, and then the terms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LicenseRequest<T = NamedTerms> {
    /// The environment in which the license is valid.
    pub environment: Environment,
    /// The given terms. All others get their defaults.
    #[serde(flatten)]
    pub terms: T,
}

/// A license as operators see it. In the sandbox `volume_limit` is 9007199254740991, which means unlimited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "License"))]
pub struct LicenseView {
    /// The id of the license.
    pub id: LicenseId,
    /// The client that the license was issued to.
    pub client_id: ClientId,
    /// The environment in which the license is valid.
    pub environment: Environment,
    /// Whether the license is active.
    pub status: LicenseStatus,
    /// The terms of the license.
    #[serde(flatten)]
    pub terms: LicenseTerms,
    /// How the native SDKs treat a compromised device, which depends on the environment.
    pub integrity_enforcement: IntegrityEnforcement,
    /// When the license was issued.
    pub issued_at: Time,
    /// The beginning of the SHA-256 of the license's key.
    pub key_id: KeyIdText,
    /// The first characters of the key.
    #[cfg_attr(feature = "openapi", schemars(extend("enum" = ["svc_live_", "svc_stag_", "svc_sand_"])))]
    pub key_prefix: String,
    /// The last characters of the key; null for keys that were issued before they were stored.
    pub key_suffix: Option<KeySuffix>,
    /// A counter that every change increments.
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
    /// The reason for which `POST /validate` refuses the license now, for requests from any page; absent if it does not
    /// refuse it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schemars(
            with = "String",
            extend("enum" = [Reason::Revoked, Reason::ClientSuspended, Reason::Expired, Reason::VolumeExceeded])
        )
    )]
    pub refusal: Option<Reason>,
    /// The captures under the license in this month.
    pub usage: Usage,
}

/// A license in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct ListedLicense {
    /// The license with its usage, which may lag by some seconds.
    #[serde(flatten)]
    pub license: LicenseWithUsage,
    /// The name of the license's client; absent if the client does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
}

/// A license with its new key. This response is the only one that shows the key.
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

/// The license for a client's hosted sessions in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "HostedLicense", deny_unknown_fields))]
pub struct HostedLicenseView {
    /// The id of the client.
    pub client_id: ClientId,
    /// The environment.
    pub environment: Environment,
    /// The id of the license.
    pub license_id: LicenseId,
}

/// The number of months whose usage is listed.
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
