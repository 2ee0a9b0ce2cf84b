//! A transparency log in this process.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_transparency::{
    Checkpoint, Edge, Entry, Extra, LogKey, LogProof, LogSalt, NoteSignature, Sha256Digest, WitnessKey,
};
use ring::signature::{Ed25519KeyPair, KeyPair};

pub const ORIGIN: &str = "log.example/production";
/// Number of leaves, and the index of the proved leaf.
pub const SIZE: u64 = 5;
pub const INDEX: u64 = 2;

/// A log with its signing key.
pub struct Log {
    pair: Ed25519KeyPair,
    pub key: LogKey,
}

impl Log {
    pub fn new() -> Self {
        Self::of_seed(7)
    }

    pub fn of_seed(seed: u8) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
        let key = LogKey::new(ORIGIN, pair.public_key().as_ref().try_into().unwrap()).unwrap();
        Self { pair, key }
    }

    /// Proves that the capture with this manifest is in the log.
    pub fn prove(&self, manifest: &[u8]) -> LogProof {
        let extra =
            Extra { salt: LogSalt::from_bytes([2; 32]), record: Sha256Digest::of(b"evidence record"), timestamp: None };
        let entry = Entry::of(&extra.salt, &Sha256Digest::of(manifest), &extra.record);
        let mut entries = [0, 1, 2, 3, 4].map(|number| Entry::from_bytes([number; 32]));
        entries[INDEX as usize] = entry;
        let growth = Edge::default().grown(&entries);
        let checkpoint = Checkpoint { origin: ORIGIN.into(), size: SIZE, root: growth.edge.root() };
        let signature = self.pair.sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
        let checkpoint = self.key.signed(&checkpoint, signature).unwrap();
        LogProof { extra, index: INDEX, path: growth.paths().unwrap().swap_remove(INDEX as usize), checkpoint }
    }

    /// Like [`Self::prove`], with a timestamp that `stamp` creates over the checkpoint's text.
    pub fn prove_since(&self, manifest: &[u8], stamp: impl FnOnce(&[u8]) -> Vec<u8>) -> LogProof {
        let mut proof = self.prove(manifest);
        proof.extra.timestamp = Some(stamp(proof.checkpoint.text.as_bytes()));
        proof
    }
}

/// A witness with its signing key.
pub struct Witness {
    pair: Ed25519KeyPair,
    id: [u8; 4],
    pub key: WitnessKey,
}

impl Witness {
    pub fn of_seed(seed: u8) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
        let (name, public) = (format!("witness.example/{seed}"), [&[4], pair.public_key().as_ref()].concat());
        let hash = Sha256Digest::of(&[name.as_bytes(), b"\n", &public].concat());
        let id = hash.as_bytes()[..4].try_into().unwrap();
        let key = format!("{name}+{:08x}+{}", u32::from_be_bytes(id), STANDARD.encode(public)).parse().unwrap();
        Self { pair, id, key }
    }

    /// The witness's cosignature of a checkpoint's text (C2SP tlog-cosignature).
    pub fn cosignature(&self, text: &str) -> NoteSignature {
        let time = 1_795_000_000_u64;
        let signature = self.pair.sign(format!("cosignature/v1\ntime {time}\n{text}").as_bytes());
        let signature = [&time.to_be_bytes(), signature.as_ref()].concat();
        NoteSignature { name: self.key.name().into(), key_id: self.id, signature }
    }
}
