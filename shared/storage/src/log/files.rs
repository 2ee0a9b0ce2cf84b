//! The bucket of the log. Below `ENVIRONMENT/` lies what anyone may read: `checkpoint`, tiles and entries, which never change,
//! and below `dated/` the checkpoint of each day. For the service alone, below `pending/` lies what is about to be published, and
//! below `marked/` a file for each log whose leaves wait until an operator restores it.

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
        Self(VersionedBucket { client: connection.s3(), name: connection.config.buckets.log.read() })
    }

    /// Publishes tiles and entries. What is there already must be the same.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where something else is there, [`Error::Unavailable`].
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
        self.put_new(pending(environment, sizes, root), bytes, None).await
    }

    /// What was to be published with a checkpoint.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where nothing is kept for it, [`Error::Unavailable`].
    pub async fn staged(&self, environment: Environment, head: &LogHead) -> Result<Vec<u8>, Error> {
        let key = pending(environment, (head.from, head.size), &head.root);
        self.0.read(&key, None).await?.ok_or_else(|| corrupt(format!("{key} is missing")))
    }

    /// Marks that leaves of a log wait which no stream brings again, unless that is marked: why.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn mark(&self, environment: Environment, cause: &str) -> Result<(), Error> {
        self.0.put_if(&OnlyIf::Absent, &mark(environment), cause.as_bytes(), TEXT, None).await.map(|_| ())
    }

    /// Why leaves of a log wait which no stream brings again, if that is marked.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn marked(&self, environment: Environment) -> Result<Option<String>, Error> {
        let mark = self.0.read(&mark(environment), None).await?;
        Ok(mark.map(|cause| String::from_utf8_lossy(&cause).into_owned()))
    }

    /// The published checkpoint, a signed note; `None` before the first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn checkpoint(&self, environment: Environment) -> Result<Option<Vec<u8>>, Error> {
        self.0.read(&public(environment, CHECKPOINT), None).await
    }

    /// What the published checkpoint states, by whomever it is signed; `None` before the first.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where what is there is no checkpoint, [`Error::Unavailable`].
    pub async fn published(&self, environment: Environment) -> Result<Option<Checkpoint>, Error> {
        self.checkpoint(environment).await?.map(|note| read_checkpoint(&note)).transpose()
    }

    /// Publishes a checkpoint, unless it or one of more leaves is there.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where what is there is no checkpoint, or another one of as many leaves; [`Error::Unavailable`].
    pub async fn publish_checkpoint(&self, environment: Environment, head: &LogHead) -> Result<(), Error> {
        let key = public(environment, CHECKPOINT);
        for _ in 0..ROUNDS {
            let only = match self.0.read_tagged(&key, None).await? {
                None => OnlyIf::Absent,
                Some((there, etag)) => match read_checkpoint(&there)? {
                    there if there.size > head.size => return Ok(()),
                    there if there.size < head.size => OnlyIf::Is(etag),
                    there if there.root == head.root => return Ok(()),
                    _ => return Err(corrupt(format!("{key} is there with another root of {} leaves", head.size))),
                },
            };
            if self.0.put_if(&only, &key, head.note.as_bytes(), TEXT, Some(BRIEFLY)).await? {
                return Ok(());
            }
        }
        Err(overwritten())
    }

    /// The checkpoint of a day (UTC); `None` where the day has none.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where it cannot be read, [`Error::Unavailable`].
    pub async fn dated(&self, environment: Environment, day: Date) -> Result<Option<DatedCheckpoint>, Error> {
        let Some(note) = self.0.read(&dated(environment, day, CHECKPOINT), None).await? else { return Ok(None) };
        let timestamp = self.0.read(&dated(environment, day, TIMESTAMP), None).await?;
        Ok(Some(DatedCheckpoint { note: read_note(&note)?, timestamp }))
    }

    /// Makes a checkpoint that of a day, unless the day has one.
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
    /// [`Error::Corrupt`] where there is none, [`Error::Unavailable`].
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

    /// Adds the timestamp to a day's checkpoint, unless it has one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn add_timestamp(&self, environment: Environment, day: Date, token: &[u8]) -> Result<(), Error> {
        let key = dated(environment, day, TIMESTAMP);
        self.0.put_if(&OnlyIf::Absent, &key, token, "application/timestamp-token", Some(FOREVER)).await.map(|_| ())
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
const TIMESTAMP: &str = "timestamp";

fn public(environment: Environment, path: &str) -> String {
    format!("{}/{path}", environment.path())
}

/// `sandbox/dated/2026-11-26/checkpoint`.
fn dated(environment: Environment, day: Date, file: &str) -> String {
    public(environment, &format!("dated/{day}/{file}"))
}

/// `marked/sandbox`.
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

fn corrupt(cause: String) -> Error {
    Error::Corrupt { what: "transparency log", cause }
}
