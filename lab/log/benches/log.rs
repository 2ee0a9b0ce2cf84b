//! Measures the computations of the transparency log: adding a batch of leaves to a tree, their proofs, and verifying
//! one.
//!
//! `cargo bench -p log-bench`. It is compared, alternating in the same run, with the minimum of any log: one leaf hash
//! and one node hash per leaf. A tree of a hundred million leaves has the real structure but arbitrary hashes at its
//! edge, so additions, proofs and verification take realistic time. AWS calls, and the data that they need, are not
//! measured.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use lacre_transparency::{
    Checkpoint, Edge, Entry, EntryBundle, Extra, Growth, LogKey, LogProof, LogSalt, Sha256Digest, Tile, Tiles,
    leaf_hash,
};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

const ORIGIN: &str = "lacre-log-123456789012.s3.sa-east-1.amazonaws.com/production";
/// Leaves in a batch of the sequencer.
const BATCH: u64 = 1000;
/// Required throughput, in leaves a second.
const NEEDED: f64 = 1000.0;
const ROUNDS: usize = 60;
const TREES: [u64; 4] = [1, 1_000, 1_000_000, 100_000_000];
const TOKENS: [usize; 3] = [0, 4096, 6144];

fn main() {
    let Some(signer) = Signer::new() else { return eprintln!("no key") };
    println!("medians of {ROUNDS} rounds, batches of {BATCH}");
    println!(
        "{:>11} {:>9} {:>10} {:>7} {:>12} {:>7}",
        "tree", "leaf, us", "floor, us", "ratio", "leaves/core", "needed"
    );
    for size in TREES.into_iter().skip(1) {
        measure_growth(size);
    }
    println!("{:>11} {:>8} {:>6} {:>8} {:>11} {:>7}", "tree", "hashes", "token", "bytes", "verify, us", "ratio");
    for size in TREES {
        let Some((added, longest)) = signer.proof_in(size) else { return eprintln!("no proof in a tree of {size}") };
        for token in TOKENS {
            measure_proof(&signer, size, &with_token(&added, token));
        }
        println!("{size:>11} {:>8} {:>6} {:>8}   the longest path", longest.path.len(), 0, longest.to_string().len());
    }
}

fn measure_growth(size: u64) {
    let Some(edge) = edge_of(size) else { return eprintln!("no edge of {size}") };
    let entries: Vec<_> = (size..size + BATCH).map(entry).collect();
    let (mut floors, mut batches) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        floors.push(time(|| {
            for entry in &entries {
                let leaf = leaf_hash(black_box(entry.as_bytes()));
                black_box(node(leaf, leaf));
            }
        }));
        batches.push(time(|| drop(black_box(with_proofs(&edge, &entries)))));
    }
    let [floor, batch] = [floors, batches].map(|times| median(times).as_secs_f64() / entries.len() as f64);
    println!(
        "{size:>11} {:>9.1} {:>10.2} {:>7.0} {:>12.0} {:>7.1}",
        batch * 1e6,
        floor * 1e6,
        batch / floor,
        1.0 / batch,
        1.0 / batch / NEEDED
    );
}

/// Adds a batch as the sequencer does: computes the files, the root, and the path of each leaf.
fn with_proofs(edge: &Edge, entries: &[Entry]) -> (Growth, Sha256Digest, Option<Vec<Vec<Sha256Digest>>>) {
    let growth = edge.grown(entries);
    let (paths, root) = (growth.paths().ok(), growth.edge.root());
    (growth, root, paths)
}

fn measure_proof(signer: &Signer, size: u64, proof: &LogProof) {
    let (text, manifest) = (proof.to_string(), manifest());
    let verified = || text.parse::<LogProof>().is_ok_and(|read| read.verify(&manifest, &signer.key).is_ok());
    if !verified() {
        return eprintln!("a proof in a tree of {size} does not verify");
    }
    let (mut floors, mut times) = (Vec::new(), Vec::new());
    let text_signed = proof.checkpoint.text.as_bytes();
    let signature = signer.pair.sign(text_signed);
    for _ in 0..ROUNDS {
        floors.push(time(|| _ = black_box(signer.verifies(text_signed, signature.as_ref()))));
        times.push(time(|| _ = black_box(verified())));
    }
    let [floor, verify] = [floors, times].map(|times| median(times).as_secs_f64());
    let token = proof.extra.timestamp.as_deref().map_or(0, <[u8]>::len);
    println!(
        "{size:>11} {:>8} {token:>6} {:>8} {:>11.0} {:>7.2}",
        proof.path.len(),
        text.len(),
        verify * 1e6,
        verify / floor
    );
}

fn with_token(proof: &LogProof, bytes: usize) -> LogProof {
    let mut proof = proof.clone();
    proof.extra.timestamp = (bytes > 0).then(|| vec![0x30; bytes]);
    proof
}

/// The edge of a tree of this size, with arbitrary hashes above the leaves.
fn edge_of(size: u64) -> Option<Edge> {
    let (mut tiles, mut entries) = (Tiles::default(), Vec::new());
    for tile in Tile::edge(size) {
        let numbers = tile.index * 256..tile.index * 256 + u64::from(tile.width);
        let hashes: Vec<_> = match tile.level {
            0 => {
                entries = numbers.map(entry).collect();
                entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect()
            }
            _ => numbers.map(|number| Sha256Digest::of(&number.to_be_bytes())).collect(),
        };
        let bytes: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
        tiles.add(tile, &bytes).then_some(())?;
    }
    Edge::of(size, &tiles, EntryBundle(entries))
}

fn manifest() -> Sha256Digest {
    Sha256Digest::of(b"manifest")
}

fn extra(number: u64) -> Extra {
    let digest = Sha256Digest::of(&number.to_be_bytes());
    Extra { salt: LogSalt::from_bytes(*digest.as_bytes()), record: digest, timestamp: None }
}

fn entry(number: u64) -> Entry {
    let Extra { salt, record, .. } = extra(number);
    Entry::of(&salt, &manifest(), &record)
}

/// The hash of an inner node (RFC 6962).
fn node(left: Sha256Digest, right: Sha256Digest) -> Sha256Digest {
    let mut bytes = [1; 65];
    bytes[1..33].copy_from_slice(left.as_bytes());
    bytes[33..].copy_from_slice(right.as_bytes());
    Sha256Digest::of(&bytes)
}

struct Signer {
    pair: Ed25519KeyPair,
    key: LogKey,
}

impl Signer {
    fn new() -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).ok()?;
        let key = LogKey::new(ORIGIN, pair.public_key().as_ref().try_into().ok()?).ok()?;
        Some(Self { pair, key })
    }

    fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.pair.public_key()).verify(text, signature).is_ok()
    }

    /// For a tree of this size: the proof of a leaf in the middle of the last batch, and an artificial proof with the
    /// longest path.
    fn proof_in(&self, size: u64) -> Option<(LogProof, LogProof)> {
        let old = size.saturating_sub(BATCH);
        let growth = edge_of(old)?.grown(&(old..size).map(entry).collect::<Vec<_>>());
        let place = (size - old) / 2;
        let (index, path) = (old + place, growth.paths().ok()?.into_iter().nth(usize::try_from(place).ok()?)?);
        let checkpoint = Checkpoint { origin: ORIGIN.into(), size, root: growth.edge.root() };
        let signature = self.pair.sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
        let checkpoint = self.key.signed(&checkpoint, signature)?;
        let added = LogProof { extra: extra(index), index, path, checkpoint };
        let hashes = size.next_power_of_two().trailing_zeros() as usize;
        let longest = LogProof { path: vec![manifest(); hashes], ..added.clone() };
        Some((added, longest))
    }
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
