//! The last verified checkpoint, stored in a file as the signed note that the log published.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use lacre_transparency::{Sha256Digest, SignedNote};
use tempfile::NamedTempFile;

/// Path of the state file.
pub(crate) struct State(pub(crate) PathBuf);

impl State {
    /// Reads the checkpoint; `None` before the first run.
    pub(crate) fn read(&self) -> io::Result<Option<SignedNote>> {
        let note = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        note.parse().map(Some).map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))
    }

    /// Replaces the file atomically.
    pub(crate) fn keep(&self, note: &str) -> io::Result<()> {
        self.written(note)?.persist(&self.0)?;
        Ok(())
    }

    /// Stores a signed checkpoint that contradicts the last one beside the state file, as evidence against the log, and
    /// returns its path. The file's name contains its hash, so it overwrites no other.
    pub(crate) fn keep_contradiction(&self, note: &str) -> io::Result<PathBuf> {
        let hash = Sha256Digest::of(note.as_bytes()).hex();
        let beside = self.0.with_added_extension(format!("contradiction-{hash}"));
        match self.written(note)?.persist_noclobber(&beside) {
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
            _ => Ok(beside),
        }
    }

    /// Writes a note to a temporary file in the same folder, so that it can be renamed atomically.
    fn written(&self, note: &str) -> io::Result<NamedTempFile> {
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(note.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}
