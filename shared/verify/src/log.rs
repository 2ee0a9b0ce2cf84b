//! Checks whether a capture is in a transparency log, and since when, with a proof in a separate file.

use lacre_domain::Sha256Digest;
use lacre_proof::Trust;
use lacre_transparency::{Inclusion, LogKey, LogProof, ProofError, WitnessKey};
use time::OffsetDateTime;

use super::{
    moment::Moment,
    report::{LogEntry, NotChecked, Report},
    revocation::Revocations,
    revoked::Part,
};

/// Maximum size of a log proof in bytes. A proof has about 2 KB, with a timestamp about 10 KB.
const MAX_PROOF: usize = 64 * 1024;

/// The names of the checks: the inclusion, the witnesses' cosignatures, and the timestamp over the checkpoint.
const LOG: &str = "transparency log";
const WITNESSES: &str = "log witnesses";
const TIMESTAMP: &str = "log timestamp";
const REVOCATION: &str = "log timestamp revocation";

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
}

/// The result of a valid log proof.
pub(super) struct Logged {
    inclusion: Inclusion,
    /// When the log's checkpoint existed.
    pub(super) moment: Moment,
}

impl LogEvidence {
    /// Evidence for the log with this key, without required witnesses.
    #[must_use]
    pub const fn new(proof: Vec<u8>, key: LogKey) -> Self {
        Self { proof, key, witnesses: Vec::new() }
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
        missing.map_or(Ok(()), |witness| Err(format!("{} did not cosign the checkpoint", witness.name())))
    }
}

impl Logged {
    /// Adds to the report whether the capture with this manifest is in the log, or that the file is not a log proof;
    /// and whether the timestamp in the proof is valid. That timestamp is checked with the anchors for timestamps over
    /// seals.
    pub(super) fn judge(
        evidence: Option<&LogEvidence>,
        manifest: &[u8],
        trust: Trust<'_>,
        revocations: &Revocations,
        at: OffsetDateTime,
        report: &mut Report,
    ) -> Option<Self> {
        let Some(evidence) = evidence else {
            report.not_checked.push(unchecked("no proof of it was given"));
            return None;
        };
        let proof = match evidence.read() {
            Ok(proof) => proof,
            Err(fault) => {
                report.unreadable_log_proof = true;
                report.not_checked.push(unchecked(&format!("the file that was given is {fault}")));
                return None;
            }
        };
        let verified = proof.verify(&Sha256Digest::of(manifest), &evidence.key);
        report.note(LOG, verified.as_ref().map(drop).map_err(ToString::to_string));
        let inclusion = verified.ok()?;
        if !evidence.witnesses.is_empty() {
            report.note(WITNESSES, evidence.check_witnesses(&proof));
        }
        let checkpoint = Sha256Digest::of(proof.checkpoint.text.as_bytes());
        let token = proof.extra.timestamp.as_deref();
        let moment = Moment::of(token, *checkpoint.as_bytes(), trust.seal_timestamps, at);
        moment.judge_timestamp(TIMESTAMP, report);
        if let Some((signer, path)) = moment.authority() {
            let (names, at) = ((TIMESTAMP, REVOCATION), moment.judged_at());
            Part { names, signer, path, at, is_timestamp: true }.judge(revocations, report);
        }
        Some(Self { inclusion, moment })
    }

    /// The entry of the capture in the log, for the report.
    pub(super) fn entry(&self, report: &Report) -> LogEntry {
        let Inclusion { checkpoint, index } = &self.inclusion;
        LogEntry {
            origin: checkpoint.origin.clone(),
            index: *index,
            size: checkpoint.size,
            timestamp_found: self.moment.found(false),
            timestamp: self.moment.facts(TIMESTAMP, report),
        }
    }
}

fn unchecked(why: &str) -> NotChecked {
    NotChecked { part: LOG, certificate: None, what: format!("whether the capture is in a public log: {why}") }
}
