//! Checking a delivered JPEG offline: both signatures, both chains, the policy, and that the three hashes agree.
//!
//! The file may come from anyone. First its form is checked, strictly: every byte belongs to the frame or to the one
//! place of a manifest in which the service writes it. Only then is anything decoded, so that memory stays within a small
//! multiple of the file, and a changed byte has nowhere to hide. The C2PA library's own reader is not asked: it is lenient
//! about boxes, and it judges by the machine's clock. The tests compare with it.

mod cbor;
mod cms;
mod cose;
mod file;
mod report;
mod statements;

use ciborium::tag::Required;
use domain::FrameHash;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use self::{cms::CadesSignature, cose::ClaimSignature, file::Parts, statements::Statements};
use crate::{
    assertions::{ASSURANCE_LEVEL, Actions, EXCLUSION_NAME, SEAL_MEDIA_TYPE, SHA_256, timestamp},
    claim,
    jumbf::Boxes,
    policy,
    purpose::Purpose,
};

pub use crate::assertions::{Browser, Capture};
pub use crate::trust::Anchors;
pub use report::{Check, Claim, Report, Seal};

/// What the check of a file gave.
pub struct Verdict {
    /// The findings.
    pub report: Report,
    /// The proof in its parts, when the file's form allows to tell them apart.
    pub contents: Option<Contents>,
}

/// The parts of a proof, each of which other tools can check.
pub struct Contents {
    /// The bytes that the browser uploaded.
    pub frame: Vec<u8>,
    /// The detached CAdES signature over them: a `.p7s` file.
    pub signature: Vec<u8>,
    /// The C2PA manifest: a `.c2pa` file.
    pub manifest: Vec<u8>,
}

/// Checks a file against the roots that the caller trusts, as of `now`.
#[must_use]
pub fn check(file: &[u8], anchors: &Anchors, now: OffsetDateTime) -> Verdict {
    let mut report = Report::default();
    let contents = open(file, &mut report).map(|opened| {
        opened.check(anchors, now, &mut report);
        Contents {
            frame: opened.parts.frame,
            signature: opened.statements.seal.signature.into_vec(),
            manifest: opened.parts.manifest,
        }
    });
    Verdict { report, contents }
}

/// A file whose form is right.
struct Opened {
    parts: Parts,
    statements: Statements,
    claim_signature: ClaimSignature,
    cades: CadesSignature,
}

/// Reads all parts of a file, and notes whether its form is right.
fn open(file: &[u8], report: &mut Report) -> Option<Opened> {
    let opened = Opened::read(file);
    report.note("form", opened.as_ref().map(drop).map_err(Clone::clone));
    opened.ok()
}

impl Opened {
    fn read(file: &[u8]) -> Result<Self, String> {
        let parts = Parts::of(file).map_err(|fault| fault.to_string())?;
        let boxes = Boxes::parse(&parts.manifest)?;
        let statements = Statements::read(&boxes)?;
        Ok(Self {
            claim_signature: ClaimSignature::parse(boxes.signature)?,
            cades: CadesSignature::parse(&statements.seal.signature)?,
            statements,
            parts,
        })
    }

    /// Makes all checks, also behind a failed one, so that the report is complete.
    fn check(&self, anchors: &Anchors, now: OffsetDateTime, report: &mut Report) {
        report.environment = Some(self.statements.capture.environment);
        report.capture = Some(self.statements.capture.clone());
        report.browser = Some(self.statements.browser.clone());

        let hash = FrameHash::of(&self.parts.frame);
        report.note("claim", self.check_claim());
        report.note("statements", self.check_statements());
        report.note("hard binding", self.check_hard_binding());
        report.note("hashes agree", self.check_hashes(&hash));
        report.note("claim certificate", self.check_claim_certificate(anchors, now));
        report.note("seal signature", self.cades.check());
        report.note("seal policy", self.check_policy());
        report.note("seal certificate", self.check_seal_certificate(anchors, now));

        report.frame_hash = Some(hash);
        report.claim = Some(Claim { signer: self.claim_signature.chain.leaf().tbs_certificate.subject.to_string() });
        report.seal = Some(Seal {
            signer: self.cades.leaf.tbs_certificate.subject.to_string(),
            signing_time: timestamp(self.cades.signing_time).unwrap_or_default(),
            policy: self.cades.policy.oid.to_string(),
            policy_name: policy::known(&self.cades.policy).ok().map(|known| known.name),
        });
    }

    /// The claim lists the assertions as they are, and is signed.
    fn check_claim(&self) -> Result<(), String> {
        let boxes = Boxes::parse(&self.parts.manifest)?;
        let claim: claim::Claim = decode("claim", boxes.claim)?;
        claim.check(boxes.label, &boxes.assertions)?;
        self.claim_signature.check(boxes.claim)
    }

    /// The assertions say what every proof says.
    fn check_statements(&self) -> Result<(), String> {
        let capture = &self.statements.capture;
        if self.statements.actions != Actions::taken(Required(capture.ingested_at.clone())) {
            return Err("the actions are not those of a photo that was taken".into());
        }
        if capture.assurance_level != ASSURANCE_LEVEL {
            return Err(format!("another assurance level: {}", capture.assurance_level));
        }
        match FrameHash::parse(capture.capture_id.as_str()) {
            Some(_) => Ok(()),
            None => Err("the capture_id is no SHA-256".into()),
        }
    }

    /// The one exclusion is exactly the manifest's segments.
    fn check_hard_binding(&self) -> Result<(), String> {
        let binding = &self.statements.hard_binding;
        let [exclusion] = binding.exclusions;
        if (exclusion.start, exclusion.length) != (self.parts.offset as u64, self.parts.length as u64) {
            return Err("the hash leaves out other bytes than the manifest's segments".into());
        }
        if binding.alg != SHA_256 || binding.name != EXCLUSION_NAME || !binding.pad.is_empty() {
            return Err("the hard binding is not in the form in which it is made".into());
        }
        Ok(())
    }

    /// The frame's hash has three witnesses.
    fn check_hashes(&self, hash: &FrameHash) -> Result<(), String> {
        let witnesses: [(&str, &[u8]); 3] = [
            ("the service's statement", self.statements.capture.frame_hash.as_bytes()),
            ("the C2PA hard binding", &self.statements.hard_binding.hash),
            ("the CAdES messageDigest", &self.cades.message_digest),
        ];
        match witnesses.iter().find(|(_, witness)| *witness != hash.as_bytes()) {
            Some((name, _)) => Err(format!("{name} is of another frame")),
            None => Ok(()),
        }
    }

    fn check_claim_certificate(&self, anchors: &Anchors, now: OffsetDateTime) -> Result<(), String> {
        let (leaf, intermediates) = self.claim_signature.chain.der().split_first().ok_or("no certificate")?;
        anchors.check(Purpose::Claim, leaf, &slices(intermediates), now)
    }

    fn check_policy(&self) -> Result<(), String> {
        let policy = &self.cades.policy;
        let seal = &self.statements.seal;
        if seal.media_type != SEAL_MEDIA_TYPE || seal.policy != policy.oid.to_string() {
            return Err("the assertion and the signature in it name different things".into());
        }
        let known = policy::known(policy)?;
        if known.timestamp {
            return Err(format!("{} demands a timestamp, and there is none", known.name));
        }
        Ok(())
    }

    fn check_seal_certificate(&self, anchors: &Anchors, now: OffsetDateTime) -> Result<(), String> {
        anchors.check(Purpose::Seal, &self.cades.leaf_der, &slices(&self.cades.intermediates), now)
    }
}

/// Decodes CBOR that is in its one form.
fn decode<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, String> {
    cbor::check(bytes).map_err(|fault| format!("{what}: {fault}"))?;
    ciborium::from_reader(bytes).map_err(|error| format!("{what}: {error}"))
}

fn slices(certificates: &[Vec<u8>]) -> Vec<&[u8]> {
    certificates.iter().map(Vec::as_slice).collect()
}
