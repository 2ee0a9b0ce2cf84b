//! The bytes of a version, in memory or in a file with its description.
//!
//! A version appears whole or not at all: its file is written beside and renamed. Keys are any text: a file is named by the
//! hash of its key, so `x` and `x/y` do not collide, and by its version.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::description::Description;
use crate::stand_ins::{Error, write_whole};

/// Where the bytes are.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Memory(Bytes),
    /// A line of JSON, the [`Description`], and then the bytes.
    File(PathBuf),
}

impl Content {
    /// Keeps a version: in a file where there is a directory.
    pub(crate) fn keep(directory: Option<&Path>, description: &Description, body: Bytes) -> io::Result<Self> {
        let Some(directory) = directory else { return Ok(Self::Memory(body)) };
        let path = directory.join(file_name(description));
        let head = serde_json::to_vec(description)?;
        write_whole(&path, &[&head, b"\n", &body])?;
        Ok(Self::File(path))
    }

    pub(crate) fn read(&self) -> io::Result<Bytes> {
        let path = match self {
            Self::Memory(bytes) => return Ok(bytes.clone()),
            Self::File(path) => path,
        };
        let mut file = BufReader::new(File::open(path)?);
        file.skip_until(b'\n')?;
        let mut body = Vec::new();
        file.read_to_end(&mut body)?;
        Ok(body.into())
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File(path) => fs::remove_file(path),
        }
    }
}

/// The description in a file.
pub(crate) fn read_description(path: &Path) -> Result<Description, Error> {
    let mut head = String::new();
    BufReader::new(File::open(path)?).read_line(&mut head)?;
    serde_json::from_str(&head).map_err(|error| Error::unreadable(path, &error))
}

fn file_name(description: &Description) -> String {
    let key = hex::encode(Sha256::digest(&description.key));
    match &description.version {
        None => key,
        Some(version) => format!("{key}-{version}"),
    }
}
