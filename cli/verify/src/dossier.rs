//! `verify dossier.zip`: one verdict for the whole, and a line for each photo.

use std::{
    fs::File,
    io::{self, Read, Seek, Write},
    path::Path,
};

use lacre_verify::{DossierRequirements, TrustStore};
use time::OffsetDateTime;

use crate::{Arguments, named, revocations, status, witness_policy};

/// The first bytes of an archive.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// Opens a file if it is an archive. Pipes are none, because an archive is read from its end.
pub(crate) fn open(path: &Path) -> Result<Option<File>, String> {
    let named = |error: io::Error| named(path, &error);
    let mut file = File::open(path).map_err(named)?;
    if !file.metadata().map_err(named)?.is_file() {
        return Ok(None);
    }
    let mut first = Vec::new();
    Read::by_ref(&mut file).take(ARCHIVE.len() as u64).read_to_end(&mut first).map_err(named)?;
    file.rewind().map_err(named)?;
    Ok((first == ARCHIVE).then_some(file))
}

/// Checks a dossier, prints its report, and returns the exit status.
pub(crate) fn run(file: File, trust: &TrustStore, arguments: &Arguments) -> Result<u8, String> {
    let path = &arguments.photo;
    let of_a_photo = [
        ("--original", arguments.original.is_some()),
        ("--manifest", arguments.manifest.is_some()),
        ("--kit", arguments.kit.is_some()),
        ("--log-proof", arguments.log_proof.is_some()),
        ("--report", arguments.report.is_some()),
        ("--extract", arguments.extract.is_some()),
    ];
    if let Some((option, _)) = of_a_photo.into_iter().find(|(_, is_given)| *is_given) {
        return Err(named(path, &format!("a dossier, for which {option} is no option; unpack it to check a photo")));
    }
    let requirements = DossierRequirements {
        environment: arguments.environment,
        seal_holder: arguments.seal_holder.clone(),
        claim_subject: arguments.claim_subject.clone(),
        log_key: arguments.log_key.clone(),
        witnesses: arguments.witness.clone(),
        witness_policy: arguments.witness_policy.as_deref().map(witness_policy).transpose()?,
    };
    let at = arguments.at.unwrap_or_else(OffsetDateTime::now_utc);
    let report = trust.check_dossier(file, revocations(arguments, &[])?, &requirements, at);
    let report = report.map_err(|fault| named(path, &fault))?;
    let printed = match arguments.json {
        true => serde_json::to_string_pretty(&report).map_err(|error| error.to_string())? + "\n",
        false => report.to_string(),
    };
    // The exit status reports the verdict even if the reader closes the pipe early.
    let _ = io::stdout().write_all(printed.as_bytes());
    Ok(status(report.outcome, None))
}
