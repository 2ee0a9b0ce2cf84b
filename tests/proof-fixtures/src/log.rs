//! A public log in this process.

use ring::signature::{Ed25519KeyPair, KeyPair};
use transparency::{Checkpoint, Edge, Entry, Extra, LogKey, LogProof, LogSalt, Sha256Digest};

pub const ORIGIN: &str = "log.example/production";
/// The number of leaves, and the one that is proved.
pub const SIZE: u64 = 5;
pub const INDEX: u64 = 2;

/// A log with its key.
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

    /// The proof that the capture with this manifest is in the log.
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

    /// The same with a timestamp, which `stamp` makes over the text that it is given.
    pub fn prove_since(&self, manifest: &[u8], stamp: impl FnOnce(&[u8]) -> Vec<u8>) -> LogProof {
        let mut proof = self.prove(manifest);
        proof.extra.timestamp = Some(stamp(proof.checkpoint.text.as_bytes()));
        proof
    }
}
