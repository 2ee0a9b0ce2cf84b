//! Follows a log: computes the tree from the entries, and compares everything that the log serves with it.

use std::fmt::Display;

use futures_util::{StreamExt, TryStreamExt, future::try_join, stream};
use lacre_domain::Sha256Digest;

use crate::{
    Checkpoint, Edge, Entry, EntryBundle, Growth, Tile, TilePath, Tiles, tile,
    tree::{consistency_proof, inclusion_proof, leaf_hash, nodes_of},
};

/// The number of files that are read concurrently.
const CONCURRENT: usize = 32;

/// Reads the public files of a log, over HTTP or from its bucket.
pub trait LogReader: Sync {
    /// The error of a file that could not be read.
    type Error: Display + Send;

    /// Reads a tile or an entry bundle, which must exist.
    fn read(&self, path: &TilePath) -> impl Future<Output = Result<Vec<u8>, Self::Error>> + Send;
}

/// The log contradicts what it showed before, or what its checkpoint states; or it could not be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError<E: Display> {
    /// A file could not be read.
    #[error("{0}")]
    Read(E),
    /// A later checkpoint has fewer leaves than an earlier one.
    #[error("the checkpoint has {size} leaves, and an earlier one has {before}")]
    Shrunk {
        /// The tree size of the earlier checkpoint.
        before: u64,
        /// The tree size of the later checkpoint.
        size: u64,
    },
    /// The files at the edge of the known tree do not match its root.
    #[error("the tiles at the edge do not lead to the root of {0} leaves")]
    Edge(u64),
    /// A tile or an entry bundle does not match the entries.
    #[error("{0} does not match the log's entries")]
    File(TilePath),
    /// The root hash of all entries differs from the checkpoint's.
    #[error("the entries do not lead to the root of {0} leaves: the log has two histories")]
    Root(u64),
}

/// A reader of a log, at a state that it has verified.
pub struct Follower<'a, R> {
    reader: &'a R,
    edge: Edge,
}

impl<'a, R: LogReader> Follower<'a, R> {
    /// Starts before the first leaf.
    #[must_use]
    pub fn at_the_start(reader: &'a R) -> Self {
        Self { reader, edge: Edge::default() }
    }

    /// Starts at a checkpoint that was verified before.
    ///
    /// # Errors
    /// [`FollowError::Edge`], [`FollowError::Read`].
    pub async fn at(reader: &'a R, known: &Checkpoint) -> Result<Self, FollowError<R::Error>> {
        Ok(Self { reader, edge: read_edge(reader, known.size, known.root).await? })
    }

    /// Reads all entries up to a checkpoint, and passes each with its index to a closure. The entries must lead to the
    /// checkpoint's root, and each tile must match the entries; then the checkpoint is consistent with the state
    /// before.
    ///
    /// # Errors
    /// [`FollowError`], after which the follower must not be used any more.
    pub async fn advance(
        &mut self,
        to: &Checkpoint,
        mut each: impl FnMut(u64, &Entry),
    ) -> Result<(), FollowError<R::Error>> {
        let before = self.edge.size();
        if to.size < before {
            return Err(FollowError::Shrunk { before, size: to.size });
        }
        let reader = self.reader;
        let reads = Tile::added_to(0, before, to.size).map(move |tile| read_entries(reader, tile));
        let mut reads = stream::iter(reads).buffered(CONCURRENT);
        while let Some((tile, entries)) = reads.try_next().await? {
            let known = self.edge.entries();
            let new = entries.strip_prefix(known).ok_or_else(|| FollowError::File(tile.entries_path()))?;
            (self.edge.size()..).zip(new).for_each(|(index, entry)| each(index, entry));
            let Growth { edge, files, .. } = self.edge.grown(new);
            // Of the tiles above the lowest level, only those that still exist in the final tree are compared.
            let above = Tile::added(self.edge.size(), edge.size()).filter(|tile| tile.level > 0 && tile.is_of(to.size));
            let above: Vec<_> = above.map(|tile| tile.path()).collect();
            self.edge = edge;
            compare(reader, files.into_iter().filter(|(path, _)| above.contains(path)).collect()).await?;
        }
        match self.edge.size() == to.size && self.edge.root() == to.root {
            true => Ok(()),
            false => Err(FollowError::Root(to.size)),
        }
    }
}

/// Reads the right edge of a tree whose size and root are known.
///
/// # Errors
/// [`FollowError::Edge`] if the files do not belong to that tree; [`FollowError::Read`].
pub async fn read_edge<R: LogReader>(reader: &R, size: u64, root: Sha256Digest) -> Result<Edge, FollowError<R::Error>> {
    let lowest = Tile::edge(size).find(|tile| tile.level == 0).map(|tile| tile.entries_path());
    let entries = async {
        match &lowest {
            Some(path) => read_bundle(reader, path).await,
            None => Ok(EntryBundle::default()),
        }
    };
    let (tiles, entries) = try_join(read_tiles(reader, Tile::edge(size)), entries).await?;
    let edge = Edge::of(size, &tiles, entries).filter(|edge| edge.root() == root);
    edge.ok_or(FollowError::Edge(size))
}

/// Reads tiles concurrently.
async fn read_tiles<R: LogReader>(
    reader: &R,
    wanted: impl IntoIterator<Item = Tile>,
) -> Result<Tiles, FollowError<R::Error>> {
    let reads: Vec<_> = wanted.into_iter().map(|tile| read_tile(reader, tile)).collect();
    let mut reads = stream::iter(reads).buffer_unordered(CONCURRENT);
    let mut tiles = Tiles::default();
    while let Some((tile, bytes)) = reads.try_next().await? {
        tiles.add(tile, &bytes).then_some(()).ok_or_else(|| FollowError::File(tile.path()))?;
    }
    Ok(tiles)
}

/// The inclusion proof of a leaf in a tree of `size` leaves, made from the tree's tiles.
///
/// # Errors
/// [`FollowError::File`], [`FollowError::Read`]; [`FollowError::Edge`] if the tree has no such leaf.
pub async fn read_inclusion_proof<R: LogReader>(
    reader: &R,
    index: u64,
    size: u64,
) -> Result<Vec<Sha256Digest>, FollowError<R::Error>> {
    if index >= size {
        return Err(FollowError::Edge(size));
    }
    let nodes = nodes_of(|hash| drop(inclusion_proof(index, size, hash)));
    let tiles = read_tiles(reader, Tile::holding_all(&nodes, size)).await?;
    inclusion_proof(index, size, &mut |node| tiles.hash(node)).map_err(|_| FollowError::Edge(size))
}

/// The consistency proof from a tree of `old` leaves to one of `size`, made from the tree's tiles.
///
/// # Errors
/// [`FollowError::File`], [`FollowError::Read`]; [`FollowError::Shrunk`] if `old` is larger than `size`.
pub async fn read_consistency_proof<R: LogReader>(
    reader: &R,
    old: u64,
    size: u64,
) -> Result<Vec<Sha256Digest>, FollowError<R::Error>> {
    if old > size {
        return Err(FollowError::Shrunk { before: old, size });
    }
    let nodes = nodes_of(|hash| drop(consistency_proof(old, size, hash)));
    let tiles = read_tiles(reader, Tile::holding_all(&nodes, size)).await?;
    consistency_proof(old, size, &mut |node| tiles.hash(node)).map_err(|_| FollowError::Edge(size))
}

/// Reads the entries of a tile, and checks that their hashes are those of the tile.
async fn read_entries<R: LogReader>(reader: &R, tile: Tile) -> Result<(Tile, Vec<Entry>), FollowError<R::Error>> {
    let EntryBundle(entries) = read_bundle(reader, &tile.entries_path()).await?;
    if entries.len() != usize::from(tile.width) {
        return Err(FollowError::File(tile.entries_path()));
    }
    let hashes: Vec<_> = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
    compare(reader, vec![(tile.path(), tile::bytes(&hashes))]).await?;
    Ok((tile, entries))
}

async fn read_tile<R: LogReader>(reader: &R, tile: Tile) -> Result<(Tile, Vec<u8>), FollowError<R::Error>> {
    Ok((tile, reader.read(&tile.path()).await.map_err(FollowError::Read)?))
}

async fn read_bundle<R: LogReader>(reader: &R, path: &TilePath) -> Result<EntryBundle, FollowError<R::Error>> {
    let bytes = reader.read(path).await.map_err(FollowError::Read)?;
    EntryBundle::from_bytes(&bytes).ok_or_else(|| FollowError::File(path.clone()))
}

async fn compare<R: LogReader>(reader: &R, files: Vec<(TilePath, Vec<u8>)>) -> Result<(), FollowError<R::Error>> {
    for (path, expected) in files {
        if reader.read(&path).await.map_err(FollowError::Read)? != expected {
            return Err(FollowError::File(path));
        }
    }
    Ok(())
}
