//! The answer of `POST /validate`: a license's policy, or the reason of its refusal.

use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    CaptureResolution, Client, Environment, IntegrityEnforcement, License, LicenseFault, Origin, clock::rfc3339,
    origin::check_origin,
};

/// A verdict in the shape of the wire.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Verdict {
    /// The license may be used.
    Valid(Policy),
    /// The license may not be used.
    Refused(Refused),
}

/// The policy of a usable license, for the SDKs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Policy {
    valid: bool,
    environment: Environment,
    integrity_enforcement: IntegrityEnforcement,
    capture_resolution: CaptureResolution,
    tsa_required: bool,
    max_captures_per_session: Option<u32>,
    captures_used: u64,
    volume_limit: u64,
    expires_at: String,
}

/// A refusal with its reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    valid: bool,
    reason: Reason,
}

/// Why a license may not be used; in the order in which the reasons take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// The key is unknown, malformed or was replaced.
    InvalidKey,
    /// The license was revoked.
    Revoked,
    /// The client is suspended.
    ClientSuspended,
    /// The contract has ended.
    Expired,
    /// The page's origin is not on the license's allowlist.
    OriginNotAllowed,
    /// The month's captures are used up.
    VolumeExceeded,
}

impl Verdict {
    /// A refusal.
    #[must_use]
    pub fn refused(reason: Reason) -> Self {
        Self::Refused(Refused { valid: false, reason })
    }

    /// Why the license may not be used; `None` if it may.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Valid(_) => None,
            Self::Refused(Refused { reason, .. }) => Some(*reason),
        }
    }

    /// Judges a license. `origin` is the page's, where the request names one: native SDKs do not, and are not asked.
    /// `origin` of `Some(None)` is one that cannot be read, such as `null`, which no allowlist admits.
    #[must_use]
    pub fn of(
        license: &License,
        client: &Client,
        captures_used: u64,
        origin: Option<Option<Origin>>,
        now: OffsetDateTime,
    ) -> Self {
        if let Err(fault) = license.check_usable(client.status, now) {
            return Self::refused(match fault {
                LicenseFault::Revoked => Reason::Revoked,
                LicenseFault::ClientSuspended => Reason::ClientSuspended,
                LicenseFault::Expired => Reason::Expired,
            });
        }
        if let Some(origin) = origin
            && check_origin(&license.authorized_origins, license.environment, origin).is_err()
        {
            return Self::refused(Reason::OriginNotAllowed);
        }
        let volume_limit = license.effective_volume_limit();
        if captures_used >= volume_limit {
            return Self::refused(Reason::VolumeExceeded);
        }
        Self::Valid(Policy {
            valid: true,
            environment: license.environment,
            integrity_enforcement: license.integrity_enforcement(),
            capture_resolution: license.capture_resolution,
            tsa_required: license.tsa_required,
            max_captures_per_session: license.max_captures_per_session,
            captures_used,
            volume_limit,
            expires_at: rfc3339(license.expires_at),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{ClientId, ClientStatus, LicenseStatus, OriginPattern};
    use time::{Duration, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00 UTC);

    fn license() -> License {
        License {
            expires_at: NOW + Duration::days(1),
            authorized_origins: vec![OriginPattern::parse("https://app.example.com").unwrap()],
            ..crate::license::tests::license(Environment::Staging)
        }
    }

    fn client(status: ClientStatus) -> Client {
        Client { id: ClientId("c".into()), name: "C".into(), status }
    }

    #[test]
    fn a_valid_license_returns_its_policy() {
        let verdict = Verdict::of(&license(), &client(ClientStatus::Active), 9, None, NOW);
        assert_eq!(
            serde_json::to_value(verdict).unwrap(),
            serde_json::json!({
                "valid": true, "environment": "STAGING", "integrity_enforcement": "WARN", "capture_resolution": "FHD",
                "tsa_required": false, "max_captures_per_session": null, "captures_used": 9, "volume_limit": 10,
                "expires_at": "2026-11-21T12:00:00Z",
            })
        );
    }

    #[test]
    fn the_sandbox_counts_and_never_refuses() {
        let mut license = license();
        license.environment = Environment::Sandbox;
        let verdict = Verdict::of(&license, &client(ClientStatus::Active), 1_000_000, None, NOW);
        let Verdict::Valid(policy) = verdict else { unreachable!("{verdict:?}") };
        assert_eq!((policy.captures_used, policy.volume_limit), (1_000_000, 9_007_199_254_740_991));
    }

    /// Breaks everything, then fixes one thing after the other: the reasons must appear in their order of precedence.
    #[test]
    fn reasons_take_precedence_in_order() {
        let mut license = license();
        let mut client = client(ClientStatus::Suspended);
        license.status = LicenseStatus::Revoked;
        license.expires_at = NOW;
        let mut origin = Some(None);
        let mut used = 10;
        let mut seen = Vec::new();
        for _ in 0..6 {
            let verdict = Verdict::of(&license, &client, used, origin.clone(), NOW);
            let Verdict::Refused(Refused { valid: false, reason }) = verdict else {
                break;
            };
            seen.push(reason);
            match reason {
                Reason::Revoked => license.status = LicenseStatus::Active,
                Reason::ClientSuspended => client.status = ClientStatus::Active,
                Reason::Expired => license.expires_at = NOW + Duration::milliseconds(1),
                Reason::OriginNotAllowed => origin = Some(Origin::parse("https://app.example.com")),
                Reason::VolumeExceeded => used = 9,
                Reason::InvalidKey => unreachable!(),
            }
        }
        let order = [
            Reason::Revoked,
            Reason::ClientSuspended,
            Reason::Expired,
            Reason::OriginNotAllowed,
            Reason::VolumeExceeded,
        ];
        assert_eq!(seen, order);
    }
}
