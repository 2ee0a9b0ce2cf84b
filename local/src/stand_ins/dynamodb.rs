//! A stand-in for DynamoDB: dynoxide, in this process, on SQLite.
//!
//! It requires a signature on requests but does not verify it. Items past their TTL are deleted once a minute; AWS
//! promises only "within a few days", so nothing may rely on either.

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
/// SQLite's write-ahead log. Closing the last connection removes it.
pub(super) const LOG_FILE: &str = "dynamodb.sqlite-wal";
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The coarsest resolution of modification times among file systems.
const FILE_TIME: Duration = Duration::from_secs(2);

/// The time of the database's last write, read from its file. It is unknown in memory and with an external DynamoDB.
#[derive(Clone, Debug)]
pub(crate) struct LastWrite(Option<PathBuf>);

impl LastWrite {
    pub(crate) const UNKNOWN: Self = Self(None);

    pub(crate) fn of(storage: &Storage) -> Self {
        Self(storage.file(LOG_FILE))
    }

    /// The time of the last write. `None` if it is unknown, or so recent that the file system may give the next write
    /// the same time.
    pub(crate) fn settled(&self) -> Option<SystemTime> {
        let written = fs::metadata(self.0.as_ref()?).ok()?.modified().ok()?;
        let age = SystemTime::now().duration_since(written).ok()?;
        (age > FILE_TIME).then_some(written)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::File;

    use super::*;

    #[test]
    fn only_past_write_times_are_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOG_FILE);
        let last_write = LastWrite(Some(path.clone()));
        assert_eq!(last_write.settled(), None);

        let file = File::create(path).unwrap();
        assert_eq!(last_write.settled(), None);
        let minute = Duration::from_secs(60);
        let minute_ago = SystemTime::now() - minute;
        file.set_modified(minute_ago).unwrap();
        assert_eq!(last_write.settled(), Some(minute_ago));
        // The clock was set back after the write.
        file.set_modified(SystemTime::now() + minute).unwrap();
        assert_eq!(last_write.settled(), None);

        assert_eq!(LastWrite::UNKNOWN.settled(), None);
    }
}
