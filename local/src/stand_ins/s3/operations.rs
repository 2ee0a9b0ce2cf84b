//! The S3 operations that the service, its provisioning and its tests make. Whatever else S3 has is "not implemented".
//!
//! Files are read and written on the thread that serves the request: they are few, local and small.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use s3s::{
    S3, S3Error, S3ErrorCode, S3Request, S3Response, S3Result,
    checksum::ChecksumHasher,
    crypto::{Checksum as _, Md5},
    dto::*,
    s3_error,
};

use super::{
    access::Identity,
    cors_rule::Rule,
    store::{Description, Refusal, Store},
};

/// More than any upload of the service; AWS would take 5 GB.
const MAX_OBJECT_BYTES: usize = 64 * 1024 * 1024;
const MAX_KEYS: i32 = 1000;
const DEFAULT_CONTENT_TYPE: &str = "binary/octet-stream";

/// The operations over a store.
pub(crate) struct Objects {
    store: Arc<Store>,
}

impl Objects {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }
}

impl From<Refusal> for S3Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoSuchBucket => s3_error!(NoSuchBucket, "The specified bucket does not exist"),
            Refusal::NoSuchKey => s3_error!(NoSuchKey, "The specified key does not exist."),
            Refusal::BucketExists => s3_error!(BucketAlreadyOwnedByYou, "The bucket already exists, and you own it."),
            Refusal::ObjectExists => {
                s3_error!(PreconditionFailed, "At least one of the pre-conditions you specified did not hold")
            }
            Refusal::Io(error) => S3Error::internal_error(error),
        }
    }
}

#[async_trait::async_trait]
impl S3 for Objects {
    async fn create_bucket(&self, req: S3Request<CreateBucketInput>) -> S3Result<S3Response<CreateBucketOutput>> {
        self.store.create_bucket(&req.input.bucket)?;
        let location = Some(format!("/{}", req.input.bucket));
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        match self.store.has_bucket(&req.input.bucket) {
            true => Ok(S3Response::new(HeadBucketOutput::default())),
            false => Err(Refusal::NoSuchBucket.into()),
        }
    }

    async fn put_bucket_cors(&self, req: S3Request<PutBucketCorsInput>) -> S3Result<S3Response<PutBucketCorsOutput>> {
        let rules = req.input.cors_configuration.cors_rules.into_iter().map(|rule| Rule {
            origins: rule.allowed_origins,
            methods: rule.allowed_methods,
            headers: rule.allowed_headers.unwrap_or_default(),
            exposed: rule.expose_headers.unwrap_or_default(),
            max_age_seconds: rule.max_age_seconds,
        });
        self.store.set_cors(&req.input.bucket, rules.collect())?;
        Ok(S3Response::new(PutBucketCorsOutput::default()))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = req.input;
        if input.if_match.is_some() {
            return Err(s3_error!(NotImplemented, "If-Match is not served here"));
        }
        let only_if_absent = match &input.if_none_match {
            None => false,
            Some(condition) if condition.is_any() => true,
            Some(_) => return Err(s3_error!(NotImplemented, "If-None-Match takes * only")),
        };
        let mut sums = declared_checksums(&input);
        let body = match input.body {
            Some(body) => read_whole(body).await?,
            None => Bytes::new(),
        };
        if let Some(trailers) = req.trailing_headers.and_then(|trailers| trailers.take()) {
            sums = with_trailers(sums, &trailers);
        }
        let etag = check_sums(&body, &sums, input.content_md5.as_deref())?;
        let description = Description {
            key: input.key,
            bytes: body.len() as u64,
            content_type: input.content_type,
            metadata: input.metadata.unwrap_or_default().into_iter().collect(),
            etag: etag.clone(),
            modified_at: time::OffsetDateTime::now_utc().unix_timestamp(),
        };
        self.store.put(&input.bucket, description, body, only_if_absent)?;
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(ETag::Strong(etag)),
            checksum_crc32: sums.checksum_crc32,
            checksum_crc32c: sums.checksum_crc32c,
            checksum_crc64nvme: sums.checksum_crc64nvme,
            checksum_sha1: sums.checksum_sha1,
            checksum_sha256: sums.checksum_sha256,
            ..Default::default()
        }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let may_list = !matches!(req.extensions.get(), Some(Identity::Reader { .. }));
        let found = self.store.get(&req.input.bucket, &req.input.key);
        let (description, body) = found.map_err(|refusal| match refusal {
            Refusal::NoSuchKey if !may_list => s3_error!(AccessDenied, "Access Denied"),
            refusal => refusal.into(),
        })?;
        let (body, content_range) = match req.input.range {
            None => (body, None),
            Some(range) => {
                let wanted = range.check(description.bytes)?;
                let range = format!("bytes {}-{}/{}", wanted.start, wanted.end.saturating_sub(1), description.bytes);
                let bounds = usize::try_from(wanted.start).ok().zip(usize::try_from(wanted.end).ok());
                let (start, end) = bounds.ok_or_else(|| s3_error!(InvalidRange))?;
                (body.slice(start..end), Some(range))
            }
        };
        Ok(S3Response::new(GetObjectOutput {
            content_length: i64::try_from(body.len()).ok(),
            content_range,
            content_type: content_type(&description),
            e_tag: Some(ETag::Strong(description.etag.clone())),
            last_modified: modified(&description),
            metadata: Some(description.metadata.into_iter().collect()),
            accept_ranges: Some("bytes".into()),
            body: Some(s3s::Body::from(body).into()),
            ..Default::default()
        }))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let description = self.store.describe(&req.input.bucket, &req.input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: i64::try_from(description.bytes).ok(),
            content_type: content_type(&description),
            e_tag: Some(ETag::Strong(description.etag.clone())),
            last_modified: modified(&description),
            metadata: Some(description.metadata.into_iter().collect()),
            accept_ranges: Some("bytes".into()),
            ..Default::default()
        }))
    }

    async fn delete_object(&self, req: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        self.store.delete(&req.input.bucket, &req.input.key)?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn list_objects_v2(&self, req: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        if input.delimiter.is_some() {
            return Err(s3_error!(NotImplemented, "listing by delimiter is not served here"));
        }
        let prefix = input.prefix.clone().unwrap_or_default();
        // A continuation token is the last key of the page before.
        let after = input.continuation_token.clone().or(input.start_after.clone()).unwrap_or_default();
        let page = usize::try_from(input.max_keys.unwrap_or(MAX_KEYS).clamp(0, MAX_KEYS)).unwrap_or_default();
        let mut found = self.store.list(&input.bucket, &prefix, &after)?;
        let is_truncated = found.len() > page;
        found.truncate(page);
        let next = found.last().filter(|_| is_truncated).map(|last| last.key.clone());
        let contents: Vec<Object> = found.into_iter().map(listed).collect();
        Ok(S3Response::new(ListObjectsV2Output {
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
        }))
    }
}

fn listed(description: Description) -> Object {
    Object {
        last_modified: modified(&description),
        size: i64::try_from(description.bytes).ok(),
        key: Some(description.key),
        e_tag: Some(ETag::Strong(description.etag)),
        ..Default::default()
    }
}

fn content_type(description: &Description) -> Option<String> {
    Some(description.content_type.clone().unwrap_or_else(|| DEFAULT_CONTENT_TYPE.to_owned()))
}

fn modified(description: &Description) -> Option<Timestamp> {
    time::OffsetDateTime::from_unix_timestamp(description.modified_at).ok().map(Timestamp::from)
}

async fn read_whole(mut body: StreamingBlob) -> S3Result<Bytes> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = body.next().await {
        // The stream checks the hash and the length that were signed, so a body that is not what was announced ends here.
        let chunk = chunk.map_err(|error| {
            let mut refused = S3Error::with_message(
                S3ErrorCode::Custom("XAmzContentSHA256Mismatch".into()),
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
            );
            refused.set_status_code(axum::http::StatusCode::BAD_REQUEST);
            refused.set_source(error);
            refused
        })?;
        if bytes.len() + chunk.len() > MAX_OBJECT_BYTES {
            return Err(s3_error!(EntityTooLarge, "Your proposed upload exceeds the maximum allowed size"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

fn declared_checksums(input: &PutObjectInput) -> Checksum {
    Checksum {
        checksum_crc32: input.checksum_crc32.clone(),
        checksum_crc32c: input.checksum_crc32c.clone(),
        checksum_crc64nvme: input.checksum_crc64nvme.clone(),
        checksum_sha1: input.checksum_sha1.clone(),
        checksum_sha256: input.checksum_sha256.clone(),
        ..Default::default()
    }
}

/// A checksum may come behind the body.
fn with_trailers(sums: Checksum, trailers: &axum::http::HeaderMap) -> Checksum {
    let behind = |name: &str| trailers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Checksum {
        checksum_crc32: behind("x-amz-checksum-crc32").or(sums.checksum_crc32),
        checksum_crc32c: behind("x-amz-checksum-crc32c").or(sums.checksum_crc32c),
        checksum_crc64nvme: behind("x-amz-checksum-crc64nvme").or(sums.checksum_crc64nvme),
        checksum_sha1: behind("x-amz-checksum-sha1").or(sums.checksum_sha1),
        checksum_sha256: behind("x-amz-checksum-sha256").or(sums.checksum_sha256),
        ..Default::default()
    }
}

/// Compares the body with every checksum that was sent, before anything is stored; returns its MD5 in hexadecimal.
fn check_sums(body: &[u8], sent: &Checksum, sent_md5: Option<&str>) -> S3Result<String> {
    use base64::{Engine, prelude::BASE64_STANDARD};
    let mut hasher = ChecksumHasher {
        crc32: sent.checksum_crc32.as_ref().map(|_| Default::default()),
        crc32c: sent.checksum_crc32c.as_ref().map(|_| Default::default()),
        sha1: sent.checksum_sha1.as_ref().map(|_| Default::default()),
        sha256: sent.checksum_sha256.as_ref().map(|_| Default::default()),
        crc64nvme: sent.checksum_crc64nvme.as_ref().map(|_| Default::default()),
    };
    hasher.update(body);
    let found = hasher.finalize();
    let agree = found.checksum_crc32 == sent.checksum_crc32
        && found.checksum_crc32c == sent.checksum_crc32c
        && found.checksum_crc64nvme == sent.checksum_crc64nvme
        && found.checksum_sha1 == sent.checksum_sha1
        && found.checksum_sha256 == sent.checksum_sha256;
    let mut md5 = Md5::new();
    md5.update(body);
    let md5 = md5.finalize();
    let agree_md5 = sent_md5.is_none_or(|sent| BASE64_STANDARD.encode(md5) == sent);
    if agree && agree_md5 {
        return Ok(hex::encode(md5));
    }
    Err(S3Error::with_message(S3ErrorCode::BadDigest, "The checksum you specified did not match what we received."))
}
