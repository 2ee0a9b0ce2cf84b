//! Checks what this crate writes with the independent implementations `tlog_tiles` and `signed_note`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use lacre_transparency::{
    Checkpoint, Edge, Entry, EntryBundle, LogKey, LogSalt, Sha256Digest, Tile, Tiles, consistency_proof,
    inclusion_proof, leaf_hash, nodes_of, verify_consistency, verify_inclusion,
};
use ring::signature::{Ed25519KeyPair, KeyPair};
use signed_note::{Note, StandardVerifier, VerifierList};
use tlog_tiles::{
    checkpoint::Checkpoint as TheirCheckpoint,
    tile::{Tile as TheirTile, TileHashReader, TileReader},
    tlog::{Error, Hash, HashReader, check_record, check_tree, prove_record, prove_tree, record_hash, tree_hash},
};

const ORIGIN: &str = "log.example/production";
const SIZES: [u64; 6] = [1, 255, 256, 257, 65_536, 70_001];

/// A log in memory, grown in steps of many sizes like the sequencer grows it.
#[derive(Default)]
struct Log {
    files: BTreeMap<String, Vec<u8>>,
    edge: Edge,
    entries: Vec<Entry>,
}

impl Log {
    fn grow_to(&mut self, size: u64) {
        for step in [1, 7, 254, 1, 300, 256, 1000, 5000].into_iter().cycle() {
            let from = self.entries.len() as u64;
            if from == size {
                return;
            }
            let added: Vec<Entry> = (from..size.min(from + step)).map(entry).collect();
            let growth = self.edge.grown(&added);
            let (paths, size) = (growth.paths().unwrap(), growth.edge.size());
            assert_eq!(paths.len(), added.len());
            for place in [0, added.len() / 2, added.len() - 1] {
                let (leaf, index) = (leaf_hash(added[place].as_bytes()), from + place as u64);
                assert!(verify_inclusion(leaf, index, size, &paths[place], growth.edge.root()), "{index}");
            }
            for (path, bytes) in growth.files {
                let old = self.files.insert(path.to_string(), bytes.clone());
                assert!(old.is_none_or(|old| old == bytes), "{path} has another content");
            }
            self.edge = growth.edge;
            self.entries.extend(added);
        }
    }

    fn tiles(&self, needed: impl IntoIterator<Item = Tile>) -> Tiles {
        let mut tiles = Tiles::default();
        for tile in needed {
            assert!(tiles.add(tile, &self.files[tile.path().as_str()]));
        }
        tiles
    }
}

fn entry(number: u64) -> Entry {
    let salt = LogSalt::from_bytes(*Sha256Digest::of(&number.to_be_bytes()).as_bytes());
    Entry::of(&salt, &Sha256Digest::of(b"manifest"), &Sha256Digest::of(b"record"))
}

/// Their reader requests tiles of the width that it needs; a log serves the tiles of its current size.
struct Reader<'a> {
    log: &'a Log,
}

impl TileReader for Reader<'_> {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[TheirTile]) -> Result<Vec<Vec<u8>>, Error> {
        let path = |tile: &TheirTile| tile.path().replacen("tile/8/", "tile/", 1);
        Ok(tiles.iter().map(|tile| self.log.files[&path(tile)].clone()).collect())
    }

    fn save_tiles(&self, _: &[TheirTile], _: &[Vec<u8>]) {}
}

fn theirs(hash: Sha256Digest) -> Hash {
    Hash(*hash.as_bytes())
}

fn all_theirs(hashes: &[Sha256Digest]) -> Vec<Hash> {
    hashes.iter().copied().map(theirs).collect()
}

/// The hashes of their implementation, stored without tiles.
struct Stored(Vec<Hash>);

impl HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
        Ok(indexes.iter().map(|index| self.0[usize::try_from(*index).unwrap()]).collect())
    }
}

#[test]
fn roots_and_proofs_match_another_implementation() {
    let (mut log, mut stored, mut before) = (Log::default(), Stored(Vec::new()), Vec::<(u64, Sha256Digest)>::new());
    for size in SIZES {
        let from = log.entries.len() as u64;
        log.grow_to(size);
        for number in from..size {
            let hashes = tlog_tiles::tlog::stored_hashes(number, entry(number).as_bytes(), &stored).unwrap();
            stored.0.extend(hashes);
        }
        let ours = log.edge.root();
        assert_eq!(theirs(ours), tree_hash(size, &stored).unwrap(), "root of {size}, without tiles");
        let log_reader = Reader { log: &log };
        // Their reader verifies what it reads against the root.
        let reader = TileHashReader::new(size, theirs(ours), &log_reader);
        assert_eq!(theirs(ours), tree_hash(size, &reader).unwrap(), "root of {size}, by its tiles");

        let places = [0, 1, 254, 255, 256, 257, 65_534, 65_535, 65_536, 69_999, size / 3, size / 2, size - 1];
        for index in places.into_iter().filter(|index| *index < size) {
            let nodes = nodes_of(|hash| drop(inclusion_proof(index, size, hash)));
            let tiles = log.tiles(Tile::holding_all(&nodes, size));
            let proof = inclusion_proof(index, size, &mut |node| tiles.hash(node)).unwrap();
            assert_eq!(all_theirs(&proof), prove_record(size, index, &reader).unwrap(), "{index} of {size}");
            let leaf = leaf_hash(entry(index).as_bytes());
            assert_eq!(theirs(leaf), record_hash(entry(index).as_bytes()));
            check_record(&all_theirs(&proof), size, theirs(ours), index, theirs(leaf)).unwrap();
            assert!(verify_inclusion(leaf, index, size, &proof, ours), "{index} of {size}");
            refused_when_changed(leaf, index, size, &proof, ours);
        }
        for (old, old_root) in &before {
            let nodes = nodes_of(|hash| drop(consistency_proof(*old, size, hash)));
            let tiles = log.tiles(Tile::holding_all(&nodes, size));
            let proof = consistency_proof(*old, size, &mut |node| tiles.hash(node)).unwrap();
            assert_eq!(all_theirs(&proof), prove_tree(size, *old, &reader).unwrap(), "{old} to {size}");
            check_tree(&all_theirs(&proof), size, theirs(ours), *old, theirs(*old_root)).unwrap();
            assert!(verify_consistency((*old, *old_root), (size, ours), &proof));
            let other = Sha256Digest::of(b"another tree");
            assert!(!verify_consistency((*old, other), (size, ours), &proof));
            assert!(!verify_consistency((*old, *old_root), (size, other), &proof));
            assert!(!verify_consistency((old + 1, *old_root), (size, ours), &proof));
        }
        before.push((size, ours));

        let edge = Edge::of(size, &log.tiles(Tile::edge(size)), entries_at_edge(&log, size)).unwrap();
        assert_eq!((edge.root(), edge.size()), (ours, size), "the edge is read back");
    }
}

fn entries_at_edge(log: &Log, size: u64) -> EntryBundle {
    let tile = Tile::edge(size).find(|tile| tile.level == 0);
    let bundle = tile.map(|tile| EntryBundle::from_bytes(&log.files[tile.entries_path().as_str()]).unwrap());
    bundle.unwrap_or_default()
}

fn refused_when_changed(leaf: Sha256Digest, index: u64, size: u64, proof: &[Sha256Digest], root: Sha256Digest) {
    let other = Sha256Digest::of(b"another");
    assert!(!verify_inclusion(other, index, size, proof, root));
    assert!(!verify_inclusion(leaf, index, size, proof, other));
    assert!(!verify_inclusion(leaf, size, size, proof, root));
    assert!(!verify_inclusion(leaf, index, size, &[proof, &[other]].concat(), root), "a longer path");
    if let Some((_, shorter)) = proof.split_last() {
        assert!(!verify_inclusion(leaf, index, size, shorter, root), "a shorter path");
        assert!(!verify_inclusion(leaf, index ^ 1, size, proof, root), "the neighbour's place");
    }
}

#[test]
fn entry_bundles_match_their_tiles() {
    let mut log = Log::default();
    log.grow_to(70_001);
    for tile in Tile::added(0, 70_001).filter(|tile| tile.level == 0) {
        let EntryBundle(entries) = EntryBundle::from_bytes(&log.files[tile.entries_path().as_str()]).unwrap();
        let hashes: Vec<u8> = entries.iter().flat_map(|entry| *leaf_hash(entry.as_bytes()).as_bytes()).collect();
        assert_eq!(hashes, log.files[tile.path().as_str()], "{}", tile.path());
    }
    assert_eq!(Tile { level: 0, index: 1_234_067, width: 256 }.path().as_str(), "tile/0/x001/x234/067");
    assert_eq!(Tile { level: 2, index: 0, width: 1 }.entries_path().as_str(), "tile/entries/000.p/1");
}

#[test]
fn added_tiles_match_another_implementation() {
    for (old, size) in [(0, 1), (0, 256), (1, 255), (255, 257), (256, 65_536), (257, 70_001), (70_001, 70_001)] {
        let ours: Vec<String> = Tile::added(old, size).map(|tile| tile.path().to_string()).collect();
        let theirs: Vec<String> =
            TheirTile::new_tiles(8, old, size).iter().map(|tile| tile.path().replacen("tile/8/", "tile/", 1)).collect();
        assert_eq!(ours, theirs, "{old} to {size}");
    }
}

/// Computing with a huge size that someone else states must be cheap.
#[test]
fn the_largest_tree_has_an_edge_too() {
    let edge: Vec<_> = Tile::edge(u64::MAX).map(|tile| (tile.level, tile.index, tile.width)).collect();
    let full = (0..8).map(|level| (level, (u64::MAX >> (8 * u32::from(level))) / 256, 255)).collect::<Vec<_>>();
    assert_eq!(edge, full);
    assert_eq!(Tile::added(0, u64::MAX).next(), Some(Tile { level: 0, index: 0, width: 256 }));
}

fn key_pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

fn log_key() -> LogKey {
    LogKey::new(ORIGIN, key_pair().public_key().as_ref().try_into().unwrap()).unwrap()
}

#[test]
fn another_implementation_verifies_our_checkpoint() {
    let mut log = Log::default();
    log.grow_to(257);
    let checkpoint = Checkpoint { origin: ORIGIN.into(), size: 257, root: log.edge.root() };
    let signature = key_pair().sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
    let note = log_key().signed(&checkpoint, signature).unwrap().to_string();

    let verifier = StandardVerifier::new(&log_key().to_string()).unwrap();
    let known = VerifierList::new(vec![Box::new(verifier)]);
    let theirs_note = Note::from_bytes(note.as_bytes()).unwrap();
    let (verified, _) = theirs_note.verify(&known).unwrap();
    assert_eq!(verified.len(), 1);
    let read = TheirCheckpoint::from_bytes(theirs_note.text()).unwrap();
    assert_eq!((read.origin(), read.size(), *read.hash()), (ORIGIN, 257, theirs(checkpoint.root)));

    assert_eq!(log_key().verify(&note.parse().unwrap()), Ok(checkpoint));
}

#[test]
fn keys_match_another_implementation() {
    let key = signed_note::new_ed25519_verifier_key(
        ORIGIN,
        &ed25519_dalek::VerifyingKey::from_bytes(&key_pair().public_key().as_ref().try_into().unwrap()).unwrap(),
    );
    assert_eq!(key, log_key().to_string());
    assert_eq!(key.parse::<LogKey>(), Ok(log_key()));
}
