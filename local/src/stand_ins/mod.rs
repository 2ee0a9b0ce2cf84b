//! Stand-ins for DynamoDB, S3, KMS, SNS and STS in this process, in memory or in a directory.
//!
//! They answer the same SDK calls with the same errors, so that the functions need no local mode. They are not
//! complete; the tests therefore also run against an independent implementation of AWS.

mod dynamodb;
mod files;
mod kms;
mod query;
mod recording;
mod s3;
mod sns;
mod sts;

use std::{
    fs::DirBuilder,
    net::{IpAddr, Ipv4Addr},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use recording::recorded;

use crate::server::{Server, listen};

pub(crate) use dynamodb::LastWrite;
pub(crate) use files::write_whole;
pub use s3::{Identity, KeyPair};

/// File with the secret access keys, in the data directory.
pub(crate) const SECRETS_FILE: &str = "secret-access-keys.json";

/// Where the stand-ins store data.
#[derive(Clone, Debug)]
pub enum Storage {
    /// In memory, lost with the process.
    Memory,
    /// In a directory, which is created if necessary.
    Directory(PathBuf),
}

impl Storage {
    /// Creates the directory, readable only by its owner.
    pub(crate) fn create(&self) -> std::io::Result<()> {
        match self {
            Self::Memory => Ok(()),
            Self::Directory(directory) => DirBuilder::new().recursive(true).mode(0o700).create(directory),
        }
    }

    /// Path of an additional file in the directory; `None` in memory.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Memory => None,
            Self::Directory(directory) => Some(directory.join(name)),
        }
    }

    /// Waits until no service has the database open. A dropped service closes it a few milliseconds later, and only
    /// then are its files complete.
    ///
    /// # Panics
    /// If a service keeps it open for a minute.
    pub async fn closed(&self) {
        let Some(log) = self.file(dynamodb::LOG_FILE) else { return };
        let begun = Instant::now();
        while log.exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}: a service has it open", log.display());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Removes the data of earlier starts. A directory that the stand-ins did not create is an error.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        let Self::Directory(directory) = self else { return Ok(()) };
        if !directory.exists() {
            return Ok(());
        }
        let is_empty = directory.read_dir()?.next().is_none();
        let is_own = [dynamodb::FILE, SECRETS_FILE].iter().any(|file| directory.join(file).exists());
        if !is_empty && !is_own {
            let cause = "not a data directory of this service, so not removed".to_owned();
            return Err(Error::Unreadable { path: directory.clone(), cause });
        }
        Ok(std::fs::remove_dir_all(directory)?)
    }
}

/// Why a stand-in could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A port is taken, or a file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The database cannot be opened.
    #[error("the database cannot be opened: {0}")]
    Database(String),
    /// A file in the data directory was not written by a stand-in.
    #[error("{path}: {cause}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
}

impl Error {
    pub(crate) fn unreadable(path: &Path, cause: &dyn std::fmt::Display) -> Self {
        Self::Unreadable { path: path.to_owned(), cause: cause.to_string() }
    }
}

/// Ports of the stand-ins; 0 selects a free one.
#[derive(Clone, Copy, Debug)]
pub struct StackPorts {
    /// The address on which all five listen.
    pub address: IpAddr,
    /// DynamoDB.
    pub dynamodb: u16,
    /// S3.
    pub s3: u16,
    /// KMS.
    pub kms: u16,
    /// SNS.
    pub sns: u16,
    /// STS.
    pub sts: u16,
}

impl Default for StackPorts {
    /// Free loopback ports.
    fn default() -> Self {
        Self { address: Ipv4Addr::LOCALHOST.into(), dynamodb: 0, s3: 0, kms: 0, sns: 0, sts: 0 }
    }
}

/// The running stand-ins, which stop when dropped.
#[derive(Debug)]
pub struct Stack {
    dynamodb: Server,
    s3: Server,
    kms: Server,
    sns: Server,
    sts: Server,
}

impl Stack {
    /// Starts all five. `key_pairs` are the credentials that S3 accepts; the other stand-ins accept any.
    ///
    /// # Errors
    /// [`Error`] if a port is taken or the storage cannot be used.
    pub async fn start(storage: &Storage, ports: StackPorts, key_pairs: Vec<KeyPair>) -> Result<Self, Error> {
        storage.create()?;
        let listen = |port| listen(ports.address, port);
        Ok(Self {
            dynamodb: recorded(listen(ports.dynamodb).await?, |listener| dynamodb::start(listener, storage)).await?,
            s3: recorded(listen(ports.s3).await?, |listener| s3::start(listener, storage, key_pairs)).await?,
            kms: recorded(listen(ports.kms).await?, |listener| kms::start(listener, storage)).await?,
            sns: recorded(listen(ports.sns).await?, |listener| sns::start(listener, storage)).await?,
            sts: recorded(listen(ports.sts).await?, sts::start).await?,
        })
    }

    /// DynamoDB's endpoint.
    #[must_use]
    pub fn dynamodb_url(&self) -> String {
        self.dynamodb.url()
    }

    /// S3's endpoint, which requires path-style addressing.
    #[must_use]
    pub fn s3_url(&self) -> String {
        self.s3.url()
    }

    /// KMS's endpoint.
    #[must_use]
    pub fn kms_url(&self) -> String {
        self.kms.url()
    }

    /// SNS's endpoint. `/published` lists the published messages.
    #[must_use]
    pub fn sns_url(&self) -> String {
        self.sns.url()
    }

    /// STS's endpoint.
    #[must_use]
    pub fn sts_url(&self) -> String {
        self.sts.url()
    }
}
