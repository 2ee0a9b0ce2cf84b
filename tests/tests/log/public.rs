//! The log as anyone sees it, from its address and key.

use std::collections::{BTreeMap, BTreeSet};

use lacre_domain::EvidenceRecord;
use lacre_tests::Service;
use signed_note::{Note, StandardVerifier, VerifierList};
use tlog_tiles::{
    checkpoint::Checkpoint,
    tile::{Tile, TileHashReader, TileReader},
    tlog::{Error, Hash, check_record, check_tree, prove_tree, record_hash, tree_hash},
};

/// A reader of the log that remembers what it has seen.
pub(crate) struct Public<'a> {
    service: &'a Service,
    /// Roots seen so far, by number of leaves.
    seen: BTreeMap<u64, Hash>,
}

/// Files fetched in advance for a reader.
struct Fetched(BTreeMap<String, Vec<u8>>);

impl TileReader for Fetched {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, Error> {
        Ok(tiles.iter().map(|tile| self.0[&path_of(tile)].clone()).collect())
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}

fn path_of(tile: &Tile) -> String {
    tile.path().replacen("tile/8/", "tile/", 1)
}

impl<'a> Public<'a> {
    pub(crate) fn new(service: &'a Service) -> Self {
        Self { service, seen: BTreeMap::new() }
    }

    async fn file(&self, path: &str) -> Option<Vec<u8>> {
        let (status, body) = self.service.fetch(&format!("{}/{path}", self.service.variable("LOG_URL"))).await;
        (status == 200).then_some(body)
    }

    /// The published checkpoint, if any. It must be signed with the log's key, and agree with earlier ones of the same
    /// size.
    pub(crate) async fn look(&mut self) -> Option<(u64, Hash)> {
        let note = self.file("checkpoint").await?;
        let (size, root) = self.checkpoint(&note);
        let known = self.seen.insert(size, root);
        assert!(known.is_none_or(|known| known == root), "two checkpoints of {size} leaves");
        assert_eq!(self.seen.keys().next_back(), Some(&size), "the log does not shrink");
        Some((size, root))
    }

    fn checkpoint(&self, note: &[u8]) -> (u64, Hash) {
        let key = self.service.variable("LOG_KEY");
        let known = VerifierList::new(vec![Box::new(StandardVerifier::new(key).unwrap())]);
        let note = Note::from_bytes(note).unwrap();
        assert_eq!(note.verify(&known).unwrap().0.len(), 1);
        let checkpoint = Checkpoint::from_bytes(note.text()).unwrap();
        assert_eq!(checkpoint.origin(), key.split('+').next().unwrap());
        (checkpoint.size(), *checkpoint.hash())
    }

    /// Reads the whole log and checks that the tiles lead to the checkpoint, each entry is in its bundle, every earlier
    /// checkpoint is consistent with this one, the leaves are exactly those of these captures, and each stored proof
    /// verifies.
    pub(crate) async fn audit(&mut self, captures: &[EvidenceRecord]) {
        let (size, root) = self.look().await.unwrap();
        let mut files = BTreeMap::new();
        for tile in Tile::new_tiles(8, 0, size) {
            let path = path_of(&tile);
            files.insert(path.clone(), self.file(&path).await.unwrap_or_else(|| panic!("{path}")));
        }
        let mut leaves = Vec::new();
        for tile in Tile::new_tiles(8, 0, size).iter().filter(|tile| tile.level() == 0) {
            let bundle = self.file(&path_of(tile).replacen("tile/0/", "tile/entries/", 1)).await.unwrap();
            let (entries, rest) = bundle.as_chunks::<34>();
            assert_eq!((entries.len(), rest.len()), (tile.width() as usize, 0));
            let hashes: Vec<u8> = entries.iter().flat_map(|entry| record_hash(&entry[2..]).0).collect();
            assert_eq!(hashes, files[&path_of(tile)], "{}", path_of(tile));
            assert!(entries.iter().all(|entry| entry[..2] == [0, 32]));
            leaves.extend(entries.iter().map(|entry| entry[2..].to_vec()));
        }
        let fetched = Fetched(files);
        let reader = TileHashReader::new(size, root, &fetched);
        assert_eq!(tree_hash(size, &reader).unwrap(), root);
        for (old, old_root) in self.seen.range(..size) {
            let proof = prove_tree(size, *old, &reader).unwrap();
            check_tree(&proof, size, root, *old, *old_root).unwrap();
        }
        let expected: BTreeSet<_> =
            captures.iter().map(|capture| capture.log_entry.unwrap().as_bytes().to_vec()).collect();
        assert_eq!(leaves.len(), expected.len(), "each capture has one leaf");
        assert_eq!(leaves.iter().cloned().collect::<BTreeSet<_>>(), expected);

        let state = lacre_storage::LogState::new(self.service.connection());
        let ids: Vec<_> = captures.iter().map(|capture| &capture.capture_id).collect();
        let stored = state.leaves(&ids).await.unwrap();
        for capture in captures {
            let leaf = &stored[capture.capture_id.as_str()];
            let (then, then_root) = self.checkpoint(leaf.note.as_bytes());
            let path = leaf.path.as_chunks::<32>().0.iter().map(|hash| Hash(*hash)).collect();
            let hash = record_hash(capture.log_entry.unwrap().as_bytes());
            check_record(&path, then, then_root, leaf.index, hash).unwrap();
            assert!(then <= size);
            let proof = prove_tree(size, then, &reader).unwrap();
            check_tree(&proof, size, root, then, then_root).unwrap();
        }
    }
}
