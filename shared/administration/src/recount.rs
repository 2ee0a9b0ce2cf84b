//! A count of captures made what the evidence says.

use lacre_domain::{AuditEntry, License, LicenseId, Operation, capture::month_of};
use lacre_storage::Seen;
use serde::Serialize;

use crate::{Administration, Error, alerts::check_month};

/// The number of attempts at a count while captures arrive.
const ROUNDS: u32 = 5;

/// A count that was compared with the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recount {
    /// The license.
    pub license_id: LicenseId,
    /// The calendar month, UTC.
    pub month: String,
    /// The previous count.
    pub counted: u64,
    /// The number of captures in the evidence. It is the new count.
    pub evidence: u64,
}

impl Administration {
    /// Makes a license's count of a month what the evidence says; of this month where none is named. A count falls only if
    /// `lower` says so: with another deployment's table of evidence it would fall, too. Of the current month it raises the
    /// alerts that the count calls for. A past month is not judged by the limit of today.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`]; [`Error::Refused`] when the count would fall, or captures kept coming between;
    /// [`Error::Unavailable`], after which it may be counted and an alert not raised.
    pub async fn recount(&self, license: &LicenseId, month: Option<&str>, lower: bool) -> Result<Recount, Error> {
        let entry = self.auditor.entry_about(Operation::RecountLicense, &license.0);
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
        let License { client_id, environment, .. } = &self.issued_license(license).await?.license;
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
                // Captures may have been counted since.
                let captures = self.volume.read(&license, &month).await?.total();
                let seen = Seen { license: license.clone(), environment, month: month.clone(), day: None, captures };
                self.tally.follow(&[seen]).await?;
                if month == current {
                    let issued = self.issued_license(&license).await?;
                    self.alerts.raise_reached(&issued.license, &month, evidence, now).await?;
                }
                return Ok(Recount { license_id: license, month, counted, evidence });
            }
        }
        Err(Error::Refused("new captures arrived during the count: retry when traffic is lower".into()))
    }
}

fn would_fall(counted: u64, evidence: u64) -> Error {
    Error::Refused(format!(
        "the evidence has {evidence} captures, and the counter has {counted}: if EVIDENCE_TABLE is correct, use --lower"
    ))
}
