//! Signed notes and the keys that verify them (C2SP `signed-note` and `tlog-cosignature`).

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_domain::Sha256Digest;
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::{Checkpoint, MalformedCheckpoint};

/// The types with which key ids are computed: an Ed25519 signature, and a witness's timestamped cosignature.
const ED25519_TYPE: u8 = 1;
const COSIGNATURE_TYPE: u8 = 4;
/// The DER bytes before the key in the `SubjectPublicKeyInfo` of every Ed25519 key (algorithm 1.3.101.112).
const SPKI_HEAD: [u8; 12] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The maximum number of signatures of one note that are parsed; the format allows this limit.
const SIGNATURES: usize = 64;

/// A text with signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    /// The text, including its final newline.
    pub text: String,
    /// The signatures.
    pub signatures: Vec<NoteSignature>,
}

/// One signature of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    /// The name of the signing key.
    pub name: String,
    /// The id of the signing key.
    pub key_id: [u8; 4],
    /// The signature bytes.
    pub signature: Vec<u8>,
}

/// The error for a text that is not a signed note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a signed note")]
pub struct MalformedNote;

/// The error for a text that is not a verifier key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a verifier key: NAME+ID+KEY, as C2SP signed-note describes it")]
pub struct MalformedKey;

/// Why a note is not accepted as signed by a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The note has no signature by the key.
    #[error("the checkpoint is not signed by this key")]
    Unsigned,
    /// A signature that names the key is invalid.
    #[error("the log's signature of the checkpoint is wrong")]
    Wrong,
    /// The signed text is not a checkpoint.
    #[error(transparent)]
    Malformed(#[from] MalformedCheckpoint),
    /// The signed checkpoint has another log's origin.
    #[error("the checkpoint and the key belong to different logs")]
    Foreign,
}

impl SignedNote {
    /// Adds signatures, except those that the note already has.
    pub fn add(&mut self, signatures: impl IntoIterator<Item = NoteSignature>) {
        for signature in signatures {
            if !self.signatures.contains(&signature) {
                self.signatures.push(signature);
            }
        }
    }
}

impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| writeln!(f, "{signature}"))
    }
}

impl FromStr for SignedNote {
    type Err = MalformedNote;

    fn from_str(note: &str) -> Result<Self, MalformedNote> {
        let read = || {
            if note.chars().any(|char| char < ' ' && char != '\n') {
                return None;
            }
            let (text, signatures) = note.rsplit_once("\n\n")?;
            let lines = signatures.strip_suffix('\n')?.split('\n');
            let signatures = lines.take(SIGNATURES + 1).map(|line| line.parse().ok()).collect::<Option<Vec<_>>>()?;
            (signatures.len() <= SIGNATURES).then(|| Self { text: format!("{text}\n"), signatures })
        };
        read().ok_or(MalformedNote)
    }
}

/// Formats a signature as a line of a note.
impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [self.key_id.as_slice(), &self.signature].concat();
        write!(f, "\u{2014} {} {}", self.name, BASE64_STANDARD.encode(bytes))
    }
}

impl FromStr for NoteSignature {
    type Err = MalformedNote;

    fn from_str(line: &str) -> Result<Self, MalformedNote> {
        let read = || {
            let (name, bytes) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
            let bytes = BASE64_STANDARD.decode(bytes).ok()?;
            let (key_id, signature) = bytes.split_first_chunk::<4>()?;
            is_name(name).then(|| Self { name: name.to_owned(), key_id: *key_id, signature: signature.to_vec() })
        };
        read().ok_or(MalformedNote)
    }
}

/// A key with its name, in the format in which verifiers configure it: `NAME+ID+KEY`, with the id in hexadecimal, and
/// the key's type and bytes in base64.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedKey {
    name: String,
    kind: u8,
    public_key: [u8; 32],
}

impl NamedKey {
    /// Parses a verifier key of the given type.
    fn parse(text: &str, kind: u8) -> Result<Self, MalformedKey> {
        let read = || {
            let (name, rest) = text.split_once('+')?;
            let (id, key) = rest.split_once('+')?;
            let bytes = BASE64_STANDARD.decode(key).ok()?;
            let (is, public_key) = bytes.split_first()?;
            let key = Self { name: name.to_owned(), kind, public_key: public_key.try_into().ok()? };
            (*is == kind && is_name(name) && id == hex(key.id())).then_some(key)
        };
        read().ok_or(MalformedKey)
    }

    fn id(&self) -> [u8; 4] {
        let hash = Sha256Digest::of(&[self.name.as_bytes(), b"\n", &[self.kind], &self.public_key].concat());
        let [a, b, c, d, ..] = *hash.as_bytes();
        [a, b, c, d]
    }

    fn is_of(&self, signature: &NoteSignature) -> bool {
        signature.name == self.name && signature.key_id == self.id()
    }

    fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.public_key).verify(text, signature).is_ok()
    }
}

impl fmt::Display for NamedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[self.kind], self.public_key.as_slice()].concat();
        write!(f, "{}+{}+{}", self.name, hex(self.id()), BASE64_STANDARD.encode(key))
    }
}

/// The verification key of a log, with the log's origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKey(NamedKey);

impl LogKey {
    /// Creates the key of a log. The origin must not be empty, and must not contain spaces or `+`.
    ///
    /// # Errors
    /// [`MalformedKey`].
    pub fn new(origin: &str, public_key: [u8; 32]) -> Result<Self, MalformedKey> {
        let key = NamedKey { name: origin.to_owned(), kind: ED25519_TYPE, public_key };
        if is_name(origin) { Ok(Self(key)) } else { Err(MalformedKey) }
    }

    /// The 32 bytes of the Ed25519 key in a `SubjectPublicKeyInfo` (DER, RFC 8410); `None` if the key is of another
    /// type.
    #[must_use]
    pub fn public_key_of(spki: &[u8]) -> Option<[u8; 32]> {
        spki.strip_prefix(&SPKI_HEAD)?.try_into().ok()
    }

    /// The 32 bytes of the Ed25519 key.
    pub(crate) fn public_key(&self) -> &[u8; 32] {
        &self.0.public_key
    }

    /// The log's origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.0.name
    }

    /// Verifies that this log signed a note, and parses the checkpoint in it.
    ///
    /// # Errors
    /// [`NoteError`].
    pub fn verify(&self, note: &SignedNote) -> Result<Checkpoint, NoteError> {
        let mut ours = note.signatures.iter().filter(|signature| self.0.is_of(signature)).peekable();
        ours.peek().ok_or(NoteError::Unsigned)?;
        if !ours.all(|signature| self.0.verifies(note.text.as_bytes(), &signature.signature)) {
            return Err(NoteError::Wrong);
        }
        let checkpoint: Checkpoint = note.text.parse()?;
        if checkpoint.origin == self.0.name { Ok(checkpoint) } else { Err(NoteError::Foreign) }
    }

    /// The signed note of a checkpoint; `None` if the signature is not valid for this key.
    #[must_use]
    pub fn signed(&self, checkpoint: &Checkpoint, signature: Vec<u8>) -> Option<SignedNote> {
        let text = checkpoint.to_string();
        let signature = NoteSignature { name: self.0.name.clone(), key_id: self.0.id(), signature };
        let note = SignedNote { text, signatures: vec![signature] };
        self.verify(&note).is_ok().then_some(note)
    }
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for LogKey {
    type Err = MalformedKey;

    fn from_str(text: &str) -> Result<Self, MalformedKey> {
        NamedKey::parse(text, ED25519_TYPE).map(Self)
    }
}

/// The verification key of a witness, which confirms that a checkpoint is consistent with all that it has seen of the
/// log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessKey(NamedKey);

impl WitnessKey {
    /// The 32 bytes of the Ed25519 key.
    pub(crate) fn public_key(&self) -> &[u8; 32] {
        &self.0.public_key
    }

    /// The witness's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The latest time, in seconds since 1970, at which the witness states that it saw the note's text; `None` without
    /// a valid cosignature.
    #[must_use]
    pub fn cosigned_at(&self, note: &SignedNote) -> Option<u64> {
        note.signatures.iter().filter_map(|signature| self.time(&note.text, signature)).max()
    }

    /// The latest of the valid cosignatures of a text; `None` if none is valid.
    #[must_use]
    pub fn last_valid(&self, text: &str, signatures: Vec<NoteSignature>) -> Option<NoteSignature> {
        let timed = signatures.into_iter().filter_map(|signature| Some((self.time(text, &signature)?, signature)));
        timed.max_by_key(|(time, _)| *time).map(|(_, signature)| signature)
    }

    fn time(&self, text: &str, signature: &NoteSignature) -> Option<u64> {
        let (time, bytes) = signature.signature.split_first_chunk::<8>().filter(|_| self.0.is_of(signature))?;
        let time = u64::from_be_bytes(*time);
        let message = format!("cosignature/v1\ntime {time}\n{text}");
        self.0.verifies(message.as_bytes(), bytes).then_some(time)
    }
}

impl fmt::Display for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for WitnessKey {
    type Err = MalformedKey;

    fn from_str(text: &str) -> Result<Self, MalformedKey> {
        NamedKey::parse(text, COSIGNATURE_TYPE).map(Self)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|char| char.is_whitespace() || char.is_control() || char == '+')
}

fn hex(id: [u8; 4]) -> String {
    format!("{:08x}", u32::from_be_bytes(id))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;

    fn witness() -> (Ed25519KeyPair, WitnessKey) {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
        let public_key = pair.public_key().as_ref().try_into().unwrap();
        (pair, WitnessKey(NamedKey { name: "witness.example".into(), kind: COSIGNATURE_TYPE, public_key }))
    }

    #[test]
    fn cosignatures_cover_text_and_time() {
        let (pair, key) = witness();
        assert_eq!(key.to_string().parse(), Ok(key.clone()));
        let text = "log.example\n1\nAAAA\n";
        let signed_at = |time: u64| {
            let signed = pair.sign(format!("cosignature/v1\ntime {time}\n{text}").as_bytes());
            let signature = [time.to_be_bytes().as_slice(), signed.as_ref()].concat();
            NoteSignature { name: "witness.example".into(), key_id: key.0.id(), signature }
        };
        let (signature, before) = (signed_at(1_764_000_000), signed_at(1_763_999_999));
        let several = vec![before.clone(), signature.clone(), before.clone()];
        assert_eq!(key.last_valid(text, several), Some(signature.clone()));

        let mut note = SignedNote { text: text.into(), signatures: Vec::new() };
        assert_eq!(key.cosigned_at(&note), None);
        note.add([signature.clone(), signature.clone()]);
        assert_eq!(note.signatures.len(), 1, "the same is kept once");
        assert_eq!(key.cosigned_at(&note), Some(1_764_000_000));
        note.signatures.insert(0, before);
        assert_eq!(key.cosigned_at(&note), Some(1_764_000_000), "the last counts");

        let mut later = signature.clone();
        later.signature[7] ^= 1;
        let mut other_name = signature.clone();
        other_name.name = "another.example".into();
        let mut short = signature;
        short.signature.truncate(7);
        assert_eq!(key.last_valid(text, vec![later, other_name, short]), None);
        note.text = "log.example\n2\nAAAA\n".into();
        assert_eq!(key.cosigned_at(&note), None, "of another text");
    }

    #[test]
    fn refuses_malformed_keys() {
        let (_, key) = witness();
        let text = key.to_string();
        assert_eq!(text.parse::<LogKey>(), Err(MalformedKey), "a witness's key is not a log's");
        for other in
            ["", "name", "a+b+c", &text.replace("witness", "w"), &text[..text.len() - 4], &text.replace('.', " ")]
        {
            assert_eq!(other.parse::<WitnessKey>(), Err(MalformedKey), "{other}");
        }
        assert_eq!(LogKey::new("two words", [0; 32]), Err(MalformedKey));
        assert_eq!(LogKey::new("", [0; 32]), Err(MalformedKey));
    }

    #[test]
    fn a_note_reads_back() {
        let note = "a\n\nb\n\n\u{2014} name AAAAAAAA\n\u{2014} other AAAAAQ==\n";
        let read: SignedNote = note.parse().unwrap();
        assert_eq!(read.text, "a\n\nb\n");
        assert_eq!(read.signatures.len(), 2);
        assert_eq!(read.to_string(), note);
        for other in
            ["", "a\n", "a\n\n", "a\n\n\u{2014} name AAAA\n", "a\n\n- name AAAAAAAA\n", "a\r\n\n\u{2014} n AAAAAAAA\n"]
        {
            assert_eq!(other.parse::<SignedNote>(), Err(MalformedNote), "{other}");
        }
        let many = format!("a\n\n{}", "\u{2014} name AAAAAAAA\n".repeat(65));
        assert_eq!(many.parse::<SignedNote>(), Err(MalformedNote));
    }
}
