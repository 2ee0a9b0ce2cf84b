//! Tests versioning, checksums and Object Lock of the S3 stand-in with the AWS SDK.

use aws_sdk_s3::{
    Client,
    error::ProvideErrorMetadata,
    primitives::ByteStream,
    types::{
        BucketVersioningStatus, ChecksumMode, DefaultRetention, ObjectLockConfiguration, ObjectLockEnabled,
        ObjectLockRetentionMode, ObjectLockRule, VersioningConfiguration,
    },
};
use local::{Storage, stand_ins::Stack};

use super::stack::{self, PRESIGNER, PROOFS, ROLE, UPLOADS};

/// SHA-256 of `proof` in base64.
const SHA256: &str = "wc2iY2KCi2kmZRIFK5fLNynjsFLkreR8Ch4zg97+c8c=";

struct Bench {
    stack: Stack,
    s3: Client,
}

impl Bench {
    /// Creates `PROOFS` with Object Lock, and `UPLOADS` without versioning.
    async fn start() -> Self {
        let stack = stack::start(&Storage::Memory).await;
        let s3 = stack::s3(&stack, ROLE);
        s3.create_bucket().bucket(UPLOADS).send().await.unwrap();
        s3.create_bucket().bucket(PROOFS).object_lock_enabled_for_bucket(true).send().await.unwrap();
        Self { stack, s3 }
    }

    async fn put(&self, key: &str, body: &'static [u8]) -> String {
        let put = self.s3.put_object().bucket(PROOFS).key(key).body(ByteStream::from_static(body));
        put.send().await.unwrap().version_id().unwrap().to_owned()
    }

    async fn retain(&self, days: i32) {
        let retention = DefaultRetention::builder().mode(ObjectLockRetentionMode::Governance).days(days).build();
        let rule = ObjectLockRule::builder().default_retention(retention).build();
        let lock =
            ObjectLockConfiguration::builder().object_lock_enabled(ObjectLockEnabled::Enabled).rule(rule).build();
        let put = self.s3.put_object_lock_configuration().bucket(PROOFS).object_lock_configuration(lock);
        put.send().await.unwrap();
    }
}

#[tokio::test]
async fn only_deleting_a_version_removes_it() {
    let bench = Bench::start().await;
    let (first, second) = (bench.put("k", b"first").await, bench.put("k", b"second").await);
    let deleted = bench.s3.delete_object().bucket(PROOFS).key("k").send().await.unwrap();
    assert_eq!(deleted.delete_marker(), Some(true));
    let gone = bench.s3.get_object().bucket(PROOFS).key("k").send().await.unwrap_err();
    assert!(gone.as_service_error().unwrap().is_no_such_key());
    let old = bench.s3.get_object().bucket(PROOFS).key("k").version_id(&first).send().await.unwrap();
    assert_eq!(old.body.collect().await.unwrap().into_bytes().as_ref(), b"first");

    // A page size of one version.
    let (mut found, mut key, mut version) = (Vec::new(), None, None);
    loop {
        let list = bench.s3.list_object_versions().bucket(PROOFS).prefix("k").max_keys(1);
        let page = list.set_key_marker(key).set_version_id_marker(version).send().await.unwrap();
        let markers = page.delete_markers().iter().map(|marker| (marker.version_id(), marker.is_latest()));
        let versions = page.versions().iter().map(|version| (version.version_id(), version.is_latest()));
        found.extend(markers.chain(versions).map(|(id, is_latest)| (id.unwrap().to_owned(), is_latest.unwrap())));
        if page.is_truncated() != Some(true) {
            break;
        }
        (key, version) = (page.next_key_marker, page.next_version_id_marker);
    }
    let marker = deleted.version_id().unwrap().to_owned();
    assert_eq!(found, [(marker.clone(), true), (second, false), (first, false)]);

    bench.s3.delete_object().bucket(PROOFS).key("k").version_id(marker).send().await.unwrap();
    bench.s3.head_object().bucket(PROOFS).key("k").send().await.unwrap();
    let plain = bench.s3.delete_object().bucket(UPLOADS).key("k").send().await.unwrap();
    assert_eq!((plain.version_id(), plain.delete_marker()), (None, None));
}

#[tokio::test]
async fn delete_markers_count_as_absent() {
    let bench = Bench::start().await;
    let put = async || {
        let put = bench.s3.put_object().bucket(PROOFS).key("k").if_none_match("*");
        put.body(ByteStream::from_static(b"proof")).send().await
    };
    put().await.unwrap();
    assert_eq!(put().await.unwrap_err().code(), Some("PreconditionFailed"));
    bench.s3.delete_object().bucket(PROOFS).key("k").send().await.unwrap();
    put().await.unwrap();
}

#[tokio::test]
async fn versioning_is_off_until_enabled() {
    let bench = Bench::start().await;
    let status = async || bench.s3.get_bucket_versioning().bucket(UPLOADS).send().await.unwrap().status;
    assert_eq!(status().await, None);
    let enabled = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    let put = bench.s3.put_bucket_versioning().bucket(UPLOADS).versioning_configuration(enabled);
    put.send().await.unwrap();
    assert_eq!(status().await, Some(BucketVersioningStatus::Enabled));
}

#[tokio::test]
async fn returns_a_checksum_on_request() {
    let bench = Bench::start().await;
    let put = bench.s3.put_object().bucket(PROOFS).key("k").checksum_sha256(SHA256);
    put.body(ByteStream::from_static(b"proof")).send().await.unwrap();
    let head = || bench.s3.head_object().bucket(PROOFS).key("k");
    assert_eq!(head().send().await.unwrap().checksum_sha256(), None);
    let asked = head().checksum_mode(ChecksumMode::Enabled).send().await.unwrap();
    assert_eq!(asked.checksum_sha256(), Some(SHA256));
    let get = bench.s3.get_object().bucket(PROOFS).key("k").checksum_mode(ChecksumMode::Enabled);
    assert_eq!(get.send().await.unwrap().checksum_sha256(), Some(SHA256));
}

#[tokio::test]
async fn retention_is_bypassed_or_kept() {
    let bench = Bench::start().await;
    bench.retain(1).await;
    let version = bench.put("k", b"proof").await;
    let delete = |bucket: &str| bench.s3.delete_object().bucket(bucket).key("k").version_id(&version);
    assert_eq!(delete(PROOFS).send().await.unwrap_err().code(), Some("AccessDenied"));
    let head = bench.s3.head_object().bucket(PROOFS).key("k").send().await.unwrap();
    assert!(head.object_lock_retain_until_date().is_some());
    delete(PROOFS).bypass_governance_retention(true).send().await.unwrap();
    let unlocked = delete(UPLOADS).bypass_governance_retention(true).send().await.unwrap_err();
    assert_eq!(unlocked.code(), Some("InvalidArgument"));

    let lock = bench.s3.get_object_lock_configuration().bucket(PROOFS).send().await.unwrap();
    let lock = lock.object_lock_configuration.unwrap();
    assert_eq!(lock.rule().and_then(ObjectLockRule::default_retention).and_then(DefaultRetention::days), Some(1));
    let none = bench.s3.get_object_lock_configuration().bucket(UPLOADS).send().await.unwrap_err();
    assert_eq!(none.code(), Some("ObjectLockConfigurationNotFoundError"));
}

#[tokio::test]
async fn refuses_version_ids_to_the_presigner() {
    let bench = Bench::start().await;
    let version = bench.put("k", b"proof").await;
    let presigner = stack::s3(&bench.stack, PRESIGNER);
    presigner.get_object().bucket(PROOFS).key("k").send().await.unwrap();
    let by_id = presigner.get_object().bucket(PROOFS).key("k").version_id(version).send().await.unwrap_err();
    assert_eq!(by_id.code(), Some("AccessDenied"));
}
