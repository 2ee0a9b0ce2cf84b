//! Assembles evidence records (RFC 4998) from the timestamps in a log's public files, and says which of them changed.

use std::collections::BTreeSet;

use lacre_domain::{Environment, EvidenceRecord, Sha256Digest};
use lacre_proof::{
    archive::{ArchiveChain, RenewalTree},
    timestamp::SignedToken,
};
use lacre_storage::{Error, Holding, Renewable, StoredRenewal};
use lacre_transparency::LogKey;
use time::{Date, OffsetDateTime};

use super::{FoundProof, LogProofs, Unproved};

/// The files that prove a capture for as long as its log's timestamps are renewed. `B` is an evidence bundle: where it is
/// stored, or its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingEvidence<B = Vec<u8>> {
    /// The day (UTC) whose checkpoint the proof is under. Evidence record and bundles are those of this day's timestamp,
    /// so they are the same for all captures of the day.
    pub day: Date,
    /// The transparency proof under a checkpoint with a timestamp (C2SP `tlog-proof`).
    pub transparency_proof: String,
    /// The evidence record (RFC 4998) of that timestamp, in DER.
    pub evidence_record: Vec<u8>,
    /// The evidence bundles of the record's timestamps, oldest first, each with a file name that names its timestamp. The
    /// last timestamp has none until the authorities have published what it waits for.
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
        if !covers(&token, Sha256Digest::of(proof.checkpoint.text.as_bytes()).as_bytes()) {
            return Err(contradicted(&Renewable::Day(day)));
        }
        let (chain, mut bundles, last) = self.chain(environment, day, token).await?;
        let of_last = self.files.bundle_sha256(environment, last).await?;
        bundles.extend(of_last.map(|sha256| StoredBundle { environment, of: last, sha256 }));
        let named = |bundle: StoredBundle| (format!("{}.p7b", bundle.of.to_string().replace('/', "-")), bundle);
        Ok(LastingEvidence {
            day,
            transparency_proof: proof.to_string(),
            evidence_record: chain.to_der().map_err(Unproved::Contradicted)?,
            bundles: bundles.into_iter().map(named).collect(),
        })
    }

    /// Reads the bundles.
    ///
    /// # Errors
    /// [`Unproved::Contradicted`] if one is missing, or is not the one that a renewal covers; [`Unproved::Storage`].
    pub async fn with_bundles(
        &self,
        LastingEvidence { day, transparency_proof, evidence_record, bundles: stored }: LastingEvidence<StoredBundle>,
    ) -> Result<LastingEvidence, Unproved> {
        let mut bundles = Vec::new();
        for (name, StoredBundle { environment, of, sha256 }) in stored {
            let bundle = self.files.bundle(environment, of).await?;
            let bundle = bundle.filter(|bundle| Sha256Digest::of(bundle) == sha256);
            bundles.push((name, bundle.ok_or_else(|| contradicted(&of))?));
        }
        Ok(LastingEvidence { day, transparency_proof, evidence_record, bundles })
    }

    /// The chain of a day's timestamp and its renewals; the bundles of the timestamps that were renewed; and the last
    /// timestamp.
    async fn chain(
        &self,
        environment: Environment,
        day: Date,
        mut token: Vec<u8>,
    ) -> Result<(ArchiveChain, Vec<StoredBundle>, Renewable), Unproved> {
        let (mut last, mut number) = (Renewable::Day(day), 1);
        let (mut chain, mut bundles) = (ArchiveChain::new(token.clone()), Vec::new());
        while let Some(StoredRenewal { covered: lines, token: Some(next) }) =
            self.files.renewal(environment, number).await?
        {
            if let Some(place) = lines.iter().position(|line| line.what == last) {
                let hashes: Vec<_> =
                    lines.iter().map(|line| (*line.token.as_bytes(), *line.bundle.as_bytes())).collect();
                let tree = RenewalTree::of(&hashes).filter(|_| lines[place].token == Sha256Digest::of(&token));
                let tree = tree.filter(|tree| covers(&next, &tree.root()));
                let renewal = tree.and_then(|tree| tree.renewal(place, next.clone()));
                chain.renew(renewal.ok_or_else(|| contradicted(&last))?);
                bundles.push(StoredBundle { environment, of: last, sha256: lines[place].bundle });
                (last, token) = (Renewable::Renewal(number), next);
            }
            number += 1;
        }
        Ok((chain, bundles, last))
    }

    /// The days whose evidence record changed since the beginning of a day (UTC): a renewal since then covers the day's
    /// timestamp, or an earlier renewal of it.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a renewal cannot be parsed; [`Error::Unavailable`].
    pub async fn renewed_since(&self, environment: Environment, since: Date) -> Result<BTreeSet<Date>, Error> {
        let mut renewals = Vec::new();
        let mut number = 1;
        while let Some(StoredRenewal { covered, token: Some(token) }) = self.files.renewal(environment, number).await? {
            let unreadable = |cause: String| Error::Corrupt { what: "transparency log", cause };
            let time = SignedToken::parse(&token).map_err(|fault| unreadable(fault.to_string()))?.time();
            renewals.push((number, time.date(), covered));
            number += 1;
        }
        let (mut days, mut renewed) = (BTreeSet::new(), BTreeSet::new());
        // Each renewal covers only earlier ones.
        for (number, at, covered) in renewals.into_iter().rev() {
            if at < since && !renewed.contains(&number) {
                continue;
            }
            for line in covered {
                match line.what {
                    Renewable::Day(day) => days.insert(day),
                    Renewable::Renewal(earlier) => renewed.insert(earlier),
                };
            }
        }
        Ok(days)
    }
}

/// Whether a token is a timestamp over the message with this SHA-256.
fn covers(token: &[u8], sha256: &[u8; 32]) -> bool {
    SignedToken::parse(token).is_ok_and(|token| token.message_sha256().as_ref() == Some(sha256))
}

fn contradicted(what: &Renewable) -> Unproved {
    Unproved::Contradicted(format!("the log's renewals do not match the timestamp of {what}"))
}
