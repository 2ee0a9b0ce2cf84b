//! The state of the service at a glance.

use serde::{Deserialize, Serialize};

use crate::{Environment, Time, values::words};

words! {
    /// What a signer signs.
    Signer {
        /// The ICP-Brasil signature.
        Seal = "seal",
        /// The C2PA claim.
        Claim = "claim",
    }
}

/// The state of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Overview {
    /// When it was read.
    pub at: Time,
    /// The captures of every environment, production first. They may be some seconds behind.
    #[cfg_attr(feature = "openapi", schemars(length(equal = Environment::ALL.len())))]
    pub captures: Vec<CapturesView>,
    /// The alerts that nobody has acknowledged.
    pub open_alerts: Count,
    /// The failed attempts at webhooks that no redelivery followed.
    pub failing_webhooks: Count,
    /// Of each signer that is in force, the certificate of its chain that ends first.
    pub certificates: Vec<CertificateEnd>,
}

/// The captures of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Captures", deny_unknown_fields))]
pub struct CapturesView {
    /// The environment.
    pub environment: Environment,
    /// Those of the day, UTC.
    pub today: u64,
    /// Those of the calendar month, UTC.
    pub month: u64,
}

/// A count that ends at 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Count {
    /// The number.
    #[cfg_attr(feature = "openapi", schemars(range(max = super::limits::COUNTED)))]
    pub count: usize,
    /// Whether there are more.
    pub more: bool,
}

/// When a signer's chain ends: its certificate that ends first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CertificateEnd {
    /// The environment.
    pub environment: Environment,
    /// The signer.
    pub signer: Signer,
    /// The subject (RFC 4514); null when the chain cannot be read.
    pub subject: Option<String>,
    /// The last second of its validity; null when the chain cannot be read.
    pub not_after: Option<Time>,
    /// Whole days left; negative after the end, 0 when the chain cannot be read.
    pub days_left: i64,
}
