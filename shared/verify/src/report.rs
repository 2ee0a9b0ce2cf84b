//! The report of a check, for people and programs, as data that can be rendered in any form. `text` renders it as
//! lines.

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

/// The report of a check. Fields are `None` if the file did not contain them in readable form. Times are RFC 3339 in
/// UTC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The conclusion: whether the proof fulfils the requirements.
    pub outcome: Outcome,
    /// The kind of file.
    pub file: FileKind,
    /// Whether all checks were made and succeeded, whatever the environment.
    pub valid: bool,
    /// The environment that was required.
    pub required_environment: Environment,
    /// The time at which everything without a trusted timestamp was validated.
    pub judged_at: String,
    /// Until when a valid proof remains valid, as far as expiry is concerned.
    pub holds_until: Option<HoldsUntil>,
    /// The environment whose keys signed. Only a `PRODUCTION` proof is meant for third parties.
    pub environment: Option<Environment>,
    /// All checks with their results, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The revocation status of certificates, according to the given CRLs and OCSP responses.
    pub revocations: Vec<Revocation>,
    /// What was not checked.
    pub not_checked: Vec<NotChecked>,
    /// The SHA-256 of the frame, computed from the file.
    pub frame_hash: Option<FrameHash>,
    /// The times of the proof, with who states each of them.
    pub times: Option<Times>,
    /// The seal (the ICP-Brasil signature).
    pub seal: Option<SealReport>,
    /// The C2PA claim signature.
    pub claim: Option<ClaimReport>,
    /// The transparency log entry of the capture, if a valid proof of it was given.
    pub transparency_log: Option<LogEntry>,
    /// Whether a file was given as a log proof but is not one. Then nothing is known about the log, and the conclusion
    /// is that of the photo alone; `not_checked` contains the reason.
    #[serde(skip)]
    pub unreadable_log_proof: bool,
    /// The statements of the service.
    pub capture: Option<CaptureAssertion>,
    /// What the browser claims.
    pub browser: Option<BrowserAssertion>,
    /// The step that the photo was asked for as, if a kit was required and is the one that the proof states.
    pub kit_step: Option<KitStep>,
    /// The lists of root certificates that were trusted, if a [`TrustStore`](crate::TrustStore) was used.
    pub trust: Vec<Trusted>,
    /// The names of the checks that fail only because a certificate has expired.
    #[serde(skip)]
    pub(super) expired: Vec<&'static str>,
}

/// The conclusion of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All checks succeeded, the proof is of the required environment, and the holder of the seal's certificate is the
    /// required one.
    Accepted,
    /// All checks succeeded and the proof is of the required environment, but no holder was required: any holder of a
    /// certificate under the trusted roots can seal a photo.
    NotPinned,
    /// All checks succeeded, but the proof is of another environment than the required one.
    OtherEnvironment,
    /// A check failed.
    Refused,
    /// The file does not claim to be a proof; [`FileKind`] says what it is.
    NoProof,
    /// The proof has a newer version of the format than this verifier supports, and was not checked.
    NewerVersion,
}

/// Something that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// The part of the proof: `seal`, `claim`, `seal timestamp`, `claim timestamp`, `transparency log`, `log timestamp` or
    /// `renewals`.
    pub part: &'static str,
    /// The certificate whose revocation was not checked (RFC 4514); `None` if something else was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// What was not checked, and why.
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
    /// When the certificate was revoked, or when the statement was published that it is not.
    pub time: String,
    /// The reason for the revocation, by its name in RFC 5280.
    pub reason: Option<String>,
}

/// Whether a certificate was revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationStatus {
    /// Not revoked at the validation time, according to a CRL or OCSP response of that time or later.
    Good,
    /// Revoked, before or after the validation time.
    Revoked,
}

/// When a valid proof expires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HoldsUntil {
    /// The last second at which the proof is valid.
    pub time: String,
    /// The subject of the certificate that expires then: one of a timestamp's chain or, for a signature without a
    /// timestamp, of its signer's chain.
    pub certificate: String,
}

/// The times of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Times {
    /// The time by which the seal existed, according to a trusted timestamp authority.
    pub seal_trusted: Option<String>,
    /// The time by which the C2PA claim signature existed, and with it everything in the file, according to a trusted
    /// timestamp authority.
    pub claim_trusted: Option<String>,
    /// The time by which the capture was in the transparency log, and with it everything in the file, according to a
    /// trusted timestamp authority.
    pub log_trusted: Option<String>,
    /// When the seal was made, according to the signer (CMS `signingTime`).
    pub seal_claimed: String,
    /// When the frame was received, according to the service.
    pub service_claimed: String,
    /// When the photo was taken, according to the browser.
    pub browser_claimed: Option<String>,
}

/// The facts of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// The certificate's subject (RFC 4514).
    pub subject: String,
    /// The certificate's issuer (RFC 4514).
    pub issuer: String,
    /// The certificate's serial number, in hexadecimal.
    pub serial_number: String,
    /// The first second of the certificate's validity.
    pub not_before: String,
    /// The last second of the certificate's validity.
    pub not_after: String,
}

/// What was found in the place of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// No timestamp, and no space for one: none was requested or, for the seal, none arrived in time.
    Nothing,
    /// Empty space for a timestamp over the claim: none arrived in time, or it was removed later, or an OCSP response was
    /// removed. No signature covers the space.
    EmptyRoom,
    /// A timestamp that cannot be parsed.
    Unreadable,
    /// A timestamp that can be parsed, valid or not.
    Timestamp,
}

/// The facts of a timestamp over one of the signatures, or over the checkpoint of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timestamp {
    /// Whether the timestamp is valid and trusted.
    pub holds: bool,
    /// The time of the timestamp.
    pub time: String,
    /// The accuracy, if the authority states one.
    pub accuracy_seconds: Option<f64>,
    /// The authority's name (RFC 4514).
    pub authority: String,
    /// The serial number that the authority gave the timestamp, in hexadecimal.
    pub serial_number: String,
    /// The OID of the policy under which the authority works.
    pub policy: String,
    /// The SHA-256 that the timestamp has to cover, in hexadecimal.
    pub message_sha256: String,
    /// The authority's certificates, the signer's first.
    pub chain: Vec<Certificate>,
    /// The trusted root of the chain (RFC 4514), if the timestamp is valid.
    pub root: Option<String>,
}

/// The holder of the seal's certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// The common name; the whole subject (RFC 4514) if there is not exactly one common name.
    pub name: String,
    /// The 14 characters of the CNPJ (`subjectAltName`, `otherName` 2.16.76.1.3.3).
    pub cnpj: Option<String>,
}

/// The facts of the seal (the ICP-Brasil signature).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SealReport {
    /// The holder of the signer's certificate. It is proven only if the report is valid.
    pub holder: Holder,
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
    /// When the seal was made, according to the signer.
    pub signing_time: String,
    /// The OID of the signature policy.
    pub policy: String,
    /// The policy's name, if it is a published policy and its hash matches.
    pub policy_name: Option<&'static str>,
    /// The time at which the chain was validated.
    pub judged_at: String,
    /// The certificates, the signer's first.
    pub chain: Vec<Certificate>,
    /// The trusted root of the chain (RFC 4514), if its check succeeded.
    pub root: Option<String>,
    /// What was found in the place of the timestamp.
    pub timestamp_found: Found,
    /// The timestamp over the signature, if it can be parsed.
    pub timestamp: Option<Timestamp>,
}

/// The facts of the C2PA claim signature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimReport {
    /// The subject of the signer's certificate (RFC 4514).
    pub signer: String,
    /// The time at which the chain was validated.
    pub judged_at: String,
    /// The certificates, the signer's first.
    pub chain: Vec<Certificate>,
    /// The trusted root of the chain (RFC 4514), if its check succeeded.
    pub root: Option<String>,
    /// What was found in the place of the timestamp.
    pub timestamp_found: Found,
    /// The timestamp over the signature, if it can be parsed.
    pub timestamp: Option<Timestamp>,
    /// The OCSP response about the signer's certificate, if the manifest has a valid one.
    pub staple: Option<Staple>,
}

/// An OCSP response in the manifest, which says that the claim signer's certificate was not revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Staple {
    /// When the responder knew this.
    pub this_update: String,
    /// Until when the response was current.
    pub next_update: String,
}

/// The entry of a capture in a transparency log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogEntry {
    /// The origin of the log.
    pub origin: String,
    /// The index of the leaf, from 0.
    pub index: u64,
    /// The tree size of the log's signed checkpoint.
    pub size: u64,
    /// What was found in the place of the timestamp.
    pub timestamp_found: Found,
    /// The timestamp over the checkpoint, if it can be parsed. Without one, only the operator states since when the
    /// capture is in the log.
    pub timestamp: Option<Timestamp>,
    /// The renewals of the timestamp, oldest first, if an evidence record was given and they can be parsed.
    pub renewals: Vec<Timestamp>,
    /// Whether another evidence record that was given, or the timestamp in the proof itself, does not hold. It takes
    /// nothing away from this record.
    pub other_record_is_broken: bool,
}

/// A step of a client's kit, from the kit's file that the verifier gave. Its texts are those that the kit has in Brazilian
/// Portuguese; a customer may have read those in another language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KitStep {
    /// The title, which is also the photo's label.
    pub title: String,
    /// The instruction.
    pub instruction: String,
}

/// For each check, the revocation checks whose failure removes the trust in it even if the check itself succeeded. A
/// certificate is validated at the timestamp's time, so the timestamp's revocation matters too; and the log's timestamps
/// cover everything.
const ENDED_BY: [(&str, &[&str]); 9] = [
    ("claim timestamp", &["claim timestamp revocation", "log timestamp revocation", "renewals revocation"]),
    (
        "claim certificate",
        &["claim revocation", "claim timestamp revocation", "log timestamp revocation", "renewals revocation"],
    ),
    ("claim revocation", &["claim timestamp revocation", "log timestamp revocation", "renewals revocation"]),
    ("seal timestamp", &["seal timestamp revocation", "log timestamp revocation", "renewals revocation"]),
    (
        "seal certificate",
        &["seal revocation", "seal timestamp revocation", "log timestamp revocation", "renewals revocation"],
    ),
    ("seal revocation", &["seal timestamp revocation", "log timestamp revocation", "renewals revocation"]),
    ("log timestamp", &["log timestamp revocation", "renewals revocation"]),
    ("renewals", &["renewals revocation"]),
    ("transparency log", &["log witnesses"]),
];

impl Report {
    /// A report without any check yet.
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
            kit_step: None,
            trust: Vec::new(),
            expired: Vec::new(),
        }
    }

    /// Draws the conclusion from the checks, the environment, and whether a holder was required.
    pub(super) fn conclude(&mut self, is_pinned: bool) {
        self.outcome = match (self.valid, self.environment == Some(self.required_environment)) {
            (false, _) => Outcome::Refused,
            (true, false) => Outcome::OtherEnvironment,
            (true, true) if is_pinned => Outcome::Accepted,
            (true, true) => Outcome::NotPinned,
        };
    }

    /// Whether the file was checked as a proof.
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

    /// Whether a check succeeded, and no failed revocation check removes the trust in it.
    pub(super) fn carries(&self, name: &str) -> bool {
        let ends = ENDED_BY.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, ends)| ends);
        self.checks.iter().any(|check| check.name == name && check.holds)
            && self.checks.iter().all(|check| check.holds || !ends.contains(&check.name))
    }

    /// Whether a check was made and failed.
    pub(super) fn has_failed(&self, name: &str) -> bool {
        self.checks.iter().any(|check| check.name == name && !check.holds)
    }

    /// Records that a check fails only because a certificate has expired.
    pub(super) fn note_expiry(&mut self, name: &'static str) {
        self.expired.push(name);
    }

    /// Whether a proof fails only because certificates have expired: all other checks succeeded, and the expired chains
    /// lead to trusted roots.
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

    /// The CNPJ in the form `00.000.000/0000-00`.
    pub(super) fn cnpj_punctuated(&self) -> Option<String> {
        self.cnpj.as_deref().and_then(punctuated)
    }
}
