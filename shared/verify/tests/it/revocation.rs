//! Tests of CRLs and OCSP responses, made by `openssl` or in this file for a signer whose certificate `openssl` issued:
//! they are evaluated at the trusted time, and what remains unknown is reported.

use const_oid::ObjectIdentifier;
use der::{
    Encode,
    asn1::{Null, OctetString},
};
use lacre_proof::{Anchors, Timestamps};
use lacre_proof_fixtures::authority::{Authority, NONE, Stamping};
use lacre_proof_fixtures::ca::{Ca, SETTINGS, hours, index_time, ocsp_time};
use lacre_proof_fixtures::log::Log;
use lacre_proof_fixtures::{EcKey, RsaKey, Sandbox, facts, facts_at, synthetic};
use lacre_verify::{LogEvidence, Report, Requirements, RevocationStatus, Revocations, check, check_with};
use time::{Duration, OffsetDateTime};
use x509_cert::{Certificate, ext::Extension};
use x509_ocsp::{CertStatus, RevokedInfo, SingleResponse};

/// An issuer with its files, and a proof whose seal and timestamp authority have certificates of this issuer.
struct Bench {
    ca: Ca,
    jpeg: Vec<u8>,
    anchors: Anchors,
}

const SEAL: &str = "2A";
const AUTHORITY: &str = "2B";
/// The distribution point in the seal's certificate.
const POINT: &str = "crlDistributionPoints=URI:http://here.example/list";
const NO_REASON: &str = "";
const ARCHIVE_CUTOFF: &str = "1.3.6.1.5.5.7.48.1.6";

impl Bench {
    async fn new() -> Self {
        let ca = Ca::new();
        let signs = "keyUsage=critical,digitalSignature,nonRepudiation";
        let answers = "extendedKeyUsage=OCSPSigning";
        let (tomorrow, next_month) = (hours(24), hours(720));
        ca.certificate("seal", &format!("extendedKeyUsage=emailProtection\n{POINT}\n{signs}"), SEAL, tomorrow);
        ca.certificate("tsa", &format!("extendedKeyUsage=critical,timeStamping\n{signs}"), AUTHORITY, next_month);
        ca.certificate("responder", &format!("{answers}\nnoCheck=ignored\n{signs}"), "2C", hours(12));
        ca.certificate("unvouched", &format!("{answers}\n{signs}"), "2D", tomorrow);
        ca.certificate("encrypter", &format!("{answers}\nkeyUsage=critical,keyEncipherment"), "2E", tomorrow);
        ca.certificate("stranger", signs, "2F", tomorrow);
        let bench = Self { ca, jpeg: Vec::new(), anchors: Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap() };
        bench.with_proof().await
    }

    async fn with_proof(self) -> Self {
        let sandbox = self.sandbox();
        let roots = sandbox.claim_anchor_pem.clone() + &self.ca.read("root.pem");
        let authority = self.authority();
        let stamping = Stamping::new(&authority, hours(-1));
        let timestamps = Timestamps::Required(&stamping);
        let facts = facts_at(stamping.at);
        let jpeg = sandbox.seal_with(&synthetic(240, 240, false), &facts, timestamps).await.unwrap().jpeg;
        Self { jpeg, anchors: Anchors::from_pem(&roots).unwrap(), ..self }
    }

    fn authority(&self) -> Authority {
        Authority {
            key: self.ca.key("tsa"),
            chain: Certificate::load_pem_chain(self.ca.read("tsa.pem").as_bytes()).unwrap(),
            anchors_pem: self.ca.read("root.pem"),
        }
    }

    /// The shared sandbox with a seal of this issuer.
    fn sandbox(&self) -> Sandbox {
        let shared = Sandbox::shared();
        let mut profile = shared.profile.clone();
        profile.seal.chain_pem = self.ca.read("seal.pem") + &self.ca.read("root.pem");
        Sandbox {
            profile,
            rsa: RsaKey(self.ca.key("seal")),
            ec: EcKey(shared.ec.0.clone()),
            anchors_pem: shared.anchors_pem.clone(),
            claim_anchor_pem: shared.claim_anchor_pem.clone(),
            seal_anchor_pem: shared.seal_anchor_pem.clone(),
        }
    }

    /// Writes the index of `openssl ca`: which certificate is revoked, since when, and why.
    fn index(&self, revoked: Option<(&str, OffsetDateTime, &str)>) {
        self.ca.index(&[(SEAL, "seal"), (AUTHORITY, "tsa")], revoked);
    }

    fn list(&self) -> Vec<u8> {
        self.list_of(OffsetDateTime::now_utc(), "")
    }

    /// A list that was published at the given time, with the given extensions.
    fn list_of(&self, published: OffsetDateTime, extensions: &str) -> Vec<u8> {
        self.ca.write("list.conf", &format!("{SETTINGS}[more]\n{extensions}\n"));
        let [last, next] = [published, published + Duration::days(7)].map(index_time);
        let make = ["ca", "-gencrl", "-config", "list.conf", "-crlexts", "more", "-out", "list.pem"];
        self.ca.openssl(&[&make[..], &["-crl_lastupdate", &last, "-crl_nextupdate", &next]].concat());
        self.ca.read("list.pem").into_bytes()
    }

    fn answer(&self, responder: &str) -> Vec<u8> {
        self.ca.answer("root", "seal", responder, &["-ndays", "1"])
    }

    /// The statement "good" about the seal's certificate, as of the given time.
    fn good(&self, at: OffsetDateTime) -> SingleResponse {
        self.ca.good("root", "seal", at)
    }

    fn signed(
        &self,
        responder: &str,
        produced_at: OffsetDateTime,
        responses: Vec<SingleResponse>,
        response_extensions: Option<Vec<Extension>>,
    ) -> Vec<u8> {
        self.ca.signed(responder, produced_at, responses, response_extensions)
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

fn extension(oid: &str, critical: bool, value: &impl Encode) -> Extension {
    let extn_value = OctetString::new(value.to_der().unwrap()).unwrap();
    Extension { extn_id: ObjectIdentifier::new_unwrap(oid), critical, extn_value }
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
    let anchors = Anchors::from_pem(&(bench.sandbox().claim_anchor_pem + &bench.ca.read("root.pem"))).unwrap();
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
