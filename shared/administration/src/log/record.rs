//! Assembles evidence records (RFC 4998) from the timestamps in a log's public files.

use lacre_domain::{Environment, Sha256Digest};
use lacre_proof::{
    archive::{ArchiveChain, RenewalTree},
    timestamp::SignedToken,
};
use lacre_storage::{Renewable, StoredRenewal};
use lacre_transparency::LogKey;
use time::Date;

use super::LogAdministration;
use crate::Error;

/// The files that prove a capture for as long as its log's timestamps are renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingEvidence {
    /// The transparency proof under a checkpoint with a timestamp (C2SP `tlog-proof`).
    pub transparency_proof: String,
    /// The evidence record (RFC 4998) of that timestamp, in DER.
    pub evidence_record: Vec<u8>,
    /// The evidence bundles of the record's timestamps, oldest first, each with a file name that names its timestamp.
    pub bundles: Vec<(String, Vec<u8>)>,
}

impl LogAdministration {
    /// The files that prove a capture for decades, by its `session_id` or capture id.
    ///
    /// # Errors
    /// Those of [`LogAdministration::proof`]; [`Error::Refused`] if no timestamp covers the capture yet, or if the log's
    /// renewals contradict its timestamps.
    pub async fn evidence(&self, id: &str, key: Option<&LogKey>) -> Result<LastingEvidence, Error> {
        let found = self.find_proof(id, key).await?;
        let day = found.day.ok_or_else(|| {
            Error::Refused("no timestamp of the month after the capture covers it; until a day has passed, wait".into())
        })?;
        let (chain, covered) = self.chain(found.environment, day).await?;
        let mut bundles = Vec::new();
        for (what, sha256) in covered {
            let name = format!("{}.p7b", what.to_string().replace('/', "-"));
            let bundle = self.files.bundle(found.environment, what).await?;
            // The last timestamp has a bundle once it is renewed.
            if sha256.is_some() && bundle.as_deref().map(Sha256Digest::of) != sha256 {
                return Err(contradicted(&what));
            }
            bundles.extend(bundle.map(|bundle| (name, bundle)));
        }
        Ok(LastingEvidence {
            transparency_proof: found.proof.to_string(),
            evidence_record: chain.to_der().map_err(Error::Refused)?,
            bundles,
        })
    }

    /// The chain of the timestamp of a day and its renewals; and what the chain consists of, each with the SHA-256 of its
    /// bundle if a renewal covers it.
    async fn chain(
        &self,
        environment: Environment,
        day: Date,
    ) -> Result<(ArchiveChain, Vec<(Renewable, Option<Sha256Digest>)>), Error> {
        let mut last = Renewable::Day(day);
        let first = self.files.token(environment, last).await?;
        let mut token = first.ok_or_else(|| contradicted(&last))?;
        let (mut chain, mut covered) = (ArchiveChain::new(token.clone()), Vec::new());
        let mut number = 1;
        while let Some(StoredRenewal { covered: lines, token: Some(next) }) =
            self.files.renewal(environment, number).await?
        {
            if let Some(place) = lines.iter().position(|line| line.what == last) {
                let hashes: Vec<_> =
                    lines.iter().map(|line| (*line.token.as_bytes(), *line.bundle.as_bytes())).collect();
                let tree = RenewalTree::of(&hashes).filter(|_| lines[place].token == Sha256Digest::of(&token));
                let is_of = |tree: &RenewalTree| {
                    SignedToken::parse(&next).is_ok_and(|token| token.message_sha256() == Some(tree.root()))
                };
                let renewal = tree.filter(is_of).and_then(|tree| tree.renewal(place, next.clone()));
                chain.renew(renewal.ok_or_else(|| contradicted(&last))?);
                covered.push((last, Some(lines[place].bundle)));
                (last, token) = (Renewable::Renewal(number), next);
            }
            number += 1;
        }
        covered.push((last, None));
        Ok((chain, covered))
    }
}

fn contradicted(what: &Renewable) -> Error {
    Error::Refused(format!("the log's renewals do not match the timestamp of {what}"))
}
