//! The timestamps over a log's checkpoint: the one of its day, and the renewals in an evidence record (RFC 4998).

use lacre_domain::Sha256Digest;
use lacre_proof::{
    Anchors, Expiry,
    archive::{ArchiveChain, ArchiveTimestamp},
    bundle::BundleFile,
};

use super::{
    log::LogEvidence,
    moment::{ControlTime, Moment},
    report::{Found, Report, Timestamp},
    revocation::Revocations,
    revoked::Part,
};

/// The names of the checks: the timestamp over the checkpoint, its renewals, and the bundles of their validation material.
const TIMESTAMP: &str = "log timestamp";
const REVOCATION: &str = "log timestamp revocation";
const RENEWALS: &str = "renewals";
const RENEWALS_REVOCATION: &str = "renewals revocation";
const BUNDLES: &str = "evidence bundles";

/// When a log's checkpoint existed.
pub(super) struct Renewals {
    /// The timestamp over the checkpoint.
    first: Moment,
    /// The renewals, oldest first.
    later: Vec<Moment>,
    /// Why the evidence record is not one of this checkpoint, if one was given and it is not.
    record: Result<(), String>,
    /// Whether the bundles belong to the evidence record, if any were given.
    bundles: Option<Result<(), String>>,
}

impl Renewals {
    /// Checks the timestamp in a log's proof, and the evidence record if one was given. The last timestamp is judged at
    /// the given time, and each other at the time of the next.
    pub(super) fn of(
        evidence: &LogEvidence,
        token: Option<&[u8]>,
        checkpoint: &[u8],
        anchors: &Anchors,
        at: ControlTime,
    ) -> Self {
        let checkpoint = *Sha256Digest::of(checkpoint).as_bytes();
        let alone = |record| {
            let (first, later) = (Moment::of(token, checkpoint, anchors, at), Vec::new());
            Self { first, later, record, bundles: None }
        };
        let Some(record) = &evidence.record else { return alone(Ok(())) };
        let chain = ArchiveChain::parse(record).and_then(|chain| Ok((chain.imprints(checkpoint)?, chain)));
        let (imprints, chain) = match chain {
            Ok((imprints, chain)) => (imprints, chain),
            Err(fault) => return alone(Err(fault)),
        };
        if token.is_some_and(|token| token != chain.timestamps()[0].token) {
            return alone(Err("the evidence record begins with another timestamp than the log's proof has".into()));
        }
        let mut control = at;
        let mut moments = Vec::with_capacity(imprints.len());
        for (imprint, timestamp) in imprints.into_iter().zip(chain.timestamps()).rev() {
            let moment = Moment::of(Some(&timestamp.token), imprint, anchors, control);
            control = moment.of_covered();
            moments.push(moment);
        }
        moments.reverse();
        let first = moments.remove(0);
        let bundles = (!evidence.bundles.is_empty()).then(|| check_bundles(&evidence.bundles, chain.timestamps()));
        Self { first, later: moments, record: Ok(()), bundles }
    }

    /// Adds to the report whether the timestamps are valid.
    pub(super) fn note(&self, revocations: &Revocations, report: &mut Report) {
        self.first.judge_timestamp(TIMESTAMP, report);
        judge_revocation((TIMESTAMP, REVOCATION), std::slice::from_ref(&self.first), revocations, report);
        if self.record.is_err() || !self.later.is_empty() {
            // A renewal that does not hold takes those before it along, so the last one is the cause.
            let faulty = self.later.iter().enumerate().rev().find_map(|(place, moment)| Some((moment.fault()?, place)));
            let fault = faulty.map(|(fault, place)| format!("renewal {}: {fault}", place + 1));
            let outcome = self.record.clone().and(fault.map_or(Ok(()), Err));
            report.note(RENEWALS, outcome);
            let mut faulty = self.later.iter().filter(|moment| moment.fault().is_some()).peekable();
            if self.record.is_ok() && faulty.peek().is_some() && faulty.all(Moment::has_only_expired_timestamp) {
                report.note_expiry(RENEWALS);
            }
            judge_revocation((RENEWALS, RENEWALS_REVOCATION), &self.later, revocations, report);
        }
        if let Some(bundles) = &self.bundles {
            report.note(BUNDLES, bundles.clone());
        }
    }

    /// The control time of what the checkpoint contains.
    pub(super) fn of_covered(&self) -> ControlTime {
        self.first.of_covered()
    }

    /// The time by which the checkpoint existed, if a valid timestamp shows it.
    pub(super) fn trusted_time(&self) -> Option<time::OffsetDateTime> {
        self.first.trusted_time()
    }

    /// The first expiry among the certificates of the last timestamp, if all are valid.
    pub(super) fn first_end(&self) -> Option<Expiry> {
        self.later.last().unwrap_or(&self.first).first_end_of_authority()
    }

    /// What was found in the place of the timestamp over the checkpoint.
    pub(super) fn found(&self) -> Found {
        self.first.found(false)
    }

    /// The facts of the timestamp over the checkpoint.
    pub(super) fn timestamp(&self, report: &Report) -> Option<Timestamp> {
        self.first.facts(TIMESTAMP, report)
    }

    /// The facts of the renewals, oldest first.
    pub(super) fn later(&self, report: &Report) -> Vec<Timestamp> {
        let of = |moment: &Moment| {
            let facts = moment.facts(RENEWALS, report)?;
            Some(Timestamp { holds: moment.fault().is_none() && !report.has_failed(RENEWALS_REVOCATION), ..facts })
        };
        self.later.iter().filter_map(of).collect()
    }
}

/// Checks the revocation of the authorities of all these timestamps at once.
fn judge_revocation(
    names: (&'static str, &'static str),
    moments: &[Moment],
    revocations: &Revocations,
    report: &mut Report,
) {
    let parts = moments.iter().filter_map(|moment| {
        let (signer, path) = moment.authority()?;
        let (at, timestamp) = (moment.judged_at(), Some(moment.control()));
        Some(Part { names, signer, path, at, timestamp, stapled: None })
    });
    Part::judge_all(parts, revocations, report);
}

/// Checks that each bundle belongs to a timestamp of the chain, and is the one that the next renewal covers.
fn check_bundles(bundles: &[BundleFile], chain: &[ArchiveTimestamp]) -> Result<(), String> {
    let tokens: Vec<_> = chain.iter().map(|timestamp| *Sha256Digest::of(&timestamp.token).as_bytes()).collect();
    bundles.iter().try_for_each(|BundleFile { bundle, sha256 }| {
        let place = tokens.iter().position(|token| *token == bundle.token_sha256);
        let place = place.ok_or("an evidence bundle belongs to another timestamp")?;
        match chain.get(place + 1) {
            Some(renewal) if !renewal.covers(sha256) => {
                Err(format!("an evidence bundle is not the one that renewal {} covers", place + 1))
            }
            _ => Ok(()),
        }
    })
}
