//! Checksums of uploads and downloads.

use base64::{Engine, prelude::BASE64_STANDARD};
use s3s::{
    S3Error, S3ErrorCode, S3Result,
    checksum::ChecksumHasher,
    crypto::{Checksum as _, Md5},
    dto::{Checksum, ChecksumMode, ChecksumType, PutObjectInput},
};

use super::description::Description;

/// The checksums in the request's headers.
pub(crate) fn declared(input: &PutObjectInput) -> Checksum {
    Checksum {
        checksum_crc32: input.checksum_crc32.clone(),
        checksum_crc32c: input.checksum_crc32c.clone(),
        checksum_crc64nvme: input.checksum_crc64nvme.clone(),
        checksum_sha1: input.checksum_sha1.clone(),
        checksum_sha256: input.checksum_sha256.clone(),
        ..Default::default()
    }
}

/// Adds the checksums that trailers carry after the body.
pub(crate) fn with_trailers(sums: Checksum, trailers: &axum::http::HeaderMap) -> Checksum {
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

/// Whether any checksum was sent.
pub(crate) fn are_in(sums: &Checksum) -> bool {
    *sums != Checksum::default()
}

/// Verifies every checksum that was sent before the object is stored. Returns the body's MD5 in hexadecimal.
pub(crate) fn check(body: &[u8], sent: &Checksum, sent_md5: Option<&str>) -> S3Result<String> {
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

/// The checksum of a stored object, if the request asks for it.
pub(crate) fn of_stored(description: &Description, mode: Option<&ChecksumMode>) -> Checksum {
    let is_asked = mode.is_some_and(|mode| mode.as_str() == ChecksumMode::ENABLED);
    let sha256 = description.sha256.clone().filter(|_| is_asked);
    Checksum {
        checksum_type: sha256.as_ref().map(|_| ChecksumType::from_static(ChecksumType::FULL_OBJECT)),
        checksum_sha256: sha256,
        ..Default::default()
    }
}
