//! Tiles: up to 256 hashes of one level, stored at a path that is derived from their position.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Range,
};

use lacre_domain::Sha256Digest;

use crate::tree::{HEIGHT, Node};

/// The number of hashes in a full tile.
pub(crate) const FULL: u64 = 1 << HEIGHT;
const HASH_BYTES: usize = 32;
/// The levels of tiles in the largest tree. A tile of the highest level is never full.
const LEVELS: Range<u8> = 0..8;

/// A tile. Its content never changes, because a tile with more hashes is another tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// The level: 0 contains the hashes of the leaves, each higher level the hashes of the full tiles below.
    pub level: u8,
    /// The index within the level.
    pub index: u64,
    /// The number of hashes: 1 to 256.
    pub width: u16,
}

/// The path of a tile or an entry bundle below a log's prefix, such as `tile/0/x001/234` or `tile/entries/000.p/7`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TilePath(String);

impl TilePath {
    fn new(kind: &str, index: u64, width: u16) -> Self {
        let mut groups = vec![format!("{:03}", index % 1000)];
        let mut rest = index / 1000;
        while rest > 0 {
            groups.push(format!("x{:03}", rest % 1000));
            rest /= 1000;
        }
        groups.reverse();
        let partial = if u64::from(width) == FULL { String::new() } else { format!(".p/{width}") };
        Self(format!("tile/{kind}/{}{partial}", groups.join("/")))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Tile {
    /// The tile that contains a node of a tree of `size` leaves; `None` if the tree has no such node.
    #[must_use]
    pub fn holding(node: Node, size: u64) -> Option<Self> {
        let index = node.index / FULL;
        let width = width(node.level, index, size)?;
        (node.index % FULL < u64::from(width)).then_some(Self { level: node.level, index, width })
    }

    /// The tiles of a tree of `size` leaves that a tree of `old` leaves lacks, lowest level first. There may be very
    /// many if `size` comes from an untrusted source, so the iterator is lazy.
    pub fn added(old: u64, size: u64) -> impl Iterator<Item = Self> {
        LEVELS.flat_map(move |level| Self::added_to(level, old, size))
    }

    /// The tiles of one level that a smaller tree lacks.
    pub(crate) fn added_to(level: u8, old: u64, size: u64) -> impl Iterator<Item = Self> {
        let (had, has) = (hashes(level, old), hashes(level, size));
        let tiles = (had / FULL)..has.div_ceil(FULL);
        let tiles = tiles.filter_map(move |index| Some(Self { level, index, width: width(level, index, size)? }));
        tiles.filter(move |tile| !tile.is_of(old))
    }

    /// The partial tiles at the right edge of a tree, lowest level first. They are needed to add leaves.
    pub fn edge(size: u64) -> impl Iterator<Item = Self> {
        let last = move |level| Some(Self { level, index: hashes(level, size) / FULL, width: partial(level, size)? });
        LEVELS.filter_map(last)
    }

    /// Whether a tree of `size` leaves has this tile with this width.
    pub(crate) fn is_of(&self, size: u64) -> bool {
        width(self.level, self.index, size) == Some(self.width)
    }

    /// The tiles of a tree of `size` leaves that contain the given nodes.
    #[must_use]
    pub fn holding_all(nodes: &BTreeSet<Node>, size: u64) -> BTreeSet<Self> {
        nodes.iter().filter_map(|node| Self::holding(*node, size)).collect()
    }

    /// The path of the tile.
    #[must_use]
    pub fn path(&self) -> TilePath {
        TilePath::new(&self.level.to_string(), self.index, self.width)
    }

    /// The path of the entry bundle that belongs to this tile of level 0.
    #[must_use]
    pub fn entries_path(&self) -> TilePath {
        TilePath::new("entries", self.index, self.width)
    }
}

/// The number of hashes that a tree has at a level of tiles.
fn hashes(level: u8, size: u64) -> u64 {
    size.checked_shr(u32::from(level) * HEIGHT).unwrap_or(0)
}

/// The width of the partial tile at a level; `None` if there is none.
fn partial(level: u8, size: u64) -> Option<u16> {
    u16::try_from(hashes(level, size) % FULL).ok().filter(|width| *width > 0)
}

/// The width of a tile in a tree; `None` if the tree does not have it.
fn width(level: u8, index: u64, size: u64) -> Option<u16> {
    let width = hashes(level, size).checked_sub(index.checked_mul(FULL)?)?.min(FULL);
    u16::try_from(width).ok().filter(|width| *width > 0)
}

/// The hashes of tiles that were read.
#[derive(Clone, Debug, Default)]
pub struct Tiles(BTreeMap<(u8, u64), Vec<Sha256Digest>>);

impl Tiles {
    /// Adds the content of a tile. Returns `false` if it has the wrong length.
    #[must_use]
    pub fn add(&mut self, tile: Tile, bytes: &[u8]) -> bool {
        let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
        if !rest.is_empty() || hashes.len() != usize::from(tile.width) {
            return false;
        }
        self.insert(tile, hashes.iter().map(|hash| Sha256Digest::from_bytes(*hash)).collect());
        true
    }

    pub(crate) fn insert(&mut self, tile: Tile, hashes: Vec<Sha256Digest>) {
        self.0.insert((tile.level, tile.index), hashes);
    }

    /// The hash of a node.
    ///
    /// # Errors
    /// The node itself, if no added tile contains it.
    pub fn hash(&self, node: Node) -> Result<Sha256Digest, Node> {
        let tile = self.0.get(&(node.level, node.index / FULL));
        let place = usize::try_from(node.index % FULL).unwrap_or(usize::MAX);
        tile.and_then(|hashes| hashes.get(place)).copied().ok_or(node)
    }

    /// The hashes of a tile; empty if it was not added.
    #[must_use]
    pub(crate) fn hashes(&self, tile: Tile) -> &[Sha256Digest] {
        self.0.get(&(tile.level, tile.index)).map_or(&[], Vec::as_slice)
    }
}

/// The content of a tile with the given hashes.
pub(crate) fn bytes(hashes: &[Sha256Digest]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
}
