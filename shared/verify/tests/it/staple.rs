//! Tests of the OCSP response in a manifest, about the certificate of its claim signer: what is embedded, what is left out,
//! and what is refused. The certificates and most responses are made by `openssl`.

use std::{io::Cursor, ops::Deref};

use c2pa::{Context, Reader, Settings, ValidationState};
use der::Decode;
use lacre_proof::{
    Anchors, Timestamps,
    certificate::Chain,
    certificates_of_file,
    revocation::{MAX_STAPLE, Staple, StapleFault, ocsp_address, ocsp_request},
};
use lacre_proof_fixtures::{
    authority::{Authority, Stamping},
    ca::{Ca, hours, ocsp_time},
    facts, facts_at,
    stapling::Stapling,
    synthetic,
};
use lacre_sign::SignedPhoto;
use lacre_verify::{Found, Report, RevocationStatus, check};
use time::{Duration, OffsetDateTime};
use x509_ocsp::{OcspResponse, SingleResponse};

use super::claimant::{Claimant, stated_by};

/// The sandbox with a claim certificate that names an OCSP responder, and what the tests make with it.
struct Bench(Stapling);

impl Deref for Bench {
    type Target = Stapling;

    fn deref(&self) -> &Stapling {
        &self.0
    }
}

impl Bench {
    fn new() -> Self {
        Self(Stapling::new())
    }

    fn good(&self, this_update: OffsetDateTime, next_update: Option<OffsetDateTime>) -> SingleResponse {
        let next_update = next_update.map(ocsp_time);
        SingleResponse { next_update, ..self.ca.good("issuing", "claim", this_update) }
    }

    fn signed(&self, responses: Vec<SingleResponse>) -> Vec<u8> {
        self.ca.signed("responder", hours(0), responses, None)
    }

    fn chain(&self) -> Chain {
        Chain::from_pem(&self.sandbox.profile.claim.chain_pem).unwrap()
    }

    /// Why the signers do not embed a response now.
    fn fault(&self, response: &[u8]) -> String {
        self.sandbox.signers().staple(response, hours(0)).expect_err("it is not embedded").to_string()
    }

    async fn seal(&self, timestamps: Timestamps<'_>, response: Option<&[u8]>) -> SignedPhoto {
        self.sandbox.seal_stapled(&synthetic(240, 240, false), &facts(), timestamps, response).await.unwrap()
    }

    /// A proof whose claim signer embeds any bytes as its OCSP response.
    async fn claimed(&self, response: &[u8]) -> Report {
        self.claimed_with(response, Claimant::of(&self.sandbox).chain).await
    }

    /// The same with another chain of certificates in DER.
    async fn claimed_with(&self, response: &[u8], chain: Vec<Vec<u8>>) -> Report {
        let frame = synthetic(240, 240, false);
        let stated = stated_by(&self.sandbox, &frame, &facts(), Timestamps::None).await;
        let claimant = Claimant { key: &self.sandbox.ec, chain, staple: Some(response.to_vec()) };
        self.report(&claimant.wrap(&frame, &stated))
    }

    fn anchors(&self) -> Anchors {
        Anchors::from_pem(&self.sandbox.anchors_pem).unwrap()
    }

    fn report(&self, jpeg: &[u8]) -> Report {
        check(jpeg, &self.anchors(), OffsetDateTime::now_utc()).report
    }

    /// What the C2PA library's own reader finds.
    fn read(&self, jpeg: &[u8]) -> (ValidationState, String) {
        self.try_read(jpeg).unwrap()
    }

    fn try_read(&self, jpeg: &[u8]) -> c2pa::Result<(ValidationState, String)> {
        let settings = serde_json::json!({
            "trust": {"trust_anchors": self.sandbox.anchors_pem},
            "verify": {"verify_trust": true, "remote_manifest_fetch": false},
        });
        let settings = Settings::new().with_json(&settings.to_string()).unwrap();
        let context = Context::new().with_settings(settings).unwrap();
        let reader = Reader::from_context(context).with_stream("image/jpeg", Cursor::new(jpeg))?;
        Ok((reader.validation_state(), reader.json()))
    }
}

fn failed(report: &Report) -> Vec<&str> {
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

/// The fault of the staple's check.
fn fault(report: &Report) -> &str {
    report.checks.iter().find(|check| check.name == "claim staple").and_then(|check| check.fault.as_deref()).unwrap()
}

#[tokio::test]
async fn accepted_responses_are_embedded_exactly() {
    let bench = Bench::new();
    let without = bench.seal(Timestamps::None, None).await;
    let short = ["-nmin", "60"];
    for response in [
        bench.answer("60"),
        bench.ca.answer("issuing", "claim", "responder", &short),
        bench.ca.answer("issuing", "claim", "issuing", &short),
        bench.ca.answer("issuing", "claim", "issuing", &["-nmin", "60", "-resp_no_certs"]),
    ] {
        let proof = bench.seal(Timestamps::None, Some(&response)).await;
        // The text `rVals`, a map, the text `ocspVals`, an array, and the head of a byte string.
        let entry = 6 + 1 + 9 + 1 + 3 + response.len();
        assert_eq!(proof.manifest.len(), without.manifest.len() + entry);
        let report = bench.report(&proof.jpeg);
        assert!(report.valid, "{report}");
        let claim = report.claim.as_ref().unwrap();
        let staple = claim.staple.as_ref().unwrap();
        assert!(staple.this_update <= claim.judged_at && claim.judged_at < staple.next_update, "{staple:?}");
        assert_eq!(claim.timestamp_found, Found::Nothing);
        assert!(report.checks.iter().any(|check| check.name == "claim staple"));
        let line = format!("Not revoked, by the OCSP response in the file, as of {}", staple.this_update);
        assert!(report.to_string().contains(&line), "{report}");
        assert_eq!(bench.read(&proof.jpeg).0, ValidationState::Trusted);
    }
    let report = bench.report(&without.jpeg);
    assert!(report.valid && report.checks.iter().all(|check| check.name != "claim staple"), "{report}");
    assert_eq!(report.claim.unwrap().staple, None);
}

#[tokio::test]
async fn the_library_reads_embedded_responses() {
    let bench = Bench::new();
    let stamping = Stamping::new(Authority::shared(), hours(0));
    for timestamps in [Timestamps::None, Timestamps::Required(&stamping)] {
        let proof = bench.seal(timestamps, Some(&bench.answer("60"))).await;
        let (state, read) = bench.read(&proof.jpeg);
        assert_eq!(state, ValidationState::Trusted, "{read}");
        assert!(read.contains("signingCredential.ocsp.notRevoked"), "{read}");
    }
}

#[tokio::test]
async fn responses_and_timestamps_share_the_header() {
    let bench = Bench::new();
    let response = bench.answer("60");
    let authority = |answers| Stamping { answers, ..Stamping::new(Authority::shared(), hours(0)) };
    let (both, seal_only) = (authority([true, true]), authority([true, false]));
    for (timestamps, found) in
        [(Timestamps::Required(&both), Found::Timestamp), (Timestamps::BestEffort(&seal_only), Found::EmptyRoom)]
    {
        let proof = bench.seal(timestamps, Some(&response)).await;
        let report = bench.report(&proof.jpeg);
        assert!(report.valid, "{report}");
        let claim = report.claim.unwrap();
        assert_eq!((claim.timestamp_found, claim.staple.is_some()), (found, true));
        assert_eq!(bench.read(&proof.jpeg).0, ValidationState::Trusted);
    }
}

#[tokio::test]
async fn omits_responses_that_are_not_current() {
    let bench = Bench::new();
    let now = OffsetDateTime::now_utc();
    let (hour, margin) = (Some(now + Duration::hours(1)), Duration::minutes(15));
    let without = bench.seal(Timestamps::None, None).await;
    for (what, single, expected) in [
        (
            "it ends too early",
            bench.good(now - Duration::hours(1), Some(now + margin - Duration::seconds(5))),
            "nextUpdate",
        ),
        ("it has ended", bench.good(hours(-2), Some(hours(-1))), "the nextUpdate of the OCSP response"),
        ("it has no end", bench.good(now, None), "the OCSP response has no nextUpdate"),
        ("it is of the future", bench.good(now + Duration::minutes(2), hour), "thisUpdate"),
    ] {
        let response = bench.signed(vec![single]);
        let fault = bench.fault(&response);
        assert!(fault.contains(expected), "{what}: {fault}");
        let proof = bench.seal(Timestamps::None, Some(&response)).await;
        assert_eq!(proof.manifest.len(), without.manifest.len(), "{what}");
        assert!(bench.report(&proof.jpeg).valid, "{what}");
    }
    let ahead = bench.ca.signed(
        "responder",
        now + Duration::hours(1),
        vec![bench.good(now + Duration::minutes(2), hour)],
        None,
    );
    assert!(bench.fault(&ahead).starts_with("the OCSP response is of a later time"));
    let until = bench.signed(vec![bench.good(now, Some(now + margin + Duration::seconds(5)))]);
    assert!(bench.sandbox.signers().staple(&until, now).is_ok());
}

#[tokio::test]
async fn outdated_responses_look_revoked_to_libraries() {
    let bench = Bench::new();
    let (signers, frame, now) = (bench.sandbox.signers(), synthetic(240, 240, false), OffsetDateTime::now_utc());
    let response = bench.answer("1");
    assert!(bench.fault(&response).contains("nextUpdate"), "it is not embedded");
    // Two minutes after the ingest, and one after the response's nextUpdate.
    let stamping = Stamping::new(Authority::shared(), now + Duration::minutes(2));
    let timestamps = Timestamps::Required(&stamping);
    let hash = lacre_domain::FrameHash::of(&frame);
    let seal = signers.sign_frame(&hash, &facts_at(now), &bench.sandbox.rsa, timestamps).await.unwrap();
    let staple = Staple::check(&response, &bench.chain()).unwrap();
    let photo = lacre_photo::CheckedPhoto::check(frame.as_slice().into()).unwrap();
    let key = &bench.sandbox.ec;
    let proof = signers.sign_manifest(&photo, &hash, &seal, key, timestamps, Some(&staple)).await.unwrap();
    let refused = format!("{:?}", bench.try_read(&proof.jpeg).unwrap_err());
    assert!(refused.contains("CertificateNotTrusted"), "{refused}");
    let report = check(&proof.jpeg, &bench.anchors(), now + Duration::minutes(3)).report;
    assert_eq!(failed(&report), ["claim staple"]);
    assert!(fault(&report).starts_with("the nextUpdate of the OCSP response"), "{report}");
}

#[tokio::test]
async fn refuses_foreign_and_malformed_responses() {
    let bench = Bench::new();
    let now = hours(0);
    let hour = Some(now + Duration::hours(1));
    let good = || bench.good(now, hour);
    let of_other = SingleResponse { next_update: hour.map(ocsp_time), ..bench.ca.good("issuing", "other", now) };
    let mut unneeded = bench.answer("60");
    let at = unneeded.len() - 1;
    unneeded[at] ^= 1;
    let twice = OcspResponse::from_der(&bench.signed(vec![good(), good()])).is_ok();
    assert!(twice, "a response may have several statements");
    let options = ["-nmin", "60"];
    for (what, response, expected) in [
        ("no response", b"response".to_vec(), "cannot decode the OCSP response"),
        ("an error", vec![0x30, 0x03, 0x0A, 0x01, 0x06], "the OCSP response has the status Unauthorized"),
        ("too long", vec![0x30; MAX_STAPLE + 1], "the OCSP response has 8193 bytes; the limit is 8192"),
        ("another certificate", bench.signed(vec![of_other]), "the OCSP response is about another certificate"),
        ("two statements", bench.signed(vec![good(), good()]), "the OCSP response has 2 statements instead of one"),
        ("no statement", bench.signed(vec![]), "the OCSP response has 0 statements instead of one"),
        (
            "a stranger",
            bench.ca.answer("issuing", "claim", "stranger", &options),
            "the signature of the OCSP response is neither by",
        ),
        (
            "a responder of the root",
            bench.ca.answer("issuing", "claim", "root", &options),
            "the signature of the OCSP response is neither by",
        ),
        (
            "the responder is not embedded",
            bench.ca.answer("issuing", "claim", "responder", &["-nmin", "60", "-resp_no_certs"]),
            "the signature of the OCSP response is neither by",
        ),
        (
            "a certificate too many",
            bench.ca.answer("issuing", "claim", "responder", &["-nmin", "60", "-rother", "root.pem"]),
            "the OCSP response has a certificate that it does not need",
        ),
        ("a changed certificate", unneeded, "the OCSP response has a certificate that it does not need"),
    ] {
        let fault_at_signing = bench.fault(&response);
        assert!(fault_at_signing.starts_with(expected), "{what}: {fault_at_signing}");
        let report = bench.claimed(&response).await;
        assert_eq!(failed(&report), ["claim staple"], "{what}: {report}");
        assert_eq!(fault(&report), fault_at_signing, "{what}");
        assert_eq!(report.claim.unwrap().staple, None, "{what}");
    }
    let report = bench.claimed(&bench.answer("60")).await;
    assert!(report.valid, "{report}");
}

/// The holder of a revoked key could put another authority of the same name into the chain, and answer in its name.
#[tokio::test]
async fn only_the_issuer_of_the_path_answers() {
    let bench = Bench::new();
    let fake = ["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/C=BR/O=Test/CN=issuing", "-days", "30"];
    bench.ca.openssl(&[&fake[..], &["-keyout", "fake.key", "-out", "fake.pem"]].concat());
    let chain = ["claim.pem", "fake.pem", "issuing.pem"].map(|file| bench.ca.read(file)).concat();
    let now = hours(0);
    let next_update = Some(ocsp_time(now + Duration::hours(1)));
    let good = SingleResponse { next_update, ..bench.ca.good("fake", "claim", now) };
    let response = bench.ca.signed("fake", now, vec![good], None);
    let staple = Staple::check(&response, &Chain::from_pem(&chain).unwrap());
    assert!(staple.is_ok(), "the next certificate of the chain is the issuer, by its name: {staple:?}");
    let report = bench.claimed_with(&response, certificates_of_file(&chain).unwrap()).await;
    assert_eq!(failed(&report), ["claim staple"], "{report}");
    assert_eq!(fault(&report), "the OCSP response is about another certificate");
}

#[tokio::test]
async fn revoked_certificates_are_refused_by_name() {
    let bench = Bench::new();
    let since = hours(-2);
    bench.ca.index(&Stapling::CERTIFICATES, Some(("3A", since, "keyCompromise")));
    let response = bench.answer("60");
    let StapleFault::Revoked(revoked) = bench.sandbox.signers().staple(&response, hours(0)).unwrap_err() else {
        panic!("the response says that the certificate is revoked")
    };
    assert_eq!(revoked.since.unix_timestamp(), since.unix_timestamp());
    let report = bench.claimed(&response).await;
    assert_eq!(failed(&report), ["claim staple", "claim revocation"], "{report}");
    assert_eq!(fault(&report), format!("the certificate was revoked on {}", since.date()));
    let known = report.revocations.iter().find(|known| known.part == "claim").unwrap();
    assert_eq!((known.status, known.reason.as_deref()), (RevocationStatus::Revoked, Some("KeyCompromise")));
}

#[tokio::test]
async fn only_later_responses_prove_non_revocation() {
    let bench = Bench::new();
    let of_claim = |report: &Report| {
        let is_leaf = |name: &str| name.contains("CN=claim");
        let known = report.revocations.iter().find(|known| known.part == "claim" && is_leaf(&known.certificate));
        let gaps = report.not_checked.iter().filter(|gap| gap.part == "claim");
        let gap = gaps.filter(|gap| gap.certificate.as_deref().is_some_and(is_leaf)).map(|gap| gap.what.clone()).next();
        (known.map(|known| (known.status, known.time.clone())), gap)
    };
    let response = bench.answer("60");
    let proof = bench.seal(Timestamps::None, Some(&response)).await;
    let report = bench.report(&proof.jpeg);
    let (known, gap) = of_claim(&report);
    let stapled = report.claim.unwrap().staple.unwrap().this_update;
    assert_eq!(known, None);
    let expected = format!("not revoked as of {stapled}, but no later CRL or OCSP response given");
    assert!(gap.is_some_and(|gap| gap.ends_with(&expected)));

    // The clock of the timestamp authority is half a minute behind.
    let stamping = Stamping::new(Authority::shared(), hours(0) - Duration::seconds(30));
    let proof = bench.seal(Timestamps::Required(&stamping), Some(&response)).await;
    let (known, gap) = of_claim(&bench.report(&proof.jpeg));
    assert_eq!((known, gap), (Some((RevocationStatus::Good, stapled)), None));
}

#[tokio::test]
async fn notices_every_changed_response_byte() {
    let bench = Bench::new();
    let response = bench.answer("60");
    let proof = bench.seal(Timestamps::None, Some(&response)).await;
    let start = (0..proof.jpeg.len()).find(|at| proof.jpeg[*at..].starts_with(&response)).unwrap();
    // The keys of the header's maps, too.
    let places = start - 24..start + response.len();
    let half = places.start + places.len() / 2;
    let (anchors, now) = (&bench.anchors(), hours(0));
    std::thread::scope(|scope| {
        for range in [places.start..half, half..places.end] {
            let mut file = proof.jpeg.clone();
            scope.spawn(move || {
                for at in range {
                    let mask = 1 << (at % 8);
                    file[at] ^= mask;
                    assert!(!check(&file, anchors, now).report.valid, "byte {at} changed by {mask:#04x}");
                    file[at] ^= mask;
                }
            });
        }
    });
}

#[test]
fn openssl_answers_our_requests() {
    let bench = Bench::new();
    std::fs::write(bench.ca.path("query"), ocsp_request(&bench.chain()).unwrap()).unwrap();
    let response = bench.ca.answer_to_query("issuing", "responder", &["-nmin", "60"]);
    assert_eq!(bench.sandbox.signers().staple(&response, hours(0)).unwrap().der(), response);
    let leaf_only = Chain::from_pem(&bench.ca.read("claim.pem")).unwrap();
    assert_eq!(ocsp_request(&leaf_only).unwrap_err(), "the chain lacks the certificate of the leaf's issuer");
}

#[test]
fn certificates_name_their_responder() {
    let ca = Ca::new();
    for (access, expected) in [
        ("", None),
        ("authorityInfoAccess=caIssuers;URI:http://ca.example.com/\n", None),
        ("authorityInfoAccess=OCSP;URI:ldap://ocsp.example.com/\n", None),
        ("authorityInfoAccess=OCSP;URI:http://ocsp.example.com/a\n", Some("http://ocsp.example.com/a")),
        (
            "authorityInfoAccess=OCSP;URI:https://tls.example.com/,OCSP;URI:HTTP://b.example.com/,OCSP;URI:http://c.example.com/\n",
            Some("HTTP://b.example.com/"),
        ),
    ] {
        ca.certificate(
            "named",
            &format!("{access}{}", Stapling::SIGNS).replace("authorityKeyIdentifier=keyid\n", ""),
            "3E",
            hours(24),
        );
        assert_eq!(ocsp_address(&ca.load("named")).unwrap().as_deref(), expected, "{access}");
    }
}
