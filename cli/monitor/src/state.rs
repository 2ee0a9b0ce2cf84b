//! The last checkpoint that was verified, in a file: a signed note, as the log published it.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use transparency::{Sha256Digest, SignedNote};

/// The file.
pub(crate) struct State(pub(crate) PathBuf);

impl State {
    /// The checkpoint; `None` before the first.
    pub(crate) fn read(&self) -> io::Result<Option<SignedNote>> {
        let note = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        note.parse().map(Some).map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))
    }

    /// Replaces the file as a whole.
    pub(crate) fn keep(&self, note: &str) -> io::Result<()> {
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(note.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.0)?;
        Ok(())
    }

    /// Keeps a signed checkpoint that contradicts the last one, beside it: the evidence against the log. Where it is. It replaces
    /// no other: its hash is in its name.
    pub(crate) fn keep_contradiction(&self, note: &str) -> io::Result<PathBuf> {
        let hash = Sha256Digest::of(note.as_bytes()).hex();
        let beside = self.0.with_added_extension(format!("contradiction-{}", hash.get(..16).unwrap_or_default()));
        match fs::OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => {
                let mut file = file?;
                file.write_all(note.as_bytes())?;
                file.sync_all()?;
            }
        }
        Ok(beside)
    }
}
