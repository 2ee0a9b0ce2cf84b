//! Tests the S3 stand-in with the AWS SDK, and with a plain HTTP client in place of a browser.

use std::time::{Duration, SystemTime};

use aws_sdk_s3::{
    Client,
    error::ProvideErrorMetadata,
    presigning::PresigningConfig,
    primitives::ByteStream,
    types::{CorsConfiguration, CorsRule},
};
use local::{Storage, stand_ins::Stack};
use reqwest::{Method, StatusCode};

use super::stack::{self, PRESIGNER, PROOFS, ROLE, UPLOADS};

struct Bench {
    stack: Stack,
    s3: Client,
    browser: reqwest::Client,
}

impl Bench {
    async fn start() -> Self {
        Self::on(&Storage::Memory).await
    }

    async fn on(storage: &Storage) -> Self {
        let stack = stack::start(storage).await;
        let s3 = stack::s3(&stack, ROLE);
        for bucket in [UPLOADS, PROOFS] {
            let created = s3.create_bucket().bucket(bucket).send().await;
            assert!(created.is_ok() || created.is_err_and(|error| error.code() == Some("BucketAlreadyOwnedByYou")));
        }
        Self { stack, s3, browser: reqwest::Client::new() }
    }

    /// A presigned URL for uploading a JPEG, signed `age` ago and valid for five minutes.
    async fn upload_url(&self, key: &str, age: Duration) -> String {
        let put = self.s3.put_object().bucket(UPLOADS).key(key).content_type("image/jpeg");
        put.presigned(validity(age, 300)).await.unwrap().uri().to_owned()
    }

    async fn put(&self, url: &str, content_type: &str, body: &'static [u8]) -> (StatusCode, String) {
        answer(self.browser.put(url).header("content-type", content_type).body(body)).await
    }

    async fn keys(&self) -> Vec<String> {
        let listed = self.s3.list_objects_v2().bucket(UPLOADS).send().await.unwrap();
        listed.contents().iter().map(|object| object.key().unwrap().to_owned()).collect()
    }
}

fn validity(age: Duration, seconds: u64) -> PresigningConfig {
    PresigningConfig::builder()
        .start_time(SystemTime::now() - age)
        .expires_in(Duration::from_secs(seconds))
        .build()
        .unwrap()
}

/// The status, and the error code and message if there is an error.
async fn answer(request: reqwest::RequestBuilder) -> (StatusCode, String) {
    let response = request.send().await.unwrap();
    let (status, text) = (response.status(), response.text().await.unwrap());
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once('<').map(|(value, _)| value.to_owned())
    };
    (status, [element("Code"), element("Message")].into_iter().flatten().collect::<Vec<_>>().join(": "))
}

#[tokio::test]
async fn stores_an_upload_with_its_type() {
    let bench = Bench::start().await;
    let url = bench.upload_url("a/b.jpg", Duration::ZERO).await;
    assert_eq!(bench.put(&url, "image/jpeg", b"pixels").await, (StatusCode::OK, String::new()));

    let object = bench.s3.get_object().bucket(UPLOADS).key("a/b.jpg").send().await.unwrap();
    assert_eq!(object.content_type(), Some("image/jpeg"));
    assert_eq!(object.content_length(), Some(6));
    assert_eq!(object.body.collect().await.unwrap().into_bytes().as_ref(), b"pixels");
}

#[tokio::test]
async fn presigned_urls_permit_only_their_request() {
    let bench = Bench::start().await;
    let url = bench.upload_url("a.jpg", Duration::ZERO).await;

    let other_key = url.replace("a.jpg", "b.jpg");
    let longer = url.replace("X-Amz-Expires=300", "X-Amz-Expires=3000");
    let last = if url.ends_with('0') { "1" } else { "0" };
    let other_signature = format!("{}{last}", &url[..url.len() - 1]);
    for wrong in [&other_key, &longer, &other_signature] {
        let (status, error) = bench.put(wrong, "image/jpeg", b"x").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{wrong}");
        assert!(error.starts_with("SignatureDoesNotMatch"), "{error}");
    }
    let (status, error) = bench.put(&url, "text/html", b"x").await;
    assert_eq!((status, error.split(':').next()), (StatusCode::FORBIDDEN, Some("SignatureDoesNotMatch")));
    let (status, error) = answer(bench.browser.get(&url)).await;
    assert_eq!((status, error.split(':').next()), (StatusCode::FORBIDDEN, Some("SignatureDoesNotMatch")));
    assert_eq!(bench.keys().await, Vec::<String>::new());
}

#[tokio::test]
async fn refuses_an_expired_presigned_url() {
    let bench = Bench::start().await;
    let alive = bench.upload_url("a.jpg", Duration::from_secs(290)).await;
    let dead = bench.upload_url("b.jpg", Duration::from_secs(301)).await;

    assert_eq!(bench.put(&alive, "image/jpeg", b"x").await.0, StatusCode::OK);
    let refused = (StatusCode::FORBIDDEN, "AccessDenied: Request has expired".to_owned());
    assert_eq!(bench.put(&dead, "image/jpeg", b"x").await, refused);
    assert_eq!(bench.keys().await, ["a.jpg"]);
}

#[tokio::test]
async fn refuses_unknown_callers() {
    let bench = Bench::start().await;
    let unsigned = format!("{}/{UPLOADS}/a.jpg", bench.stack.s3_url());
    assert_eq!(
        answer(bench.browser.get(&unsigned)).await,
        (StatusCode::FORBIDDEN, "AccessDenied: Access Denied".to_owned())
    );

    let stranger = stack::s3(&bench.stack, ("stranger", "secret"));
    let error = stranger.list_objects_v2().bucket(UPLOADS).send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidAccessKeyId"));
    let impostor = stack::s3(&bench.stack, (ROLE.0, "wrong"));
    let error = impostor.list_objects_v2().bucket(UPLOADS).send().await.unwrap_err();
    assert_eq!(error.code(), Some("SignatureDoesNotMatch"));
}

#[tokio::test]
async fn the_presigner_reads_only_proofs() {
    let bench = Bench::start().await;
    for bucket in [UPLOADS, PROOFS] {
        bench.s3.put_object().bucket(bucket).key("k").body(ByteStream::from_static(b"proof")).send().await.unwrap();
    }
    let presigner = stack::s3(&bench.stack, PRESIGNER);
    let url = async |bucket: &str, key: &str| {
        let get = presigner.get_object().bucket(bucket).key(key);
        get.presigned(validity(Duration::ZERO, 7 * 24 * 3600)).await.unwrap().uri().to_owned()
    };
    let get = async |url: String| answer(bench.browser.get(url)).await;
    let denied = (StatusCode::FORBIDDEN, "AccessDenied: Access Denied".to_owned());

    assert_eq!(get(url(PROOFS, "k").await).await, (StatusCode::OK, String::new()));
    assert_eq!(get(url(UPLOADS, "k").await).await, denied);
    assert_eq!(get(url(PROOFS, "absent").await).await, denied);
    let put = presigner.put_object().bucket(PROOFS).key("x").body(ByteStream::from_static(b"x")).send().await;
    assert_eq!(put.unwrap_err().code(), Some("AccessDenied"));
    let list = presigner.list_objects_v2().bucket(PROOFS).send().await;
    assert_eq!(list.unwrap_err().code(), Some("AccessDenied"));
    let delete = presigner.delete_object().bucket(PROOFS).key("k").send().await;
    assert_eq!(delete.unwrap_err().code(), Some("AccessDenied"));
}

#[tokio::test]
async fn stores_nothing_with_a_wrong_checksum() {
    let bench = Bench::start().await;
    let put = |key: &str| bench.s3.put_object().bucket(UPLOADS).key(key).body(ByteStream::from_static(b"pixels"));

    let wrong = [
        put("a").checksum_sha256(sha256_base64(b"others")).send().await,
        put("a").checksum_crc32("AAAAAA==").send().await,
        put("a").content_md5("1B2M2Y8AsgTpgAmY7PhCfg==").send().await,
    ];
    for refused in wrong {
        assert_eq!(refused.unwrap_err().code(), Some("BadDigest"));
    }
    assert_eq!(bench.keys().await, Vec::<String>::new());
    put("b").checksum_sha256(sha256_base64(b"pixels")).send().await.unwrap();
    assert_eq!(bench.keys().await, ["b"]);
}

fn sha256_base64(bytes: &[u8]) -> String {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use sha2::{Digest, Sha256};
    BASE64_STANDARD.encode(Sha256::digest(bytes))
}

#[tokio::test]
async fn refuses_a_body_with_another_hash() {
    let bench = Bench::start().await;
    let url = bench.upload_url("a.jpg", Duration::ZERO).await;
    let hash_of_another = "0".repeat(64);
    let put = bench.browser.put(&url).header("content-type", "image/jpeg");
    let (status, error) = answer(put.header("x-amz-content-sha256", hash_of_another).body("pixels")).await;
    assert_eq!((status, error.split(':').next()), (StatusCode::BAD_REQUEST, Some("XAmzContentSHA256Mismatch")));
    assert_eq!(bench.keys().await, Vec::<String>::new());
}

#[tokio::test]
async fn one_of_many_creations_wins() {
    let bench = Bench::start().await;
    let attempts = (0..16).map(|n| {
        let put = bench.s3.put_object().bucket(PROOFS).key("one").if_none_match("*");
        put.body(ByteStream::from(vec![n; 64 * 1024])).send()
    });
    let outcomes = futures_util::future::join_all(attempts).await;
    let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    assert!(refused.clone().all(|error| error.code() == Some("PreconditionFailed")));
    assert_eq!(refused.count(), 15);
}

#[tokio::test]
async fn returns_the_errors_of_s3() {
    let bench = Bench::start().await;
    let absent = bench.s3.get_object().bucket(UPLOADS).key("absent").send().await.unwrap_err();
    assert!(absent.as_service_error().unwrap().is_no_such_key());
    let absent = bench.s3.head_object().bucket(UPLOADS).key("absent").send().await.unwrap_err();
    assert!(absent.as_service_error().unwrap().is_not_found());
    let nowhere = bench.s3.get_object().bucket("nowhere").key("k").send().await.unwrap_err();
    assert_eq!(nowhere.code(), Some("NoSuchBucket"));
    bench.s3.delete_object().bucket(UPLOADS).key("absent").send().await.unwrap();
}

#[tokio::test]
async fn lists_any_keys_in_order() {
    let bench = Bench::start().await;
    for key in ["x/y", "x", "x/..", "ação.jpg", "a b+c"] {
        bench.s3.put_object().bucket(UPLOADS).key(key).body(ByteStream::from_static(b"1")).send().await.unwrap();
    }
    assert_eq!(bench.keys().await, ["a b+c", "ação.jpg", "x", "x/..", "x/y"]);
    let page = bench.s3.list_objects_v2().bucket(UPLOADS).prefix("x").max_keys(2).send().await.unwrap();
    let next = page.next_continuation_token().unwrap();
    let rest = bench.s3.list_objects_v2().bucket(UPLOADS).prefix("x").continuation_token(next).send().await.unwrap();
    assert_eq!(rest.contents().iter().filter_map(|object| object.key()).collect::<Vec<_>>(), ["x/y"]);
    bench.s3.delete_object().bucket(UPLOADS).key("x").send().await.unwrap();
    assert_eq!(bench.keys().await, ["a b+c", "ação.jpg", "x/..", "x/y"]);
}

#[tokio::test]
async fn a_range_is_served() {
    let bench = Bench::start().await;
    bench.s3.put_object().bucket(PROOFS).key("k").body(ByteStream::from_static(b"012345")).send().await.unwrap();
    let part = bench.s3.get_object().bucket(PROOFS).key("k").range("bytes=1-3").send().await.unwrap();
    assert_eq!(part.content_range(), Some("bytes 1-3/6"));
    assert_eq!(part.body.collect().await.unwrap().into_bytes().as_ref(), b"123");
}

#[tokio::test]
async fn bucket_cors_rules_admit_browsers() {
    let bench = Bench::start().await;
    let rule = CorsRule::builder().allowed_origins("*").allowed_methods("PUT").allowed_headers("content-type");
    let rules = CorsConfiguration::builder().cors_rules(rule.max_age_seconds(7200).build().unwrap()).build().unwrap();
    bench.s3.put_bucket_cors().bucket(UPLOADS).cors_configuration(rules).send().await.unwrap();
    let url = bench.upload_url("a.jpg", Duration::ZERO).await;
    let preflight = async |url: &str, method: &str, headers: &str| {
        let ask = bench.browser.request(Method::OPTIONS, url).header("origin", "https://app.example.com");
        let ask = ask.header("access-control-request-method", method);
        let response = ask.header("access-control-request-headers", headers).send().await.unwrap();
        (response.status(), response.headers().clone())
    };

    let (status, headers) = preflight(&url, "PUT", "content-type").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(headers["access-control-allow-origin"], "*");
    assert_eq!(headers["access-control-allow-methods"], "PUT");
    assert_eq!(headers["access-control-allow-headers"], "content-type");
    assert_eq!(headers["access-control-max-age"], "7200");
    assert_eq!(preflight(&url, "DELETE", "content-type").await.0, StatusCode::FORBIDDEN);
    assert_eq!(preflight(&url, "PUT", "x-secret").await.0, StatusCode::FORBIDDEN);
    let elsewhere = format!("{}/{PROOFS}/k", bench.stack.s3_url());
    assert_eq!(preflight(&elsewhere, "GET", "").await.0, StatusCode::FORBIDDEN);

    let put = bench.browser.put(&url).header("origin", "https://app.example.com").header("content-type", "image/jpeg");
    let uploaded = put.body("pixels").send().await.unwrap();
    assert_eq!(uploaded.status(), StatusCode::OK);
    assert_eq!(uploaded.headers()["access-control-allow-origin"], "*");
}

#[tokio::test]
async fn objects_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().join("data"));
    let bench = Bench::on(&storage).await;
    let url = bench.upload_url("a/b.jpg", Duration::ZERO).await;
    assert_eq!(bench.put(&url, "image/jpeg", b"line\npixels").await.0, StatusCode::OK);
    drop(bench);

    let bench = Bench::on(&storage).await;
    let object = bench.s3.get_object().bucket(UPLOADS).key("a/b.jpg").send().await.unwrap();
    assert_eq!(object.content_type(), Some("image/jpeg"));
    assert_eq!(object.body.collect().await.unwrap().into_bytes().as_ref(), b"line\npixels");
    bench.s3.delete_object().bucket(UPLOADS).key("a/b.jpg").send().await.unwrap();
    drop(bench);
    assert_eq!(Bench::on(&storage).await.keys().await, Vec::<String>::new());
}
