//! `GET {proofs_url}/evidence/{session_id}` and `GET {proofs_url}/evidence`: what a client keeps of its captures besides
//! the photos, and what of that was renewed.
//!
//! A response has two evidence records of at most 512 KiB, which stays below Lambda's limit of 6 MB. The bundles can have many
//! megabytes, so it has their URLs.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_api::{Day, EvidenceBundle, EvidenceFiles, Refusal, RenewedDays, Url};
use lacre_domain::{CaptureId, ClientStatus, Environment, Renewal};
use lacre_http::{OrRefuse, Rejection, seconds_to_next_hour};
use lacre_lookup::{LastingEvidence, LogProofs, Owner, StoredBundle, Unproved};
use lacre_storage::{BundlePresigner, Captures, Connection, LogSigner, Personal};
use time::{Date, Duration, OffsetDateTime, Time, macros::time};

/// The hour (UTC) by which the sequencer has usually timestamped the day's checkpoint: its first run of the day does so,
/// and it runs every hour.
const DATED: Time = time!(02:00);

/// What there is of a capture.
pub(crate) enum Evidence {
    /// The files.
    Found(EvidenceFiles),
    /// The capture waits for a checkpoint with a timestamp.
    Pending {
        /// The seconds until one is expected.
        retry_after: u32,
    },
    /// The client has no such capture, or it is withheld or erased.
    Missing,
}

impl Evidence {
    /// What the audit log says of it.
    pub(crate) const fn outcome(&self) -> &'static str {
        match self {
            Self::Found(_) => "delivered",
            Self::Pending { .. } => "not dated yet",
            Self::Missing => "not found",
        }
    }
}

/// Looks up the evidence of clients' captures.
pub(crate) struct EvidenceLookup {
    captures: Captures,
    personal: Personal,
    proofs: LogProofs,
    presigner: BundlePresigner,
    signer: LogSigner,
}

impl EvidenceLookup {
    pub(crate) fn new(connection: &Connection) -> Self {
        Self {
            captures: Captures::new(connection),
            personal: Personal::new(connection),
            proofs: LogProofs::new(connection),
            presigner: BundlePresigner::new(connection),
            signer: LogSigner::new(connection),
        }
    }

    /// What there is of a capture, if it is the owner's and held.
    pub(crate) async fn of(
        &self,
        owner: &Owner,
        capture: &CaptureId,
        now: OffsetDateTime,
    ) -> Result<Evidence, Rejection> {
        let captures = [capture];
        let read = tokio::try_join!(self.captures.read(capture), self.personal.read(&captures));
        let (record, held) = read.or_refuse(Refusal::UpstreamUnavailable)?;
        let (Some(record), Some(held)) = (record, held.into_iter().next()) else { return Ok(Evidence::Missing) };
        let is_of_owner = record.client_id == owner.client && record.environment == owner.environment;
        let is_held = Renewal::of(held.custody.state(), ClientStatus::Active) == Renewal::Allowed;
        if !is_of_owner || !is_held {
            return Ok(Evidence::Missing);
        }
        let key = self.signer.key(record.environment).await.or_refuse(Refusal::UpstreamUnavailable)?;
        match self.proofs.evidence(&record, &held, &key, now).await {
            Ok(evidence) => Ok(Evidence::Found(self.files(evidence, now)?)),
            Err(Unproved::NotLogged | Unproved::NotDated) => {
                Ok(Evidence::Pending { retry_after: expected_in(record.ingested_at, now) })
            }
            Err(Unproved::BeforeTheLog | Unproved::Erased) => Ok(Evidence::Missing),
            Err(fault) => Err(Rejection::because(Refusal::UpstreamUnavailable, &fault)),
        }
    }

    /// The days of an environment whose evidence was renewed since the beginning of a day.
    pub(crate) async fn renewed(&self, environment: Environment, since: Date) -> Result<RenewedDays, Rejection> {
        let days = self.proofs.renewed_since(environment, since).await.or_refuse(Refusal::UpstreamUnavailable)?;
        Ok(RenewedDays { days: days.into_iter().map(|day| Day(day.to_string())).collect() })
    }

    fn files(&self, evidence: LastingEvidence<StoredBundle>, now: OffsetDateTime) -> Result<EvidenceFiles, Rejection> {
        let bundle = |(name, StoredBundle { environment, of, sha256 })| {
            let url = self.presigner.bundle_url(environment, of, now).or_refuse(Refusal::UpstreamUnavailable)?;
            Ok(EvidenceBundle { name, sha256: sha256.hex(), url: Url(url) })
        };
        Ok(EvidenceFiles {
            day: Day(evidence.day.to_string()),
            transparency_proof: evidence.transparency_proof,
            evidence_record: STANDARD.encode(evidence.evidence_record),
            second_evidence_record: evidence.second_evidence_record.map(|record| STANDARD.encode(record)),
            bundles: evidence.bundles.into_iter().map(bundle).collect::<Result<_, Rejection>>()?,
        })
    }
}

/// The seconds until a capture of this time is expected to be under a checkpoint with a timestamp.
fn expected_in(captured: OffsetDateTime, now: OffsetDateTime) -> u32 {
    let dated = (captured + Duration::DAY).replace_time(DATED);
    // What failed is tried again every hour.
    u32::try_from((dated - now).whole_seconds()).ok().filter(|left| *left > 0).unwrap_or(seconds_to_next_hour(now))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn says_when_a_timestamp_is_expected() {
        let captured = datetime!(2026-11-30 23:59:59 UTC);
        for (now, seconds) in [
            (captured, 2 * 3600 + 1),
            (datetime!(2026-12-01 01:59:59 UTC), 1),
            (datetime!(2026-12-01 02:00 UTC), 3600),
            (datetime!(2026-12-05 07:59:30 UTC), 30),
        ] {
            assert_eq!(expected_in(captured, now), seconds, "{now}");
        }
        assert_eq!(expected_in(datetime!(2026-11-30 00:00 UTC), datetime!(2026-11-30 00:00 UTC)), 26 * 3600);
    }
}
