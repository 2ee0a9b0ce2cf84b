//! The findings of a check, for people and for programs: data that any rendering can walk. `text` is the rendering in lines.

use std::collections::BTreeSet;

use lacre_domain::{Environment, FrameHash};
use lacre_proof::{
    Check,
    assertions::{BrowserAssertion, CaptureAssertion},
    certificate::{cnpj, common_name},
    cnpj::punctuated,
};
use serde::Serialize;

use super::{kind::FileKind, trust::Trusted};

/// The findings of a check. What could not be read is `None`. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The conclusion: whether the proof is what was required.
    pub outcome: Outcome,
    /// What the file is.
    pub file: FileKind,
    /// Whether every check was made and holds, in whichever environment.
    pub valid: bool,
    /// The environment that was required.
    pub required_environment: Environment,
    /// The validation time of everything without a trusted timestamp.
    pub judged_at: String,
    /// Until when a valid proof holds, as far as time goes.
    pub holds_until: Option<HoldsUntil>,
    /// The environment whose keys signed. Only `PRODUCTION` is a proof towards third parties.
    pub environment: Option<Environment>,
    /// Each check with its outcome, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The revocation status of certificates, by the given CRLs and OCSP responses.
    pub revocations: Vec<Revocation>,
    /// The open checks.
    pub not_checked: Vec<NotChecked>,
    /// The SHA-256 of the frame as it was computed from the file.
    pub frame_hash: Option<FrameHash>,
    /// When everything happened: by whose word, and whether it is to be trusted.
    pub times: Option<Times>,
    /// The ICP-Brasil signature.
    pub seal: Option<SealReport>,
    /// The C2PA claim signature.
    pub claim: Option<ClaimReport>,
    /// The public log that the capture is in, where a proof of it was given and holds.
    pub transparency_log: Option<LogEntry>,
    /// Whether a file was given as a proof of the log and is not one: then nothing is known of the log, and the verdict is
    /// that of the photo. `not_checked` says why.
    #[serde(skip)]
    pub unreadable_log_proof: bool,
    /// The statements of the service.
    pub capture: Option<CaptureAssertion>,
    /// What the browser claims.
    pub browser: Option<BrowserAssertion>,
    /// The lists of root certificates that were trusted, where a [`TrustStore`](crate::TrustStore) checked.
    pub trust: Vec<Trusted>,
    /// The checks that fail only because a certificate has expired.
    #[serde(skip)]
    pub(super) expired: Vec<&'static str>,
}

/// The conclusion of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every check holds, the proof is of the required environment, and the holder of the seal's certificate is the required
    /// one.
    Accepted,
    /// Every check holds, and the proof is of the required environment, but no holder was required: any holder of a
    /// certificate under the trusted roots can seal a photo.
    NotPinned,
    /// Every check holds, and the proof is of another environment than the required one.
    OtherEnvironment,
    /// A check fails.
    Refused,
    /// The file does not claim to be a proof: [`FileKind`] states what it is.
    NoProof,
    /// The proof is of a newer version of the format than this verifier knows, and was not judged.
    NewerVersion,
}

/// The open check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// The part of the proof: `seal`, `claim`, `seal timestamp`, `claim timestamp`, `transparency log` or `log timestamp`.
    pub part: &'static str,
    /// The certificate whose revocation was not checked (RFC 4514); `None` where it is about something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// An open check, and its reason.
    pub what: String,
}

/// The revocation status of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revocation {
    /// The part of the proof, as in [`NotChecked`].
    pub part: &'static str,
    /// The subject of the certificate (RFC 4514).
    pub certificate: String,
    /// The status.
    pub status: RevocationStatus,
    /// Since when it is revoked, or when it was published that it is not.
    pub time: String,
    /// Why it was revoked, by the names of RFC 5280.
    pub reason: Option<String>,
}

/// Whether a certificate was revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationStatus {
    /// Not revoked at the validation time, by a CRL or OCSP response of that time or later.
    Good,
    /// Revoked, before or after that time.
    Revoked,
}

/// When a valid proof expires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HoldsUntil {
    /// The last second.
    pub time: String,
    /// Whose certificate expires then: one of a timestamp's chain, or, of a signature without one, of its signer's chain.
    pub certificate: String,
}

/// The times of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// The ICP-Brasil signature existed by then, by the word of a trusted timestamp authority.
    pub seal_trusted: Option<String>,
    /// The C2PA claim signature, and with it everything in the file, existed by then, by the same word.
    pub claim_trusted: Option<String>,
    /// The capture was in the public log by then, and with it everything in the file, by the same word.
    pub log_trusted: Option<String>,
    /// When the ICP-Brasil signature was made, by the signer's own word (CMS `signingTime`).
    pub seal_claimed: String,
    /// When the frame was received, by the service's word.
    pub service_claimed: String,
    /// When the photo was taken, by the browser's word.
    pub browser_claimed: Option<String>,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// The subject (RFC 4514).
    pub subject: String,
    /// The issuer.
    pub issuer: String,
    /// Its number at its issuer, in hexadecimal.
    pub serial_number: String,
    /// Its first second.
    pub not_before: String,
    /// Its last second.
    pub not_after: String,
}

/// The content of a timestamp's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// None, and no room for one: none was requested, or, for the seal, none came in time.
    Nothing,
    /// Room for one over the claim, and none in it: none was given in time, or it was removed since. No signature covers it.
    EmptyRoom,
    /// A timestamp that cannot be decoded.
    Unreadable,
    /// A timestamp that can be decoded, valid or not.
    Timestamp,
}

/// A timestamp over one of the signatures, or over the checkpoint of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timestamp {
    /// Whether it is to be trusted.
    pub holds: bool,
    /// Its time.
    pub time: String,
    /// The accuracy, if the authority states one.
    pub accuracy_seconds: Option<f64>,
    /// The authority's name (RFC 4514).
    pub authority: String,
    /// Its number at the authority, in hexadecimal.
    pub serial_number: String,
    /// The identifier of the rules under which the authority works.
    pub policy: String,
    /// The SHA-256 of what it must be over, in hexadecimal.
    pub message_sha256: String,
    /// The authority's certificates, its own first.
    pub chain: Vec<Certificate>,
    /// The trusted root that they lead to, where it holds (RFC 4514).
    pub root: Option<String>,
}

/// The holder of the seal's certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// The common name; the whole subject (RFC 4514) where there is not exactly one.
    pub name: String,
    /// The 14 characters of the CNPJ (`subjectAltName`, `otherName` 2.16.76.1.3.3).
    pub cnpj: Option<String>,
}

/// The ICP-Brasil signature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SealReport {
    /// The holder of the signer's certificate. It is proven only where the report is valid.
    pub holder: Holder,
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
    /// When it was made, by the signer's word.
    pub signing_time: String,
    /// The identifier of the signature policy.
    pub policy: String,
    /// The policy's name, when it is a published one with its own hash.
    pub policy_name: Option<&'static str>,
    /// The time for which the chain was validated.
    pub judged_at: String,
    /// The certificates, the signer's first.
    pub chain: Vec<Certificate>,
    /// The trusted root that they lead to, where their check holds (RFC 4514).
    pub root: Option<String>,
    /// The content of the timestamp's place.
    pub timestamp_found: Found,
    /// The timestamp over the signature, where it can be read.
    pub timestamp: Option<Timestamp>,
}

/// The C2PA claim signature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimReport {
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
    /// The time for which the chain was validated.
    pub judged_at: String,
    /// The certificates, the signer's first.
    pub chain: Vec<Certificate>,
    /// The trusted root that they lead to, where their check holds (RFC 4514).
    pub root: Option<String>,
    /// The content of the timestamp's place.
    pub timestamp_found: Found,
    /// The timestamp over the signature, where it can be read.
    pub timestamp: Option<Timestamp>,
}

/// A capture's place in a public log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogEntry {
    /// The log's name.
    pub origin: String,
    /// The leaf, counted from 0.
    pub index: u64,
    /// The number of leaves in the signed checkpoint of the log.
    pub size: u64,
    /// The content of the timestamp's place.
    pub timestamp_found: Found,
    /// The timestamp over the checkpoint, where it can be read. Without one, since when the capture is in the log is the
    /// operator's word.
    pub timestamp: Option<Timestamp>,
}

/// What ends the trust in a check that holds, where it was made and fails. A certificate is judged at the time of the timestamp.
const ENDED_BY: [(&str, &[&str]); 8] = [
    ("claim timestamp", &["claim timestamp revocation"]),
    ("claim certificate", &["claim revocation", "claim timestamp revocation"]),
    ("claim revocation", &["claim timestamp revocation"]),
    ("seal timestamp", &["seal timestamp revocation"]),
    ("seal certificate", &["seal revocation", "seal timestamp revocation"]),
    ("seal revocation", &["seal timestamp revocation"]),
    ("log timestamp", &["log timestamp revocation"]),
    ("transparency log", &["log witnesses"]),
];

impl Report {
    /// A report before its checks.
    pub(super) fn new(judged_at: String, required_environment: Environment, file: FileKind) -> Self {
        Self {
            outcome: match file {
                FileKind::Proof => Outcome::Refused,
                FileKind::NewerProof => Outcome::NewerVersion,
                FileKind::OtherManifest | FileKind::Photo | FileKind::Other => Outcome::NoProof,
            },
            file,
            valid: false,
            required_environment,
            judged_at,
            holds_until: None,
            environment: None,
            checks: Vec::new(),
            revocations: Vec::new(),
            not_checked: Vec::new(),
            frame_hash: None,
            times: None,
            seal: None,
            claim: None,
            transparency_log: None,
            unreadable_log_proof: false,
            capture: None,
            browser: None,
            trust: Vec::new(),
            expired: Vec::new(),
        }
    }

    /// Draws the conclusion from the checks, the environment and whether a holder was required.
    pub(super) fn conclude(&mut self, is_pinned: bool) {
        self.outcome = match (self.valid, self.environment == Some(self.required_environment)) {
            (false, _) => Outcome::Refused,
            (true, false) => Outcome::OtherEnvironment,
            (true, true) if is_pinned => Outcome::Accepted,
            (true, true) => Outcome::NotPinned,
        };
    }

    /// Whether the file was judged as a proof.
    pub(super) fn is_judged(&self) -> bool {
        !matches!(self.outcome, Outcome::NoProof | Outcome::NewerVersion)
    }

    /// The number of certificates whose revocation was not checked.
    pub(super) fn unchecked_revocations(&self) -> usize {
        let certificates = self.not_checked.iter().filter_map(|gap| gap.certificate.as_deref());
        certificates.collect::<BTreeSet<_>>().len()
    }

    pub(super) fn note(&mut self, name: &'static str, outcome: Result<(), String>) {
        self.checks.push(Check::of(name, outcome));
    }

    /// Whether a check was made and holds, and none of those fails that end the trust in it.
    pub(super) fn carries(&self, name: &str) -> bool {
        let ends = ENDED_BY.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, ends)| ends);
        self.checks.iter().any(|check| check.name == name && check.holds)
            && self.checks.iter().all(|check| check.holds || !ends.contains(&check.name))
    }

    /// Notes that a check fails only because a certificate has expired.
    pub(super) fn note_expiry(&mut self, name: &'static str) {
        self.expired.push(name);
    }

    /// Whether a proof fails only because certificates have expired: every other check holds, and the expired chains lead to
    /// trusted roots.
    pub(super) fn has_only_expired(&self) -> bool {
        let mut failed = self.checks.iter().filter(|check| !check.holds).peekable();
        failed.peek().is_some() && failed.all(|check| self.expired.contains(&check.name))
    }
}

impl Holder {
    pub(super) fn of(certificate: &x509_cert::Certificate) -> Self {
        let subject = || certificate.tbs_certificate.subject.to_string();
        Self { name: common_name(certificate).unwrap_or_else(subject), cnpj: cnpj(certificate) }
    }

    /// The CNPJ as `00.000.000/0000-00`.
    pub(super) fn cnpj_punctuated(&self) -> Option<String> {
        self.cnpj.as_deref().and_then(punctuated)
    }
}
