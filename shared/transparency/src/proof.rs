//! Transparency proofs: proofs that a capture is in a log, in C2SP `tlog-proof` format.

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_domain::Sha256Digest;

use crate::{
    Checkpoint, Entry, LogKey, LogSalt, NoteError, SignedNote,
    checkpoint::{decimal, hash},
    tree::{leaf_hash, verify_inclusion},
};

const HEADER: &str = "c2sp.org/tlog-proof@v1";
/// The maximum length of an inclusion proof, which suffices for a tree of 2^64 leaves.
const PATH: usize = 64;

/// Lacre's extra data in a proof: what is needed to compute the entry, and a timestamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    /// The entry's salt.
    pub salt: LogSalt,
    /// The digest of the evidence record.
    pub record: Sha256Digest,
    /// An RFC 3161 timestamp token (DER of its `ContentInfo`) over the checkpoint's text, with SHA-256. This crate does
    /// not parse it.
    pub timestamp: Option<Vec<u8>>,
}

/// A proof that an entry is in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogProof {
    /// The extra data, which the format leaves to the application.
    pub extra: Extra,
    /// The index of the entry.
    pub index: u64,
    /// The hashes of the inclusion proof.
    pub path: Vec<Sha256Digest>,
    /// The signed checkpoint.
    pub checkpoint: SignedNote,
}

/// What a valid proof shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// The state of the log that contains the capture.
    pub checkpoint: Checkpoint,
    /// The index of the entry.
    pub index: u64,
}

/// Why a proof is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The file is not a proof.
    #[error("not a proof of this service in the form c2sp.org/tlog-proof@v1")]
    Malformed,
    /// The checkpoint is not signed by the log.
    #[error(transparent)]
    Checkpoint(#[from] NoteError),
    /// The inclusion proof does not prove the entry of this photo.
    #[error("the proof belongs to another photo or was altered")]
    Excluded,
}

impl LogProof {
    /// Parses a file. Changed line endings, a BOM, white space around lines and a missing final newline are tolerated,
    /// because they are not part of what is signed.
    ///
    /// # Errors
    /// [`ProofError::Malformed`].
    pub fn of_file(file: &[u8]) -> Result<Self, ProofError> {
        let text = std::str::from_utf8(file).map_err(|_| ProofError::Malformed)?;
        text.parse().or_else(|_| as_written(text).parse())
    }

    /// Creates a proof from its stored parts: the concatenated hashes of the path, and the checkpoint as a signed note.
    /// `None` if they are malformed.
    #[must_use]
    pub fn of_parts(extra: Extra, index: u64, path: &[u8], checkpoint: &str) -> Option<Self> {
        let (hashes, rest) = path.as_chunks::<32>();
        let path = hashes.iter().map(|hash| Sha256Digest::from_bytes(*hash)).collect();
        let checkpoint = checkpoint.parse().ok()?;
        rest.is_empty().then_some(Self { extra, index, path, checkpoint })
    }

    /// Verifies that the capture with this manifest is in the log with this key.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn verify(&self, manifest: &Sha256Digest, key: &LogKey) -> Result<Inclusion, ProofError> {
        let checkpoint = key.verify(&self.checkpoint)?;
        let entry = Entry::of(&self.extra.salt, manifest, &self.extra.record);
        let leaf = leaf_hash(entry.as_bytes());
        let index = self.index;
        match verify_inclusion(leaf, index, checkpoint.size, &self.path, checkpoint.root) {
            true => Ok(Inclusion { checkpoint, index }),
            false => Err(ProofError::Excluded),
        }
    }
}

/// The extra data as bytes: the salt, the record's digest, and the timestamp token if there is one.
impl Extra {
    fn to_bytes(&self) -> Vec<u8> {
        let token = self.timestamp.as_deref().unwrap_or_default();
        [self.salt.expose(), self.record.as_bytes().as_slice(), token].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (salt, rest) = bytes.split_first_chunk::<32>()?;
        let (record, token) = rest.split_first_chunk::<32>()?;
        Some(Self {
            salt: LogSalt::from_bytes(*salt),
            record: Sha256Digest::from_bytes(*record),
            timestamp: (!token.is_empty()).then(|| token.to_vec()),
        })
    }
}

impl fmt::Display for LogProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}\nextra {}\nindex {}", BASE64_STANDARD.encode(self.extra.to_bytes()), self.index)?;
        self.path.iter().try_for_each(|hash| writeln!(f, "{}", BASE64_STANDARD.encode(hash.as_bytes())))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

/// The text in its original form: each line without surrounding white space, and with a line feed.
fn as_written(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim().replace("\r\n", "\n").replace('\r', "\n");
    text.split('\n').flat_map(|line| [line.trim(), "\n"]).collect()
}

impl FromStr for LogProof {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, ProofError> {
        let read = || {
            let (head, checkpoint) = text.split_once("\n\n")?;
            let mut lines = head.split('\n');
            (lines.next()? == HEADER).then_some(())?;
            let extra = BASE64_STANDARD.decode(lines.next()?.strip_prefix("extra ")?).ok()?;
            let index = decimal(lines.next()?.strip_prefix("index ")?)?;
            let path = lines.take(PATH + 1).map(hash).collect::<Option<Vec<_>>>()?;
            let checkpoint = checkpoint.parse().ok()?;
            let proof = Self { extra: Extra::from_bytes(&extra)?, index, path, checkpoint };
            (proof.path.len() <= PATH).then_some(proof)
        };
        read().ok_or(ProofError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;
    use crate::{Edge, inclusion_proof, nodes_of, tile::Tile};

    const ORIGIN: &str = "log.example/production";

    fn key_pair() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
    }

    fn key(origin: &str) -> LogKey {
        LogKey::new(origin, key_pair().public_key().as_ref().try_into().unwrap()).unwrap()
    }

    fn entry(number: u8) -> Entry {
        let hash = |text: &str| Sha256Digest::of(format!("{text} {number}").as_bytes());
        Entry::of(&LogSalt::from_bytes([number; 32]), &hash("manifest"), &hash("record"))
    }

    /// The proof of the third of five captures.
    fn proof(timestamp: Option<Vec<u8>>) -> LogProof {
        let growth = Edge::default().grown(&(0..5).map(entry).collect::<Vec<_>>());
        let mut tiles = crate::Tiles::default();
        for tile in Tile::holding_all(&nodes_of(|hash| drop(inclusion_proof(2, 5, hash))), 5) {
            let (_, bytes) = growth.files.iter().find(|(path, _)| *path == tile.path()).unwrap();
            assert!(tiles.add(tile, bytes));
        }
        let checkpoint = Checkpoint { origin: ORIGIN.into(), size: 5, root: growth.edge.root() };
        let signature = key_pair().sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
        LogProof {
            extra: Extra { salt: LogSalt::from_bytes([2; 32]), record: Sha256Digest::of(b"record 2"), timestamp },
            index: 2,
            path: inclusion_proof(2, 5, &mut |node| tiles.hash(node)).unwrap(),
            checkpoint: key(ORIGIN).signed(&checkpoint, signature).unwrap(),
        }
    }

    #[test]
    fn proofs_hold_for_their_photo_only() {
        for timestamp in [None, Some(vec![0x30; 5])] {
            let proof = proof(timestamp);
            let read: LogProof = proof.to_string().parse().unwrap();
            assert_eq!(read, proof);
            let found = read.verify(&Sha256Digest::of(b"manifest 2"), &key(ORIGIN)).unwrap();
            assert_eq!((found.index, found.checkpoint.size), (2, 5));
            let other = Sha256Digest::of(b"manifest 3");
            assert_eq!(read.verify(&other, &key(ORIGIN)), Err(ProofError::Excluded));
        }
    }

    #[test]
    fn another_key_or_origin_is_refused() {
        let (proof, manifest) = (proof(None), Sha256Digest::of(b"manifest 2"));
        let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap();
        let other = LogKey::new(ORIGIN, other.public_key().as_ref().try_into().unwrap()).unwrap();
        let unsigned = Err(ProofError::Checkpoint(NoteError::Unsigned));
        assert_eq!(proof.verify(&manifest, &other), unsigned);
        assert_eq!(proof.verify(&manifest, &key("log.example/sandbox")), unsigned);

        // The owner of the key signed a checkpoint with another log's origin, which must not be accepted for this log.
        let mut foreign = proof;
        foreign.checkpoint.text = foreign.checkpoint.text.replace("production", "sandbox");
        let signature = key_pair().sign(foreign.checkpoint.text.as_bytes()).as_ref().to_vec();
        foreign.checkpoint.signatures[0].signature = signature;
        assert_eq!(foreign.verify(&manifest, &key(ORIGIN)), Err(ProofError::Checkpoint(NoteError::Foreign)));
    }

    /// Every changed byte makes the proof malformed or invalid.
    #[test]
    fn a_changed_byte_is_found() {
        let (text, manifest) = (proof(None).to_string(), Sha256Digest::of(b"manifest 2"));
        let mut seen = std::collections::BTreeSet::new();
        for place in 0..text.len() {
            for other in [b'0', b'A', b'\n', b' ', b'+'] {
                let mut bytes = text.clone().into_bytes();
                let Some(byte) = bytes.get_mut(place).filter(|byte| **byte != other) else { continue };
                *byte = other;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let read = changed.parse::<LogProof>();
                // A byte after the record's digest counts as a timestamp token, which other code checks.
                if read.as_ref().is_ok_and(|proof| proof.extra.timestamp.is_some()) {
                    continue;
                }
                let verdict = read.and_then(|proof| proof.verify(&manifest, &key(ORIGIN)));
                assert!(verdict.is_err(), "{place}: {changed}");
                seen.insert(verdict.unwrap_err().to_string());
            }
        }
        assert!(seen.len() >= 4, "by each of the checks: {seen:?}");
    }

    #[test]
    fn reads_a_file_behind_its_transport() {
        let proof = proof(None);
        let text = proof.to_string();
        for file in [
            text.clone(),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            text.replace('\n', "  \n"),
            text.trim_end().to_owned(),
            format!("\u{FEFF}{text}\n\n"),
        ] {
            assert_eq!(LogProof::of_file(file.as_bytes()), Ok(proof.clone()), "{file}");
        }
        let half = text.len() / 2;
        for file in [&b""[..], b"\xFF", &text.as_bytes()[..half], &text.as_bytes()[half..]] {
            assert_eq!(LogProof::of_file(file), Err(ProofError::Malformed));
        }
    }

    #[test]
    fn refuses_malformed_proofs() {
        let text = proof(None).to_string();
        let long = format!("index 2\n{}", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n".repeat(65));
        for other in [
            String::new(),
            text.replace("@v1", "@v2"),
            text.replace("extra ", "extra  "),
            text.replace("index 2", "index 02"),
            text.replace("index 2", "index -2"),
            text.replace("index 2\n", ""),
            text.replace("index 2\n", &long),
            text.replace("\n\n", "\n"),
            text.replace('\n', "\r\n"),
            text.trim_end().to_owned(),
            text.lines().filter(|line| !line.starts_with("extra")).collect::<Vec<_>>().join("\n"),
        ] {
            assert_eq!(other.parse::<LogProof>(), Err(ProofError::Malformed), "{other}");
        }
    }
}
