//! Compares the parts of an archive with its index.

use std::{
    collections::BTreeMap,
    io::{self, Read, Seek, Write},
};

use lacre_api::dossier::{DossierIndex, INDEX, SEAL};
use lacre_domain::Sha256Digest;
use lacre_dossier::Archive;
use sha2::{Digest, Sha256};

use super::opened;

/// Maximum number of parts that a fault names.
const NAMED: usize = 20;

/// Name, size and SHA-256 of each part.
pub(super) type Hashes = Vec<(String, u64, Sha256Digest)>;

/// Hashes the parts.
pub(super) fn hashes(archive: &mut Archive<impl Read + Seek>) -> Result<Result<Hashes, String>, String> {
    let parts = archive.parts().to_vec();
    let mut hashes = Vec::new();
    for (place, (name, bytes)) in parts.into_iter().enumerate() {
        let mut hasher = Hasher(Sha256::new());
        if let Err(fault) = opened(archive.copy(place, &mut hasher))? {
            return Ok(Err(fault));
        }
        hashes.push((name, bytes, Sha256Digest::from_bytes(hasher.0.finalize().into())));
    }
    Ok(Ok(hashes))
}

struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares the parts with the index: names, contents, and order. The fault names each part that differs.
pub(super) fn compare(index: &DossierIndex, found: &Hashes) -> Result<(), String> {
    let expected: Vec<_> = index.parts.iter().map(|part| (part.name.as_str(), part.sha256.as_str())).collect();
    let sizes: BTreeMap<&str, u64> = found.iter().map(|(name, bytes, _)| (name.as_str(), *bytes)).collect();
    let found: Vec<_> = found.iter().map(|(name, _, sha256)| (name.as_str(), sha256.hex())).collect();
    let mut faults = Vec::new();
    let contents: BTreeMap<&str, &str> = found.iter().map(|(name, sha256)| (*name, sha256.as_str())).collect();
    let listed = |name: &str| name == INDEX || name == SEAL || expected.iter().any(|(known, _)| *known == name);
    let of_another = |sha256: &str, name: &str| {
        expected.iter().find(|(known, theirs)| *theirs == sha256 && *known != name).map(|(known, _)| *known)
    };
    for (name, sha256) in &expected {
        match contents.get(name) {
            Some(has) if has == sha256 => {}
            Some(has) => faults.push(match of_another(has, name) {
                Some(other) => format!("{name} has the contents of {other}"),
                None => format!("{name} was altered"),
            }),
            None => faults.push(match contents.iter().find(|(known, has)| *has == sha256 && !listed(known)) {
                Some((renamed, _)) => format!("{name} was renamed to {renamed}"),
                None => format!("{name} is missing"),
            }),
        }
    }
    let is_renamed =
        |sha256: &str| expected.iter().any(|(name, theirs)| *theirs == sha256 && !contents.contains_key(name));
    let added = found.iter().filter(|(name, sha256)| !listed(name) && !is_renamed(sha256));
    faults.extend(added.map(|(name, _)| format!("{name} is not in the index")));
    let other_sizes =
        index.parts.iter().filter(|part| sizes.get(part.name.as_str()).is_some_and(|has| *has != part.bytes));
    if faults.is_empty() {
        faults.extend(other_sizes.map(|part| format!("{} has another size than the index states", part.name)));
    }
    let places = [INDEX, SEAL].into_iter().chain(expected.iter().map(|(name, _)| *name));
    let misplaced = places.zip(&found).find(|(wanted, (name, _))| wanted != name);
    if let Some((wanted, (name, _))) = misplaced.filter(|_| faults.is_empty()) {
        faults.push(format!("the parts were reordered: {name} is in the place of {wanted}"));
    }
    let more = faults.len().saturating_sub(NAMED);
    faults.truncate(NAMED);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}
