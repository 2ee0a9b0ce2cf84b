//! Checks a delivered JPEG offline: both signatures, both certificate chains, their timestamps, the policy, and that
//! the three hashes and the times agree.
//!
//! The file may come from anyone. First its form is checked strictly: every byte must belong to the frame or to the one
//! place where the service writes a manifest. Only then is anything decoded. So memory use is limited to a small
//! multiple of the file's size, and no changed byte goes unnoticed. The C2PA library's own reader is not used, because
//! it tolerates unexpected boxes and validates by the system clock; the tests compare with it.

mod cbor;
mod certificates;
mod claim;
mod cms;
mod cose;
mod dossier;
mod file;
mod kind;
mod kit;
mod log;
mod moment;
mod page;
mod renewals;
mod report;
mod requirements;
mod revocation;
mod revoked;
mod statements;
mod text;
mod trust;
mod wording;

use lacre_domain::{Environment, FrameHash, Sha256Digest, clock::rfc3339_millis};
use lacre_proof::{
    Expiry,
    assertions::{ASSURANCE_LEVEL, EXCLUSION_NAME, SEAL_MEDIA_TYPE, SHA_256},
    jumbf::Boxes,
    policy,
    purpose::Purpose,
    revocation::{Answer, Issuer, Staple},
    sealed::{SEALED, SealedStatements},
    times,
    trust::Path,
};
use serde::de::DeserializeOwned;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use self::{
    certificates::Certificates,
    cms::CadesSignature,
    cose::ClaimSignature,
    file::Parts,
    log::{LogFindings, Logged},
    moment::{ControlTime, Moment},
    revoked::Part,
    statements::Statements,
};

pub use dossier::{DossierPhotoReport, DossierReport, DossierRequirements};
pub use file::join;
pub use kind::FileKind;
pub use lacre_proof::{
    Anchors, Check, Trust,
    assertions::{BrowserAssertion, CaptureAssertion},
    bundle::{Bundle, BundleFile},
};
pub use lacre_transparency::{LogKey, MalformedKey, WitnessKey, WitnessPolicy};
pub use log::LogEvidence;
pub use page::{PICTURE_PLACEHOLDER, Page, Picture};
pub use report::{
    Certificate, ClaimReport, Found, Holder, HoldsUntil, KitStep, LogEntry, NotChecked, Outcome, Report, Revocation,
    RevocationStatus, SealReport, Staple as StapleReport, Times, Timestamp,
};
pub use requirements::Requirements;
pub use revocation::Revocations;
pub use trust::{Role, TrustList, TrustStore, Trusted};
pub use wording::Language;

/// The result of a check.
pub struct Verdict {
    /// The report of all checks.
    pub report: Report,
    /// The parts of the proof; `None` if the file does not have the form of a proof.
    pub contents: Option<Contents>,
}

/// The parts of a proof, which can be checked with other tools.
pub struct Contents {
    /// The bytes that the browser uploaded.
    pub frame: Vec<u8>,
    /// The detached CAdES signature over the frame, the content of a `.p7s` file.
    pub signature: Vec<u8>,
    /// The timestamp token over the value of this signature, in DER.
    pub signature_timestamp: Option<Vec<u8>>,
    /// The C2PA manifest, the content of a `.c2pa` file.
    pub manifest: Vec<u8>,
    /// The timestamp token over the claim signature, in DER.
    pub claim_timestamp: Option<Vec<u8>>,
}

/// Checks a file against the roots that the caller trusts, as of the given time. A signature with a timestamp is
/// validated at the timestamp's time, and the timestamp's own chain at the given time.
///
/// One list of roots can serve for all parts; a [`Trust`] has separate lists, and [`TrustStore`] the published ones.
/// The report's outcome is that for a required production proof by any signer; `valid` does not depend on environment
/// and signer.
#[must_use]
pub fn check<'a>(file: &[u8], trust: impl Into<Trust<'a>>, at: OffsetDateTime) -> Verdict {
    check_with(file, trust, &Revocations::default(), &Requirements::default(), at)
}

/// Like [`check`], with the CRLs and OCSP responses that the caller has, and with the caller's requirements.
#[must_use]
pub fn check_with<'a>(
    file: &[u8],
    trust: impl Into<Trust<'a>>,
    revocations: &Revocations,
    requirements: &Requirements,
    at: OffsetDateTime,
) -> Verdict {
    let trust = trust.into();
    let parts = Parts::of(file).map_err(|fault| fault.to_string());
    let opened = parts.as_ref().map_err(Clone::clone).and_then(Opened::read);
    let kind = match &parts {
        _ if opened.is_ok() => FileKind::Proof,
        Ok(parts) if statements::are_newer(&parts.manifest) => FileKind::NewerProof,
        _ => FileKind::without_form(file),
    };
    let mut report = Report::new(rfc3339_millis(at).unwrap_or_default(), requirements.environment, kind);
    report.note("form", opened.as_ref().map(drop).map_err(Clone::clone));
    let Ok(opened) = opened else { return Verdict { report, contents: None } };
    opened.check(trust, revocations, requirements, at, &mut report);
    let Opened { statements, cades, claim_signature, .. } = opened;
    let contents = parts.ok().map(|parts| Contents {
        frame: parts.frame,
        signature: statements.seal.signature.into_vec(),
        signature_timestamp: cades.token,
        manifest: parts.manifest,
        claim_timestamp: claim_signature.token,
    });
    Verdict { report, contents }
}

/// A file that has the form of a proof.
struct Opened<'a> {
    parts: &'a Parts,
    boxes: Boxes<'a>,
    statements: Statements,
    claim_signature: ClaimSignature,
    cades: CadesSignature,
    claim_certificates: Certificates,
    seal_certificates: Certificates,
}

impl<'a> Opened<'a> {
    fn read(parts: &'a Parts) -> Result<Self, String> {
        let boxes = Boxes::parse(&parts.manifest)?;
        let statements = Statements::read(&boxes)?;
        let claim_signature = ClaimSignature::parse(boxes.signature)?;
        let cades = CadesSignature::parse(&statements.seal.signature)?;
        let (claim_leaf, others) = claim_signature.chain.der().split_first().ok_or("no certificate")?;
        Ok(Self {
            claim_certificates: Certificates::of(claim_leaf, others)?,
            seal_certificates: Certificates::of(&cades.leaf_der, &cades.intermediates)?,
            claim_signature,
            cades,
            statements,
            boxes,
            parts,
        })
    }

    /// Makes all checks, even after a failed one, so that the report is complete.
    fn check(
        &self,
        trust: Trust<'_>,
        revocations: &Revocations,
        requirements: &Requirements,
        at: OffsetDateTime,
        report: &mut Report,
    ) {
        let hash = FrameHash::of(&self.parts.frame);
        let evidence = requirements.log.as_ref();
        let log = LogFindings::of(evidence, &self.parts.manifest, trust, revocations, at);
        // A valid timestamp of the log covers the whole file.
        let control = log.included().map_or(ControlTime::Given(at), Logged::of_covered);
        report.note("claim", self.check_claim());
        report.note("statements", self.check_statements());
        report.note("hard binding", self.check_hard_binding());
        report.note("hashes agree", self.check_hashes(&hash));
        let signature = &self.claim_signature;
        let claim =
            Moment::of(signature.token.as_deref(), signature.countersigned_sha256(), trust.claim_timestamps, control);
        claim.judge_timestamp("claim timestamp", report);
        let signer = (Purpose::Claim, &self.claim_certificates);
        let claim_path = claim.judge_chain("claim certificate", signer, trust.claim, report);
        let response = signature.staple.as_deref();
        let staple = response.map(|der| self.check_staple(der, claim_path.as_ref(), &claim));
        if let Some(checked) = &staple {
            report.note("claim staple", checked.as_ref().map(drop).map_err(Clone::clone));
        }
        report.note("seal signature", self.cades.check());
        report.note("seal policy", self.check_policy());
        self.check_sealed(report);
        let seal =
            Moment::of(self.cades.token.as_deref(), self.cades.signature_sha256(), trust.seal_timestamps, control);
        seal.judge_timestamp("seal timestamp", report);
        let signer = (Purpose::Seal, &self.seal_certificates);
        let seal_path = seal.judge_chain("seal certificate", signer, trust.seal, report);
        let (claim_path, seal_path) = (claim_path.as_ref(), seal_path.as_ref());
        let stapled = response.and_then(|der| Answer::read(der).ok());
        let sides = [
            (&claim, &self.claim_certificates, claim_path, stapled.as_ref()),
            (&seal, &self.seal_certificates, seal_path, None),
        ];
        for (names, (moment, signer, path, stapled)) in PARTS.into_iter().zip(sides) {
            judge_revocations(names, moment, (signer, path, stapled), revocations, report);
        }
        report.not_checked.extend(self.accreditation());
        let holder = requirements.check_seal_holder(self.seal_certificates.leaf());
        holder.into_iter().for_each(|outcome| report.note("seal holder", outcome));
        let subject = requirements.check_claim_subject(self.claim_certificates.leaf());
        subject.into_iter().for_each(|outcome| report.note("claim subject", outcome));
        if let Some(step) = requirements.find_kit_step(self.statements.capture.asked_for.as_ref()) {
            report.note("kit", step.as_ref().map(drop).map_err(Clone::clone));
            report.kit_step = step.ok();
        }
        log.note(evidence, revocations, report);
        let logged = log.included();
        report.note("times agree", self.check_times([&claim, &seal], logged));

        report.valid = report.checks.iter().all(|check| check.holds);
        report.frame_hash = Some(hash);
        self.record((&seal, seal_path), (&claim, claim_path), staple.and_then(Result::ok), logged, report);
        report.conclude(requirements.seal_holder.is_some());
    }

    /// Adds to the report what the file states, and until when the proof is valid.
    fn record(
        &self,
        (seal, seal_path): Side<'_>,
        (claim, claim_path): Side<'_>,
        staple: Option<Staple>,
        logged: Option<&Logged>,
        report: &mut Report,
    ) {
        let Statements { capture, browser, .. } = &self.statements;
        report.environment = Some(capture.environment);
        report.claim = Some(ClaimReport {
            signer: self.claim_signature.chain.leaf().tbs_certificate.subject.to_string(),
            judged_at: rfc3339_millis(claim.judged_at()).unwrap_or_default(),
            chain: self.claim_certificates.facts(),
            root: claim_path.and_then(Path::root),
            timestamp_found: claim.found(self.claim_signature.has_room),
            timestamp: claim.facts("claim timestamp", report),
            staple: staple.map(|staple| report::Staple {
                this_update: rfc3339_millis(staple.this_update()).unwrap_or_default(),
                next_update: rfc3339_millis(staple.next_update()).unwrap_or_default(),
            }),
        });
        report.seal = self.cades.facts(&self.seal_certificates, (seal, seal_path), report);
        report.transparency_log = logged.map(|logged| logged.entry(report));
        report.times = Some(Times {
            seal_trusted: report.seal.as_ref().and_then(|seal| trusted_time(seal.timestamp.as_ref())),
            claim_trusted: report.claim.as_ref().and_then(|claim| trusted_time(claim.timestamp.as_ref())),
            log_trusted: report.transparency_log.as_ref().and_then(|entry| trusted_time(entry.timestamp.as_ref())),
            seal_claimed: rfc3339_millis(self.cades.signing_time).unwrap_or_default(),
            service_claimed: capture.ingested_at.clone(),
            browser_claimed: browser.captured_at().and_then(rfc3339_millis),
        });
        let of_log = logged.and_then(Logged::first_end);
        let ends = [seal.first_end(&self.seal_certificates), claim.first_end(&self.claim_certificates), of_log];
        let first = ends.into_iter().flatten().min_by_key(|expiry| expiry.not_after).filter(|_| report.valid);
        report.holds_until = first.map(|Expiry { subject, not_after }| HoldsUntil {
            time: rfc3339_millis(not_after).unwrap_or_default(),
            certificate: subject,
        });
        report.capture = Some(capture.clone());
        report.browser = Some(browser.clone());
    }

    /// Checks that the claim lists the assertions with their hashes, and verifies the claim signature.
    fn check_claim(&self) -> Result<(), String> {
        let claim: claim::ClaimMap = decode("claim", self.boxes.claim)?;
        claim.check(&self.boxes)?;
        self.claim_signature.check(self.boxes.claim)
    }

    /// Checks the OCSP response that the manifest carries: it is one that the service embeds, about the claim signer's
    /// certificate, and was current when the claim was signed. That is the time of the claim's timestamp or, without a
    /// valid one, of the ingest. The issuer is that of the path to the anchor, because a chain may name others.
    fn check_staple(&self, der: &[u8], path: Option<&Path>, claim: &Moment) -> Result<Staple, String> {
        let chain = &self.claim_signature.chain;
        let staple = match path.map(Issuer::of).transpose()?.as_deref() {
            Some([issuer, ..]) => Staple::check_by(issuer, der, chain),
            _ => Staple::check(der, chain),
        };
        let staple = staple.map_err(|fault| fault.to_string())?;
        let signed_at = claim.trusted_time().map_or_else(|| self.ingested_at(), Ok)?;
        staple.check_next_update(signed_at)?;
        Ok(staple)
    }

    /// The time of the ingest, according to the service.
    fn ingested_at(&self) -> Result<OffsetDateTime, String> {
        let stated = &self.statements.capture.ingested_at;
        let ingested_at = OffsetDateTime::parse(stated, &Rfc3339).ok();
        let ingested_at = ingested_at.filter(|at| rfc3339_millis(*at).as_ref() == Some(stated));
        ingested_at.ok_or_else(|| "the time of the ingest is not in the form of a proof".into())
    }

    /// Checks the values that are the same in every proof.
    fn check_statements(&self) -> Result<(), String> {
        let capture = &self.statements.capture;
        if !self.statements.actions.is_capture_at(&capture.ingested_at) {
            return Err("the actions do not match a capture at the time of the ingest".into());
        }
        if capture.assurance_level != ASSURANCE_LEVEL {
            return Err(format!("the assurance level is {}, not {ASSURANCE_LEVEL}", capture.assurance_level));
        }
        if capture.icp_brasil && capture.environment != Environment::Production {
            return Err(format!(
                "icp_brasil is true in {}, and only PRODUCTION seals with ICP-Brasil",
                capture.environment.name()
            ));
        }
        match Sha256Digest::parse(capture.capture_id.as_str()) {
            Some(_) => Ok(()),
            None => Err("the capture_id is not a SHA-256 in hexadecimal".into()),
        }
    }

    /// Checks that the hard binding excludes exactly the manifest's segments.
    fn check_hard_binding(&self) -> Result<(), String> {
        let binding = &self.statements.hard_binding;
        let [exclusion] = binding.exclusions;
        if (exclusion.start, exclusion.length) != (self.parts.offset as u64, self.parts.length as u64) {
            return Err("the hash leaves out other bytes than the manifest's segments".into());
        }
        if binding.alg != SHA_256 || binding.name != EXCLUSION_NAME || !binding.pad.is_empty() {
            return Err("the hard binding is not in the canonical form".into());
        }
        Ok(())
    }

    /// Checks that the seal was made over these statements, in this environment, and for this claim signer.
    fn check_sealed(&self, report: &mut Report) {
        let stated = self.stated();
        let check = |compare: fn(&SealedStatements, &SealedStatements) -> Result<(), String>| {
            stated.as_ref().map_err(Clone::clone).and_then(|stated| compare(&self.cades.sealed, stated))
        };
        report.note("sealed environment", check(SealedStatements::check_environment));
        report.note("sealed statements", check(SealedStatements::check_assertions));
        report.note("sealed claim certificate", check(SealedStatements::check_claim_certificate));
    }

    /// The manifest's statements in the form that a seal covers.
    fn stated(&self) -> Result<SealedStatements, String> {
        let assertions = SEALED.map(|label| self.boxes.content(label).unwrap_or_default());
        let (environment, leaf) = (self.statements.capture.environment, self.claim_signature.chain.leaf_der());
        SealedStatements::new(environment, assertions, leaf).map_err(|error| error.to_string())
    }

    /// Checks that all stated times of the capture agree, and that the signers' certificates were valid then. A
    /// timestamp that is invalid is ignored here, because its own check fails.
    fn check_times(&self, moments: [&Moment; 2], logged: Option<&Logged>) -> Result<(), String> {
        let browser = &self.statements.browser;
        let ingested_at = self.ingested_at()?;
        times::check_signing_time(ingested_at, self.cades.signing_time)?;
        times::check_captured_at(ingested_at, browser.captured_at().ok_or("the browser's time is out of range")?)?;
        for time in moments.into_iter().filter_map(Moment::trusted_time) {
            times::check_timestamp(ingested_at, time)?;
        }
        if let Some(time) = logged.and_then(Logged::trusted_time) {
            times::check_log_timestamp(ingested_at, time)?;
        }
        let leaves = [&self.claim_certificates, &self.seal_certificates];
        leaves.into_iter().filter_map(Certificates::leaf).try_for_each(|leaf| times::check_validity(ingested_at, leaf))
    }

    /// Checks that the frame's hash equals the hash at all three places that state it.
    fn check_hashes(&self, hash: &FrameHash) -> Result<(), String> {
        let witnesses: [(&str, &[u8]); 3] = [
            ("the service's statement", self.statements.capture.frame_hash.as_bytes()),
            ("the C2PA hard binding", &self.statements.hard_binding.hash),
            ("the CAdES messageDigest", &self.cades.message_digest),
        ];
        match witnesses.iter().find(|(_, witness)| *witness != hash.as_bytes()) {
            Some((name, _)) => Err(format!("{name} belongs to another frame")),
            None => Ok(()),
        }
    }

    /// A requirement of a policy with timestamps that the file alone cannot show.
    fn accreditation(&self) -> Option<NotChecked> {
        let known = policy::known(&self.cades.policy).ok().filter(|known| known.timestamp)?;
        let what = "whether ICP-Brasil accredited the timestamp authority";
        Some(NotChecked {
            part: "seal timestamp",
            certificate: None,
            what: format!(
                "{what}, as {} requires: only the roots that are trusted for timestamps decide this",
                known.name
            ),
        })
    }

    /// Checks that the policy is a published one, by identifier, hash and URL, and that there is a timestamp if and
    /// only if the policy requires it.
    fn check_policy(&self) -> Result<(), String> {
        let seal = &self.statements.seal;
        if seal.media_type != SEAL_MEDIA_TYPE || seal.policy != self.cades.policy.oid.to_string() {
            return Err("the assertion and the signature in it name different things".into());
        }
        self.cades.check_policy()
    }
}

/// The time of a timestamp, if it is valid.
fn trusted_time(timestamp: Option<&Timestamp>) -> Option<String> {
    timestamp.filter(|timestamp| timestamp.holds).map(|timestamp| timestamp.time.clone())
}

/// The time at which a signature's chain is validated, and the path of the chain to an anchor.
type Side<'a> = (&'a Moment, Option<&'a Path>);

/// The parts of a proof that depend on certificates: each signature and the timestamp over it, with the name of its
/// revocation check.
const PARTS: [[(&str, &str); 2]; 2] = [
    [("claim", "claim revocation"), ("claim timestamp", "claim timestamp revocation")],
    [("seal", "seal revocation"), ("seal timestamp", "seal timestamp revocation")],
];

/// Checks the revocation of the certificates of a signature and of its timestamp, if they chain to an anchor.
fn judge_revocations(
    [signature, timestamp]: [(&'static str, &'static str); 2],
    moment: &Moment,
    (signer, path, stapled): (&Certificates, Option<&Path>, Option<&Answer>),
    revocations: &Revocations,
    report: &mut Report,
) {
    let at = moment.judged_at();
    if let Some(path) = path {
        Part { names: signature, signer, path, at, timestamp: None, stapled }.judge(revocations, report);
    }
    if let Some((signer, path)) = moment.authority() {
        let part = Part { names: timestamp, signer, path, at, timestamp: Some(moment.control()), stapled: None };
        part.judge(revocations, report);
    }
}

/// Decodes CBOR after checking that it is deterministically encoded.
fn decode<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, String> {
    cbor::check(bytes).map_err(|fault| format!("{what}: {fault}"))?;
    ciborium::from_reader(bytes).map_err(|error| format!("{what}: {error}"))
}
