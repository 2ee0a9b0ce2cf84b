//! The bucket of the transparency logs. Below `ENVIRONMENT/` are the public files: `checkpoint`, the immutable tiles
//! and entry bundles, and below `dated/` the checkpoint of each day. Private are `pending/`, with what is about to be
//! published, and `marked/`, with a file for each log whose leaves wait for an operator to restore it.

use futures_util::{StreamExt, TryStreamExt, stream};
use lacre_domain::{Environment, Sha256Digest};
use lacre_transparency::{Checkpoint, LogReader, MalformedCheckpoint, NoteSignature, SignedNote, TilePath};
use time::Date;

use super::LogHead;
use crate::{
    Connection, Error,
    object_versions::{OnlyIf, VersionedBucket},
};

const BINARY: &str = "application/octet-stream";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const FOREVER: &str = "public, max-age=31536000, immutable";
const BRIEFLY: &str = "public, max-age=5";
/// The number of objects that are written concurrently.
pub(super) const CONCURRENT: usize = 16;
/// The maximum number of attempts to write a checkpoint while other processes write it too.
const ROUNDS: u32 = 4;

/// The checkpoint of a day, with its cosignatures and timestamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedCheckpoint {
    /// The checkpoint, with the log's signature and witnesses' cosignatures.
    pub note: SignedNote,
    /// The RFC 3161 timestamp token (DER of its `ContentInfo`) over the checkpoint's text; `None` until there is one.
    pub timestamp: Option<Vec<u8>>,
}

/// Reads and writes the logs' bucket.
#[derive(Clone, Debug)]
pub struct LogFiles(pub(super) VersionedBucket);

impl LogFiles {
    /// Creates the port from a connection.
    #[must_use]
    pub fn new(connection: &Connection) -> Self {
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.log.read() })
    }

    /// Publishes tiles and entry bundles. Files that already exist must be equal.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if a different file exists; [`Error::Unavailable`].
    pub async fn publish(&self, environment: Environment, files: &[(&str, &[u8])]) -> Result<(), Error> {
        let writes = files.iter().map(|(path, bytes)| self.put_new(public(environment, path), bytes, Some(FOREVER)));
        let writes: Vec<_> = writes.collect();
        stream::iter(writes).buffer_unordered(CONCURRENT).try_collect().await
    }

    async fn put_new(&self, key: String, bytes: &[u8], caching: Option<&str>) -> Result<(), Error> {
        if self.0.put_if(&OnlyIf::Absent, &key, bytes, BINARY, caching).await? {
            return Ok(());
        }
        match self.0.read(&key, None).await? {
            Some(there) if there == bytes => Ok(()),
            _ => Err(corrupt(format!("{key} already has other content"))),
        }
    }

    /// Stores what has to be published with a checkpoint. The key contains the checkpoint's root, its size and the size
    /// of its predecessor, because the same tree can be reached from several predecessors.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if different contents are stored for it; [`Error::Unavailable`].
    pub async fn stage(
        &self,
        environment: Environment,
        sizes: (u64, u64),
        root: &Sha256Digest,
        bytes: &[u8],
    ) -> Result<(), Error> {
        self.put_new(pending(environment, sizes, root), bytes, None).await
    }

    /// Reads what has to be published with a checkpoint.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if nothing is stored for it; [`Error::Unavailable`].
    pub async fn staged(&self, environment: Environment, head: &LogHead) -> Result<Vec<u8>, Error> {
        let key = pending(environment, (head.from, head.size), &head.root);
        self.0.read(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }

    /// Marks that leaves of a log wait which the stream will not deliver again, with the cause. Has no effect if the
    /// log is marked.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn mark(&self, environment: Environment, cause: &str) -> Result<(), Error> {
        self.0.put_if(&OnlyIf::Absent, &mark(environment), cause.as_bytes(), TEXT, None).await.map(|_| ())
    }

    /// The cause for which a log is marked (see [`LogFiles::mark`]); `None` if it is not.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn marked(&self, environment: Environment) -> Result<Option<String>, Error> {
        let mark = self.0.read(&mark(environment), None).await?;
        Ok(mark.map(|cause| String::from_utf8_lossy(&cause).into_owned()))
    }

    /// The published checkpoint, a signed note; `None` before the first one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn checkpoint(&self, environment: Environment) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&public(environment, CHECKPOINT), None).await
    }

    /// The contents of the published checkpoint, without verifying its signature; `None` before the first one.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the file is not a checkpoint; [`Error::Unavailable`].
    pub async fn published(&self, environment: Environment) -> Result<Option<Checkpoint>, Error> {
        self.checkpoint(environment).await?.map(|note| read_checkpoint(&note)).transpose()
    }

    /// Publishes a checkpoint, unless it or a larger one is already published.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the published file is not a checkpoint, or is a different one of the same size;
    /// [`Error::Unavailable`].
    pub async fn publish_checkpoint(&self, environment: Environment, head: &LogHead) -> Result<(), Error> {
        let key = public(environment, CHECKPOINT);
        for _ in 0..ROUNDS {
            let only = match self.0.read_tagged(&key, None).await? {
                None => OnlyIf::Absent,
                Some((there, etag)) => match read_checkpoint(&there)? {
                    there if there.size > head.size => return Ok(()),
                    there if there.size < head.size => OnlyIf::Is(etag),
                    there if there.root == head.root => return Ok(()),
                    _ => return Err(corrupt(format!("{key} already has another root of {} leaves", head.size))),
                },
            };
            if self.0.put_if(&only, &key, head.note.as_bytes(), TEXT, Some(BRIEFLY)).await? {
                return Ok(());
            }
        }
        Err(overwritten())
    }

    /// The checkpoint of a day (UTC); `None` if the day has none.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if it cannot be parsed; [`Error::Unavailable`].
    pub async fn dated(&self, environment: Environment, day: Date) -> Result<Option<DatedCheckpoint>, Error> {
        let Some(note) = self.0.read(&dated(environment, day, CHECKPOINT), None).await? else { return Ok(None) };
        let timestamp = self.0.read(&dated(environment, day, TIMESTAMP), None).await?;
        Ok(Some(DatedCheckpoint { note: read_note(&note)?, timestamp }))
    }

    /// Stores a checkpoint as that of a day, unless the day has one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn date(&self, environment: Environment, day: Date, note: &str) -> Result<(), Error> {
        let key = dated(environment, day, CHECKPOINT);
        self.0.put_if(&OnlyIf::Absent, &key, note.as_bytes(), TEXT, Some(BRIEFLY)).await.map(|_| ())
    }

    /// Adds cosignatures to the checkpoint of a day.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the day has no checkpoint; [`Error::Unavailable`].
    pub async fn cosign(
        &self,
        environment: Environment,
        day: Date,
        cosignatures: &[NoteSignature],
    ) -> Result<(), Error> {
        let key = dated(environment, day, CHECKPOINT);
        for _ in 0..ROUNDS {
            let there = self.0.read_tagged(&key, None).await?;
            let (bytes, etag) = there.ok_or_else(|| corrupt(format!("{key} is missing")))?;
            let mut note = read_note(&bytes)?;
            note.add(cosignatures.iter().cloned());
            let written = note.to_string();
            if written.as_bytes() == bytes
                || self.0.put_if(&OnlyIf::Is(etag), &key, written.as_bytes(), TEXT, Some(BRIEFLY)).await?
            {
                return Ok(());
            }
        }
        Err(overwritten())
    }

    /// The public files of an environment's log.
    #[must_use]
    pub fn of(&self, environment: Environment) -> EnvironmentLog<'_> {
        EnvironmentLog { files: self, environment }
    }

    async fn file(&self, environment: Environment, path: &TilePath) -> Result<Vec<u8>, Error> {
        let key = public(environment, path.as_str());
        self.0.read(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }
}

/// The public files of an environment's log, as followers read them.
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
pub(super) const TIMESTAMP: &str = "timestamp";

pub(super) fn public(environment: Environment, path: &str) -> String {
    format!("{}/{path}", environment.path())
}

/// The object key of a dated file, such as `sandbox/dated/2026-11-26/checkpoint`.
pub(super) fn dated(environment: Environment, day: Date, file: &str) -> String {
    public(environment, &format!("dated/{day}/{file}"))
}

/// The object key of a mark, such as `marked/sandbox`.
fn mark(environment: Environment) -> String {
    format!("marked/{}", environment.path())
}

fn pending(environment: Environment, (from, size): (u64, u64), root: &Sha256Digest) -> String {
    format!("pending/{}/{from}-{size}-{}", environment.path(), root.hex())
}

fn read_checkpoint(note: &[u8]) -> Result<Checkpoint, Error> {
    read_note(note)?.text.parse().map_err(|fault: MalformedCheckpoint| corrupt(fault.to_string()))
}

fn read_note(note: &[u8]) -> Result<SignedNote, Error> {
    let note = std::str::from_utf8(note).ok().and_then(|note| note.parse().ok());
    note.ok_or_else(|| corrupt("the checkpoint cannot be read".into()))
}

fn overwritten() -> Error {
    Error::Unavailable(format!("the checkpoint was written by another {ROUNDS} times"))
}

pub(super) fn corrupt(cause: String) -> Error {
    Error::Corrupt { what: "transparency log", cause }
}
