//! The bytes of a version, in memory or in a file together with its description.
//!
//! Files are written under a temporary name and renamed, so that a version appears completely or not at all. Keys can
//! be any text; the file name is the hash of the key plus the version, so `x` and `x/y` do not collide.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::description::Description;
use crate::stand_ins::{Error, write_whole};

/// Where the bytes are stored.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Memory(Bytes),
    /// A file with one line of JSON, the [`Description`], followed by the bytes.
    File(PathBuf),
}

impl Content {
    /// Stores a version, in a file if a directory is given.
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

/// Reads the description in a file.
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
