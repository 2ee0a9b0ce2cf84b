//! The archive: a ZIP file whose parts are stored without compression, one after the other, with nothing between them.
//!
//! So its size bounds what is read of it, and no byte of a part is outside of what the index names.

use std::io::{self, Read, Seek, Write};

use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// Maximum number of parts.
pub const MAX_PARTS: usize = 2_000;
/// Maximum size of a part in bytes, as that of a photo.
pub const MAX_PART: u64 = 64 * 1024 * 1024;
/// Maximum length of a part's name in bytes.
const MAX_NAME: usize = 100;

/// The sizes of a local header and of an entry in the central directory without name, and of the end of the directory.
const LOCAL_HEADER: u64 = 30;
const DIRECTORY_ENTRY: u64 = 46;
const END: u64 = 22;

/// Writes an archive with these parts, in this order. The same parts give the same bytes.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::InvalidInput`] if [`Archive::open`] would refuse the names or sizes.
pub fn write<'a>(out: impl Write + Seek, parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<()> {
    // The earliest time that the format has, which the options have without the feature `time`.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = ZipWriter::new(out);
    for (number, (name, bytes)) in parts.into_iter().enumerate() {
        if number == MAX_PARTS || !is_name(name) || bytes.len() as u64 > MAX_PART {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name} cannot be a part")));
        }
        archive.start_file(name, stored)?;
        archive.write_all(bytes)?;
    }
    archive.finish()?;
    Ok(())
}

/// Why a file is not the archive of a dossier.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveFault {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The file has another form.
    #[error("{0}")]
    Malformed(String),
}

impl From<ZipError> for ArchiveFault {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => Self::Unreadable(error),
            error => Self::Malformed(error.to_string()),
        }
    }
}

/// An archive that was opened, whose parts are read one at a time.
pub struct Archive<R> {
    zip: ZipArchive<R>,
    parts: Vec<(String, u64)>,
}

impl<R: Read + Seek> Archive<R> {
    /// Opens an archive. Its parts are stored one after the other from the beginning of the file, in the order of the
    /// directory that follows them, and neither overlap nor leave a gap. So what is read of it is no larger than the file.
    ///
    /// # Errors
    /// [`ArchiveFault`].
    pub fn open(mut file: R) -> Result<Self, ArchiveFault> {
        let malformed = |fault: &str| ArchiveFault::Malformed(fault.to_owned());
        let length = file.seek(io::SeekFrom::End(0))?;
        file.rewind()?;
        let mut zip = ZipArchive::new(file)?;
        if zip.len() > MAX_PARTS {
            return Err(ArchiveFault::Malformed(format!("{} parts; the limit is {MAX_PARTS}", zip.len())));
        }
        let (mut parts, mut end, mut directory) = (Vec::new(), 0, 0);
        for number in 0..zip.len() {
            let part = zip.by_index_raw(number)?;
            let name = std::str::from_utf8(part.name_raw()).ok().filter(|name| is_name(name));
            let name = name.ok_or_else(|| ArchiveFault::Malformed(format!("part {}: its name", number + 1)))?;
            let fault = |what: &str| Err(ArchiveFault::Malformed(format!("{name} {what}")));
            let length = name.len() as u64;
            if part.compression() != CompressionMethod::Stored || part.encrypted() {
                return fault("is compressed or encrypted");
            }
            if part.size() > MAX_PART || part.size() != part.compressed_size() {
                return fault("has a size that no part has");
            }
            let start = end + LOCAL_HEADER + length;
            if part.header_start() != end || part.data_start() != Some(start) {
                return fault("does not follow the part before it");
            }
            if parts.iter().any(|(known, _)| known == name) {
                return fault("is there twice");
            }
            end = start + part.size();
            directory += DIRECTORY_ENTRY + length;
            parts.push((name.to_owned(), part.size()));
        }
        if zip.offset() != 0 || zip.central_directory_start() != end || end + directory + END != length {
            return Err(malformed("it has bytes that belong to no part"));
        }
        Ok(Self { zip, parts })
    }

    /// The names and sizes of the parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[(String, u64)] {
        &self.parts
    }

    /// The place of a part; `None` if there is none of this name.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|(known, _)| known == name)
    }

    /// Copies the part at a place to a writer.
    ///
    /// # Errors
    /// [`ArchiveFault`]; also if the part has another CRC-32 than the directory states.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn copy(&mut self, place: usize, to: &mut impl Write) -> Result<(), ArchiveFault> {
        let name = &self.parts[place].0;
        let damaged = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::Other => {
                ArchiveFault::Malformed(format!("{name} is damaged: {error}"))
            }
            _ => ArchiveFault::Unreadable(error),
        };
        let mut part = self.zip.by_index(place)?;
        io::copy(&mut part, to).map_err(damaged)?;
        Ok(())
    }

    /// Reads a part; `None` if there is none of this name.
    ///
    /// # Errors
    /// Those of [`Self::copy`].
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ArchiveFault> {
        let Some(place) = self.place(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.copy(place, &mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Whether a part may have this name: relative, of lower-case letters, digits and `-`, `_`, `.`, in folders, and without a
/// part that begins with a dot.
pub(crate) fn is_name(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    let is_segment = |segment: &str| !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(is_safe);
    name.len() <= MAX_NAME && name.split('/').all(is_segment)
}
