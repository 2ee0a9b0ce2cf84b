//! Checks whether a capture is in a transparency log, and since when, with a proof in a separate file.

use lacre_domain::Sha256Digest;
use lacre_proof::{Expiry, Trust, bundle::BundleFile};
use lacre_transparency::{Inclusion, LogKey, LogProof, ProofError, WitnessKey, WitnessPolicy};
use time::OffsetDateTime;

use super::{
    moment::ControlTime,
    renewals::Renewals,
    report::{LogEntry, NotChecked, Report},
    revocation::Revocations,
};

/// Maximum size of a log proof in bytes. A proof has about 2 KB, with a timestamp about 10 KB.
const MAX_PROOF: usize = 64 * 1024;

/// The names of the checks: the inclusion, and the witnesses' cosignatures.
const LOG: &str = "transparency log";
const WITNESSES: &str = "log witnesses";

/// A proof that the capture is in a transparency log, with that log's key; used by the check `transparency log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEvidence {
    /// The file, in C2SP `tlog-proof` format. A file in another format proves nothing but makes no check fail; see
    /// [`Report::unreadable_log_proof`].
    pub proof: Vec<u8>,
    /// The verification key of the log.
    pub key: LogKey,
    /// The witnesses that must all have cosigned the proof's checkpoint; used by the check `log witnesses`.
    pub witnesses: Vec<WitnessKey>,
    /// The policy that the witnesses that cosigned must fulfil, and that must accept the log; used by the check
    /// `log witnesses`.
    pub policy: Option<WitnessPolicy>,
    /// The evidence record (RFC 4998, DER) of the timestamp in the proof, with its renewals, and that of a second timestamp
    /// of the same checkpoint; used by the check `renewals`, for which one that holds suffices. A file of another form
    /// fails it if no other holds.
    pub records: Vec<Vec<u8>>,
    /// Evidence bundles of the records' timestamps; used by the check `evidence bundles`. Their lists and OCSP responses
    /// count only if they are in the [`Revocations`] too.
    pub bundles: Vec<BundleFile>,
}

/// A valid log proof.
pub(super) struct Logged {
    proof: LogProof,
    inclusion: Inclusion,
    /// When the log's checkpoint existed.
    renewals: Renewals,
}

/// What a log proof shows, as far as one was given.
pub(super) enum LogFindings {
    /// Nothing, because none was given.
    NotGiven,
    /// Nothing, because the file is not a log proof.
    Unreadable(String),
    /// The capture is not in the log, for this reason.
    Excluded(ProofError),
    /// The capture is in the log.
    Included(Box<Logged>),
}

impl LogEvidence {
    /// Evidence for the log with this key, without required witnesses and renewals.
    #[must_use]
    pub const fn new(proof: Vec<u8>, key: LogKey) -> Self {
        Self { proof, key, witnesses: Vec::new(), policy: None, records: Vec::new(), bundles: Vec::new() }
    }

    /// Parses the proof, which may be of any log and photo.
    fn read(&self) -> Result<LogProof, String> {
        if self.proof.len() > MAX_PROOF {
            return Err(format!("{}: larger than {MAX_PROOF} bytes", ProofError::Malformed));
        }
        LogProof::of_file(&self.proof).map_err(|fault| fault.to_string())
    }

    fn check_witnesses(&self, proof: &LogProof) -> Result<(), String> {
        let missing = self.witnesses.iter().find(|witness| witness.cosigned_at(&proof.checkpoint).is_none());
        if let Some(witness) = missing {
            return Err(format!("{} did not cosign the checkpoint", witness.name()));
        }
        match &self.policy {
            Some(policy) if !policy.accepts(&self.key) => Err("the witness policy does not name the log".into()),
            Some(policy) if !policy.is_met_by(&proof.checkpoint) => {
                Err("too few of the witness policy's witnesses cosigned the checkpoint".into())
            }
            _ => Ok(()),
        }
    }

    fn requires_witnesses(&self) -> bool {
        !self.witnesses.is_empty() || self.policy.is_some()
    }
}

impl LogFindings {
    /// Checks whether the capture with this manifest is in the log, and since when. The timestamps over the checkpoint are
    /// checked with the anchors for timestamps over seals.
    pub(super) fn of(
        evidence: Option<&LogEvidence>,
        manifest: &[u8],
        trust: Trust<'_>,
        revocations: &Revocations,
        at: OffsetDateTime,
    ) -> Self {
        let Some(evidence) = evidence else { return Self::NotGiven };
        let proof = match evidence.read() {
            Ok(proof) => proof,
            Err(fault) => return Self::Unreadable(fault),
        };
        match proof.verify(&Sha256Digest::of(manifest), &evidence.key) {
            Err(fault) => Self::Excluded(fault),
            Ok(inclusion) => {
                let (token, text) = (proof.extra.timestamp.as_deref(), proof.checkpoint.text.as_bytes());
                let (anchors, at) = (trust.seal_timestamps, ControlTime::Given(at));
                let renewals = Renewals::of(evidence, token, text, anchors, revocations, at);
                Self::Included(Box::new(Logged { inclusion, renewals, proof }))
            }
        }
    }

    /// The valid log proof.
    pub(super) fn included(&self) -> Option<&Logged> {
        match self {
            Self::Included(logged) => Some(logged),
            _ => None,
        }
    }

    /// Adds to the report whether the capture is in the log, or that the file is not a log proof; and whether the
    /// timestamps over the checkpoint are valid.
    pub(super) fn note(&self, evidence: Option<&LogEvidence>, revocations: &Revocations, report: &mut Report) {
        match self {
            Self::NotGiven => report.not_checked.push(unchecked("no proof of it was given")),
            Self::Unreadable(fault) => {
                report.unreadable_log_proof = true;
                report.not_checked.push(unchecked(&format!("the file that was given is {fault}")));
            }
            Self::Excluded(fault) => report.note(LOG, Err(fault.to_string())),
            Self::Included(logged) => {
                report.note(LOG, Ok(()));
                if let Some(evidence) = evidence.filter(|evidence| evidence.requires_witnesses()) {
                    report.note(WITNESSES, evidence.check_witnesses(&logged.proof));
                }
                logged.renewals.note(revocations, report);
            }
        }
    }
}

impl Logged {
    /// The control time of the whole file, which the log's timestamp covers.
    pub(super) fn of_covered(&self) -> ControlTime {
        self.renewals.of_covered()
    }

    /// The time by which the capture was in the log, if a valid timestamp shows it.
    pub(super) fn trusted_time(&self) -> Option<OffsetDateTime> {
        self.renewals.trusted_time()
    }

    /// The first expiry among the certificates of the last timestamp.
    pub(super) fn first_end(&self) -> Option<Expiry> {
        self.renewals.first_end()
    }

    /// The entry of the capture in the log, for the report.
    pub(super) fn entry(&self, report: &Report) -> LogEntry {
        let Inclusion { checkpoint, index } = &self.inclusion;
        LogEntry {
            origin: checkpoint.origin.clone(),
            index: *index,
            size: checkpoint.size,
            timestamp_found: self.renewals.found(),
            timestamp: self.renewals.timestamp(report),
            renewals: self.renewals.later(report),
            other_record_is_broken: self.renewals.have_broken_record(),
        }
    }
}

fn unchecked(why: &str) -> NotChecked {
    NotChecked { part: LOG, certificate: None, what: format!("whether the capture is in a public log: {why}") }
}
