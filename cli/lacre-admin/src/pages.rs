//! Reads complete lists page by page.

use lacre_administration::{Error, Listed, PageRequest};

/// Entries per page, which is the maximum of one read.
const ENTRIES: usize = 100;

/// Reads all entries of a list.
pub(crate) async fn all<T>(page: impl AsyncFnMut(&PageRequest) -> Result<Listed<T>, Error>) -> Result<Vec<T>, Error> {
    first(usize::MAX, page).await
}

/// Reads at most `most` entries of a list.
pub(crate) async fn first<T>(
    most: usize,
    mut page: impl AsyncFnMut(&PageRequest) -> Result<Listed<T>, Error>,
) -> Result<Vec<T>, Error> {
    let (mut entries, mut request) = (Vec::new(), PageRequest::first(most.clamp(1, ENTRIES)));
    while entries.len() < most {
        request.limit = (most - entries.len()).min(ENTRIES);
        let Listed { entries: found, next } = page(&request).await?;
        entries.extend(found);
        match next {
            Some(next) => request.after = Some(next),
            None => break,
        }
    }
    Ok(entries)
}
