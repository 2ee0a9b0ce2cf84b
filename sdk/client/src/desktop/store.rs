use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::supplied::{RecordStore, StoreError};

/// A file that contains the record. It is replaced atomically through a second file whose name ends in `.new`, so that
/// a process that is killed while writing leaves the previous record intact.
#[derive(Debug, uniffi::Object)]
pub struct FileStore {
    path: PathBuf,
}

#[uniffi::export]
impl FileStore {
    /// Creates a store at a path, whose folder must exist.
    #[uniffi::constructor]
    #[must_use]
    pub fn new(path: String) -> Arc<Self> {
        Arc::new(Self { path: path.into() })
    }
}

impl FileStore {
    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// Replaces the record. The data is flushed to disk before the file is renamed, and the renaming is flushed before
    /// this returns.
    fn replace(&self, record: &[u8]) -> io::Result<()> {
        let unnamed = self.path.with_added_extension("new");
        let mut file = File::create(&unnamed)?;
        file.write_all(record)?;
        file.sync_all()?;
        fs::rename(&unnamed, &self.path)?;
        self.sync_folder()
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(self.folder())?.sync_all()
    }
}

#[uniffi::export]
impl RecordStore for FileStore {
    fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(&self.path) {
            Ok(record) => Ok(Some(record)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    fn write(&self, record: Vec<u8>) -> Result<(), StoreError> {
        self.replace(&record).map_err(|error| failed(&error))
    }

    fn erase(&self) -> Result<(), StoreError> {
        match fs::remove_file(&self.path) {
            Ok(()) => self.sync_folder().map_err(|error| failed(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failed(&error)),
        }
    }
}

fn failed(error: &io::Error) -> StoreError {
    StoreError::Failed { detail: error.to_string() }
}
