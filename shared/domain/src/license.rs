//! Licenses: what a client may capture, from which origins, and under which policies.

use std::convert::Infallible;

use lacre_api::{IntegrityEnforcement, terms::Moment};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    ApiKeyRecord, ClientId, ClientStatus, Environment, ExactTime, KeyHash, KeyStatus, LicenseId, LicenseStatus,
    LicenseTerms, clock::to_seconds, limits,
};

/// A license with its terms, as captures read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct License {
    /// The license's id, to which usage, evidence records and alerts refer. It stays the same when the key is rotated.
    pub id: LicenseId,
    /// The client that the license was issued to.
    pub client_id: ClientId,
    /// The environment in which the license is valid.
    pub environment: Environment,
    /// Whether the license is active or revoked.
    pub status: LicenseStatus,
    /// What the license permits, and under which policies.
    #[serde(flatten)]
    pub terms: LicenseTerms,
}

/// The part of a license's record that only operators see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseIssue {
    /// The hash of the license's current key.
    pub key: KeyHash,
    /// The last four characters of the current key. `None` in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_suffix: Option<String>,
    /// When the license was issued.
    #[serde(with = "crate::exact::millis")]
    pub issued_at: OffsetDateTime,
    /// A counter that every change increments. If two operators change a license concurrently, the second one gets an
    /// error.
    pub revision: u32,
}

/// Why a license must not be used now, in order of precedence.
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
    /// Checks a license: it is active, its client is not suspended, and its agreement has not ended.
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
    /// Checks that the license may be used at `now`, given the status of its client.
    ///
    /// # Errors
    /// The first [`LicenseFault`] that applies.
    pub fn check_usable(&self, client: ClientStatus, now: OffsetDateTime) -> Result<(), LicenseFault> {
        LicenseFault::check(self.status, client, self.terms.expires_at.0, now)
    }

    /// Whether the license serves hosted sessions: it has at least one redirect origin.
    #[must_use]
    pub fn is_hosted(&self) -> bool {
        !self.terms.redirect_origins.is_empty()
    }

    /// Whether the license can serve a hosted session of this many photos: it serves hosted sessions, retains photos, and
    /// allows that number. [`HostedFlow::check_redirect`](crate::HostedFlow::check_redirect) checks the redirect's origin.
    #[must_use]
    pub fn may_host(&self, photos: usize) -> bool {
        let most = self.terms.max_captures_per_session;
        self.is_hosted()
            && self.terms.store_asset_policy.retains()
            && most.is_none_or(|most| u32::try_from(photos).is_ok_and(|photos| photos <= most))
    }

    /// The monthly volume limit as clients see it. The sandbox has the unlimited value.
    #[must_use]
    pub fn effective_volume_limit(&self) -> u64 {
        if self.environment == Environment::Sandbox { limits::UNLIMITED_VOLUME } else { self.terms.volume_limit }
    }

    /// The terms as clients and operators see them: with times in whole seconds, and the volume limit that is in force.
    #[must_use]
    pub fn shown_terms(&self) -> lacre_api::LicenseTerms {
        let moment = |ExactTime(at)| Ok::<_, Infallible>(Moment(to_seconds(at)));
        let Ok(terms) = self.terms.clone().convert(moment, |_, origin| Ok(origin.to_string()));
        lacre_api::LicenseTerms { volume_limit: self.effective_volume_limit(), ..terms }
    }

    /// The policy towards compromised devices, which the environment determines.
    #[must_use]
    pub fn integrity_enforcement(&self) -> IntegrityEnforcement {
        match self.environment {
            Environment::Production => IntegrityEnforcement::Block,
            Environment::Staging => IntegrityEnforcement::Warn,
            Environment::Sandbox => IntegrityEnforcement::Ignore,
        }
    }
}

/// The record of a license key. It copies values of its license and client, so that creating a session takes one read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseKeyRecord {
    /// The license that the key belongs to.
    pub license_id: LicenseId,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The environment of the license.
    pub environment: Environment,
    /// Whether this key is active, or was replaced by a rotation.
    pub status: KeyStatus,
    /// Whether the license is active or revoked.
    pub license_status: LicenseStatus,
    /// Whether the client is active or suspended.
    pub client_status: ClientStatus,
    /// When the license's agreement ends.
    #[serde(with = "crate::exact::millis")]
    pub expires_at: OffsetDateTime,
    /// The maximum number of photos in one session; `None` means unlimited.
    pub max_captures_per_session: Option<u32>,
}

impl LicenseKeyRecord {
    /// Whether the owner of `api_key` may create a session of `total_photos` photos with this license key. The caller
    /// gets the same refusal whatever the cause, so that a stranger cannot probe keys.
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

    /// An active license with a limit of 10 captures, whose agreement ends in 2027.
    pub(crate) fn license(environment: Environment) -> License {
        License {
            id: LicenseId::from_u128(2),
            client_id: ClientId::from_u128(1),
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

    #[test]
    fn a_key_creates_up_to_the_maximum() {
        let License { client_id, environment, .. } = license(Environment::Sandbox);
        let api_key = ApiKeyRecord {
            client_id: client_id.clone(),
            environment,
            status: KeyStatus::Active,
            client_status: ClientStatus::Active,
        };
        let now = time::macros::datetime!(2026-12-01 00:00:00 UTC);
        let record = LicenseKeyRecord {
            license_id: LicenseId::from_u128(2),
            client_id,
            environment,
            status: KeyStatus::Active,
            license_status: LicenseStatus::Active,
            client_status: ClientStatus::Active,
            expires_at: now + time::Duration::DAY,
            max_captures_per_session: Some(3),
        };
        assert_eq!([2, 3, 4].map(|photos| record.may_create(&api_key, photos, now)), [true, true, false]);
    }
}
