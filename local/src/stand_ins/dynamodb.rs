//! DynamoDB: dynoxide, in this process, on SQLite.
//!
//! It checks that a request carries a signature, and not the signature itself. Items past their TTL are swept once a
//! minute; AWS promises "within a few days", and nothing here may rely on either.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use dynoxide::{Database, server::serve_with_shutdown};
use tokio::{net::TcpListener, time::MissedTickBehavior};

use super::{Error, Storage};
use crate::server::Server;

pub(super) const FILE: &str = "dynamodb.sqlite";
/// SQLite's log, which every write goes through first.
const LOG_FILE: &str = "dynamodb.sqlite-wal";
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The coarsest time of change that a file system keeps.
const FILE_TIME: Duration = Duration::from_secs(2);

/// The time of the database's last write, read from its file. Unknown in memory and on an external DynamoDB.
#[derive(Clone, Debug)]
pub(crate) struct LastWrite(Option<PathBuf>);

impl LastWrite {
    pub(crate) const UNKNOWN: Self = Self(None);

    pub(crate) fn of(storage: &Storage) -> Self {
        Self(storage.file(LOG_FILE))
    }

    /// Whether anything may have been written since a moment: `true` where the last write is unknown.
    pub(crate) fn may_be_after(&self, moment: SystemTime) -> bool {
        let written = self.0.as_ref().and_then(|file| fs::metadata(file).ok()?.modified().ok());
        written.is_none_or(|written| written + FILE_TIME >= moment)
    }
}

/// Starts the stand-in.
pub(crate) fn start(listener: TcpListener, storage: &Storage) -> Result<Server, Error> {
    let database = match storage {
        Storage::Memory => Database::memory(),
        Storage::Directory(directory) => Database::new(&path_text(&directory.join(FILE))?),
    };
    let database = database.map_err(|error| Error::Database(error.to_string()))?;
    Ok(Server::spawn(listener, move |listener, stopped| async move {
        let sweeper = tokio::spawn(sweep(database.clone()));
        let served = serve_with_shutdown(listener, database, stopped).await;
        sweeper.abort();
        if let Err(cause) = served {
            tracing::error!(cause, "the DynamoDB stand-in stopped");
        }
    })?)
}

async fn sweep(database: Database) {
    let mut ticks = tokio::time::interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let database = database.clone();
        let swept = tokio::task::spawn_blocking(move || database.sweep_ttl()).await;
        if let Ok(Err(cause)) = swept {
            tracing::warn!(%cause, "items past their TTL were not swept");
        }
    }
}

fn path_text(path: &Path) -> Result<String, Error> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::Database("the data directory's name is not UTF-8".into()))
}
