//! Alerts: listing and acknowledging them, by license, client or month.

use std::sync::Arc;

use futures_util::future::try_join_all;
use lacre_api::admin::AlertView;
use lacre_domain::{Alert, AlertKind, ClientId, Clock, LicenseId, Operation, capture, clock::rfc3339};
use lacre_storage::{Alerts, Connection, Listed, PageRequest, Register};

use crate::{Error, caller::Auditor, clients::existing_client, licenses::issued_license};

/// The number of licenses whose alerts are read concurrently.
const LICENSES_AT_ONCE: usize = 50;

/// A filter of alerts. Without license and client it selects those of a month, by default the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// Only alerts of this license.
    pub license: Option<LicenseId>,
    /// Only alerts of this client.
    pub client: Option<ClientId>,
    /// Only alerts of this calendar month in UTC, such as `2026-11`.
    pub month: Option<String>,
}

/// The operations on the alerts that were raised.
pub struct RaisedAlerts {
    register: Register,
    alerts: Alerts,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl RaisedAlerts {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self { register: Register::new(connection), alerts: Alerts::new(connection), auditor, clock }
    }

    /// The alerts that a filter selects, in the order in which they were raised.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the license or client does not exist, [`Error::Invalid`] for a malformed month.
    pub async fn list(&self, filter: &AlertFilter) -> Result<Vec<AlertView>, Error> {
        if let Some(month) = &filter.month {
            check_month(month)?;
        }
        let mut alerts = self.found(filter).await?;
        alerts.retain(|alert| {
            filter.month.as_ref().is_none_or(|month| alert.month == *month)
                && filter.client.as_ref().is_none_or(|client| alert.client_id == *client)
        });
        alerts.sort_by_key(|alert| (alert.raised_at, alert.kind));
        Ok(alerts.iter().map(view).collect())
    }

    /// The unacknowledged alerts, newest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid cursor.
    pub async fn open(&self, page: &PageRequest) -> Result<Listed<AlertView>, Error> {
        Ok(views(self.alerts.open(page).await?))
    }

    /// The alerts of a month (by default the current one), of one client or of all, ordered by client and license.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn of_month(
        &self,
        month: Option<&str>,
        client: Option<&ClientId>,
        page: &PageRequest,
    ) -> Result<Listed<AlertView>, Error> {
        let month = month.map_or_else(|| capture::month_of(self.clock.now()), str::to_owned);
        check_month(&month)?;
        if let Some(client) = client {
            existing_client(&self.register, client).await?;
        }
        Ok(views(self.alerts.page_of_month(&month, client, page).await?))
    }

    /// Acknowledges an alert, which then no longer counts as open.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::NotFound`]; [`Error::Refused`] if it is already acknowledged.
    pub async fn acknowledge(&self, license: &LicenseId, month: &str, alert: &str) -> Result<AlertView, Error> {
        let entry = self.auditor.entry(Operation::AcknowledgeAlert).about(license);
        let acknowledged = async {
            check_month(month)?;
            let kind = AlertKind::parse(alert);
            let kind = kind
                .ok_or_else(|| Error::Invalid("an alert must be VOLUME_70, VOLUME_90, VOLUME_100 or REVOKED".into()))?;
            issued_license(&self.register, license).await?;
            let raised = self.alerts.of_license(license).await?;
            let known = raised.into_iter().find(|alert| alert.kind == kind && alert.month == month);
            let known = known
                .ok_or_else(|| Error::NotFound(format!("license {license} has no alert {} of {month}", kind.name())))?;
            let entry = entry.clone().for_client(&known.client_id).with_detail(format!("{} of {month}", kind.name()));
            match self.alerts.acknowledge(&known, &entry).await? {
                true => {
                    let acknowledged_by = Some(entry.principal.clone());
                    Ok(view(&Alert { acknowledged_at: Some(entry.at), acknowledged_by, ..known }))
                }
                false => Err(Error::Refused("the alert is acknowledged already".into())),
            }
        };
        let acknowledged = acknowledged.await;
        self.auditor.keep(&entry, acknowledged).await
    }

    /// The alerts of the narrowest stored list that contains all that the filter selects.
    async fn found(&self, filter: &AlertFilter) -> Result<Vec<Alert>, Error> {
        if let Some(license) = &filter.license {
            issued_license(&self.register, license).await?;
            return Ok(self.alerts.of_license(license).await?);
        }
        if let Some(client) = &filter.client {
            existing_client(&self.register, client).await?;
        }
        if let (Some(client), None) = (&filter.client, &filter.month) {
            let (mut alerts, mut page) = (Vec::new(), PageRequest::first(LICENSES_AT_ONCE));
            loop {
                let licenses = self.register.licenses(client, &page).await?;
                let of_license = licenses.entries.iter().map(|issued| self.alerts.of_license(&issued.license.id));
                alerts.extend(try_join_all(of_license).await?.concat());
                match licenses.next {
                    Some(next) => page.after = Some(next),
                    None => return Ok(alerts),
                }
            }
        }
        let month = filter.month.clone().unwrap_or_else(|| capture::month_of(self.clock.now()));
        Ok(self.alerts.of_month(&month, filter.client.as_ref()).await?)
    }
}

fn views(found: Listed<Alert>) -> Listed<AlertView> {
    let views = found.entries.iter().map(view).collect();
    found.with(views)
}

pub(crate) fn check_month(month: &str) -> Result<(), Error> {
    match capture::is_month(month) {
        true => Ok(()),
        false => Err(Error::Invalid(format!("{month:?} is not a month: write it as 2026-11"))),
    }
}

fn view(alert: &Alert) -> AlertView {
    AlertView {
        alert: alert.kind,
        license_id: alert.license_id.clone(),
        client_id: alert.client_id.clone(),
        environment: alert.environment,
        month: alert.month.clone().into(),
        raised_at: rfc3339(alert.raised_at).into(),
        captures_used: alert.captures_used,
        volume_limit: alert.volume_limit,
        published_at: alert.published_at.map(rfc3339).map(Into::into),
        acknowledged_at: alert.acknowledged_at.map(rfc3339).map(Into::into),
        acknowledged_by: alert.acknowledged_by.clone(),
    }
}
