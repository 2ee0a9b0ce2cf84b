//! The archive: a ZIP file whose parts are stored without compression, one after the other, with nothing between them.
//!
//! So its size bounds what is read of it, and no byte of a part is outside of what the index names.

use std::{
    collections::BTreeSet,
    io::{self, Read, Seek, SeekFrom, Write},
};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

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
/// The flag of names in UTF-8, which says nothing about ASCII.
const UTF_8: u64 = 1 << 11;

/// Writes an archive with these parts, in this order. The same parts give the same bytes. Each part is dropped once it is
/// written.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::InvalidInput`] if [`Archive::open`] would refuse the names or sizes.
pub fn write<N: AsRef<str>, B: AsRef<[u8]>>(
    out: impl Write + Seek,
    parts: impl IntoIterator<Item = (N, B)>,
) -> io::Result<()> {
    // The earliest time that the format has, which the options have without the feature `time`.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = ZipWriter::new(out);
    for (number, (name, bytes)) in parts.into_iter().enumerate() {
        let (name, bytes) = (name.as_ref(), bytes.as_ref());
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

/// The fixed parts of a ZIP file (APPNOTE 4.3): an entry of the directory, which the local header in front of the part repeats.
struct Entry {
    name: String,
    /// The bytes that both headers have in common: flags, method, time, CRC-32, sizes and length of the name.
    common: [u8; 22],
    size: u64,
}

/// An archive that was opened, whose parts are read one at a time.
pub struct Archive<R> {
    file: R,
    parts: Vec<(String, u64)>,
    /// Where the bytes of each part begin.
    starts: Vec<u64>,
}

impl<R: Read + Seek> Archive<R> {
    /// Opens an archive. Its parts are stored one after the other from the beginning of the file, in the order of the
    /// directory that follows them, and neither overlap nor leave a gap; both headers of a part agree. So what is read of it
    /// is no larger than the file, and every program that unpacks it finds the same parts.
    ///
    /// A library that reads any ZIP file would accept more, and work on what it accepts before it could be refused.
    ///
    /// # Errors
    /// [`ArchiveFault`].
    pub fn open(mut file: R) -> Result<Self, ArchiveFault> {
        let entries = read_directory(&mut file)?;
        let (mut parts, mut starts, mut end) = (Vec::new(), Vec::new(), 0);
        let mut names = BTreeSet::new();
        for Entry { name, common, size } in entries {
            let mut header = [0; LOCAL_HEADER as usize];
            file.seek(SeekFrom::Start(end))?;
            read_exact(&mut file, &mut header)?;
            let mut own_name = vec![0; name.len()];
            read_exact(&mut file, &mut own_name)?;
            // Behind the signature and the version that is needed; no extra field follows the name.
            let agrees = header.starts_with(b"PK\x03\x04") && header[6..28] == common && header[28..] == [0; 2];
            if !agrees || own_name != name.as_bytes() {
                return malformed(format!("the headers of {name} do not agree"));
            }
            let start = end + LOCAL_HEADER + name.len() as u64;
            end = start + size;
            if !names.insert(name.clone()) {
                return malformed(format!("{name} is there twice"));
            }
            starts.push(start);
            parts.push((name, size));
        }
        let directory: u64 = parts.iter().map(|(name, _)| DIRECTORY_ENTRY + name.len() as u64).sum();
        match end + directory + END == file.seek(SeekFrom::End(0))? {
            true => Ok(Self { file, parts, starts }),
            false => malformed("it has bytes that belong to no part".to_owned()),
        }
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
    /// [`ArchiveFault`].
    ///
    /// # Panics
    /// If there is no such place.
    pub fn copy(&mut self, place: usize, to: &mut impl Write) -> Result<(), ArchiveFault> {
        let (name, size) = &self.parts[place];
        self.file.seek(SeekFrom::Start(self.starts[place]))?;
        match io::copy(&mut self.file.by_ref().take(*size), to)? == *size {
            true => Ok(()),
            false => malformed(format!("{name} is cut")),
        }
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

/// Reads the directory, which is in front of the last bytes of the file.
fn read_directory(file: &mut (impl Read + Seek)) -> Result<Vec<Entry>, ArchiveFault> {
    let no_end =
        || ArchiveFault::Malformed("it does not end like a ZIP file, or has bytes that belong to no part".to_owned());
    let length = file.seek(SeekFrom::End(0))?;
    let end_at = length.checked_sub(END).ok_or_else(no_end)?;
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(end_at))?;
    read_exact(file, &mut end)?;
    let (count, size, start) = (number(&end[10..12]), number(&end[12..16]), number(&end[16..20]));
    // One disk, and no comment.
    let is_plain =
        end.starts_with(b"PK\x05\x06") && end[4..8] == [0; 4] && end[8..10] == end[10..12] && end[20..] == [0; 2];
    if !is_plain || start + size != end_at {
        return Err(no_end());
    }
    if count > MAX_PARTS as u64 || size > MAX_PARTS as u64 * (DIRECTORY_ENTRY + MAX_NAME as u64) {
        return malformed(format!("{count} parts; the limit is {MAX_PARTS}"));
    }
    let mut directory = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.by_ref().take(size).read_to_end(&mut directory)?;
    let (mut rest, mut entries, mut begins) = (directory.as_slice(), Vec::new(), 0);
    for part in 1..=count {
        let (head, after) = rest.split_at_checked(DIRECTORY_ENTRY as usize).ok_or_else(no_end)?;
        let name_length = number(&head[28..30]);
        let (name, after) = after.split_at_checked(name_length as usize).ok_or_else(no_end)?;
        let name = std::str::from_utf8(name).ok().filter(|name| is_name(name));
        let Some(name) = name else { return malformed(format!("part {part}: its name")) };
        let (flags, method, size) = (number(&head[8..10]), number(&head[10..12]), number(&head[20..24]));
        if flags & !UTF_8 != 0 || method != 0 {
            return malformed(format!("{name} is compressed or encrypted"));
        }
        if size > MAX_PART || size != number(&head[24..28]) {
            return malformed(format!("{name} has a size that no part has"));
        }
        // No extra field, no comment, the first disk, and the place where the part before it ends.
        if !head.starts_with(b"PK\x01\x02") || head[30..36] != [0; 6] || number(&head[42..46]) != begins {
            return malformed(format!("{name} does not follow the part before it"));
        }
        begins += LOCAL_HEADER + name_length + size;
        let mut common = [0; 22];
        common.copy_from_slice(&head[8..30]);
        entries.push(Entry { name: name.to_owned(), common, size });
        rest = after;
    }
    if rest.is_empty() && begins == start { Ok(entries) } else { Err(no_end()) }
}

/// A number in little-endian bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn malformed<T>(fault: String) -> Result<T, ArchiveFault> {
    Err(ArchiveFault::Malformed(fault))
}

/// Reads as many bytes as fit. A file that is too short is malformed.
fn read_exact(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), ArchiveFault> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ArchiveFault::Malformed("it is cut".to_owned()),
        _ => ArchiveFault::Unreadable(error),
    })
}

/// Whether a part may have this name: relative, of lower-case letters, digits and `-`, `_`, `.`, in folders, and without a
/// part that begins with a dot.
pub(crate) fn is_name(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
    let is_segment = |segment: &str| !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(is_safe);
    name.len() <= MAX_NAME && name.split('/').all(is_segment)
}
