//! The bucket of the log. Below `ENVIRONMENT/` lies what anyone may read: `checkpoint`, and tiles and entries, which never
//! change. Below `pending/` lies what is about to be published, for the service alone.

use std::collections::BTreeSet;

use domain::{Environment, Sha256Digest};
use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt, stream};
use time::Date;
use transparency::{Checkpoint, Edge, EntryBundle, LogReader, SignedNote, Tile, TilePath, Tiles};

use super::LogHead;
use crate::{
    Connection, Error,
    object_versions::{OnlyIf, VersionedBucket},
};

const BINARY: &str = "application/octet-stream";
const TEXT: &str = "text/plain; charset=utf-8";
const FOREVER: &str = "public, max-age=31536000, immutable";
const BRIEFLY: &str = "public, max-age=5";
/// Objects that are written at a time.
const CONCURRENT: usize = 16;
/// The number of attempts at a checkpoint that others write too.
const ROUNDS: u32 = 4;

/// The checkpoint of a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedCheckpoint {
    /// The checkpoint, with the log's signature and witnesses' cosignatures.
    pub note: SignedNote,
    /// An RFC 3161 token (DER of its `ContentInfo`) over the checkpoint's text.
    pub timestamp: Option<Vec<u8>>,
}

/// The port to the bucket.
#[derive(Clone, Debug)]
pub struct LogFiles(VersionedBucket);

impl LogFiles {
    /// The port over a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.log.clone() })
    }

    /// Tiles of a log, read side by side.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where one is missing or not of its length, [`Error::Unavailable`].
    pub async fn tiles(&self, environment: Environment, wanted: BTreeSet<Tile>) -> Result<Tiles, Error> {
        let read = wanted.into_iter().map(|tile| async move {
            let bytes = self.file(environment, &tile.path()).await?;
            Ok::<_, Error>((tile, bytes))
        });
        let mut tiles = Tiles::default();
        for (tile, bytes) in try_join_all(read).await? {
            if !tiles.add(tile, &bytes) {
                return Err(corrupt(format!("{} has not its length", tile.path())));
            }
        }
        Ok(tiles)
    }

    /// The right edge of a log of `size` leaves with this root.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the files are not that log's, [`Error::Unavailable`].
    pub async fn edge(&self, environment: Environment, size: u64, root: Sha256Digest) -> Result<Edge, Error> {
        let edge = Tile::edge(size);
        let entries = edge.iter().find(|tile| tile.level == 0).map(Tile::entries_path);
        let tiles = self.tiles(environment, edge.into_iter().collect());
        let entries = async {
            match entries {
                None => Ok(EntryBundle::default()),
                Some(path) => {
                    let bytes = self.file(environment, &path).await?;
                    EntryBundle::from_bytes(&bytes).ok_or_else(|| corrupt(format!("{path} cannot be read")))
                }
            }
        };
        let (tiles, entries) = tokio::try_join!(tiles, entries)?;
        let edge = Edge::of(size, &tiles, entries).filter(|edge| edge.root() == root);
        edge.ok_or_else(|| corrupt(format!("the tiles at the edge do not lead to the root of {size} leaves")))
    }

    /// Publishes tiles and entries. What is there already must be the same.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where something else is there, [`Error::Unavailable`].
    pub async fn publish(&self, environment: Environment, files: &[(&str, &[u8])]) -> Result<(), Error> {
        let writes = files.iter().map(|(path, bytes)| self.put_new(public(environment, path), bytes));
        let writes: Vec<_> = writes.collect();
        stream::iter(writes).buffer_unordered(CONCURRENT).try_collect().await
    }

    async fn put_new(&self, key: String, bytes: &[u8]) -> Result<(), Error> {
        if self.0.put_if(&OnlyIf::Absent, &key, bytes, BINARY, Some(FOREVER)).await? {
            return Ok(());
        }
        match self.0.read(&key, None).await? {
            Some(there) if there == bytes => Ok(()),
            _ => Err(corrupt(format!("{key} is there with another content"))),
        }
    }

    /// Keeps what is to be published with a checkpoint, until it is. Which that is, its root and both sizes say: the same tree can
    /// be reached from more than one.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where something else is kept for it, [`Error::Unavailable`].
    pub async fn stage(
        &self,
        environment: Environment,
        sizes: (u64, u64),
        root: &Sha256Digest,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let key = pending(environment, sizes, root);
        if self.0.put_once(&key, bytes, BINARY).await? {
            return Ok(());
        }
        match self.0.read(&key, None).await? {
            Some(there) if there == bytes => Ok(()),
            _ => Err(corrupt(format!("{key} is there with another content"))),
        }
    }

    /// What was to be published with a checkpoint.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where nothing is kept for it, [`Error::Unavailable`].
    pub async fn staged(&self, environment: Environment, head: &LogHead) -> Result<Vec<u8>, Error> {
        let key = pending(environment, (head.from, head.size), &head.root);
        self.0.read(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }

    /// The published checkpoint, a signed note; `None` before the first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn checkpoint(&self, environment: Environment) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&public(environment, CHECKPOINT), None).await
    }

    /// Publishes a checkpoint, unless one of as many leaves or more is there.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where what is there is no checkpoint, [`Error::Unavailable`].
    pub async fn publish_checkpoint(&self, environment: Environment, size: u64, note: &str) -> Result<(), Error> {
        let key = public(environment, CHECKPOINT);
        for _ in 0..ROUNDS {
            let only = match self.0.read_tagged(&key, None).await? {
                None => OnlyIf::Absent,
                Some((there, _)) if size_of(&there)? >= size => return Ok(()),
                Some((_, etag)) => OnlyIf::Is(etag),
            };
            if self.0.put_if(&only, &key, note.as_bytes(), TEXT, Some(BRIEFLY)).await? {
                return Ok(());
            }
        }
        Err(Error::Unavailable(format!("the checkpoint was written by another {ROUNDS} times")))
    }

    /// The checkpoint that was dated on a day (UTC); `None` where none was.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where it cannot be read, [`Error::Unavailable`].
    pub async fn dated(&self, environment: Environment, day: Date) -> Result<Option<DatedCheckpoint>, Error> {
        let read = async |file: &str| self.0.read(&public(environment, &format!("dated/{day}/{file}")), None).await;
        let Some(note) = read(CHECKPOINT).await? else { return Ok(None) };
        let note = std::str::from_utf8(&note).ok().and_then(|note| note.parse().ok());
        let note = note.ok_or_else(|| corrupt(format!("the dated checkpoint of {day} cannot be read")))?;
        Ok(Some(DatedCheckpoint { note, timestamp: read("timestamp").await? }))
    }

    /// The log of an environment, as anyone may read it.
    #[must_use]
    pub fn of(&self, environment: Environment) -> EnvironmentLog<'_> {
        EnvironmentLog { files: self, environment }
    }

    async fn file(&self, environment: Environment, path: &TilePath) -> Result<Vec<u8>, Error> {
        let key = public(environment, path.as_str());
        self.0.read(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }
}

/// The log of an environment.
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentLog<'a> {
    files: &'a LogFiles,
    environment: Environment,
}

impl LogReader for EnvironmentLog<'_> {
    type Error = Error;

    async fn read(&self, path: &TilePath) -> Result<Vec<u8>, Error> {
        self.files.file(self.environment, path).await
    }
}

const CHECKPOINT: &str = "checkpoint";

fn public(environment: Environment, path: &str) -> String {
    format!("{}/{path}", environment.path())
}

fn pending(environment: Environment, (from, size): (u64, u64), root: &Sha256Digest) -> String {
    format!("pending/{}/{from}-{size}-{}", environment.path(), root.hex())
}

/// The number of leaves that a published checkpoint states.
fn size_of(note: &[u8]) -> Result<u64, Error> {
    let read = || {
        let note: SignedNote = std::str::from_utf8(note).ok()?.parse().ok()?;
        note.text.parse::<Checkpoint>().ok()
    };
    read().map(|checkpoint| checkpoint.size).ok_or_else(|| corrupt("the checkpoint cannot be read".into()))
}

fn corrupt(cause: String) -> Error {
    Error::Corrupt { what: "transparency log", cause }
}
