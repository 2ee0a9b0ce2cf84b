//! Revocation lists and OCSP answers, made by `openssl` for a signer that it issued: what they say is judged at the trusted
//! time, and what nobody says is told.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod authority;
mod fixture;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use authority::{Authority, Stamping};
use fixture::{RsaKey, Sandbox, facts, synthetic};
use proof::{
    Timestamps,
    verify::{Anchors, Report, RevocationStatus, Revocations, check_with},
};
use rsa::pkcs8::DecodePrivateKey;
use time::{Duration, OffsetDateTime, UtcOffset, macros::format_description};
use x509_cert::Certificate;

/// An issuer in files, and a proof whose seal and whose timestamps' authority it issued.
struct Bench {
    folder: tempfile::TempDir,
    jpeg: Vec<u8>,
    anchors: Anchors,
}

const SETTINGS: &str = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\ncertificate = root.pem\n\
    private_key = root.key\ndefault_md = sha256\ndefault_crl_days = 7\ncrlnumber = crlnumber\n";
const SEAL: &str = "2A";
const AUTHORITY: &str = "2B";

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench =
            Self { folder, jpeg: Vec::new(), anchors: Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap() };
        fs::write(bench.path("ca.conf"), SETTINGS).unwrap();
        fs::write(bench.path("crlnumber"), "01\n").unwrap();
        let signs = "keyUsage=critical,digitalSignature,nonRepudiation";
        bench.certificate("root", "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign", None);
        bench.certificate("seal", &format!("extendedKeyUsage=emailProtection\n{signs}"), Some(SEAL));
        bench.certificate("tsa", &format!("extendedKeyUsage=critical,timeStamping\n{signs}"), Some(AUTHORITY));
        bench.certificate("responder", &format!("extendedKeyUsage=OCSPSigning\n{signs}"), Some("2C"));
        bench.certificate("stranger", signs, Some("2D"));
        bench.with_proof().await
    }

    async fn with_proof(self) -> Self {
        let mut sandbox = Sandbox::new();
        sandbox.rsa = RsaKey(self.key("seal"));
        sandbox.profile.seal.chain_pem = self.read("seal.pem") + &self.read("root.pem");
        let roots = sandbox.claim_anchor_pem.clone() + &self.read("root.pem");
        let authority = Authority {
            key: self.key("tsa"),
            chain: Certificate::load_pem_chain(self.read("tsa.pem").as_bytes()).unwrap(),
            anchors_pem: self.read("root.pem"),
        };
        // To the second above: the certificates are valid since this second.
        let stamping = Stamping::new(&authority, OffsetDateTime::now_utc() + Duration::seconds(1));
        let timestamps = Timestamps::Required(&stamping);
        let jpeg = sandbox.seal_with(&synthetic(240, 240, false), &facts(), timestamps).await.unwrap().jpeg;
        Self { jpeg, anchors: Anchors::from_pem(&roots).unwrap(), ..self }
    }

    fn key(&self, name: &str) -> rsa::pkcs1v15::SigningKey<sha2::Sha256> {
        let key = rsa::RsaPrivateKey::from_pkcs8_pem(&self.read(&format!("{name}.key"))).unwrap();
        rsa::pkcs1v15::SigningKey::new(key)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn openssl(&self, arguments: &[&str]) -> Output {
        let output = Command::new("openssl").args(arguments).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// A certificate of a new key: by the root with that serial number, or the root itself.
    fn certificate(&self, name: &str, extensions: &str, serial: Option<&str>) {
        fs::write(self.path("extensions"), extensions).unwrap();
        let (subject, key, out) = (format!("/C=BR/O=Test/CN={name}"), format!("{name}.key"), format!("{name}.pem"));
        self.openssl(&[
            "req", "-new", "-nodes", "-newkey", "rsa:2048", "-subj", &subject, "-keyout", &key, "-out", "req",
        ]);
        let number = serial.map(|serial| format!("0x{serial}"));
        let by = match &number {
            Some(number) => vec!["-CA", "root.pem", "-CAkey", "root.key", "-set_serial", number],
            None => vec!["-signkey", &key],
        };
        let sign = ["x509", "-req", "-in", "req", "-days", "30", "-extfile", "extensions", "-out", &out];
        self.openssl(&[&sign[..], &by].concat());
    }

    /// Writes down since when which certificate is revoked, and why.
    fn index(&self, revoked: Option<(&str, OffsetDateTime, &str)>) {
        let ends = index_time(OffsetDateTime::now_utc() + Duration::days(30));
        let line = |(serial, name): (&str, &str)| match revoked {
            Some((wanted, at, reason)) if wanted == serial => {
                format!("R\t{ends}\t{},{reason}\t{serial}\tunknown\t/CN={name}\n", index_time(at))
            }
            _ => format!("V\t{ends}\t\t{serial}\tunknown\t/CN={name}\n"),
        };
        fs::write(self.path("index.txt"), [(SEAL, "seal"), (AUTHORITY, "tsa")].map(line).concat()).unwrap();
    }

    fn list(&self, more: &[&str]) -> Vec<u8> {
        self.openssl(&[&["ca", "-gencrl", "-config", "ca.conf", "-out", "list.pem"][..], more].concat());
        fs::read(self.path("list.pem")).unwrap()
    }

    fn answer(&self, responder: &str) -> Vec<u8> {
        let (signer, key) = (format!("{responder}.pem"), format!("{responder}.key"));
        self.openssl(&["ocsp", "-issuer", "root.pem", "-cert", "seal.pem", "-reqout", "query", "-no_nonce"]);
        let reply = ["ocsp", "-index", "index.txt", "-CA", "root.pem", "-reqin", "query", "-respout", "answer"];
        self.openssl(&[&reply[..], &["-rsigner", &signer, "-rkey", &key, "-ndays", "1"]].concat());
        fs::read(self.path("answer")).unwrap()
    }

    /// The report of the day after tomorrow.
    fn judge(&self, lists: &[&[u8]], answers: &[&[u8]]) -> Report {
        let mut revocations = Revocations::default();
        lists.iter().for_each(|list| revocations.add_list(list).unwrap());
        answers.iter().for_each(|answer| revocations.add_answer(answer).unwrap());
        check_with(&self.jpeg, &self.anchors, &revocations, OffsetDateTime::now_utc() + Duration::days(2)).report
    }
}

/// As `openssl ca` writes times.
fn index_time(at: OffsetDateTime) -> String {
    let format = format_description!("[year repr:last_two][month][day][hour][minute][second]Z");
    at.to_offset(UtcOffset::UTC).format(format).unwrap()
}

fn failed(report: &Report) -> Vec<&str> {
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

/// What is known of the seal's certificate.
fn known(report: &Report) -> Vec<RevocationStatus> {
    let of_seal =
        report.revocations.iter().filter(|known| known.part == "seal" && known.certificate.contains("CN=seal"));
    of_seal.map(|known| known.status).collect()
}

/// What is not known of it.
fn unknown(report: &Report) -> Vec<&str> {
    report.not_checked.iter().filter(|gap| gap.part == "seal").map(|gap| gap.what.as_str()).collect()
}

#[tokio::test]
async fn what_nobody_says_is_told_as_not_checked() {
    let bench = Bench::new().await;
    let report = bench.judge(&[], &[]);
    assert!(report.valid, "{report}");
    let parts: Vec<_> = report.not_checked.iter().map(|gap| gap.part).collect();
    assert_eq!(
        parts,
        ["claim", "claim", "claim timestamp", "seal", "seal timestamp"],
        "an intermediate is one of them"
    );
    assert!(unknown(&report)[0].ends_with("no list and no answer about it was given"));
    assert!(report.revocations.is_empty());
}

#[tokio::test]
async fn a_list_is_judged_at_the_trusted_time() {
    let bench = Bench::new().await;
    let now = OffsetDateTime::now_utc();
    bench.index(None);
    let report = bench.judge(&[&bench.list(&[])], &[]);
    assert!(report.valid, "{report}");
    assert_eq!((known(&report), unknown(&report)), (vec![RevocationStatus::Good], vec![]));
    assert!(report.checks.iter().any(|check| check.name == "seal revocation"));

    bench.index(Some((SEAL, now - Duration::hours(1), "keyCompromise")));
    let before = bench.list(&[]);
    let report = bench.judge(&[&before], &[]);
    assert_eq!((failed(&report), known(&report)), (vec!["seal revocation"], vec![RevocationStatus::Revoked]));

    bench.index(Some((SEAL, now + Duration::days(1), "keyCompromise")));
    let after = bench.list(&[]);
    let report = bench.judge(&[&after], &[]);
    assert!(report.valid, "{report}");
    assert_eq!(known(&report), [RevocationStatus::Revoked], "what came later is told");

    assert_eq!(failed(&bench.judge(&[&after, &before], &[])), ["seal revocation"], "the earlier one counts");
}

#[tokio::test]
async fn an_authority_whose_key_was_lost_later_proves_no_time_any_more() {
    let bench = Bench::new().await;
    let tomorrow = OffsetDateTime::now_utc() + Duration::days(1);
    bench.index(Some((AUTHORITY, tomorrow, "superseded")));
    assert!(bench.judge(&[&bench.list(&[])], &[]).valid, "the key was not lost");
    bench.index(Some((AUTHORITY, tomorrow, "keyCompromise")));
    let report = bench.judge(&[&bench.list(&[])], &[]);
    assert_eq!(failed(&report), ["claim timestamp revocation", "seal timestamp revocation"]);
}

#[tokio::test]
async fn an_answer_is_the_issuers_or_of_one_who_answers_for_it() {
    let bench = Bench::new().await;
    let now = OffsetDateTime::now_utc();
    for responder in ["root", "responder"] {
        bench.index(None);
        let report = bench.judge(&[], &[&bench.answer(responder)]);
        assert!(report.valid, "{responder}: {report}");
        assert_eq!(known(&report), [RevocationStatus::Good], "{responder}");
        bench.index(Some((SEAL, now - Duration::hours(1), "keyCompromise")));
        let report = bench.judge(&[], &[&bench.answer(responder)]);
        assert_eq!(failed(&report), ["seal revocation"], "{responder}");
    }
    let report = bench.judge(&[], &[&bench.answer("stranger")]);
    assert!(report.valid, "{report}");
    assert!(unknown(&report)[0].ends_with("is not signed by it"), "{report}");
}

#[tokio::test]
async fn a_list_that_is_of_another_or_too_old_tells_nothing() {
    let (bench, other) = (Bench::new().await, Bench::new().await);
    let now = OffsetDateTime::now_utc();
    other.index(Some((SEAL, now - Duration::hours(1), "keyCompromise")));
    let report = bench.judge(&[&other.list(&[])], &[]);
    assert!(report.valid && known(&report).is_empty(), "{report}");
    assert!(unknown(&report)[0].ends_with("is not signed by it"), "a root of the same name with another key");

    bench.index(None);
    let [last, next] = [3, 2].map(|days| index_time(now - Duration::days(days)));
    let old = bench.list(&["-crl_lastupdate", &last, "-crl_nextupdate", &next]);
    let report = bench.judge(&[&old], &[]);
    assert!(report.valid && known(&report).is_empty(), "{report}");
    assert!(unknown(&report)[0].ends_with("does not reach until then"), "{report}");
}

#[tokio::test]
async fn what_is_no_list_and_no_answer_is_refused() {
    let mut revocations = Revocations::default();
    for bad in [&b""[..], b"no list", b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n", &[0x30, 0x00]] {
        assert!(revocations.add_list(bad).is_err(), "{bad:?}");
        assert!(revocations.add_answer(bad).is_err(), "{bad:?}");
    }
    // An OCSP responder that refuses: unauthorized.
    assert!(revocations.add_answer(&[0x30, 0x03, 0x0A, 0x01, 0x06]).is_err());
}
