//! Files that are written atomically.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Writes a file that only its owner may read. It is written under a temporary name and renamed, so that a partial file
/// is never read.
pub(crate) fn write_whole(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.draft", uuid::Uuid::new_v4().simple()));
    let written = write_parts(&draft, parts).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Whether a file is the leftover of an interrupted [`write_whole`].
pub(crate) fn is_draft(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "draft")
}

fn write_parts(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))
}
