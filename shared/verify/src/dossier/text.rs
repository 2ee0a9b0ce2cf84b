//! The report of a dossier as lines of text: the conclusion, a line for each photo, then the checks. Control characters in
//! text from the file are escaped.

use std::fmt::{self, Display, Formatter};

use lacre_api::dossier::{DossierIndex, DossierPhoto, PhotoState};

use super::{DossierPhotoReport, DossierReport};
use crate::{
    report::Outcome,
    wording::{conclusion::holder, shown},
};

/// What was checked, by the name of the check.
const CHECKS: [(&str, &str); 13] = [
    ("archive", "The file is an archive as the service writes it."),
    ("seal signature", "The seal over the index is valid."),
    ("seal covers index", "The seal is one over this index."),
    ("seal policy", "The seal's policy is a published one."),
    ("seal timestamp", "The seal's timestamp is valid and trusted."),
    ("seal certificate", "The seal's certificate leads to a trusted root."),
    ("seal chain", "The seal has the certificates of its chain below the root, and no others."),
    ("seal revocation", "The seal's certificate was not revoked."),
    ("seal timestamp revocation", "The certificate of the seal's timestamp was not revoked."),
    ("seal holder", "The seal's certificate has the required CNPJ."),
    ("index", "The index does not contradict itself or its seal."),
    ("parts", "The archive has the parts that the index names, unchanged and in order."),
    ("photos", "Each photo is one that the index names, and holds."),
];

impl Display for DossierReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", conclusion(self.outcome))?;
        if let Some(seal) = self.seal.as_ref().filter(|_| self.valid) {
            writeln!(f, "Sealed by: {}", shown(&holder(seal)))?;
            let stamped = seal.timestamp.as_ref().filter(|timestamp| timestamp.holds);
            if let Some(timestamp) = stamped {
                writeln!(f, "Existed at: {}, according to {}", timestamp.time, shown(&timestamp.authority))?;
            }
        }
        writeln!(f, "Checked as of {}.", self.judged_at)?;
        self.index.iter().try_for_each(|index| self.write_index(f, index))?;
        writeln!(f, "Checks")?;
        for check in &self.checks {
            let sentence = CHECKS.iter().find(|(name, _)| *name == check.name).map_or("", |(_, sentence)| sentence);
            match &check.fault {
                None => writeln!(f, "  ok    {}: {sentence}", check.name)?,
                Some(fault) => writeln!(f, "  FAIL  {}: {sentence}\n        {}", check.name, shown(fault))?,
            }
        }
        let gaps = self.not_checked.len()
            + self.photos.iter().flat_map(|photo| &photo.report).map(|report| report.not_checked.len()).sum::<usize>();
        let absent = self.photos.iter().filter(|photo| photo.report.is_none()).count();
        writeln!(f, "Not checked: {gaps} points, such as the revocation of certificates, which --json lists")?;
        match absent {
            0 => Ok(()),
            absent => writeln!(
                f,
                "Not checked: {absent} photos that are not in the dossier, but for the SHA-256 of manifests"
            ),
        }
    }
}

impl DossierReport {
    fn write_index(&self, f: &mut Formatter<'_>, index: &DossierIndex) -> fmt::Result {
        let (client, reference) = (shown(&index.client_name), shown(index.reference_id.as_str()));
        writeln!(
            f,
            "{}",
            if self.valid { "According to the service" } else { "According to the file, which is not valid" }
        )?;
        writeln!(f, "  reference:   {reference}, of {client}")?;
        writeln!(f, "  environment: {}, required: {}", index.environment.name(), self.required_environment.name())?;
        writeln!(f, "  made at:     {}", shown(index.made_at.as_str()))?;
        if let Some(log) = &index.log {
            writeln!(f, "  log:         {}, with {} leaves", shown(&log.origin), log.size)?;
        }
        let recorded = index.photos.len();
        let included = index.photos.iter().filter(|photo| photo.state == PhotoState::Included).count();
        writeln!(f, "Photos: {recorded} recorded, {included} in the dossier, {} refused", index.refused.len())?;
        index.photos.iter().zip(&self.photos).enumerate().try_for_each(|(number, (photo, found))| {
            let verdict = match (photo.state, found.holds()) {
                (PhotoState::Included, true) => "ok",
                (_, true) => "-",
                (_, false) => "FAIL",
            };
            writeln!(f, "  {verdict:4}  {}. {}", number + 1, described(photo))?;
            faults(found).try_for_each(|fault| writeln!(f, "        {}", shown(&fault)))
        })?;
        index.refused.iter().try_for_each(|refused| {
            let (at, reason) = (shown(refused.at.as_str()), shown(&refused.reason));
            writeln!(f, "  -     refused at {at}: {reason}, in session {}", refused.session)
        })
    }
}

/// A photo in one line.
fn described(photo: &DossierPhoto) -> String {
    let state = match photo.state {
        PhotoState::Included => "",
        PhotoState::NotRetained => ", not retained: its manifest is here",
        PhotoState::Withheld => ", withheld",
        PhotoState::Erased => ", erased",
    };
    let step = photo
        .asked_for
        .as_ref()
        .map(|asked| format!(", asked for as {} of {}", asked.step.as_str(), asked.kit.as_str()));
    let id: String = photo.capture_id.as_str().chars().take(12).collect();
    shown(&format!("{id}… of {}{}{state}", photo.ingested_at.as_str(), step.unwrap_or_default()))
}

/// What is wrong with a photo.
fn faults(found: &DossierPhotoReport) -> impl Iterator<Item = String> {
    let checks = found.report.iter().flat_map(|report| &report.checks);
    let checks = checks.filter_map(|check| Some(format!("{}: {}", check.name, check.fault.as_ref()?)));
    found.faults.iter().cloned().chain(checks)
}

fn conclusion(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted => "DOSSIER VALID",
        Outcome::NotPinned => {
            "DOSSIER VALID, SIGNER NOT PINNED: any holder of a certificate under the trusted roots could have sealed it"
        }
        Outcome::OtherEnvironment => "DOSSIER VALID, BUT OF ANOTHER ENVIRONMENT",
        Outcome::Refused | Outcome::NoProof | Outcome::NewerVersion => "DOSSIER NOT VALID",
    }
}
