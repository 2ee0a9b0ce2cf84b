//! The timestamps over a log's checkpoint: the one of its day, and the renewals in an evidence record (RFC 4998).
//!
//! A checkpoint can have a second timestamp with an evidence record of its own, by another authority. Each record proves
//! alone when the checkpoint existed, so one that does not hold takes nothing away from the other.

use lacre_domain::{Environment, Sha256Digest};
use lacre_proof::{Anchors, Expiry, archive::ArchiveChain, bundle::BundleFile, timestamp::SignedToken};

use super::{
    kind::FileKind,
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
    /// Why an evidence record is not one of this checkpoint, if one was given and it is not.
    record: Result<(), String>,
    /// Whether the bundles belong to the evidence records, if any were given.
    bundles: Option<Result<(), String>>,
    /// Whether another evidence record, or the timestamp in the proof itself, does not hold.
    has_broken: bool,
}

/// An evidence record with what each of its timestamps has to cover.
struct Record {
    chain: ArchiveChain,
    imprints: Vec<[u8; 32]>,
}

impl Renewals {
    /// Checks the timestamp in a log's proof, and the evidence records that were given. The last timestamp is judged at
    /// the given time, and each other at the time of the next. Of several records the first that holds counts or, if none
    /// does, the first. A file that is not a record of this checkpoint fails the check, unless a record holds.
    pub(super) fn of(
        evidence: &LogEvidence,
        token: Option<&[u8]>,
        checkpoint: &[u8],
        anchors: &Anchors,
        revocations: &Revocations,
        at: ControlTime,
    ) -> Self {
        let checkpoint = *Sha256Digest::of(checkpoint).as_bytes();
        let alone = |record| {
            let (first, later) = (Moment::of(token, checkpoint, anchors, at), Vec::new());
            Self { first, later, record, bundles: None, has_broken: false }
        };
        let (mut records, mut fault) = (Vec::new(), None);
        for der in &evidence.records {
            match Record::read(der, checkpoint) {
                Ok(record) => records.push(record),
                Err(why) => fault = fault.or(Some(why)),
            }
        }
        if records.is_empty() {
            return alone(fault.map_or(Ok(()), Err));
        }
        // Without its own record, the timestamp in the proof counts by itself.
        let own = token.filter(|token| !records.iter().any(|record| record.chain.timestamps()[0].token == *token));
        if let Some(token) = own {
            records.insert(0, Record { chain: ArchiveChain::new(token.to_vec()), imprints: vec![checkpoint] });
        }
        let bundles =
            (!evidence.bundles.is_empty()).then(|| check_bundles(&evidence.bundles, &records, fault.is_none()));
        let mut judged: Vec<_> = records.into_iter().map(|record| record.judge(anchors, at)).collect();
        let holding: Vec<_> = judged.iter().map(|renewals| renewals.hold(revocations)).collect();
        let counts = holding.iter().position(|holds| *holds);
        let has_broken = holding.iter().enumerate().any(|(place, holds)| Some(place) != counts.or(Some(0)) && !holds);
        let has_record = counts.is_some_and(|place| place > 0 || own.is_none());
        let (has_broken, record) = match fault {
            Some(_) if has_record => (true, Ok(())),
            fault => (has_broken, fault.map_or(Ok(()), Err)),
        };
        Self { record, bundles, has_broken, ..judged.swap_remove(counts.unwrap_or(0)) }
    }

    /// Whether all timestamps are valid, and no revocation ends the trust in them.
    fn hold(&self, revocations: &Revocations) -> bool {
        let mut report = Report::new(String::new(), Environment::Sandbox, FileKind::Proof);
        self.note(revocations, &mut report);
        report.checks.iter().all(|check| check.holds)
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

    /// Whether another evidence record, or the timestamp in the proof itself, does not hold.
    pub(super) fn have_broken_record(&self) -> bool {
        self.has_broken
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

impl Record {
    fn read(der: &[u8], checkpoint: [u8; 32]) -> Result<Self, String> {
        let chain = ArchiveChain::parse(der)?;
        let imprints = chain.imprints(checkpoint)?;
        let first = SignedToken::parse(&chain.timestamps()[0].token).map_err(|fault| fault.to_string())?;
        match first.message_sha256() == Some(checkpoint) {
            true => Ok(Self { chain, imprints }),
            false => Err("the evidence record begins with the timestamp of another checkpoint".into()),
        }
    }

    /// Checks the timestamps, the last one at the given time.
    fn judge(self, anchors: &Anchors, at: ControlTime) -> Renewals {
        let mut control = at;
        let mut moments = Vec::with_capacity(self.imprints.len());
        for (imprint, timestamp) in self.imprints.into_iter().zip(self.chain.timestamps()).rev() {
            let moment = Moment::of(Some(&timestamp.token), imprint, anchors, control);
            control = moment.of_covered();
            moments.push(moment);
        }
        moments.reverse();
        let first = moments.remove(0);
        Renewals { first, later: moments, record: Ok(()), bundles: None, has_broken: false }
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

/// Checks that each bundle belongs to a timestamp of a record, and is the one that the next renewal covers. Without all
/// records, others may belong to one that is missing.
fn check_bundles(bundles: &[BundleFile], records: &[Record], has_all: bool) -> Result<(), String> {
    let tokens = records.iter().flat_map(|record| {
        let timestamps = record.chain.timestamps();
        timestamps.iter().enumerate().map(move |(place, timestamp)| {
            (*Sha256Digest::of(&timestamp.token).as_bytes(), place + 1, timestamps.get(place + 1))
        })
    });
    let tokens: Vec<_> = tokens.collect();
    bundles.iter().try_for_each(|BundleFile { bundle, sha256 }| {
        let of_bundle: Vec<_> = tokens.iter().filter(|(token, ..)| *token == bundle.token_sha256).collect();
        if of_bundle.is_empty() && has_all {
            return Err("an evidence bundle belongs to another timestamp".into());
        }
        // Several records can have the same timestamp.
        let renewed: Vec<_> = of_bundle.iter().filter_map(|(_, number, next)| Some((number, (*next)?))).collect();
        match renewed.first() {
            Some((number, _)) if !renewed.iter().any(|(_, renewal)| renewal.covers(sha256)) => {
                Err(format!("an evidence bundle is not the one that renewal {number} covers"))
            }
            _ => Ok(()),
        }
    })
}
