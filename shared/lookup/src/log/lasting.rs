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

/// The files that prove a capture for as long as its log's timestamps are renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingEvidence {
    /// The day (UTC) whose checkpoint the proof is under. Evidence record and bundles are those of this day's timestamp,
    /// so they are the same for all captures of the day.
    pub day: Date,
    /// The transparency proof under a checkpoint with a timestamp (C2SP `tlog-proof`).
    pub transparency_proof: String,
    /// The evidence record (RFC 4998) of that timestamp, in DER.
    pub evidence_record: Vec<u8>,
    /// The evidence bundles of the record's renewed timestamps, oldest first, each with a file name that names its
    /// timestamp.
    pub bundles: Vec<(String, Vec<u8>)>,
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
    ) -> Result<LastingEvidence, Unproved> {
        let FoundProof { day, proof } = self.proof(record, held, key, now).await?;
        let (Some(day), Some(token)) = (day, proof.extra.timestamp.clone()) else { return Err(Unproved::NotDated) };
        if !covers(&token, Sha256Digest::of(proof.checkpoint.text.as_bytes()).as_bytes()) {
            return Err(contradicted(&Renewable::Day(day)));
        }
        let (chain, covered) = self.chain(record.environment, day, token).await?;
        let mut bundles = Vec::new();
        for (what, sha256) in covered {
            let bundle = self.files.bundle(record.environment, what).await?;
            let bundle = bundle.filter(|bundle| Sha256Digest::of(bundle) == sha256);
            let name = format!("{}.p7b", what.to_string().replace('/', "-"));
            bundles.push((name, bundle.ok_or_else(|| contradicted(&what))?));
        }
        Ok(LastingEvidence {
            day,
            transparency_proof: proof.to_string(),
            evidence_record: chain.to_der().map_err(Unproved::Contradicted)?,
            bundles,
        })
    }

    /// The chain of a day's timestamp and its renewals; and which timestamps were renewed, each with the SHA-256 of its
    /// bundle.
    async fn chain(
        &self,
        environment: Environment,
        day: Date,
        mut token: Vec<u8>,
    ) -> Result<(ArchiveChain, Vec<(Renewable, Sha256Digest)>), Unproved> {
        let (mut last, mut number) = (Renewable::Day(day), 1);
        let (mut chain, mut covered) = (ArchiveChain::new(token.clone()), Vec::new());
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
                covered.push((last, lines[place].bundle));
                (last, token) = (Renewable::Renewal(number), next);
            }
            number += 1;
        }
        Ok((chain, covered))
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
