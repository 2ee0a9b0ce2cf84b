//! Finds the captures that a copy of a photo may show, for operators.

use std::{collections::BTreeMap, sync::Arc};

use lacre_api::{
    admin::{CopyMatch, CopyMatches, limits::PAGE_ENTRIES_MAX},
    limits::MAX_ASSET_BYTES,
};
use lacre_compare::Picture;
use lacre_domain::{ClientId, Clock, Environment, Operation};
use lacre_lookup::{Found, Lookup, Owner};
use lacre_storage::{CaptureSearch, Connection, Register};

use crate::{Caller, Error, caller::Auditor, captures::view, clients::existing_client};

/// Looks copies of photos up.
pub struct CopySearch {
    register: Register,
    lookup: Lookup,
    search: CaptureSearch,
    auditor: Auditor,
}

impl CopySearch {
    /// Creates the operation from a connection, for a caller.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>, caller: Caller) -> Self {
        Self {
            register: Register::new(connection),
            lookup: Lookup::new(connection),
            search: CaptureSearch::new(connection),
            auditor: Auditor::new(connection, clock, caller),
        }
    }

    /// The captures of a client in an environment that a copy may show, the most similar first. The copy is a JPEG, PNG
    /// or WebP. Each lookup has an entry in the audit log; the copy is neither stored nor logged.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the copy is too large or cannot be decoded; [`Error::NotFound`] if the client does not
    /// exist; [`Error::Unavailable`].
    pub async fn find(&self, client: &ClientId, environment: Environment, copy: Vec<u8>) -> Result<CopyMatches, Error> {
        let picture = read(copy).await?;
        existing_client(&self.register, client).await?;
        let owner = Owner { client: client.clone(), environment };
        let Found { mut matches, truncated } = self.lookup.by_photo(&owner, picture).await?;
        let truncated = truncated || matches.len() > PAGE_ENTRIES_MAX;
        matches.truncate(PAGE_ENTRIES_MAX);
        let ids: Vec<_> = matches.iter().map(|found| found.capture.clone()).collect();
        let held = self.search.read(&ids).await?;
        let mut views: BTreeMap<_, _> = held.iter().map(|held| (held.record.capture_id.clone(), view(held))).collect();
        let matches = matches.iter().filter_map(|found| {
            let capture = views.remove(&found.capture)?;
            Some(CopyMatch { similarity_score: found.similarity(), capture })
        });
        let matches: Vec<_> = matches.collect();
        let detail = format!("{} found in {}", matches.len(), environment.name());
        let entry = self.auditor.entry(Operation::FindCopy).for_client(client).with_detail(detail);
        self.auditor.note(&entry).await?;
        Ok(CopyMatches { matches, truncated })
    }
}

/// Decodes a copy, on a thread of its own because that keeps a CPU core busy.
async fn read(copy: Vec<u8>) -> Result<Picture, Error> {
    let bytes = copy.len() as u64;
    if bytes > MAX_ASSET_BYTES {
        return Err(Error::Invalid(format!("the copy has {bytes} bytes; the maximum is {MAX_ASSET_BYTES}")));
    }
    let read = tokio::task::spawn_blocking(move || Picture::read(&copy)).await;
    let read = read.map_err(|_| Error::Invalid("the copy cannot be decoded".into()))?;
    read.map_err(|error| Error::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn says_why_a_copy_is_refused() {
        let most = usize::try_from(MAX_ASSET_BYTES).unwrap();
        for (copy, text) in [
            (vec![0; most + 1], "the copy has 4194305 bytes; the maximum is 4194304"),
            (vec![0; most], "the file is neither a JPEG, a PNG nor a WebP"),
            (Vec::new(), "the file is neither a JPEG, a PNG nor a WebP"),
        ] {
            assert_eq!(read(copy).await.unwrap_err().to_string(), text);
        }
        let cut = read(b"\x89PNG\r\n\x1a\n".to_vec()).await.unwrap_err().to_string();
        assert!(cut.starts_with("the PNG cannot be decoded: "), "{cut}");
    }
}
