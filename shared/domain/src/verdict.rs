//! The verdict of `POST /validate`: a license's policy, or the reason why the license may not be used.

use lacre_api::{LicensePolicy, Reason};

use crate::{License, LicenseFault, Origin, clock::rfc3339, origin::check_origin};

impl From<LicenseFault> for Reason {
    fn from(fault: LicenseFault) -> Self {
        match fault {
            LicenseFault::Revoked => Self::Revoked,
            LicenseFault::ClientSuspended => Self::ClientSuspended,
            LicenseFault::Expired => Self::Expired,
        }
    }
}

impl License {
    /// The policy of a license that passed [`License::check_usable`].
    ///
    /// `origin` is the page's origin. `None` if the request has no `Origin` header, as those of native SDKs: then it is
    /// not checked. `Some(None)` for an origin that cannot be parsed, such as `null`, which no allowlist admits.
    ///
    /// # Errors
    /// The first [`Reason`] why the license may not be used.
    pub fn policy(&self, captures_used: u64, origin: Option<Option<Origin>>) -> Result<LicensePolicy, Reason> {
        if let Some(origin) = origin
            && check_origin(&self.terms.authorized_origins, self.environment, origin).is_err()
        {
            return Err(Reason::OriginNotAllowed);
        }
        let volume_limit = self.effective_volume_limit();
        if captures_used >= volume_limit {
            return Err(Reason::VolumeExceeded);
        }
        Ok(LicensePolicy {
            valid: true,
            environment: self.environment,
            integrity_enforcement: self.integrity_enforcement(),
            capture_resolution: self.terms.capture_resolution,
            tsa_required: self.terms.tsa_required,
            max_captures_per_session: self.terms.max_captures_per_session,
            captures_used,
            volume_limit,
            expires_at: rfc3339(self.terms.expires_at.0).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{ClientStatus, Environment, LicenseStatus, OriginPattern};
    use time::{Duration, OffsetDateTime, macros::datetime};

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00:00 UTC);

    fn license() -> License {
        let mut license = crate::license::tests::license(Environment::Staging);
        license.terms.expires_at.0 = NOW + Duration::days(1);
        license.terms.authorized_origins = vec![OriginPattern::parse("https://app.example.com").unwrap()];
        license
    }

    #[test]
    fn a_valid_license_returns_its_policy() {
        let policy = license().policy(9, None);
        assert_eq!(
            serde_json::to_value(policy.unwrap()).unwrap(),
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
        let policy = license.policy(1_000_000, None).unwrap();
        assert_eq!((policy.captures_used, policy.volume_limit), (1_000_000, 9_007_199_254_740_991));
    }

    /// Starts from a license that fails every check and repairs one fault at a time: the reasons must appear in order
    /// of precedence.
    #[test]
    fn reasons_take_precedence_in_order() {
        let mut license = license();
        let mut client = ClientStatus::Suspended;
        license.status = LicenseStatus::Revoked;
        license.terms.expires_at.0 = NOW;
        let mut origin = Some(None);
        let mut used = 10;
        let mut seen = Vec::new();
        for _ in 0..6 {
            let usable = license.check_usable(client, NOW).map_err(Reason::from);
            let Err(reason) = usable.and_then(|()| license.policy(used, origin.clone())) else { break };
            seen.push(reason);
            match reason {
                Reason::Revoked => license.status = LicenseStatus::Active,
                Reason::ClientSuspended => client = ClientStatus::Active,
                Reason::Expired => license.terms.expires_at.0 = NOW + Duration::milliseconds(1),
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
