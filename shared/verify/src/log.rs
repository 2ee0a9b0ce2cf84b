//! Whether the capture is in a public log, by a proof beside the photo, and since when.

use domain::Sha256Digest;
use proof::Trust;
use time::OffsetDateTime;
use transparency::{Inclusion, LogKey, LogProof, ProofError, WitnessKey};

use super::{
    moment::Moment,
    report::{LogEntry, NotChecked, Report},
    revocation::Revocations,
    revoked::Part,
};

/// A proof has some 2 KB, and with a timestamp some 10 KB.
const MAX_PROOF: usize = 64 * 1024;

/// The names of the check, and of those of the cosignatures and of the timestamp over the checkpoint.
const LOG: &str = "transparency log";
const WITNESSES: &str = "log witnesses";
const TIMESTAMP: &str = "log timestamp";
const REVOCATION: &str = "log timestamp revocation";

/// A proof that the capture is in a public log, and the key of that log: the check `transparency log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEvidence {
    /// The file, in C2SP `tlog-proof` form. Whatever it holds is judged by the check.
    pub proof: Vec<u8>,
    /// The key of the log.
    pub key: LogKey,
    /// Who must have cosigned the proof's checkpoint, each of them: the check `log witnesses`.
    pub witnesses: Vec<WitnessKey>,
}

/// A capture that is in a log.
pub(super) struct Logged {
    inclusion: Inclusion,
    /// When the log's checkpoint existed.
    pub(super) moment: Moment,
}

impl LogEvidence {
    /// A proof for the log with this key, whoever witnessed it.
    #[must_use]
    pub const fn new(proof: Vec<u8>, key: LogKey) -> Self {
        Self { proof, key, witnesses: Vec::new() }
    }

    fn open(&self, manifest: &[u8]) -> Result<(LogProof, Inclusion), String> {
        if self.proof.len() > MAX_PROOF {
            return Err(format!("the proof is larger than {MAX_PROOF} bytes"));
        }
        let text = std::str::from_utf8(&self.proof).map_err(|_| ProofError::Malformed.to_string())?;
        let proof: LogProof = text.parse().map_err(|fault: ProofError| fault.to_string())?;
        let inclusion = proof.verify(&Sha256Digest::of(manifest), &self.key).map_err(|fault| fault.to_string())?;
        Ok((proof, inclusion))
    }

    fn check_witnesses(&self, proof: &LogProof) -> Result<(), String> {
        let missing = self.witnesses.iter().find(|witness| witness.cosigned_at(&proof.checkpoint).is_none());
        missing.map_or(Ok(()), |witness| Err(format!("{} did not cosign the checkpoint", witness.name())))
    }
}

impl Logged {
    /// Notes whether the capture with this manifest is in the log, and whether the timestamp in the proof holds. Its authority
    /// is one of those that the seal's timestamp may come from.
    pub(super) fn judge(
        evidence: Option<&LogEvidence>,
        manifest: &[u8],
        trust: Trust<'_>,
        revocations: &Revocations,
        at: OffsetDateTime,
        report: &mut Report,
    ) -> Option<Self> {
        let Some(evidence) = evidence else {
            report.not_checked.push(without_proof());
            return None;
        };
        let opened = evidence.open(manifest);
        report.note(LOG, opened.as_ref().map(drop).map_err(Clone::clone));
        let (proof, inclusion) = opened.ok()?;
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

    /// The capture's place in the log.
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

fn without_proof() -> NotChecked {
    let what = "whether the capture is in a public log: no proof of it was given";
    NotChecked { part: LOG, certificate: None, what: what.into() }
}
