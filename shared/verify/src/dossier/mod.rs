//! Checks a dossier: the seal over its index, that the archive has exactly the parts that the index names, and each photo in it.
//!
//! The archive may come from anyone. It is not trusted beyond its form ([`lacre_dossier::Archive`]); parts are read one at a
//! time, so memory is bounded by the largest ones and by the evidence bundles.

mod parts;
mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Read, Seek},
};

use lacre_api::{
    admin::AskedForView,
    dossier::{DossierIndex, DossierPhoto, INDEX, PhotoState, SEAL},
};
use lacre_domain::{Environment, Sha256Digest, clock::rfc3339_millis};
use lacre_dossier::{Archive, ArchiveFault, MAX_PARTS};
use lacre_proof::{Check, Cnpj, bundle::BundleFile, purpose::Purpose, times};
use lacre_transparency::{LogKey, WitnessKey, WitnessPolicy};
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    PARTS, Requirements, Revocations, TrustStore,
    certificates::Certificates,
    cms::{self, CadesSignature},
    judge_revocations,
    kind::FileKind,
    log::LogEvidence,
    moment::{ControlTime, Moment},
    report::{NotChecked, Outcome, Report, Revocation, SealReport},
    trust::{Role, Trusted},
};

/// Maximum number of evidence records of a photo.
const MAX_RECORDS: usize = 2;
/// Maximum number of evidence bundles of a photo: two timestamps of its day and of thirty renewals.
const MAX_BUNDLES: usize = 62;

/// The caller's requirements of a dossier, in addition to the standard checks. Each photo in it must fulfil them, too.
#[derive(Clone, Debug)]
pub struct DossierRequirements {
    /// The environment whose keys must have signed.
    pub environment: Environment,
    /// The CNPJ that the certificates of the dossier's seal and of the photos' seals must contain.
    pub seal_holder: Option<Cnpj>,
    /// The common name or whole subject (RFC 4514) that the certificates of the photos' claims must have.
    pub claim_subject: Option<String>,
    /// The verification key of the transparency log that must contain the photos. Without it their proofs are not checked.
    pub log_key: Option<LogKey>,
    /// The witnesses that must all have cosigned the checkpoint of a photo.
    pub witnesses: Vec<WitnessKey>,
    /// The policy that the witnesses of a photo's checkpoint must fulfil.
    pub witness_policy: Option<WitnessPolicy>,
}

/// The report of a dossier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DossierReport {
    /// The conclusion on the whole: a photo that fails makes the dossier fail.
    pub outcome: Outcome,
    /// Whether all checks of the dossier and of its photos succeeded, whatever the environment.
    pub valid: bool,
    /// The environment that was required.
    pub required_environment: Environment,
    /// The time at which everything without a trusted timestamp was validated.
    pub judged_at: String,
    /// The checks of the dossier itself, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The revocation status of the certificates of the dossier's seal.
    pub revocations: Vec<Revocation>,
    /// What was not checked of the dossier's seal.
    pub not_checked: Vec<NotChecked>,
    /// The seal over the index.
    pub seal: Option<SealReport>,
    /// The index, if it can be read.
    pub index: Option<DossierIndex>,
    /// What was found about each photo, in the order of the index.
    pub photos: Vec<DossierPhotoReport>,
    /// The lists of root certificates that were trusted.
    pub trust: Vec<Trusted>,
}

/// What was found about a photo of a dossier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DossierPhotoReport {
    /// The id of the capture, as in the index.
    pub capture_id: String,
    /// Whether the dossier contains the photo.
    pub state: PhotoState,
    /// What contradicts the index, or is wrong with the photo's log proof; empty if nothing.
    pub faults: Vec<String>,
    /// The report on the photo; `None` if the dossier does not contain it.
    pub report: Option<Report>,
}

impl DossierPhotoReport {
    /// Whether nothing is wrong with the photo, or with its absence.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.faults.is_empty() && self.report.as_ref().is_none_or(|report| report.valid)
    }
}

impl TrustStore {
    /// Checks a dossier against these lists, as of the given time, with the CRLs and OCSP responses that the caller has.
    ///
    /// # Errors
    /// A text, if the file cannot be read, or if a certificate of the lists cannot be an anchor.
    pub fn check_dossier(
        &self,
        file: impl Read + Seek,
        revocations: Revocations,
        requirements: &DossierRequirements,
        at: OffsetDateTime,
    ) -> Result<DossierReport, String> {
        let mut found = Found::new(requirements, at);
        let opened = opened(Archive::open(file))?;
        found.report.note("archive", opened.as_ref().map(drop).map_err(Clone::clone));
        if let Ok(mut archive) = opened {
            self.check_archive(&mut archive, revocations, requirements, at, &mut found)?;
        }
        Ok(found.conclude(requirements, self.trusted()))
    }

    fn check_archive(
        &self,
        archive: &mut Archive<impl Read + Seek>,
        revocations: Revocations,
        requirements: &DossierRequirements,
        at: OffsetDateTime,
        found: &mut Found,
    ) -> Result<(), String> {
        let [json, seal] = [opened(archive.read(INDEX))?, opened(archive.read(SEAL))?];
        let missing = |name: &str| format!("{name} is missing");
        let json = json.and_then(|json| json.ok_or_else(|| missing(INDEX)));
        let seal = seal.and_then(|seal| seal.ok_or_else(|| missing(SEAL)));
        let sha256 = json.as_ref().map(|json| Sha256Digest::of(json)).map_err(Clone::clone);
        self.check_seal(seal.as_deref(), &sha256, &revocations, requirements, at, found)?;
        let index = json.and_then(|json| read_index(&json));
        found.report.note("index", index.as_ref().map_err(Clone::clone).and_then(|index| found.check_index(index)));
        let Ok(index) = index else { return Ok(()) };
        let parts = parts::hashes(archive)?;
        found.report.note("parts", parts.and_then(|parts| parts::compare(&index, &parts)));
        found.report.environment = Some(index.environment);
        if found.report.has_failed("index") {
            // It may name a photo any number of times.
            found.index = Some(index);
            return Ok(());
        }
        let mut beside = Beside { requirements, revocations, bundles: BTreeMap::new() };
        for photo in &index.photos {
            let photo = self.check_photo(archive, &index, photo, &mut beside, at)?;
            found.photos.push(photo);
        }
        found.index = Some(index);
        Ok(())
    }

    fn check_seal(
        &self,
        seal: Result<&[u8], &String>,
        sha256: &Result<Sha256Digest, String>,
        revocations: &Revocations,
        requirements: &DossierRequirements,
        at: OffsetDateTime,
        found: &mut Found,
    ) -> Result<(), String> {
        let report = &mut found.report;
        let read = seal.map_err(Clone::clone).and_then(|der| {
            let seal = CadesSignature::<cms::DossierIndex>::parse(der)?;
            let certificates = Certificates::of(&seal.leaf_der, &seal.intermediates)?;
            Ok((seal, certificates))
        });
        let (seal, certificates) = match read {
            Ok(read) => read,
            Err(fault) => {
                report.note("seal signature", Err(fault));
                return Ok(());
            }
        };
        report.note("seal signature", seal.check());
        let covers = sha256.as_ref().map_err(Clone::clone).and_then(|sha256| {
            let covers = seal.message_digest == sha256.as_bytes();
            covers.then_some(()).ok_or_else(|| "the seal is one over another index".to_owned())
        });
        report.note("seal covers index", covers);
        report.note("seal policy", seal.check_policy());
        let [anchors, stamps] = [Role::Seal, Role::SealTimestamp].map(|role| self.anchors(role));
        let (anchors, stamps) = (anchors?, stamps?);
        let moment = Moment::of(seal.token.as_deref(), seal.signature_sha256(), &stamps, ControlTime::Given(at));
        moment.judge_timestamp("seal timestamp", report);
        let path = moment.judge_chain("seal certificate", (Purpose::Seal, &certificates), &anchors, report);
        if let Some(path) = &path {
            // No signature covers another one.
            let is_needed = |certificate: &Vec<u8>| path.authorities.contains(certificate);
            let has_others =
                !seal.intermediates.iter().all(is_needed) || seal.intermediates.len() != path.authorities.len();
            let fault = || "it has certificates that are not in the chain".to_owned();
            report.note("seal chain", has_others.then(fault).map_or(Ok(()), Err));
        }
        let side = (&certificates, path.as_ref(), None);
        judge_revocations(PARTS[1], &moment, side, revocations, report);
        let required = Requirements { seal_holder: requirements.seal_holder.clone(), ..Requirements::default() };
        let holder = required.check_seal_holder(certificates.leaf());
        holder.into_iter().for_each(|outcome| report.note("seal holder", outcome));
        report.seal = seal.facts(&certificates, (&moment, path.as_ref()), report);
        found.signing_time = Some(seal.signing_time);
        found.trusted_time = moment.trusted_time();
        Ok(())
    }

    fn check_photo(
        &self,
        archive: &mut Archive<impl Read + Seek>,
        index: &DossierIndex,
        photo: &DossierPhoto,
        beside: &mut Beside<'_>,
        at: OffsetDateTime,
    ) -> Result<DossierPhotoReport, String> {
        let mut found = DossierPhotoReport {
            capture_id: photo.capture_id.as_str().to_owned(),
            state: photo.state,
            faults: Vec::new(),
            report: None,
        };
        let Some(name) = &photo.photo else { return Ok(found) };
        let file = opened(archive.read(name))?.and_then(|file| file.ok_or_else(|| format!("{name} is missing")));
        let file = match file {
            Ok(file) => file,
            Err(fault) => {
                found.faults.push(fault);
                return Ok(found);
            }
        };
        let log = beside.log(archive, photo)?.unwrap_or_else(|fault| {
            found.faults.push(fault);
            None
        });
        let requirements = Requirements {
            environment: beside.requirements.environment,
            seal_holder: beside.requirements.seal_holder.clone(),
            claim_subject: beside.requirements.claim_subject.clone(),
            kit: None,
            log,
        };
        let report = self.check(&file, &beside.revocations, &requirements, at)?.report;
        if report.unreadable_log_proof {
            found.faults.push("its transparency proof cannot be read".to_owned());
        }
        found.faults.extend(contradictions(index, photo, &report));
        found.report = Some(report);
        Ok(found)
    }
}

/// What was found in a dossier so far.
struct Found {
    /// Collects the checks of the dossier itself.
    report: Report,
    /// The signing time that the seal states.
    signing_time: Option<OffsetDateTime>,
    /// The time of the seal's timestamp, if it has a valid one.
    trusted_time: Option<OffsetDateTime>,
    index: Option<DossierIndex>,
    photos: Vec<DossierPhotoReport>,
}

impl Found {
    fn new(requirements: &DossierRequirements, at: OffsetDateTime) -> Self {
        let judged_at = rfc3339_millis(at).unwrap_or_default();
        let report = Report::new(judged_at, requirements.environment, FileKind::Proof);
        Self { report, signing_time: None, trusted_time: None, index: None, photos: Vec::new() }
    }

    /// Checks that an index contradicts neither itself nor the seal.
    fn check_index(&self, index: &DossierIndex) -> Result<(), String> {
        let made_at = OffsetDateTime::parse(index.made_at.as_str(), &Rfc3339);
        if self.signing_time.is_some_and(|signed| made_at != Ok(signed)) {
            return Err("it states another time than its seal".into());
        }
        if let (Some(signed), Some(stamped)) = (self.signing_time, self.trusted_time) {
            let agrees = times::check_timestamp(signed, stamped);
            agrees.map_err(|_| "it states another time than the timestamp of its seal")?;
        }
        let sha256: BTreeMap<_, _> = index.parts.iter().map(|part| (part.name.as_str(), &part.sha256)).collect();
        if sha256.len() != index.parts.len() {
            return Err("it names a part twice".into());
        }
        let counted = index.photos.iter().flat_map(|photo| [Some(photo.photo_order), photo.session]);
        let refused = index.refused.iter().flat_map(|refused| [refused.photo_order, Some(refused.session)]);
        if counted.chain(refused).chain(index.kits.iter().map(|kit| Some(kit.version))).any(|number| number == Some(0))
        {
            return Err("it counts from 0".into());
        }
        let most = |photo: &DossierPhoto| {
            photo.evidence_records.len() <= MAX_RECORDS && photo.evidence_bundles.len() <= MAX_BUNDLES
        };
        if let Some(photo) = index.photos.iter().find(|photo| !most(photo)) {
            return Err(format!("it names too many evidence records or bundles for {}", photo.capture_id.as_str()));
        }
        let own: Vec<&str> = index.photos.iter().flat_map(DossierPhoto::own_parts).collect();
        if own.iter().collect::<BTreeSet<_>>().len() != own.len() {
            return Err("it gives several photos the same part".into());
        }
        for photo in &index.photos {
            let id = photo.capture_id.as_str();
            let files = (photo.photo.is_some(), photo.manifest.is_some());
            let fits = match photo.state {
                PhotoState::Included => files == (true, false),
                PhotoState::NotRetained => files == (false, true),
                PhotoState::Withheld | PhotoState::Erased => files == (false, false),
            };
            let named = [(&photo.photo, &photo.jpeg_sha256), (&photo.manifest, &photo.manifest_sha256)];
            let is_recorded = named
                .iter()
                .all(|(name, recorded)| name.as_deref().is_none_or(|name| sha256.get(name) == Some(recorded)));
            if !fits || !is_recorded {
                return Err(format!("it contradicts itself about the photo {id}"));
            }
        }
        let referred: BTreeSet<&str> = index.photos.iter().flat_map(DossierPhoto::parts).collect();
        match referred.iter().find(|name| !sha256.contains_key(*name)) {
            Some(name) => Err(format!("it refers to {name}, which is not a part")),
            None => Ok(()),
        }
    }

    fn conclude(mut self, requirements: &DossierRequirements, trust: Vec<Trusted>) -> DossierReport {
        let recorded = self.index.as_ref().map_or(0, |index| index.photos.len());
        let photos = match self.photos.iter().filter(|photo| !photo.holds()).count() {
            _ if self.index.is_none() || self.photos.len() != recorded => Err("not checked".into()),
            0 => Ok(()),
            failed => Err(format!("{failed} of {recorded} failed")),
        };
        self.report.note("photos", photos);
        self.report.valid = self.report.checks.iter().all(|check| check.holds);
        self.report.conclude(requirements.seal_holder.is_some());
        let Report { outcome, valid, required_environment, judged_at, checks, revocations, not_checked, seal, .. } =
            self.report;
        let (index, photos) = (self.index, self.photos);
        DossierReport {
            outcome,
            valid,
            required_environment,
            judged_at,
            checks,
            revocations,
            not_checked,
            seal,
            index,
            photos,
            trust,
        }
    }
}

/// What the photos are checked with.
struct Beside<'a> {
    requirements: &'a DossierRequirements,
    /// What the caller has, and the lists and OCSP responses of the bundles that were read.
    revocations: Revocations,
    /// The bundles that were read, by name: photos of a day have the same.
    bundles: BTreeMap<String, BundleFile>,
}

impl Beside<'_> {
    /// What proves a photo by the log; `None` if no log is required.
    fn log(
        &mut self,
        archive: &mut Archive<impl Read + Seek>,
        photo: &DossierPhoto,
    ) -> Result<Result<Option<LogEvidence>, String>, String> {
        let Some(key) = &self.requirements.log_key else { return Ok(Ok(None)) };
        let Some(name) = &photo.log_proof else { return Ok(Err("it has no transparency proof".into())) };
        let mut read = |name: &str| opened(archive.read(name)).map(Result::unwrap_or_default);
        let proof = read(name)?.unwrap_or_default();
        let mut records = Vec::new();
        for name in &photo.evidence_records {
            records.push(read(name)?.unwrap_or_default());
        }
        let mut bundles = Vec::new();
        for name in &photo.evidence_bundles {
            if !self.bundles.contains_key(name) {
                let file = BundleFile::parse(&read(name)?.unwrap_or_default()).map_err(|fault| fault.to_string());
                let known = file.and_then(|file| self.revocations.add_bundle(&file.bundle).map(|()| file));
                match known {
                    Ok(file) => self.bundles.insert(name.clone(), file),
                    Err(fault) => return Ok(Err(format!("{name}: {fault}"))),
                };
            }
            bundles.extend(self.bundles.get(name).cloned());
        }
        Ok(Ok(Some(LogEvidence {
            proof,
            key: key.clone(),
            witnesses: self.requirements.witnesses.clone(),
            policy: self.requirements.witness_policy.clone(),
            records,
            bundles,
        })))
    }
}

/// What a photo states otherwise than the index.
fn contradictions(index: &DossierIndex, photo: &DossierPhoto, report: &Report) -> Vec<String> {
    let Some(capture) = &report.capture else { return Vec::new() };
    let same_second = |time: &str| OffsetDateTime::parse(time, &Rfc3339).ok().map(OffsetDateTime::unix_timestamp);
    let asked_for = capture.asked_for.as_ref().map(AskedForView::from);
    let values = [
        ("asked_for", asked_for == photo.asked_for),
        ("gps_result", capture.gps_result == photo.gps_result),
        ("recapture_risk", capture.recapture_risk == photo.recapture_risk),
        ("capture_id", capture.capture_id.as_str() == photo.capture_id.as_str()),
        ("environment", capture.environment == index.environment),
        ("frame_hash", capture.frame_hash.hex() == photo.frame_hash.as_str()),
        ("ingested_at", same_second(&capture.ingested_at) == same_second(photo.ingested_at.as_str())),
    ];
    values
        .into_iter()
        .filter(|(_, same)| !same)
        .map(|(name, _)| format!("it has another {name} than the index"))
        .collect()
}

fn read_index(json: &[u8]) -> Result<DossierIndex, String> {
    let index: DossierIndex = serde_json::from_slice(json).map_err(|error| format!("it has another form: {error}"))?;
    match index.parts.len().max(index.photos.len()).max(index.refused.len()) {
        entries if entries > MAX_PARTS => Err(format!("it has {entries} entries; the limit is {MAX_PARTS}")),
        _ => Ok(index),
    }
}

/// Separates a file that cannot be read, which is an error, from one with another form, which is a finding.
fn opened<T>(result: Result<T, ArchiveFault>) -> Result<Result<T, String>, String> {
    match result {
        Ok(opened) => Ok(Ok(opened)),
        Err(ArchiveFault::Malformed(fault)) => Ok(Err(fault)),
        Err(ArchiveFault::Unreadable(error)) => Err(error.to_string()),
    }
}
