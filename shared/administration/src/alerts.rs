//! Alerts: what was raised, by license, by client, by month.

use domain::{Alert, AlertKind, ClientId, Environment, LicenseId, capture, clock::rfc3339};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::{Administration, Error};

/// Which alerts are requested. Without license and client they are those of a month: the current one unless it is named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertFilter {
    /// Only alerts of this license.
    pub license: Option<LicenseId>,
    /// Only alerts of this client.
    pub client: Option<ClientId>,
    /// Only alerts of this calendar month in UTC: `2026-11`.
    pub month: Option<String>,
}

/// An alert as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertView {
    /// Its kind.
    pub alert: AlertKind,
    /// The license that it is about.
    pub license_id: LicenseId,
    /// The client whose license that is.
    pub client_id: ClientId,
    /// The license's environment.
    pub environment: Environment,
    /// The calendar month, UTC, that it belongs to.
    pub month: String,
    /// When it was raised: RFC 3339, UTC.
    pub raised_at: String,
    /// The month's captures at that time; only of the volume's alerts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captures_used: Option<u64>,
    /// The volume limit at that time; only of the volume's alerts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_limit: Option<u64>,
    /// When the alert was published: RFC 3339, UTC; `null` until then.
    pub published_at: Option<String>,
}

impl Administration {
    /// The alerts that a filter lets through, in the order in which they were raised.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a license or client that does not exist, [`Error::Invalid`] for an invalid month.
    pub async fn alerts(&self, filter: &AlertFilter) -> Result<Vec<AlertView>, Error> {
        if let Some(month) = &filter.month {
            check_month(month)?;
        }
        let mut alerts = self.found(filter).await?;
        alerts.retain(|alert| {
            filter.month.as_ref().is_none_or(|month| alert.month == *month)
                && filter.client.as_ref().is_none_or(|client| alert.client_id == *client)
        });
        alerts.sort_by_key(|alert| (alert.raised_at, alert.kind));
        Ok(alerts.iter().map(AlertView::of).collect())
    }

    /// The alerts of the narrowest stored list.
    async fn found(&self, filter: &AlertFilter) -> Result<Vec<Alert>, Error> {
        if let Some(license) = &filter.license {
            self.issued_license(license).await?;
            return Ok(self.alerts.of_license(license).await?);
        }
        if let Some(client) = &filter.client {
            self.client(client).await?;
        }
        if let (Some(client), None) = (&filter.client, &filter.month) {
            let licenses = self.register.licenses(client).await?;
            let lists = try_join_all(licenses.iter().map(|issued| self.alerts.of_license(&issued.license.id))).await?;
            return Ok(lists.concat());
        }
        let month = filter.month.clone().unwrap_or_else(|| capture::month_of(self.clock.now()));
        Ok(self.alerts.of_month(&month, filter.client.as_ref()).await?)
    }
}

pub(crate) fn check_month(month: &str) -> Result<(), Error> {
    match capture::is_month(month) {
        true => Ok(()),
        false => Err(Error::Invalid(format!("{month:?} is not a month: write it as 2026-11"))),
    }
}

impl AlertView {
    fn of(alert: &Alert) -> Self {
        Self {
            alert: alert.kind,
            license_id: alert.license_id.clone(),
            client_id: alert.client_id.clone(),
            environment: alert.environment,
            month: alert.month.clone(),
            raised_at: rfc3339(alert.raised_at),
            captures_used: alert.captures_used,
            volume_limit: alert.volume_limit,
            published_at: alert.published_at.map(rfc3339),
        }
    }
}
