//! Leads from a copy of a photo, or from a manifest's id, back to the captures of one client.
//!
//! A lookup only ever sees the captures of the client and environment that it is for, because the index is derived from
//! their secret. What the index finds counts only if the capture is held: its personal item still exists and states the
//! same fingerprint, and nobody withheld or erased it.
//!
//! [`LogProofs`] makes what proves a capture by the transparency log, for operators and for the capture's client.

mod log;

use std::{collections::BTreeMap, sync::Arc};

use lacre_compare::{Picture, Verdict, compare};
use lacre_domain::{CaptureId, ClientId, ClientStatus, Environment, Fingerprint, Renewal, Sha256Digest};
use lacre_fingerprint::Luma;
use lacre_storage::{Candidates, Captures, Connection, Error, Personal, Print, Prints, PrintsSecret, ProofObjects};

pub use log::{FoundProof, LastingEvidence, LogProofs, StoredBundle, Unproved, entry_of};

/// The distance up to which a fingerprint alone makes a match. Copies as messengers make them are at most this far;
/// different pictures of one kind of document are further away (docs/concepts/fingerprint.md).
pub const LIKELY: u32 = 24;

/// The distance up to which a fingerprint makes a candidate, which counts only if the pictures agree.
pub const POSSIBLE: u32 = 72;

/// The distance at which the similarity is 0: that of unrelated pictures.
const UNRELATED: u32 = 128;

// A match by the fingerprint alone is more similar than one that only the comparison of pictures confirms.
const _: () = assert!(LIKELY < POSSIBLE && POSSIBLE < UNRELATED);

/// The number of candidates whose originals are compared with a photo.
const COMPARED: usize = 5;

/// Whose captures are looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The client.
    pub client: ClientId,
    /// The environment of the captures.
    pub environment: Environment,
}

/// A capture that was found.
#[derive(Clone, Debug)]
pub struct Match {
    /// The capture.
    pub capture: CaptureId,
    /// The id of its manifest.
    pub manifest_id: String,
    /// The number of bits in which the fingerprints differ.
    pub distance: u32,
}

impl Match {
    /// The similarity of the fingerprints, from 0 to 100, where 100 is an equal one.
    #[must_use]
    pub fn similarity(&self) -> u32 {
        100_u32.saturating_sub(self.distance * 100 / UNRELATED)
    }
}

/// The result of a lookup, the closest match first.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The captures.
    pub matches: Vec<Match>,
    /// Whether some captures may be missing, because too many pictures have a code like the one that was looked up.
    pub truncated: bool,
}

/// Looks captures up.
pub struct Lookup {
    prints: Prints,
    personal: Personal,
    captures: Captures,
    proofs: ProofObjects,
}

impl Lookup {
    /// The lookup with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self {
            prints: Prints::new(connection),
            personal: Personal::new(connection),
            captures: Captures::new(connection),
            proofs: ProofObjects::new(connection),
        }
    }

    /// The captures whose fingerprint is close to a code.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn by_code(&self, owner: &Owner, code: Fingerprint) -> Result<Found, Error> {
        let Some(secret) = self.prints.secret(&owner.client, owner.environment).await? else {
            return Ok(Found::default());
        };
        let mut candidates = Candidates::default();
        let likely = self.near(&secret, &mut candidates, bands(&code), &[code], LIKELY).await?;
        if !likely.matches.is_empty() {
            return Ok(likely);
        }
        self.near(&secret, &mut candidates, flipped_bands(&code), &[code], LIKELY).await
    }

    /// The captures that a photo is a copy of. If no fingerprint is close, the photo may be cropped: codes of the photo
    /// with padding are looked up, and originals that the service stores are compared with the photo.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn by_photo(&self, owner: &Owner, photo: Picture) -> Result<Found, Error> {
        let Some(secret) = self.prints.secret(&owner.client, owner.environment).await? else {
            return Ok(Found::default());
        };
        let photo = Arc::new(photo);
        let codes = blocking({
            let photo = Arc::clone(&photo);
            move || lacre_fingerprint::hypotheses(&Luma::of_rgb(photo.width as usize, &photo.rgb))
        });
        let codes = codes.await?;
        let exact = codes.first().into_iter().flat_map(bands);
        let mut candidates = Candidates::default();
        let likely = self.near(&secret, &mut candidates, exact, &codes, LIKELY).await?;
        if !likely.matches.is_empty() {
            return Ok(likely);
        }
        let wide = codes.iter().flat_map(bands).chain(codes.first().into_iter().flat_map(flipped_bands));
        let possible = self.near(&secret, &mut candidates, wide, &codes, POSSIBLE).await?;
        let mut found = Found { matches: Vec::new(), truncated: possible.truncated };
        for candidate in possible.matches.into_iter().take(COMPARED) {
            if candidate.distance <= LIKELY || self.shows(&candidate.capture, &photo).await? {
                found.matches.push(candidate);
            }
        }
        Ok(found)
    }

    /// The manifest with an id, as it is stored: `application/c2pa`. `None` if the owner has no such capture, or if it
    /// is withheld or erased.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn manifest(&self, owner: &Owner, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let Some(secret) = self.prints.secret(&owner.client, owner.environment).await? else { return Ok(None) };
        let Some(capture) = self.prints.of_manifest(&secret, id).await? else { return Ok(None) };
        let captures = [&capture];
        let (held, record) = tokio::try_join!(self.held(&captures), self.captures.read(&capture))?;
        let is_held = held.values().any(|print| print.manifest_id == id);
        match record.filter(|_| is_held) {
            Some(record) => self.read(&record.manifest_key, &record.manifest_sha256).await,
            None => Ok(None),
        }
    }

    /// Adds the captures that share one of the bands to the candidates. Returns the held ones of all candidates that are
    /// at most `within` bits away from one of the codes.
    async fn near(
        &self,
        secret: &PrintsSecret,
        candidates: &mut Candidates,
        bands: impl IntoIterator<Item = (u8, u16)>,
        codes: &[Fingerprint],
        within: u32,
    ) -> Result<Found, Error> {
        self.prints.add_sharing(secret, bands, candidates).await?;
        let distance = |print: &Fingerprint| codes.iter().map(|code| code.distance(print)).min();
        let close = candidates.found.iter().filter_map(|(capture, print)| {
            let distance = distance(print).filter(|distance| *distance <= within)?;
            Some((capture, (distance, print)))
        });
        let close: BTreeMap<_, _> = close.collect();
        let captures: Vec<_> = close.keys().copied().collect();
        let mut held = self.held(&captures).await?;
        let matches = close.into_iter().filter_map(|(capture, (distance, print))| {
            let Print { manifest_id, .. } = held.remove(capture).filter(|held| held.fingerprint == *print)?;
            Some(Match { capture: capture.clone(), manifest_id, distance })
        });
        let mut matches: Vec<_> = matches.collect();
        matches.sort_by_key(|found| found.distance);
        Ok(Found { matches, truncated: candidates.truncated })
    }

    /// What leads back to those of the captures that are held. A personal item that cannot be parsed counts as none.
    async fn held(&self, captures: &[&CaptureId]) -> Result<BTreeMap<CaptureId, Print>, Error> {
        let holdings = self.personal.read(captures).await?;
        let held = captures.iter().zip(holdings).filter_map(|(capture, holding)| {
            let print = Print::of(holding.personal.ok().flatten()?)?;
            let renewal = Renewal::of(holding.custody.state(), ClientStatus::Active);
            (renewal == Renewal::Allowed).then(|| ((*capture).clone(), print))
        });
        Ok(held.collect())
    }

    /// Whether a photo shows what the stored original of a capture shows. `false` if the service does not store it.
    async fn shows(&self, capture: &CaptureId, photo: &Arc<Picture>) -> Result<bool, Error> {
        let Some(record) = self.captures.read(capture).await? else { return Ok(false) };
        let Some(key) = record.jpeg_key else { return Ok(false) };
        let Some(jpeg) = self.read(&key, &record.jpeg_sha256).await? else { return Ok(false) };
        let photo = Arc::clone(photo);
        blocking(move || {
            let original = Picture::read(&jpeg).ok();
            original.is_some_and(|original| compare(&photo, &original).verdict != Verdict::NotConfirmed)
        })
        .await
    }

    /// Reads an object that the evidence record of a capture names; `None` if it does not exist. An object that differs
    /// from what was recorded is an error, and not a picture that differs from the photo.
    async fn read(&self, key: &str, sha256: &Sha256Digest) -> Result<Option<Vec<u8>>, Error> {
        match self.proofs.read(key).await? {
            Some(bytes) if Sha256Digest::of(&bytes) != *sha256 => {
                Err(Error::Corrupt { what: "proof", cause: "its hash is not the one in the evidence record".into() })
            }
            found => Ok(found),
        }
    }
}

/// The bands of a code, each with its place.
fn bands(code: &Fingerprint) -> impl Iterator<Item = (u8, u16)> {
    (0..).zip(code.bands())
}

/// The bands that differ from those of a code in one bit. With the code's own bands, every fingerprint is found that is
/// at most 31 bits away.
fn flipped_bands(code: &Fingerprint) -> impl Iterator<Item = (u8, u16)> {
    bands(code).flat_map(|(band, bits)| (0..u16::BITS).map(move |bit| (band, bits ^ (1 << bit))))
}

/// Runs work that keeps a CPU core busy on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Error::Corrupt { what: "picture", cause: "reading it panicked".into() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn similarity_falls_with_the_distance() {
        let capture = CaptureId::from_hex(&"ab".repeat(32)).unwrap();
        let similarity =
            |distance| Match { capture: capture.clone(), manifest_id: String::new(), distance }.similarity();
        assert_eq!([0, 24, 64, 128, 256].map(similarity), [100, 82, 50, 0, 0]);
    }
}
