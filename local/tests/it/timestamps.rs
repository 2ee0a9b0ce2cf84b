//! Tests the timestamp authority with `openssl ts`: granted timestamps verify, and failures state their reason.

use std::{fs, process::Command, sync::Arc};

use der::{
    Encode,
    asn1::{Any, Null, ObjectIdentifier, OctetString},
};
use lacre_domain::Clock;
use local::{Options, Service};
use reqwest::{Client, StatusCode};
use spki::AlgorithmIdentifierOwned;
use tempfile::TempDir;
use time::{OffsetDateTime, macros::datetime};
use x509_cert::ext::Extension;
use x509_tsp::{MessageImprint, TimeStampReq, TspVersion};

const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const NOW: OffsetDateTime = datetime!(2031-05-06 07:08:09.5 UTC);

/// A clock that always shows the same time.
struct Standing;

impl Clock for Standing {
    fn now(&self) -> OffsetDateTime {
        NOW
    }
}

/// A service, and a working directory for `openssl`.
struct Bench {
    service: Service,
    folder: TempDir,
}

impl Bench {
    async fn open() -> Self {
        let service = Service::start(Options { clock: Arc::new(Standing), ..Options::default() }).await.unwrap();
        let bench = Self { service, folder: tempfile::tempdir().unwrap() };
        bench.write("roots.pem", bench.service.trust_anchors_pem());
        bench.write("photo", "a photo");
        bench
    }

    fn write(&self, file: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(file), contents).unwrap();
    }

    /// Runs a command, given as words separated by spaces, which must succeed; returns its output.
    #[track_caller]
    fn openssl(&self, command: &str) -> String {
        let output = Command::new("openssl").args(command.split(' ')).current_dir(self.folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "openssl {command}: {said}");
        said
    }

    /// Sends a query to the authority, stores the response as `reply.tsr`, and returns `openssl`'s text form of it.
    async fn ask(&self, query: Vec<u8>) -> String {
        let post = Client::new().post(self.service.tsa_url()).header("content-type", "application/timestamp-query");
        let answer = post.body(query).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "application/timestamp-reply");
        self.write("reply.tsr", answer.bytes().await.unwrap());
        self.openssl("ts -reply -in reply.tsr -text")
    }

    /// The same for a query that `openssl` creates.
    async fn ask_for(&self, words: &str) -> String {
        self.openssl(&format!("ts -query -data photo -out query.tsq {words}"));
        self.ask(fs::read(self.folder.path().join("query.tsq")).unwrap()).await
    }
}

fn request() -> TimeStampReq {
    TimeStampReq {
        version: TspVersion::V1,
        message_imprint: MessageImprint {
            hash_algorithm: AlgorithmIdentifierOwned { oid: SHA_256, parameters: Some(Any::from(Null)) },
            hashed_message: OctetString::new([7; 32]).unwrap(),
        },
        req_policy: None,
        nonce: None,
        cert_req: true,
        extensions: None,
    }
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[tokio::test]
async fn openssl_accepts_what_it_grants() {
    let bench = Bench::open().await;
    let time = NOW.unix_timestamp();
    for digest in ["sha256", "sha384", "sha512"] {
        let said = bench.ask_for(&format!("-{digest} -cert")).await;
        let time_told = "Time stamp: May  6 07:08:09 2031 GMT";
        let parts = ["Status: Granted.", time_told, "Policy OID: 1.3.6.1.4.1.32473.3161", "Accuracy: 0x01 seconds"];
        assert_contains(&said, &parts);
        let verify = format!("ts -verify -in reply.tsr -CAfile roots.pem -attime {time}");
        // With the query, `openssl` also compares the nonce.
        assert_contains(&bench.openssl(&format!("{verify} -queryfile query.tsq")), &["Verification: OK"]);
        assert_contains(&bench.openssl(&format!("{verify} -data photo")), &["Verification: OK"]);
    }
}

#[tokio::test]
async fn sends_the_chain_only_on_request() {
    let bench = Bench::open().await;
    let certificates = || bench.openssl("pkcs7 -inform DER -in token.der -print_certs");
    bench.ask_for("-sha256 -cert").await;
    bench.openssl("ts -reply -in reply.tsr -token_out -out token.der");
    let chain = certificates();
    assert_eq!(chain.matches("BEGIN CERTIFICATE").count(), 2, "leaf and authority: {chain}");
    bench.write("chain.pem", &chain);

    bench.ask_for("-sha256 -no_nonce").await;
    bench.openssl("ts -reply -in reply.tsr -token_out -out token.der");
    assert_eq!(certificates().trim(), "");
    let verify = "ts -verify -in reply.tsr -CAfile roots.pem -untrusted chain.pem -queryfile query.tsq";
    let verify = format!("{verify} -attime {}", NOW.unix_timestamp());
    assert_contains(&bench.openssl(&verify), &["Verification: OK"]);
}

#[tokio::test]
async fn every_token_has_its_own_serial() {
    let bench = Bench::open().await;
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let said = bench.ask_for("-sha256 -cert").await;
        let number = said.lines().find_map(|line| line.strip_prefix("Serial number: ")).unwrap();
        numbers.push(number.to_owned());
    }
    assert_ne!(numbers[0], numbers[1]);
}

#[tokio::test]
async fn refuses_with_the_reason() {
    let bench = Bench::open().await;
    let refused = |said: &str, failure: &str| {
        let failure = format!("Failure info: {failure}\n");
        assert_contains(said, &["Status: Rejected.", failure.as_str(), "TST info:\nNot included."]);
    };
    refused(&bench.ask(b"no request".to_vec()).await, "transaction not permitted or supported");
    refused(&bench.ask_for("-sha1").await, "unrecognized or unsupported algorithm identifier");
    refused(&bench.ask_for("-sha256 -tspolicy 1.2.3.4").await, "the requested TSA policy is not supported by the TSA");

    let mut short = request();
    short.message_imprint.hashed_message = OctetString::new([7; 31]).unwrap();
    refused(&bench.ask(short.to_der().unwrap()).await, "the data submitted has the wrong format");
    let mut extended = request();
    let extension = Extension { extn_id: SHA_256, critical: false, extn_value: OctetString::new([5, 0]).unwrap() };
    extended.extensions = Some(vec![extension]);
    let failure = "the requested extension is not supported by the TSA";
    refused(&bench.ask(extended.to_der().unwrap()).await, failure);

    assert_contains(&bench.ask(request().to_der().unwrap()).await, &["Status: Granted."]);
    assert_contains(&bench.ask_for("-sha256 -tspolicy 1.3.6.1.4.1.32473.3161").await, &["Status: Granted."]);
}

#[tokio::test]
async fn refuses_other_methods_and_content_types() {
    let service = Service::start(Options::default()).await.unwrap();
    let url = service.tsa_url();
    let plain = Client::new().post(&url).header("content-type", "text/plain").body(request().to_der().unwrap());
    assert_eq!(plain.send().await.unwrap().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(Client::new().get(&url).send().await.unwrap().status(), StatusCode::METHOD_NOT_ALLOWED);
}
