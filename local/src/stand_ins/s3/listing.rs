//! Paginated listings of objects and versions.

use s3s::{
    S3Result,
    dto::{
        DeleteMarkerEntry, ETag, ListObjectVersionsInput, ListObjectVersionsOutput, ListObjectsV2Input,
        ListObjectsV2Output, Object, ObjectVersion, Timestamp,
    },
    s3_error,
};

use super::{
    description::Description,
    store::Store,
    versions::{Listed, Place},
};

const MAX_KEYS: i32 = 1000;

/// Lists current objects.
pub(crate) fn of_objects(store: &Store, input: ListObjectsV2Input) -> S3Result<ListObjectsV2Output> {
    if input.delimiter.is_some() {
        return Err(s3_error!(NotImplemented, "listing by delimiter is not served here"));
    }
    let prefix = input.prefix.as_deref().unwrap_or_default();
    // The continuation token is the last key of the previous page.
    let after = input.continuation_token.as_deref().or(input.start_after.as_deref()).unwrap_or_default();
    let mut found = store.list(&input.bucket, prefix, after)?;
    let page = page_size(input.max_keys);
    let is_truncated = cut(&mut found, page);
    let next = found.last().filter(|_| is_truncated).map(|last| last.key.clone());
    let contents: Vec<Object> = found.into_iter().map(object).collect();
    Ok(ListObjectsV2Output {
        name: Some(input.bucket),
        prefix: input.prefix,
        max_keys: i32::try_from(page).ok(),
        key_count: i32::try_from(contents.len()).ok(),
        continuation_token: input.continuation_token,
        start_after: input.start_after,
        is_truncated: Some(is_truncated),
        next_continuation_token: next,
        contents: Some(contents),
        ..Default::default()
    })
}

/// Lists all versions, including delete markers.
pub(crate) fn of_versions(store: &Store, input: ListObjectVersionsInput) -> S3Result<ListObjectVersionsOutput> {
    if input.delimiter.is_some() {
        return Err(s3_error!(NotImplemented, "listing by delimiter is not served here"));
    }
    let key = input.key_marker.as_deref().unwrap_or_default();
    let version = input.version_id_marker.as_deref().filter(|marker| !marker.is_empty());
    if key.is_empty() && version.is_some() {
        return Err(s3_error!(InvalidArgument, "A version-id marker cannot be specified without a key marker."));
    }
    let prefix = input.prefix.as_deref().unwrap_or_default();
    let mut found = store.list_versions(&input.bucket, prefix, Place { key, version })?;
    let page = page_size(input.max_keys);
    let is_truncated = cut(&mut found, page);
    let end = found.last().filter(|_| is_truncated).map(|last| &last.description);
    let next_key_marker = end.map(|end| end.key.clone());
    let next_version_id_marker = end.map(|end| end.version_id().to_owned());
    let (markers, versions): (Vec<_>, Vec<_>) = found.into_iter().partition(|each| each.description.is_delete_marker);
    Ok(ListObjectVersionsOutput {
        name: Some(input.bucket),
        prefix: input.prefix,
        max_keys: i32::try_from(page).ok(),
        key_marker: input.key_marker,
        version_id_marker: input.version_id_marker,
        is_truncated: Some(is_truncated),
        next_key_marker,
        next_version_id_marker,
        delete_markers: Some(markers.into_iter().map(marker).collect()),
        versions: Some(versions.into_iter().map(version_of_object).collect()),
        ..Default::default()
    })
}

fn page_size(max_keys: Option<i32>) -> usize {
    usize::try_from(max_keys.unwrap_or(MAX_KEYS).clamp(0, MAX_KEYS)).unwrap_or_default()
}

/// Truncates a listing to a page; returns whether entries were cut off.
fn cut<T>(found: &mut Vec<T>, page: usize) -> bool {
    let is_longer = found.len() > page;
    found.truncate(page);
    is_longer
}

fn object(description: Description) -> Object {
    Object {
        last_modified: modified(&description),
        size: i64::try_from(description.bytes).ok(),
        key: Some(description.key),
        e_tag: Some(ETag::Strong(description.etag)),
        ..Default::default()
    }
}

fn version_of_object(Listed { description, is_latest }: Listed) -> ObjectVersion {
    ObjectVersion {
        is_latest: Some(is_latest),
        last_modified: modified(&description),
        size: i64::try_from(description.bytes).ok(),
        version_id: Some(description.version_id().to_owned()),
        key: Some(description.key),
        e_tag: Some(ETag::Strong(description.etag)),
        ..Default::default()
    }
}

fn marker(Listed { description, is_latest }: Listed) -> DeleteMarkerEntry {
    DeleteMarkerEntry {
        is_latest: Some(is_latest),
        last_modified: modified(&description),
        version_id: Some(description.version_id().to_owned()),
        key: Some(description.key),
        ..Default::default()
    }
}

/// Modification time of a version.
pub(crate) fn modified(description: &Description) -> Option<Timestamp> {
    moment(description.modified_at)
}

/// Converts seconds since the Unix epoch.
pub(crate) fn moment(seconds: i64) -> Option<Timestamp> {
    time::OffsetDateTime::from_unix_timestamp(seconds).ok().map(Timestamp::from)
}
