//! A license: what a client may capture, from where, and under which rules.

use lacre_api::IntegrityEnforcement;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ApiKeyRecord, ClientId, ClientStatus, Environment, KeyHash, KeyStatus, LicenseId, LicenseStatus, LicenseTerms,
    limits,
};

/// A license with its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct License {
    /// Its identity, on which usage, evidence and alerts hang.
    pub id: LicenseId,
    /// The client that it belongs to.
    pub client_id: ClientId,
    /// The environment that it is for.
    pub environment: Environment,
    /// Whether it is in force.
    pub status: LicenseStatus,
    /// What it permits, and under which rules.
    #[serde(flatten)]
    pub terms: LicenseTerms,
}

/// The operator's part of a license's record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseIssue {
    /// The key that is in force.
    pub key: KeyHash,
    /// The last characters of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_suffix: Option<String>,
    /// When the license was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// Counts up at every change: of two operators who change a license at once, one gets an error.
    pub revision: u32,
}

/// Why a license that exists may not be used now; in the order in which the reasons take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LicenseFault {
    /// The license is revoked.
    #[error("the license is revoked")]
    Revoked,
    /// Its client is suspended.
    #[error("the client is suspended")]
    ClientSuspended,
    /// Its agreement has ended.
    #[error("the license has expired")]
    Expired,
}

impl LicenseFault {
    /// The rule for all who use a license: it is in force, its client is not suspended, and its agreement has not ended.
    fn check(
        license: LicenseStatus,
        client: ClientStatus,
        expires_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<(), Self> {
        if license == LicenseStatus::Revoked {
            Err(Self::Revoked)
        } else if client == ClientStatus::Suspended {
            Err(Self::ClientSuspended)
        } else if now >= expires_at {
            Err(Self::Expired)
        } else {
            Ok(())
        }
    }
}

impl License {
    /// Checks that the license of a client in a status may be used at `now`.
    ///
    /// # Errors
    /// The first [`LicenseFault`] that applies.
    pub fn check_usable(&self, client: ClientStatus, now: OffsetDateTime) -> Result<(), LicenseFault> {
        LicenseFault::check(self.status, client, self.terms.expires_at.0, now)
    }

    /// Whether hosted sessions may use the license.
    #[must_use]
    pub fn is_hosted(&self) -> bool {
        !self.terms.redirect_origins.is_empty()
    }

    /// Captures per month as clients see them: the sandbox has no limit.
    #[must_use]
    pub fn effective_volume_limit(&self) -> u64 {
        if self.environment == Environment::Sandbox { limits::UNLIMITED_VOLUME } else { self.terms.volume_limit }
    }

    /// The policy for compromised devices, which follows the environment.
    #[must_use]
    pub fn integrity_enforcement(&self) -> IntegrityEnforcement {
        match self.environment {
            Environment::Production => IntegrityEnforcement::Block,
            Environment::Staging => IntegrityEnforcement::Warn,
            Environment::Sandbox => IntegrityEnforcement::Ignore,
        }
    }
}

/// The record of a license key, with copies of its license and client, so that create needs one read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseKeyRecord {
    /// The license that it opens.
    pub license_id: LicenseId,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The environment that the license is for.
    pub environment: Environment,
    /// Whether this key is in force, or was replaced by rotation.
    pub status: KeyStatus,
    /// Whether the license is in force.
    pub license_status: LicenseStatus,
    /// Whether the client may use the service.
    pub client_status: ClientStatus,
    /// The end of the agreement.
    #[serde(with = "crate::exact::millis")]
    pub expires_at: OffsetDateTime,
    /// The most photos of one session; `None` is unlimited.
    pub max_captures_per_session: Option<u32>,
}

impl LicenseKeyRecord {
    /// Whether a session of `total_photos` photos may be created with this key by the client of an API key. Whatever the
    /// cause of a no, it looks the same from outside.
    #[must_use]
    pub fn may_create(&self, api_key: &ApiKeyRecord, total_photos: u32, now: OffsetDateTime) -> bool {
        self.client_id == api_key.client_id
            && self.status == KeyStatus::Active
            && LicenseFault::check(self.license_status, self.client_status, self.expires_at, now).is_ok()
            && self.max_captures_per_session.is_none_or(|most| total_photos <= most)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::expect_used)]
    use super::*;
    use crate::{ExactTime, NamedTerms};

    /// A license in force, with a limit of 10 captures until 2027.
    pub(crate) fn license(environment: Environment) -> License {
        License {
            id: LicenseId("l".into()),
            client_id: ClientId("c".into()),
            environment,
            status: LicenseStatus::Active,
            terms: NamedTerms {
                expires_at: Some(ExactTime(time::macros::datetime!(2027-01-01 00:00:00 UTC))),
                volume_limit: Some(10),
                tsa_required: Some(false),
                ..NamedTerms::default()
            }
            .complete(Some(environment))
            .expect("the terms without a default are named"),
        }
    }
}
