//! The right edge of a tree, and the addition of leaves there.

use lacre_domain::Sha256Digest;

use crate::{
    Entry, EntryBundle, Tile, TilePath, Tiles,
    tile::{self, FULL},
    tree::{HEIGHT, Node, inclusion_proofs, leaf_hash, node_hash, perfect},
};

/// What must be known of a tree to add leaves: its partial tiles, and the entries of the lowest one.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    size: u64,
    /// The hashes in the partial tile of each level, lowest level first.
    levels: Vec<Vec<Sha256Digest>>,
    entries: Vec<Entry>,
}

/// The result of adding leaves: the new edge and the files to publish.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The edge of the tree with the new leaves.
    pub edge: Edge,
    /// The new tiles and entry bundles, with their paths.
    pub files: Vec<(TilePath, Vec<u8>)>,
    /// The tree size before the addition.
    from: u64,
    /// The tiles of the old edge and the new tiles, from which the inclusion proofs of the new leaves are made.
    tiles: Tiles,
}

impl Growth {
    /// The inclusion proofs of all new leaves, in order.
    ///
    /// # Errors
    /// A node whose hash neither the old edge nor the new tiles contain.
    pub fn paths(&self) -> Result<Vec<Vec<Sha256Digest>>, Node> {
        inclusion_proofs(self.from, self.edge.size, &mut |node| self.tiles.hash(node))
    }
}

impl Edge {
    /// Creates the edge of a tree of `size` leaves from its partial tiles ([`Tile::edge`]) and the entries of the
    /// lowest one. `None` if they do not belong to that tree.
    #[must_use]
    pub fn of(size: u64, tiles: &Tiles, entries: EntryBundle) -> Option<Self> {
        let mut levels = vec![Vec::new(); (u64::BITS / HEIGHT) as usize];
        for tile in Tile::edge(size) {
            let hashes = tiles.hashes(tile);
            (hashes.len() == usize::from(tile.width)).then_some(())?;
            *levels.get_mut(usize::from(tile.level))? = hashes.to_vec();
        }
        let EntryBundle(entries) = entries;
        let leaves: Vec<_> = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
        (levels.first() == Some(&leaves)).then_some(Self { size, levels, entries })
    }

    /// The tree size.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The entries after the last full tile.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The root hash of the tree.
    #[must_use]
    pub fn root(&self) -> Sha256Digest {
        // Joins the perfect subtrees of the tree from the smallest to the largest; each lies left of those joined
        // before.
        let mut joined: Option<Sha256Digest> = None;
        for hashes in &self.levels {
            let mut rest = hashes.as_slice();
            while !rest.is_empty() {
                let (left, last) = rest.split_at(rest.len() - (1 << rest.len().trailing_zeros()));
                let tree = perfect(last);
                joined = Some(joined.map_or(tree, |right| node_hash(tree, right)));
                rest = left;
            }
        }
        joined.unwrap_or_else(|| Sha256Digest::of(b""))
    }

    /// Adds leaves.
    #[must_use]
    pub fn grown(&self, entries: &[Entry]) -> Growth {
        let (mut edge, mut files, mut tiles) = (self.clone(), Vec::new(), Tiles::default());
        for (tile, hashes) in self.partial() {
            tiles.insert(tile, hashes.clone());
        }
        for entry in entries {
            edge.entries.push(*entry);
            for (tile, hashes) in edge.push(0, leaf_hash(entry.as_bytes())) {
                files.push((tile.path(), tile::bytes(&hashes)));
                if tile.level == 0 {
                    let entries = std::mem::take(&mut edge.entries);
                    files.push((tile.entries_path(), EntryBundle(entries).to_bytes()));
                }
                tiles.insert(tile, hashes);
            }
            edge.size += 1;
        }
        for (tile, hashes) in edge.partial().filter(|(tile, _)| !tile.is_of(self.size)) {
            files.push((tile.path(), tile::bytes(hashes)));
            if tile.level == 0 {
                files.push((tile.entries_path(), EntryBundle(edge.entries.clone()).to_bytes()));
            }
            tiles.insert(tile, hashes.clone());
        }
        Growth { edge, files, from: self.size, tiles }
    }

    /// The partial tiles with their hashes.
    fn partial(&self) -> impl Iterator<Item = (Tile, &Vec<Sha256Digest>)> {
        let hashes = |tile: Tile| Some((tile, self.levels.get(usize::from(tile.level))?));
        Tile::edge(self.size).filter_map(hashes)
    }

    /// Appends a hash to a level. If that fills a tile, the tile is complete and its hash is appended to the level
    /// above. Returns the completed tiles.
    fn push(&mut self, level: u8, hash: Sha256Digest) -> Vec<(Tile, Vec<Sha256Digest>)> {
        while self.levels.len() <= usize::from(level) {
            self.levels.push(Vec::new());
        }
        let Some(hashes) = self.levels.get_mut(usize::from(level)) else { return Vec::new() };
        hashes.push(hash);
        if (hashes.len() as u64) < FULL {
            return Vec::new();
        }
        let full = std::mem::take(hashes);
        let index = (self.size >> (u32::from(level) * HEIGHT)) / FULL;
        let above = self.push(level + 1, perfect(&full));
        [(Tile { level, index, width: 256 }, full)].into_iter().chain(above).collect()
    }
}
