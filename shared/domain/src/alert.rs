//! Alerts on a license: volume thresholds and revocation. Each kind is raised at most once per license and calendar
//! month.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{AlertKind, ClientId, Environment, License, LicenseId};

/// The percentage of the volume limit at which an alert of this kind is raised; `None` for kinds that do not concern
/// the volume.
#[must_use]
pub const fn threshold_percent(kind: AlertKind) -> Option<u64> {
    match kind {
        AlertKind::Volume70 => Some(70),
        AlertKind::Volume90 => Some(90),
        AlertKind::Volume100 => Some(100),
        AlertKind::Revoked => None,
    }
}

/// The volume alerts whose thresholds `captures_used` has reached, lowest threshold first. Empty in the sandbox, which
/// has no volume limit, and when nothing was captured, even if the limit is 0.
#[must_use]
pub fn reached(captures_used: u64, license: &License) -> Vec<AlertKind> {
    if license.environment == Environment::Sandbox || captures_used == 0 {
        return Vec::new();
    }
    let is_reached = |kind: &AlertKind| {
        // In 128 bits, so that multiplying any 64-bit limit by a percentage cannot overflow.
        let percent = threshold_percent(*kind).map(u128::from);
        percent
            .is_some_and(|percent| u128::from(captures_used) * 100 >= u128::from(license.terms.volume_limit) * percent)
    };
    AlertKind::ALL.iter().copied().filter(is_reached).collect()
}

/// An alert that was raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What the alert reports.
    pub kind: AlertKind,
    /// The license that the alert is about.
    pub license_id: LicenseId,
    /// The client that the license belongs to.
    pub client_id: ClientId,
    /// The license's environment.
    pub environment: Environment,
    /// The calendar month (UTC, such as `2026-11`) for which the alert was raised.
    pub month: String,
    /// When the alert was raised.
    #[serde(with = "crate::exact::millis")]
    pub raised_at: OffsetDateTime,
    /// The license's captures in the month when the alert was raised; `None` for alerts that do not concern the volume.
    /// It may exceed the threshold, because concurrent captures are counted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures_used: Option<u64>,
    /// The license's volume limit when the alert was raised; `None` for alerts that do not concern the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<u64>,
    /// When the alert was published to its SNS topic; `None` until then.
    #[serde(default, with = "crate::exact::optional_millis", skip_serializing_if = "Option::is_none")]
    pub published_at: Option<OffsetDateTime>,
    /// When an operator acknowledged the alert; `None` until then.
    #[serde(default, with = "crate::exact::optional_millis", skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<OffsetDateTime>,
    /// The ARN of the IAM principal of the operator who acknowledged the alert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_by: Option<String>,
}

impl Alert {
    /// A volume alert on a license.
    #[must_use]
    pub fn of_volume(kind: AlertKind, license: &License, month: &str, captures_used: u64, now: OffsetDateTime) -> Self {
        let volume_limit = Some(license.terms.volume_limit);
        Self { captures_used: Some(captures_used), volume_limit, ..Self::on(kind, license, month.to_owned(), now) }
    }

    /// An alert that reports the revocation of a license.
    #[must_use]
    pub fn of_revocation(license: &License, now: OffsetDateTime) -> Self {
        Self::on(AlertKind::Revoked, license, crate::capture::month_of(now), now)
    }

    fn on(kind: AlertKind, license: &License, month: String, raised_at: OffsetDateTime) -> Self {
        Self {
            kind,
            license_id: license.id.clone(),
            client_id: license.client_id.clone(),
            environment: license.environment,
            month,
            raised_at,
            captures_used: None,
            volume_limit: None,
            published_at: None,
            acknowledged_at: None,
            acknowledged_by: None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Environment;
    use crate::license::tests::license;
    use AlertKind::{Volume70, Volume90, Volume100};

    fn limited(environment: Environment, volume_limit: u64) -> License {
        let mut license = license(environment);
        license.terms.volume_limit = volume_limit;
        license
    }

    #[test]
    fn thresholds_are_compared_without_rounding() {
        let reached =
            |captures_used, volume_limit| super::reached(captures_used, &limited(Environment::Staging, volume_limit));
        assert_eq!(reached(69, 100), []);
        assert_eq!(reached(70, 100), [Volume70]);
        assert_eq!(reached(89, 100), [Volume70]);
        assert_eq!(reached(90, 100), [Volume70, Volume90]);
        assert_eq!(reached(100, 100), [Volume70, Volume90, Volume100]);
        assert_eq!(reached(101, 100), [Volume70, Volume90, Volume100]);
        // The threshold of 70 % of 3 captures is 2.1, so 2 captures do not reach it.
        assert_eq!((reached(2, 3), reached(3, 3)), (vec![], vec![Volume70, Volume90, Volume100]));
        assert_eq!((reached(0, 0), reached(1, 0).len()), (vec![], 3));
        assert_eq!(reached(u64::MAX, u64::MAX).len(), 3);
    }

    #[test]
    fn the_sandbox_raises_no_volume_alerts() {
        let license = limited(Environment::Sandbox, 1);
        assert_eq!(reached(1000, &license), []);
    }
}
