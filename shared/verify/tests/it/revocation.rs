//! Tests of CRLs and OCSP responses, made by `openssl` or in this file for a signer whose certificate `openssl` issued:
//! they are evaluated at the trusted time, and what remains unknown is reported.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use const_oid::ObjectIdentifier;
use der::{
    Any, Encode,
    asn1::{BitString, GeneralizedTime, Null, OctetString},
};
use lacre_proof::{Anchors, Timestamps};
use lacre_proof_fixtures::authority::{Authority, NONE, Stamping};
use lacre_proof_fixtures::log::Log;
use lacre_proof_fixtures::{EcKey, RsaKey, Sandbox, facts, facts_at, synthetic};
use lacre_verify::{LogEvidence, Report, Requirements, RevocationStatus, Revocations, check, check_with};
use rsa::pkcs8::DecodePrivateKey;
use sha2::{Digest, Sha256};
use signature::{SignatureEncoding, Signer};
use spki::AlgorithmIdentifierOwned;
use time::{Duration, OffsetDateTime, UtcOffset, macros::format_description};
use x509_cert::{Certificate, ext::Extension};
use x509_ocsp::{
    BasicOcspResponse, CertId, CertStatus, OcspGeneralizedTime, OcspResponse, ResponderId, ResponseData, RevokedInfo,
    SingleResponse, Version,
};

/// An issuer with its files, and a proof whose seal and timestamp authority have certificates of this issuer.
struct Bench {
    folder: tempfile::TempDir,
    jpeg: Vec<u8>,
    anchors: Anchors,
}

const SETTINGS: &str = "[ca]\ndefault_ca = here\n[here]\ndatabase = index.txt\ncertificate = root.pem\n\
    private_key = root.key\ndefault_md = sha256\ndefault_crl_days = 7\ncrlnumber = crlnumber\nserial = serial\n\
    new_certs_dir = .\npolicy = names\n[names]\ncountryName = supplied\norganizationName = supplied\n\
    commonName = supplied\n";
const SEAL: &str = "2A";
const AUTHORITY: &str = "2B";
/// The distribution point in the seal's certificate.
const POINT: &str = "crlDistributionPoints=URI:http://here.example/list";
const NO_REASON: &str = "";
const ARCHIVE_CUTOFF: &str = "1.3.6.1.5.5.7.48.1.6";

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench =
            Self { folder, jpeg: Vec::new(), anchors: Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap() };
        fs::write(bench.path("ca.conf"), SETTINGS).unwrap();
        fs::write(bench.path("crlnumber"), "01\n").unwrap();
        let signs = "keyUsage=critical,digitalSignature,nonRepudiation";
        let answers = "extendedKeyUsage=OCSPSigning";
        let (tomorrow, next_month) = (hours(24), hours(720));
        bench.root();
        bench.certificate("seal", &format!("extendedKeyUsage=emailProtection\n{POINT}\n{signs}"), SEAL, tomorrow);
        bench.certificate("tsa", &format!("extendedKeyUsage=critical,timeStamping\n{signs}"), AUTHORITY, next_month);
        bench.certificate("responder", &format!("{answers}\nnoCheck=ignored\n{signs}"), "2C", hours(12));
        bench.certificate("unvouched", &format!("{answers}\n{signs}"), "2D", tomorrow);
        bench.certificate("encrypter", &format!("{answers}\nkeyUsage=critical,keyEncipherment"), "2E", tomorrow);
        bench.certificate("stranger", signs, "2F", tomorrow);
        bench.with_proof().await
    }

    async fn with_proof(self) -> Self {
        let sandbox = self.sandbox();
        let roots = sandbox.claim_anchor_pem.clone() + &self.read("root.pem");
        let authority = self.authority();
        let stamping = Stamping::new(&authority, hours(-1));
        let timestamps = Timestamps::Required(&stamping);
        let facts = facts_at(stamping.at);
        let jpeg = sandbox.seal_with(&synthetic(240, 240, false), &facts, timestamps).await.unwrap().jpeg;
        Self { jpeg, anchors: Anchors::from_pem(&roots).unwrap(), ..self }
    }

    fn authority(&self) -> Authority {
        Authority {
            key: self.key("tsa"),
            chain: Certificate::load_pem_chain(self.read("tsa.pem").as_bytes()).unwrap(),
            anchors_pem: self.read("root.pem"),
        }
    }

    /// The shared sandbox with a seal of this issuer.
    fn sandbox(&self) -> Sandbox {
        let shared = Sandbox::shared();
        let mut profile = shared.profile.clone();
        profile.seal.chain_pem = self.read("seal.pem") + &self.read("root.pem");
        Sandbox {
            profile,
            rsa: RsaKey(self.key("seal")),
            ec: EcKey(shared.ec.0.clone()),
            anchors_pem: shared.anchors_pem.clone(),
            claim_anchor_pem: shared.claim_anchor_pem.clone(),
            seal_anchor_pem: shared.seal_anchor_pem.clone(),
        }
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

    fn request(&self, name: &str) {
        let (subject, key) = (format!("/C=BR/O=Test/CN={name}"), format!("{name}.key"));
        self.openssl(&[
            "req", "-new", "-nodes", "-newkey", "rsa:2048", "-subj", &subject, "-keyout", &key, "-out", "req",
        ]);
    }

    fn root(&self) {
        fs::write(self.path("extensions"), "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign")
            .unwrap();
        self.request("root");
        let sign = ["x509", "-req", "-in", "req", "-signkey", "root.key", "-extfile", "extensions", "-out", "root.pem"];
        self.openssl(&sign);
    }

    /// Issues a certificate for a new key, valid since yesterday.
    fn certificate(&self, name: &str, extensions: &str, serial: &str, ends: OffsetDateTime) {
        fs::write(self.path("extensions"), extensions).unwrap();
        fs::write(self.path("serial"), serial).unwrap();
        fs::write(self.path("index.txt"), "").unwrap();
        self.request(name);
        let (from, until, out) = (index_time(hours(-24)), index_time(ends), format!("{name}.pem"));
        let sign = ["ca", "-batch", "-notext", "-config", "ca.conf", "-in", "req", "-extfile", "extensions"];
        self.openssl(&[&sign[..], &["-startdate", &from, "-enddate", &until, "-out", &out]].concat());
    }

    /// Writes the index of `openssl ca`: which certificate is revoked, since when, and why.
    fn index(&self, revoked: Option<(&str, OffsetDateTime, &str)>) {
        let ends = index_time(OffsetDateTime::now_utc() + Duration::days(30));
        let line = |(serial, name): (&str, &str)| match revoked {
            Some((wanted, at, reason)) if wanted == serial => {
                let comma = if reason == NO_REASON { "" } else { "," };
                format!("R\t{ends}\t{}{comma}{reason}\t{serial}\tunknown\t/CN={name}\n", index_time(at))
            }
            _ => format!("V\t{ends}\t\t{serial}\tunknown\t/CN={name}\n"),
        };
        fs::write(self.path("index.txt"), [(SEAL, "seal"), (AUTHORITY, "tsa")].map(line).concat()).unwrap();
    }

    fn list(&self) -> Vec<u8> {
        self.list_of(OffsetDateTime::now_utc(), "")
    }

    /// A list that was published at the given time, with the given extensions.
    fn list_of(&self, published: OffsetDateTime, extensions: &str) -> Vec<u8> {
        fs::write(self.path("list.conf"), format!("{SETTINGS}[more]\n{extensions}\n")).unwrap();
        let [last, next] = [published, published + Duration::days(7)].map(index_time);
        let make = ["ca", "-gencrl", "-config", "list.conf", "-crlexts", "more", "-out", "list.pem"];
        self.openssl(&[&make[..], &["-crl_lastupdate", &last, "-crl_nextupdate", &next]].concat());
        fs::read(self.path("list.pem")).unwrap()
    }

    fn answer(&self, responder: &str) -> Vec<u8> {
        let (signer, key) = (format!("{responder}.pem"), format!("{responder}.key"));
        self.openssl(&["ocsp", "-issuer", "root.pem", "-cert", "seal.pem", "-reqout", "query", "-no_nonce"]);
        let reply = ["ocsp", "-index", "index.txt", "-CA", "root.pem", "-reqin", "query", "-respout", "answer"];
        self.openssl(&[&reply[..], &["-rsigner", &signer, "-rkey", &key, "-ndays", "1"]].concat());
        fs::read(self.path("answer")).unwrap()
    }

    fn load(&self, name: &str) -> Certificate {
        Certificate::load_pem_chain(self.read(&format!("{name}.pem")).as_bytes()).unwrap().remove(0)
    }

    /// The statement "good" about the seal's certificate, as of the given time.
    fn good(&self, at: OffsetDateTime) -> SingleResponse {
        let root = self.load("root").tbs_certificate;
        let hash = |bytes: &[u8]| OctetString::new(Sha256::digest(bytes).to_vec()).unwrap();
        SingleResponse {
            cert_id: CertId {
                hash_algorithm: lacre_proof_fixtures::authority::sha_256(),
                issuer_name_hash: hash(&root.subject.to_der().unwrap()),
                issuer_key_hash: hash(root.subject_public_key_info.subject_public_key.raw_bytes()),
                serial_number: self.load("seal").tbs_certificate.serial_number,
            },
            cert_status: CertStatus::good(),
            this_update: ocsp_time(at),
            next_update: None,
            single_extensions: None,
        }
    }

    /// A response that was produced at the given time and signed with the named responder's key.
    fn signed(
        &self,
        responder: &str,
        produced_at: OffsetDateTime,
        responses: Vec<SingleResponse>,
        response_extensions: Option<Vec<Extension>>,
    ) -> Vec<u8> {
        let certificate = self.load(responder);
        let tbs_response_data = ResponseData {
            version: Version::V1,
            responder_id: ResponderId::ByName(certificate.tbs_certificate.subject.clone()),
            produced_at: ocsp_time(produced_at),
            responses,
            response_extensions,
        };
        let signature = self.key(responder).sign(&tbs_response_data.to_der().unwrap()).to_vec();
        let basic = BasicOcspResponse {
            tbs_response_data,
            signature_algorithm: AlgorithmIdentifierOwned {
                oid: lacre_proof_fixtures::authority::SHA_256_WITH_RSA,
                parameters: Some(Any::from(Null)),
            },
            signature: BitString::from_bytes(&signature).unwrap(),
            certs: Some(vec![certificate]),
        };
        OcspResponse::successful(basic).unwrap().to_der().unwrap()
    }

    /// The report of a check that is made the day after tomorrow.
    fn judge(&self, lists: &[&[u8]], answers: &[&[u8]]) -> Report {
        self.judge_at(lists, answers, hours(48))
    }

    fn judge_at(&self, lists: &[&[u8]], answers: &[&[u8]], at: OffsetDateTime) -> Report {
        let mut revocations = Revocations::default();
        lists.iter().for_each(|list| revocations.add_list(list).unwrap());
        answers.iter().for_each(|answer| revocations.add_answer(answer).unwrap());
        check_with(&self.jpeg, &self.anchors, &revocations, &Requirements::default(), at).report
    }
}

fn hours(from_now: i64) -> OffsetDateTime {
    OffsetDateTime::now_utc() + Duration::hours(from_now)
}

fn ocsp_time(at: OffsetDateTime) -> OcspGeneralizedTime {
    let since_epoch = std::time::Duration::from_secs(at.unix_timestamp().unsigned_abs());
    OcspGeneralizedTime(GeneralizedTime::from_unix_duration(since_epoch).unwrap())
}

fn extension(oid: &str, critical: bool, value: &impl Encode) -> Extension {
    let extn_value = OctetString::new(value.to_der().unwrap()).unwrap();
    Extension { extn_id: ObjectIdentifier::new_unwrap(oid), critical, extn_value }
}

/// A time in the format of `openssl ca`.
fn index_time(at: OffsetDateTime) -> String {
    let format = format_description!("[year repr:last_two][month][day][hour][minute][second]Z");
    at.to_offset(UtcOffset::UTC).format(format).unwrap()
}

fn failed(report: &Report) -> Vec<&str> {
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

/// The known statuses of the seal's certificate.
fn known(report: &Report) -> Vec<RevocationStatus> {
    let of_seal =
        report.revocations.iter().filter(|known| known.part == "seal" && known.certificate.contains("CN=seal"));
    of_seal.map(|known| known.status).collect()
}

/// What is reported as unknown about the seal's certificates.
fn unknown(report: &Report) -> Vec<&str> {
    report.not_checked.iter().filter(|gap| gap.part == "seal").map(|gap| gap.what.as_str()).collect()
}

#[tokio::test]
async fn reports_missing_answers_as_not_checked() {
    let bench = Bench::new().await;
    let report = bench.judge(&[], &[]);
    assert!(report.valid, "{report}");
    let gaps = report.not_checked.iter().filter(|gap| gap.certificate.is_some());
    let parts: Vec<_> = gaps.map(|gap| gap.part).collect();
    assert_eq!(
        parts,
        ["claim", "claim", "claim timestamp", "seal", "seal timestamp"],
        "an intermediate is one of them"
    );
    assert!(unknown(&report)[0].ends_with("no CRL or OCSP response given"));
    assert!(report.revocations.is_empty());

    let (lines, listed) = (report.to_string(), report.verbose().to_string());
    let summary = "  not checked: revocation of 4 certificates (no CRL or OCSP response given that covers them; list them with \
                   --verbose)\n";
    assert_eq!((lines.matches(summary).count(), lines.matches("revocation of").count()), (1, 1), "{lines}");
    assert!(!listed.contains(summary), "{listed}");
    for (gap, certificate) in report.not_checked.iter().filter_map(|gap| Some((gap, gap.certificate.as_ref()?))) {
        let line = format!("not checked: {}: revocation of the certificate of {certificate}: no CRL", gap.part);
        assert!(listed.contains(&line), "{line} is missing in {listed}");
    }
    let accreditation = "not checked: seal timestamp: whether ICP-Brasil accredited the timestamp authority";
    assert!(lines.contains(accreditation) && listed.contains(accreditation), "{lines}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["not_checked"].as_array().unwrap().len(), 7, "the JSON is complete");
}

#[tokio::test]
async fn judges_lists_at_the_trusted_time() {
    let bench = Bench::new().await;
    bench.index(None);
    let report = bench.judge(&[&bench.list()], &[]);
    assert!(report.valid, "{report}");
    assert_eq!((known(&report), unknown(&report)), (vec![RevocationStatus::Good], vec![]));
    assert!(report.checks.iter().any(|check| check.name == "seal revocation"));

    bench.index(Some((SEAL, hours(-2), "keyCompromise")));
    let before = bench.list();
    let report = bench.judge(&[&before], &[]);
    assert_eq!((failed(&report), known(&report)), (vec!["seal revocation"], vec![RevocationStatus::Revoked]));

    bench.index(Some((SEAL, hours(24), "keyCompromise")));
    let after = bench.list();
    let report = bench.judge(&[&after], &[]);
    assert!(report.valid, "{report}");
    assert_eq!(known(&report), [RevocationStatus::Revoked], "a later revocation is reported");

    assert_eq!(failed(&bench.judge(&[&after, &before], &[])), ["seal revocation"], "the earlier one counts");
    let both = [b"# LCR da AC Ra\xEDz\n", &after[..], &before].concat();
    assert_eq!(failed(&bench.judge(&[&both], &[])), ["seal revocation"], "a file may have several lists, and text");
}

#[tokio::test]
async fn a_compromised_authority_proves_no_time() {
    let bench = Bench::new().await;
    let of = |reason| {
        bench.index(Some((AUTHORITY, hours(24), reason)));
        bench.list()
    };
    for reason in ["unspecified", "affiliationChanged", "superseded", "cessationOfOperation"] {
        let report = bench.judge(&[&of(reason)], &[]);
        assert!(report.valid, "{reason}: the key was not lost: {report}");
    }
    for reason in [NO_REASON, "keyCompromise", "CACompromise", "certificateHold"] {
        let report = bench.judge(&[&of(reason)], &[]);
        assert_eq!(failed(&report), ["claim timestamp revocation", "seal timestamp revocation"], "{reason}");
        assert!(report.times.is_some_and(|times| times.seal_trusted.is_none() && times.claim_trusted.is_none()));
        assert!(report.seal.is_some_and(|seal| seal.timestamp.is_some_and(|timestamp| !timestamp.holds)));
    }
    let mut lists = [of("superseded"), of("keyCompromise")];
    for _ in 0..2 {
        lists.reverse();
        let report = bench.judge(&[&lists[0], &lists[1]], &[]);
        assert_eq!(failed(&report).len(), 2, "the worse reason counts, in any order: {report}");
    }
}

#[tokio::test]
async fn log_timestamp_authorities_are_checked_too() {
    let (bench, log) = (Bench::new().await, Log::new());
    let manifest = check(&bench.jpeg, &bench.anchors, hours(0)).contents.unwrap().manifest;
    let stamp = |text: &[u8]| bench.authority().stamp(text, hours(-1), &NONE).unwrap().der().to_vec();
    let proof = log.prove_since(&manifest, stamp).to_string().into_bytes();
    let requirements = Requirements { log: Some(LogEvidence::new(proof, log.key)), ..Requirements::default() };
    // The timestamps in the photo existed by that of the log, before the revocation.
    for (reason, fails) in [("superseded", 0), ("keyCompromise", 1)] {
        bench.index(Some((AUTHORITY, hours(24), reason)));
        let mut revocations = Revocations::default();
        revocations.add_list(&bench.list()).unwrap();
        let report = check_with(&bench.jpeg, &bench.anchors, &revocations, &requirements, hours(48)).report;
        assert_eq!(failed(&report).len(), fails, "{report}");
        assert_eq!(failed(&report).contains(&"log timestamp revocation"), fails > 0, "{report}");
        assert!(report.revocations.iter().any(|known| known.part == "log timestamp"), "{report}");
    }
}

#[tokio::test]
async fn accepts_only_issuer_and_authorized_responder() {
    let bench = Bench::new().await;
    for responder in ["root", "responder"] {
        bench.index(None);
        let report = bench.judge(&[], &[&bench.answer(responder)]);
        assert!(report.valid, "{responder}: {report}");
        assert_eq!(known(&report), [RevocationStatus::Good], "{responder}");
        bench.index(Some((SEAL, hours(-2), "keyCompromise")));
        let report = bench.judge(&[], &[&bench.answer(responder)]);
        assert_eq!(failed(&report), ["seal revocation"], "{responder}");
    }
    let report = bench.judge(&[], &[&bench.answer("stranger")]);
    assert!(report.valid, "{report}");
    assert!(unknown(&report)[0].ends_with("nor by an authorized responder"), "{report}");
}

#[tokio::test]
async fn ignores_foreign_and_outdated_lists() {
    let (bench, other) = (Bench::new().await, Bench::new().await);
    other.index(Some((SEAL, hours(-2), "keyCompromise")));
    let report = bench.judge(&[&other.list()], &[]);
    assert!(report.valid && known(&report).is_empty(), "{report}");
    assert!(
        unknown(&report)[0].contains("the signature of the CRL is not by CN=root"),
        "a root of the same name with another key"
    );

    bench.index(None);
    let report = bench.judge(
        &[&bench.list_of(hours(-2), "")],
        &[&bench.signed("root", hours(-2), vec![bench.good(hours(-2))], None)],
    );
    assert!(report.valid && known(&report).is_empty(), "{report}");
    assert!(
        !report.checks.iter().any(|check| check.name == "seal revocation"),
        "no trusted time proves the signature then"
    );
    assert_eq!(unknown(&report)[0].matches("as of ").count(), 2, "{report}");
}

#[tokio::test]
async fn untimed_proofs_ignore_earlier_lists() {
    let bench = Bench::new().await;
    bench.index(None);
    let jpeg = bench.sandbox().seal(&synthetic(240, 240, false), &facts()).await.jpeg;
    let anchors = Anchors::from_pem(&(bench.sandbox().claim_anchor_pem + &bench.read("root.pem"))).unwrap();
    let untimed = Bench { jpeg, anchors, ..bench };
    let list = untimed.list_of(hours(-2), "");
    let report = untimed.judge_at(&[&list], &[], OffsetDateTime::now_utc());
    assert!(report.valid && known(&report).is_empty(), "{report}");
    assert!(unknown(&report)[0].ends_with("but no later CRL or OCSP response given"), "{report}");
}

#[tokio::test]
async fn ignores_lists_beyond_their_scope() {
    let bench = Bench::new().await;
    bench.index(None);
    let now = OffsetDateTime::now_utc();
    for (extensions, counts) in [
        ("issuingDistributionPoint=critical,@scope\n[scope]\nonlyuser=TRUE", true),
        ("issuingDistributionPoint=critical,@scope\n[scope]\nfullname=URI:http://here.example/list", true),
        ("issuingDistributionPoint=critical,@scope\n[scope]\nfullname=URI:http://there.example/list", false),
        ("issuingDistributionPoint=critical,@scope\n[scope]\nonlyCA=TRUE", false),
        ("issuingDistributionPoint=@scope\n[scope]\nonlyCA=TRUE", false),
        ("issuingDistributionPoint=@scope\n[scope]\nonlysomereasons=keyCompromise", false),
        ("issuingDistributionPoint=@scope\n[scope]\nindirectCRL=TRUE", false),
        ("issuingDistributionPoint=@scope\n[scope]\nonlyAA=TRUE", false),
        ("2.5.29.27=critical,ASN1:INTEGER:1", false),
        ("2.5.29.27=ASN1:INTEGER:1", false),
        ("1.3.6.1.4.1.32473.1=critical,ASN1:NULL", false),
        ("1.3.6.1.4.1.32473.1=ASN1:NULL", true),
    ] {
        let report = bench.judge(&[&bench.list_of(now, extensions)], &[]);
        assert!(report.valid, "{extensions}: {report}");
        assert_eq!(
            (!known(&report).is_empty(), unknown(&report).is_empty()),
            (counts, counts),
            "{extensions}: {report}"
        );
    }
}

#[tokio::test]
async fn expired_certificates_need_not_be_named() {
    let bench = Bench::new().await;
    bench.index(None);
    let (later, day) = (hours(30), |hours| index_time(self::hours(hours)));
    let keeps = |from_now: i64| format!("2.5.29.60=ASN1:GENERALIZEDTIME:20{}", day(from_now));
    for (extensions, counts) in
        [(String::new(), false), (keeps(25), false), (keeps(23), true), ("2.5.29.60=ASN1:NULL".into(), false)]
    {
        let report = bench.judge(&[&bench.list_of(later, &extensions)], &[]);
        assert_eq!(!known(&report).is_empty(), counts, "{extensions}: {report}");
    }
    let cutoff = |from_now, critical| Some(vec![extension(ARCHIVE_CUTOFF, critical, &ocsp_time(hours(from_now)).0)]);
    for (single_extensions, counts) in [
        (None, false),
        (cutoff(25, false), false),
        (cutoff(23, false), true),
        (cutoff(23, true), false),
        (Some(vec![extension(ARCHIVE_CUTOFF, false, &Null)]), false),
    ] {
        for as_of in [hours(0), later] {
            let single = SingleResponse { single_extensions: single_extensions.clone(), ..bench.good(as_of) };
            let report = bench.judge(&[], &[&bench.signed("root", later, vec![single], None)]);
            assert_eq!(!known(&report).is_empty(), counts, "{single_extensions:?}: {report}");
        }
    }
    bench.index(Some((SEAL, hours(-2), "superseded")));
    let report = bench.judge(&[&bench.list_of(later, "")], &[]);
    assert_eq!(failed(&report), ["seal revocation"], "a revocation counts whenever it was published");
}

#[tokio::test]
async fn judges_the_responders_own_certificate() {
    let bench = Bench::new().await;
    let now = OffsetDateTime::now_utc();
    let answer = |responder: &str, this_update, produced_at| {
        let answer = bench.signed(responder, produced_at, vec![bench.good(this_update)], None);
        bench.judge(&[], &[&answer])
    };
    let report = answer("responder", now, now);
    assert_eq!((known(&report), unknown(&report)), (vec![RevocationStatus::Good], vec![]), "{report}");
    let report = answer("unvouched", now, now);
    assert_eq!(known(&report), [RevocationStatus::Good], "{report}");
    assert!(
        unknown(&report)[0].contains("CN=unvouched,O=Test,C=BR: it signed the OCSP response about CN=seal"),
        "{report}"
    );
    for (responder, this_update, produced_at) in
        [("encrypter", now, now), ("responder", now, hours(13)), ("responder", hours(25), now), ("root", hours(1), now)]
    {
        let report = answer(responder, this_update, produced_at);
        assert!(report.valid && known(&report).is_empty(), "{responder}: {report}");
    }
}

#[tokio::test]
async fn judges_every_part_of_answers() {
    let bench = Bench::new().await;
    let now = OffsetDateTime::now_utc();
    let unknown_to_us = |critical| Some(vec![extension("1.3.6.1.4.1.32473.1", critical, &Null)]);
    for (critical, counts) in [(false, true), (true, false)] {
        let single = SingleResponse { single_extensions: unknown_to_us(critical), ..bench.good(now) };
        let in_part = bench.signed("root", now, vec![single], None);
        let in_whole = bench.signed("root", now, vec![bench.good(now)], unknown_to_us(critical));
        for answer in [in_part, in_whole] {
            assert_eq!(!known(&bench.judge(&[], &[&answer])).is_empty(), counts);
        }
    }
    let info = RevokedInfo { revocation_time: ocsp_time(hours(-2)), revocation_reason: None };
    let revoked = SingleResponse { cert_status: CertStatus::revoked(info), ..bench.good(now) };
    let mut parts = [bench.good(now), revoked];
    for _ in 0..2 {
        parts.reverse();
        let report = bench.judge(&[], &[&bench.signed("root", now, parts.to_vec(), None)]);
        assert_eq!(failed(&report), ["seal revocation"], "a revocation outweighs: {report}");
    }
}

#[tokio::test]
async fn refuses_malformed_lists_and_answers() {
    let mut revocations = Revocations::default();
    for bad in [&b""[..], b"no list", b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n", &[0x30, 0x00]] {
        assert!(revocations.add_list(bad).is_err(), "{bad:?}");
        assert!(revocations.add_answer(bad).is_err(), "{bad:?}");
    }
    // An error response of an OCSP responder: unauthorized.
    assert!(revocations.add_answer(&[0x30, 0x03, 0x0A, 0x01, 0x06]).is_err());
}
