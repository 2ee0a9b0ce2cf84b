//! The S3 operations that the service, its provisioning and its tests use. All others return `NotImplemented`.
//!
//! Files are read and written on the thread that serves the request, because they are few, local and small.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use s3s::{S3, S3Error, S3ErrorCode, S3Request, S3Response, S3Result, dto::*, s3_error};

use super::{
    access::Identity,
    bucket::OnlyIf,
    checksums, configuration,
    cors_rule::Rule,
    description::Description,
    listing::{self, modified, moment},
    refusal::ObjectStoreError,
    settings::Settings,
    store::Store,
};

/// Maximum object size in bytes. It is larger than any object of the service, dossiers included; AWS allows 5 GB.
const MAX_OBJECT_BYTES: usize = 512 * 1024 * 1024;
const DEFAULT_CONTENT_TYPE: &str = "binary/octet-stream";

/// The operations on a store.
pub(crate) struct Objects {
    store: Arc<Store>,
}

impl Objects {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }
}

#[async_trait::async_trait]
impl S3 for Objects {
    async fn create_bucket(&self, req: S3Request<CreateBucketInput>) -> S3Result<S3Response<CreateBucketOutput>> {
        let settings = match req.input.object_lock_enabled_for_bucket {
            Some(true) => Settings::locked(),
            _ => Settings::default(),
        };
        self.store.create_bucket(&req.input.bucket, settings)?;
        let location = Some(format!("/{}", req.input.bucket));
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        match self.store.has_bucket(&req.input.bucket) {
            true => Ok(S3Response::new(HeadBucketOutput::default())),
            false => Err(ObjectStoreError::NoSuchBucket.into()),
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
        let cors: Vec<Rule> = rules.collect();
        self.store.configure(&req.input.bucket, |settings| {
            settings.cors = cors;
            Ok(())
        })?;
        Ok(S3Response::new(PutBucketCorsOutput::default()))
    }

    async fn put_bucket_versioning(
        &self,
        req: S3Request<PutBucketVersioningInput>,
    ) -> S3Result<S3Response<PutBucketVersioningOutput>> {
        let wanted = &req.input.versioning_configuration;
        self.store.configure(&req.input.bucket, |settings| configuration::set_versioning(settings, wanted))?;
        Ok(S3Response::new(PutBucketVersioningOutput::default()))
    }

    async fn get_bucket_versioning(
        &self,
        req: S3Request<GetBucketVersioningInput>,
    ) -> S3Result<S3Response<GetBucketVersioningOutput>> {
        Ok(S3Response::new(configuration::versioning(&self.store.settings(&req.input.bucket)?)))
    }

    async fn put_object_lock_configuration(
        &self,
        req: S3Request<PutObjectLockConfigurationInput>,
    ) -> S3Result<S3Response<PutObjectLockConfigurationOutput>> {
        let wanted = req.input.object_lock_configuration.as_ref();
        self.store.configure(&req.input.bucket, |settings| configuration::set_object_lock(settings, wanted))?;
        Ok(S3Response::new(PutObjectLockConfigurationOutput::default()))
    }

    async fn get_object_lock_configuration(
        &self,
        req: S3Request<GetObjectLockConfigurationInput>,
    ) -> S3Result<S3Response<GetObjectLockConfigurationOutput>> {
        let found = configuration::object_lock(&self.store.settings(&req.input.bucket)?);
        let absent = || {
            s3_error!(ObjectLockConfigurationNotFoundError, "Object Lock configuration does not exist for this bucket")
        };
        let object_lock_configuration = Some(found.ok_or_else(absent)?);
        Ok(S3Response::new(GetObjectLockConfigurationOutput { object_lock_configuration }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = req.input;
        if input.object_lock_mode.is_some() || input.object_lock_legal_hold_status.is_some() {
            return Err(s3_error!(NotImplemented, "a lock of one object is not served here"));
        }
        let only = match (&input.if_none_match, &input.if_match) {
            (None, None) => OnlyIf::Always,
            (Some(condition), None) if condition.is_any() => OnlyIf::Absent,
            (None, Some(ETagCondition::ETag(tag))) => OnlyIf::Is(tag.value().to_owned()),
            _ => {
                return Err(s3_error!(
                    NotImplemented,
                    "of the conditions, If-None-Match takes *, If-Match one entity tag"
                ));
            }
        };
        let mut sums = checksums::declared(&input);
        let body = match input.body {
            Some(body) => read_whole(body).await?,
            None => Bytes::new(),
        };
        if let Some(trailers) = req.trailing_headers.and_then(|trailers| trailers.take()) {
            sums = checksums::with_trailers(sums, &trailers);
        }
        let etag = checksums::check(&body, &sums, input.content_md5.as_deref())?;
        let is_checked = input.content_md5.is_some() || checksums::are_in(&sums);
        if !is_checked && self.store.settings(&input.bucket)?.retention_days().is_some() {
            return Err(s3_error!(
                InvalidRequest,
                "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock \
                 parameters"
            ));
        }
        let description = Description {
            key: input.key,
            bytes: body.len() as u64,
            content_type: input.content_type,
            metadata: input.metadata.unwrap_or_default().into_iter().collect(),
            etag: etag.clone(),
            modified_at: time::OffsetDateTime::now_utc().unix_timestamp(),
            sha256: sums.checksum_sha256.clone(),
            ..Description::default()
        };
        let stored = self.store.put(&input.bucket, description, body, &only)?;
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(ETag::Strong(etag)),
            version_id: stored.version,
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
        let input = req.input;
        let found = self.store.get(&input.bucket, &input.key, input.version_id.as_deref());
        let (description, body) = found.map_err(|refusal| match refusal {
            ObjectStoreError::NoSuchKey if !may_list => s3_error!(AccessDenied, "Access Denied"),
            refusal => refusal.into(),
        })?;
        // The stored checksum covers the whole object, so it is left out of range responses.
        let mode = input.checksum_mode.as_ref().filter(|_| input.range.is_none());
        let sums = checksums::of_stored(&description, mode);
        let (body, content_range) = match input.range {
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
            checksum_sha256: sums.checksum_sha256,
            checksum_type: sums.checksum_type,
            version_id: description.version,
            metadata: Some(description.metadata.into_iter().collect()),
            accept_ranges: Some("bytes".into()),
            body: Some(s3s::Body::from(body).into()),
            ..Default::default()
        }))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = req.input;
        let description = self.store.describe(&input.bucket, &input.key, input.version_id.as_deref())?;
        let sums = checksums::of_stored(&description, input.checksum_mode.as_ref());
        let governance = || ObjectLockMode::from_static(ObjectLockMode::GOVERNANCE);
        Ok(S3Response::new(HeadObjectOutput {
            content_length: i64::try_from(description.bytes).ok(),
            content_type: content_type(&description),
            e_tag: Some(ETag::Strong(description.etag.clone())),
            last_modified: modified(&description),
            checksum_sha256: sums.checksum_sha256,
            checksum_type: sums.checksum_type,
            object_lock_mode: description.retained_until.map(|_| governance()),
            object_lock_retain_until_date: description.retained_until.and_then(moment),
            version_id: description.version,
            metadata: Some(description.metadata.into_iter().collect()),
            accept_ranges: Some("bytes".into()),
            ..Default::default()
        }))
    }

    async fn delete_object(&self, req: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = req.input;
        let version = input.version_id.as_deref();
        let changed = self.store.delete(&input.bucket, &input.key, version, input.bypass_governance_retention)?;
        let is_marker = changed.as_ref().is_some_and(|changed| changed.is_delete_marker);
        Ok(S3Response::new(DeleteObjectOutput {
            delete_marker: is_marker.then_some(true),
            version_id: input.version_id.or(changed.and_then(|changed| changed.version)),
            ..Default::default()
        }))
    }

    async fn list_objects_v2(&self, req: S3Request<ListObjectsV2Input>) -> S3Result<S3Response<ListObjectsV2Output>> {
        Ok(S3Response::new(listing::of_objects(&self.store, req.input)?))
    }

    async fn list_object_versions(
        &self,
        req: S3Request<ListObjectVersionsInput>,
    ) -> S3Result<S3Response<ListObjectVersionsOutput>> {
        Ok(S3Response::new(listing::of_versions(&self.store, req.input)?))
    }
}

fn content_type(description: &Description) -> Option<String> {
    Some(description.content_type.clone().unwrap_or_else(|| DEFAULT_CONTENT_TYPE.to_owned()))
}

async fn read_whole(mut body: StreamingBlob) -> S3Result<Bytes> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = body.next().await {
        // The stream verifies the signed hash and length, so a body that differs from them fails here.
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
