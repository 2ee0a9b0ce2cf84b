//! The state of the service at a glance.

use serde::{Deserialize, Serialize};

use crate::{Environment, Time, values::words};

words! {
    /// The signers of a signer profile.
    Signer {
        /// The signer of the ICP-Brasil signature.
        Seal = "seal",
        /// The signer of the C2PA claim.
        Claim = "claim",
    }
}

/// The state of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Overview {
    /// When the state was read.
    pub at: Time,
    /// The captures of all environments, production first. They may lag by some seconds.
    #[cfg_attr(feature = "openapi", schemars(length(equal = Environment::ALL.len())))]
    pub captures: Vec<CapturesView>,
    /// The alerts that no operator has acknowledged.
    pub open_alerts: Count,
    /// The failed attempts at webhooks that were not followed by a redelivery.
    pub failing_webhooks: Count,
    /// For each signer in force, the certificate of its chain that expires first.
    pub certificates: Vec<CertificateEnd>,
}

/// The captures of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "Captures", deny_unknown_fields))]
pub struct CapturesView {
    /// The environment.
    pub environment: Environment,
    /// The captures of the current day, UTC.
    pub today: u64,
    /// The captures of the current calendar month, UTC.
    pub month: u64,
}

/// A count, up to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Count {
    /// The number.
    #[cfg_attr(feature = "openapi", schemars(range(max = super::limits::COUNTED)))]
    pub count: usize,
    /// Whether there are more than the count.
    pub more: bool,
}

/// When a signer's certificate chain expires: the certificate in it that expires first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct CertificateEnd {
    /// The environment.
    pub environment: Environment,
    /// The signer.
    pub signer: Signer,
    /// The certificate's subject (RFC 4514); null if the chain cannot be parsed.
    pub subject: Option<String>,
    /// The last second of the certificate's validity; null if the chain cannot be parsed.
    pub not_after: Option<Time>,
    /// Whole days until expiry; negative afterwards, 0 if the chain cannot be parsed.
    pub days_left: i64,
}
