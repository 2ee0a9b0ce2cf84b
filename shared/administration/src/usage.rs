//! The counts of a license's captures: by month, and their correction from the evidence.

use std::sync::Arc;

use lacre_api::admin::{Usage, limits::USAGE_MONTHS_MAX};
use lacre_domain::{AuditEntry, Clock, License, LicenseId, Operation, capture::month_of};
use lacre_storage::{Alerts, Connection, Evidence, Register, Seen, Tally, Volume};
use serde::Serialize;

use crate::{Error, alerts::check_month, caller::Auditor, licenses::issued_license};

/// The maximum number of attempts while captures arrive concurrently.
const ROUNDS: u32 = 5;

/// A count that was corrected from the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recount {
    /// The id of the license.
    pub license_id: LicenseId,
    /// The calendar month, UTC.
    pub month: String,
    /// The previous count.
    pub counted: u64,
    /// The number of captures in the evidence, which is the new count.
    pub evidence: u64,
}

/// The operations on counts of captures.
pub struct UsageCounts {
    register: Register,
    volume: Volume,
    tally: Tally,
    evidence: Evidence,
    alerts: Alerts,
    auditor: Auditor,
    clock: Arc<dyn Clock>,
}

impl UsageCounts {
    pub(crate) fn new(connection: &Connection, auditor: Auditor, clock: Arc<dyn Clock>) -> Self {
        Self {
            register: Register::new(connection),
            volume: Volume::new(connection),
            tally: Tally::new(connection),
            evidence: Evidence::new(connection),
            alerts: Alerts::new(connection),
            auditor,
            clock,
        }
    }

    /// The captures of a license in each of the last `months` months, the current one last.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] unless `months` is between 1 and 24.
    pub async fn by_month(&self, id: &LicenseId, months: usize) -> Result<Vec<Usage>, Error> {
        if !(1..=USAGE_MONTHS_MAX).contains(&months) {
            return Err(Error::Invalid(format!("months must be between 1 and {USAGE_MONTHS_MAX}")));
        }
        issued_license(&self.register, id).await?;
        let mut wanted = vec![month_of(self.clock.now())];
        while wanted.len() < months {
            let Some(before) = wanted.last().and_then(|month| month_before(month)) else { break };
            wanted.push(before);
        }
        wanted.reverse();
        let counted = self.volume.by_month(id, wanted.first().map(String::as_str).unwrap_or_default()).await?;
        let usage = |month: String| {
            let captures_used = counted.get(&month).copied().unwrap_or_default();
            Usage { month: month.into(), captures_used }
        };
        Ok(wanted.into_iter().map(usage).collect())
    }

    /// Sets a license's count of a month (by default the current one) to the number of captures in the evidence. A
    /// count is lowered only if `lower` is set, because it would also fall if the evidence table were that of another
    /// deployment. For the current month, alerts that the new count requires are raised; a past month is not compared
    /// with the current limit.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] if the count would fall without `lower`, or captures
    /// kept arriving; [`Error::Unavailable`], after which the count may be corrected without its alerts.
    pub async fn recount(&self, license: &LicenseId, month: Option<&str>, lower: bool) -> Result<Recount, Error> {
        let entry = self.auditor.entry(Operation::RecountLicense).about(license);
        let recounted = self.recount_as(license, month, lower, &entry).await;
        self.auditor.keep(&entry, recounted).await
    }

    async fn recount_as(
        &self,
        license: &LicenseId,
        month: Option<&str>,
        lower: bool,
        entry: &AuditEntry,
    ) -> Result<Recount, Error> {
        let now = self.clock.now();
        let current = month_of(now);
        let month = month.unwrap_or(&current).to_owned();
        check_month(&month)?;
        let License { client_id, environment, .. } = &issued_license(&self.register, license).await?.license;
        for _ in 0..ROUNDS {
            let shards = self.volume.read(license, &month).await?;
            let evidence = self.evidence.count(license, &month).await?;
            let counted = shards.total();
            if evidence < counted && !lower {
                return Err(would_fall(counted, evidence));
            }
            let detail = format!("{month}: {evidence} captures in the place of {counted}");
            let entry = entry.clone().for_client(client_id).with_detail(detail);
            if self.volume.replace(&shards, evidence, &entry).await? {
                let (license, environment) = (license.clone(), *environment);
                // Captures may have been counted in the meantime.
                let captures = self.volume.read(&license, &month).await?.total();
                let seen = Seen { license: license.clone(), environment, month: month.clone(), day: None, captures };
                self.tally.follow(&[seen]).await?;
                if month == current {
                    let issued = issued_license(&self.register, &license).await?;
                    self.alerts.raise_reached(&issued.license, &month, evidence, now).await?;
                }
                return Ok(Recount { license_id: license, month, counted, evidence });
            }
        }
        Err(Error::Refused("new captures arrived during the count: retry when traffic is lower".into()))
    }
}

/// The month before one in the form `2026-11`.
fn month_before(month: &str) -> Option<String> {
    let (year, number) = month.split_once('-')?;
    let (year, number): (u32, u32) = (year.parse().ok()?, number.parse().ok()?);
    match number {
        1 => Some(format!("{:04}-12", year.checked_sub(1)?)),
        _ => Some(format!("{year:04}-{:02}", number - 1)),
    }
}

fn would_fall(counted: u64, evidence: u64) -> Error {
    Error::Refused(format!(
        "the evidence has {evidence} captures, and the counter has {counted}: if EVIDENCE_TABLE is correct, use --lower"
    ))
}
