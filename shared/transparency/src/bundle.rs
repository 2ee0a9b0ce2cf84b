//! Entry bundles: the entries whose hashes form a tile of level 0.

use crate::Entry;

/// The length of an entry in bytes.
pub const ENTRY_BYTES: usize = 32;

/// Up to 256 entries. In the published form each is preceded by its length in two bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryBundle(pub Vec<Entry>);

impl EntryBundle {
    /// The published form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        #[allow(clippy::cast_possible_truncation)]
        let length = (ENTRY_BYTES as u16).to_be_bytes();
        self.0.iter().flat_map(|entry| length.into_iter().chain(*entry.as_bytes())).collect()
    }

    /// Parses the published form; `None` if an entry's length differs from that of this log's entries.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (entries, rest) = bytes.as_chunks::<{ 2 + ENTRY_BYTES }>();
        let entry = |bytes: &[u8; 2 + ENTRY_BYTES]| {
            let (length, entry) = bytes.split_first_chunk::<2>()?;
            let entry = entry.try_into().ok().map(Entry::from_bytes);
            entry.filter(|_| usize::from(u16::from_be_bytes(*length)) == ENTRY_BYTES)
        };
        rest.is_empty().then_some(())?;
        entries.iter().map(entry).collect::<Option<_>>().map(Self)
    }
}
