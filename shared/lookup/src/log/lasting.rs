//! Assembles evidence records (RFC 4998) from the timestamps in a log's public files, and says which of them changed.

use std::collections::BTreeSet;

use lacre_domain::{Environment, EvidenceRecord, Sha256Digest};
use lacre_proof::{
    archive::{ArchiveChain, RenewalTree},
    timestamp::SignedToken,
};
use lacre_storage::{Covered, Error, Holding, Renewable, StoredRenewal};
use lacre_transparency::LogKey;
use time::{Date, OffsetDateTime};

use super::{FoundProof, LogProofs, Unproved};

/// The files that prove a capture for as long as its log's timestamps are renewed. `B` is an evidence bundle: where it is
/// stored, or its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingEvidence<B = Vec<u8>> {
    /// The day (UTC) whose checkpoint the proof is under. Evidence records and bundles are those of this day's timestamps,
    /// so they are the same for all captures of the day.
    pub day: Date,
    /// The transparency proof under a checkpoint with a timestamp (C2SP `tlog-proof`).
    pub transparency_proof: String,
    /// The evidence record (RFC 4998) of that timestamp, in DER.
    pub evidence_record: Vec<u8>,
    /// The evidence record of the checkpoint's second timestamp, or of the first one with the second timestamps of its
    /// renewals, if there is one. Each of both proves the capture alone.
    pub second_evidence_record: Option<Vec<u8>>,
    /// The evidence bundles of the records' timestamps, those of a record oldest first, each with a file name that names its
    /// timestamp. The last timestamp has none until the authorities have published what it waits for.
    pub bundles: Vec<(String, B)>,
}

/// An evidence bundle in the log's bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBundle {
    /// The environment of the log.
    pub environment: Environment,
    /// The timestamp that it belongs to.
    pub of: Renewable,
    /// The SHA-256 of the file.
    pub sha256: Sha256Digest,
}

impl LogProofs {
    /// The files that prove a capture for decades.
    ///
    /// # Errors
    /// [`Unproved`].
    pub async fn evidence(
        &self,
        record: &EvidenceRecord,
        held: &Holding,
        key: &LogKey,
        now: OffsetDateTime,
    ) -> Result<LastingEvidence<StoredBundle>, Unproved> {
        let environment = record.environment;
        let FoundProof { day, proof } = self.proof(record, held, key, now).await?;
        let (Some(day), Some(token)) = (day, proof.extra.timestamp.clone()) else { return Err(Unproved::NotDated) };
        let checkpoint = Sha256Digest::of(proof.checkpoint.text.as_bytes());
        let renewals = self.renewals(environment).await?;
        let first = (Renewable::Day(day), token);
        let (evidence_record, mut bundles) = self.record(&renewals, first.clone(), false, &checkpoint).await?;
        let second = Renewable::SecondOfDay(day);
        let second = self.files.token(environment, second).await?.map(|token| (second, token));
        let (record, others) = self.record(&renewals, second.unwrap_or(first), true, &checkpoint).await?;
        let second_evidence_record = (record != evidence_record).then_some(record);
        if second_evidence_record.is_some() {
            // A timestamp can be in both records.
            bundles.extend(others.into_iter().filter(|other| !bundles.contains(other)).collect::<Vec<_>>());
        }
        let named = |(of, sha256)| {
            let name = format!("{}.p7b", Renewable::to_string(&of).replace('/', "-"));
            (name, StoredBundle { environment, of, sha256 })
        };
        Ok(LastingEvidence {
            day,
            transparency_proof: proof.to_string(),
            evidence_record,
            second_evidence_record,
            bundles: bundles.into_iter().map(named).collect(),
        })
    }

    /// The evidence record of a timestamp over the checkpoint with this SHA-256, and the bundles of its timestamps. It goes
    /// on by the second timestamps of renewals, where there is one, or by the first ones.
    async fn record(
        &self,
        renewals: &Renewals,
        (of, token): (Renewable, Vec<u8>),
        by_second: bool,
        checkpoint: &Sha256Digest,
    ) -> Result<(Vec<u8>, Vec<Bundled>), Unproved> {
        if !covers(&token, checkpoint.as_bytes()) {
            return Err(contradicted(&of));
        }
        let (chain, mut bundles, last) = renewals.chain(of, token, by_second)?;
        let of_last = self.files.bundle_sha256(renewals.environment, last).await?;
        bundles.extend(of_last.map(|sha256| (last, sha256)));
        Ok((chain.to_der().map_err(Unproved::Contradicted)?, bundles))
    }

    /// The renewals of an environment's log that have a timestamp.
    async fn renewals(&self, environment: Environment) -> Result<Renewals, Error> {
        let (mut all, mut number) = (Vec::new(), 1);
        while let Some(StoredRenewal { covered, token: Some(token), second }) =
            self.files.renewal(environment, number).await?
        {
            all.push(Renewed { number, covered, token, second });
            number += 1;
        }
        Ok(Renewals { environment, all })
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// [`Unproved::Contradicted`] if it is missing, or is not the one that a renewal covers; [`Unproved::Storage`].
    pub async fn bundle(&self, StoredBundle { environment, of, sha256 }: &StoredBundle) -> Result<Vec<u8>, Unproved> {
        let bundle = self.files.bundle(*environment, *of).await?;
        let bundle = bundle.filter(|bundle| Sha256Digest::of(bundle) == *sha256);
        bundle.ok_or_else(|| contradicted(of))
    }

    /// Reads the bundles.
    ///
    /// # Errors
    /// Those of [`LogProofs::bundle`].
    pub async fn with_bundles(&self, evidence: LastingEvidence<StoredBundle>) -> Result<LastingEvidence, Unproved> {
        let LastingEvidence { day, transparency_proof, evidence_record, second_evidence_record, bundles: stored } =
            evidence;
        let mut bundles = Vec::new();
        for (name, stored) in stored {
            bundles.push((name, self.bundle(&stored).await?));
        }
        Ok(LastingEvidence { day, transparency_proof, evidence_record, second_evidence_record, bundles })
    }

    /// The days whose evidence record changed since the beginning of a day (UTC): a renewal since then covers the day's
    /// timestamp, or an earlier renewal of it.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a renewal cannot be parsed; [`Error::Unavailable`].
    pub async fn renewed_since(&self, environment: Environment, since: Date) -> Result<BTreeSet<Date>, Error> {
        let mut renewals = Vec::new();
        for Renewed { number, covered, token, .. } in self.renewals(environment).await?.all {
            let unreadable = |cause: String| Error::Corrupt { what: "transparency log", cause };
            let time = SignedToken::parse(&token).map_err(|fault| unreadable(fault.to_string()))?.time();
            renewals.push((number, time.date(), covered));
        }
        let (mut days, mut renewed) = (BTreeSet::new(), BTreeSet::new());
        // Each renewal covers only earlier ones.
        for (number, at, covered) in renewals.into_iter().rev() {
            if at < since && !renewed.contains(&number) {
                continue;
            }
            for line in covered {
                match line.what {
                    Renewable::Day(day) | Renewable::SecondOfDay(day) => days.insert(day),
                    Renewable::Renewal(earlier) | Renewable::SecondOfRenewal(earlier) => renewed.insert(earlier),
                };
            }
        }
        Ok(days)
    }
}

/// A timestamp with the SHA-256 of its evidence bundle.
type Bundled = (Renewable, Sha256Digest);

/// The renewals of a log, in order.
struct Renewals {
    environment: Environment,
    all: Vec<Renewed>,
}

/// A renewal with its timestamps.
struct Renewed {
    number: u32,
    covered: Vec<Covered>,
    token: Vec<u8>,
    second: Option<Vec<u8>>,
}

impl Renewals {
    /// The chain of a timestamp and its renewals; the bundles of the timestamps that were renewed; and the last timestamp.
    fn chain(
        &self,
        of: Renewable,
        mut token: Vec<u8>,
        by_second: bool,
    ) -> Result<(ArchiveChain, Vec<Bundled>, Renewable), Unproved> {
        let (mut last, mut chain, mut bundles) = (of, ArchiveChain::new(token.clone()), Vec::new());
        for Renewed { number, covered: lines, token: first, second } in &self.all {
            let Some(place) = lines.iter().position(|line| line.what == last) else { continue };
            let (by, next) = match second {
                Some(second) if by_second => (Renewable::SecondOfRenewal(*number), second),
                _ => (Renewable::Renewal(*number), first),
            };
            let hashes: Vec<_> = lines.iter().map(|line| (*line.token.as_bytes(), *line.bundle.as_bytes())).collect();
            let tree = RenewalTree::of(&hashes).filter(|_| lines[place].token == Sha256Digest::of(&token));
            let tree = tree.filter(|tree| covers(next, &tree.root()));
            let renewed = tree.and_then(|tree| tree.renewal(place, next.clone()));
            chain.renew(renewed.ok_or_else(|| contradicted(&last))?);
            bundles.push((last, lines[place].bundle));
            (last, token) = (by, next.clone());
        }
        Ok((chain, bundles, last))
    }
}

/// Whether a token is a timestamp over the message with this SHA-256.
fn covers(token: &[u8], sha256: &[u8; 32]) -> bool {
    SignedToken::parse(token).is_ok_and(|token| token.message_sha256().as_ref() == Some(sha256))
}

fn contradicted(what: &Renewable) -> Unproved {
    Unproved::Contradicted(format!("the log's renewals do not match the timestamp of {what}"))
}
