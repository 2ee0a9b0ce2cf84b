//! Tests of a complete proof: what is delivered, who accepts it, and how failures of the keys are reported.

use std::{collections::BTreeSet, io::Cursor};

use async_trait::async_trait;
use c2pa::{Context, Reader, Settings, ValidationState};
use lacre_domain::{
    BrowserClaims, Environment, FrameHash, GpsResult, Position, RecaptureRisk, SignError, SignerProfile,
};
use lacre_photo::CheckedPhoto;
use lacre_proof::{Anchors, Expiry, Timestamps, assertions::BrowserAssertion};
use lacre_proof_fixtures::{Sandbox, asked_for, facts, photographs, synthetic};
use lacre_sign::{DigestSigner, Facts, ProfileError, ProofFailure, SignedPhoto, Signers};
use lacre_verify::check;
use time::{Duration, OffsetDateTime};

fn anchors() -> Anchors {
    Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap()
}

/// Checks that the proof is valid and returns the frame and manifest that went in.
fn assert_valid(frame: &[u8], proof: &SignedPhoto) {
    let verdict = check(&proof.jpeg, &anchors(), OffsetDateTime::now_utc());
    assert!(verdict.report.valid, "{}", verdict.report);
    let contents = verdict.contents.unwrap();
    assert!(contents.frame == frame, "the frame comes back byte for byte");
    assert!(contents.manifest == proof.manifest, "the sidecar is what is embedded");
}

/// Checks that the C2PA library's own reader trusts the embedded manifest and the sidecar.
fn assert_reader_trusts(proof: &SignedPhoto) {
    let settings = serde_json::json!({
        "trust": {"trust_anchors": Sandbox::shared().anchors_pem},
        "verify": {"verify_trust": true, "remote_manifest_fetch": false},
    });
    let context = || {
        let settings = Settings::new().with_json(&settings.to_string()).unwrap();
        Context::new().with_settings(settings).unwrap()
    };
    let embedded = Reader::from_context(context()).with_stream("image/jpeg", Cursor::new(&proof.jpeg)).unwrap();
    assert_eq!(embedded.validation_state(), ValidationState::Trusted, "{}", embedded.json());
    let sidecar = Reader::from_context(context())
        .with_manifest_data_and_stream(&proof.manifest, "image/jpeg", Cursor::new(&proof.jpeg))
        .unwrap();
    assert_eq!(sidecar.validation_state(), ValidationState::Trusted, "{}", sidecar.json());
}

#[tokio::test]
async fn seals_baseline_and_progressive_frames() {
    for (width, height, progressive) in [(240, 240, false), (640, 480, true), (1280, 720, false)] {
        let frame = synthetic(width, height, progressive);
        let proof = Sandbox::shared().seal(&frame, &facts()).await;
        assert_valid(&frame, &proof);
        assert_reader_trusts(&proof);
    }
}

#[tokio::test]
async fn real_photographs_are_sealed() {
    let photographs = photographs();
    assert!(!photographs.is_empty(), "no photographs: scripts/photos makes them");
    for (name, frame) in photographs {
        let proof = Sandbox::shared().seal(&frame, &facts()).await;
        println!("{name}: {} bytes, delivered {}", frame.len(), proof.jpeg.len());
        assert_valid(&frame, &proof);
        assert_reader_trusts(&proof);
    }
}

#[tokio::test]
async fn seals_frames_with_unusual_segments() {
    let plain = synthetic(320, 240, false);
    let exif = [&b"\xFF\xE1\x00\x16Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"[..]].concat();
    let behind_soi = |bytes: &[u8]| [&plain[..2], bytes, &plain[2..]].concat();
    // Without a JFIF segment, components are numbered from 1: some decoders interpret component ids from 0 as red,
    // green and blue.
    let mut without_jfif = [&plain[..2], &plain[20..]].concat();
    for (marker, first, apart) in [([0xFF, 0xC0], 10, 3), ([0xFF, 0xDA], 5, 2)] {
        let at = without_jfif.windows(2).position(|window| window == marker).unwrap();
        for component in 0..3 {
            without_jfif[at + first + component * apart] += 1;
        }
    }
    for frame in
        [behind_soi(&exif), behind_soi(&[0xFF, 0xFF, 0xFF]), behind_soi(b"\xFF\xFE\x00\x09comment"), without_jfif]
    {
        let proof = Sandbox::shared().seal(&frame, &facts()).await;
        assert_valid(&frame, &proof);
        assert_reader_trusts(&proof);
    }
}

#[tokio::test]
async fn the_manifest_says_what_the_facts_say() {
    let frame = synthetic(320, 240, false);
    let facts = facts();
    let proof = Sandbox::shared().seal(&frame, &facts).await;
    let report = check(&proof.jpeg, &anchors(), OffsetDateTime::now_utc()).report;

    let capture = report.capture.unwrap();
    assert_eq!(capture.assurance_level, "fraud_deterrence");
    assert_eq!(capture.capture_id, facts.capture_id);
    assert_eq!(capture.environment, lacre_domain::Environment::Sandbox);
    assert_eq!(report.environment, Some(capture.environment));
    assert_eq!(capture.frame_hash, FrameHash::of(&frame));
    assert_eq!(capture.gps_result, GpsResult::Observed);
    assert_eq!(capture.recapture_risk, RecaptureRisk::Unknown);
    assert_eq!(capture.asked_for, None);
    assert!(!capture.icp_brasil);
    assert_eq!(capture.ingested_at.len(), "2026-11-20T12:00:00.000Z".len());

    let browser = report.browser.unwrap();
    assert_eq!(browser, BrowserAssertion::from(&facts.claims), "every claim as it went in");
    assert_eq!(browser.captured_at_ms, facts.claims.captured_at_ms);
    assert_eq!((browser.gps_lat, browser.gps_lon, browser.gps_accuracy), (-23.561_414, -46.655_881, 12.5));
    assert_eq!(browser.heading, facts.claims.heading);
    assert_eq!(browser.photo_label.as_deref(), Some("Fachada, nº 1578"));
    assert_eq!(browser.user_agent.as_deref(), facts.claims.user_agent.as_ref().map(|agent| agent.as_str()));
    assert_eq!(browser.extra_frame_hashes, facts.claims.extra_frames.hashes());
    assert_eq!(browser.media_stream_settings, facts.claims.stream_settings);

    let seal = report.seal.unwrap();
    assert_eq!((seal.policy.as_str(), seal.policy_name), ("2.16.76.1.7.1.1.2.4", Some("AD-RB v2.4")));
}

#[tokio::test]
async fn states_what_was_asked_for() {
    let frame = synthetic(320, 240, false);
    let proof = Sandbox::shared().seal(&frame, &Facts { asked_for: Some(asked_for()), ..facts() }).await;
    assert_valid(&frame, &proof);
    assert_reader_trusts(&proof);
    let report = check(&proof.jpeg, &anchors(), OffsetDateTime::now_utc()).report;
    assert_eq!(report.capture.unwrap().asked_for, Some(asked_for()));
}

#[tokio::test]
async fn omits_what_the_browser_left_out() {
    let frame = synthetic(320, 240, false);
    let without_position = BrowserClaims { position: Position::NOT_OBTAINED, ..facts().claims };
    let mut claims = serde_json::to_value(without_position).unwrap();
    let required = ["captured_at_ms", "extra_frames", "position"];
    claims.as_object_mut().unwrap().retain(|name, _| required.contains(&name.as_str()));
    let claims = serde_json::from_value(claims).unwrap();
    let facts = Facts { claims, gps_result: GpsResult::NotObtained, ..facts() };
    let proof = Sandbox::shared().seal(&frame, &facts).await;
    assert_valid(&frame, &proof);
    let browser = check(&proof.jpeg, &anchors(), OffsetDateTime::now_utc()).report.browser.unwrap();
    assert_eq!((browser.gps_lat, browser.gps_lon, browser.gps_accuracy), (0.0, 0.0, 9999.0));
    let stated = serde_json::to_value(browser).unwrap();
    let names: BTreeSet<_> = stated.as_object().unwrap().keys().map(String::as_str).collect();
    let required = ["captured_at_ms", "extra_frame_hashes", "gps_accuracy", "gps_lat", "gps_lon"];
    assert_eq!(names, BTreeSet::from(required));
}

async fn seal_with(
    signers: &Signers,
    frame: &[u8],
    first: &dyn DigestSigner,
    second: &dyn DigestSigner,
) -> Result<SignedPhoto, ProofFailure> {
    let facts = facts();
    let hash = FrameHash::of(frame);
    let signature = signers.sign_frame(&hash, &facts, first, Timestamps::None).await?;
    signers
        .sign_manifest(&CheckedPhoto::check(frame.into()).unwrap(), &hash, &signature, second, Timestamps::None, None)
        .await
}

/// A key that gives the same response to every request.
struct Answers(Result<Vec<u8>, SignError>);

#[async_trait]
impl DigestSigner for Answers {
    async fn sign(&self, _digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        self.0.clone()
    }
}

async fn failure(first: &dyn DigestSigner, second: &dyn DigestSigner) -> ProofFailure {
    let frame = synthetic(240, 240, false);
    seal_with(&Sandbox::shared().signers(), &frame, first, second).await.err().expect("no proof")
}

#[tokio::test]
async fn only_a_refused_seal_is_rejected() {
    let sandbox = Sandbox::shared();
    let rejected = Answers(Err(SignError::Rejected("AccessDenied".into())));
    let unavailable = Answers(Err(SignError::Unavailable("timeout".into())));
    assert_eq!(failure(&rejected, &sandbox.ec).await, ProofFailure::Rejected("AccessDenied".into()));
    assert_eq!(failure(&unavailable, &sandbox.ec).await, ProofFailure::Unavailable("timeout".into()));
    assert_eq!(failure(&sandbox.rsa, &rejected).await, ProofFailure::InvalidResponse("AccessDenied".into()));
    assert_eq!(failure(&sandbox.rsa, &unavailable).await, ProofFailure::Unavailable("timeout".into()));
}

#[tokio::test]
async fn foreign_signatures_are_invalid_responses() {
    let sandbox = Sandbox::shared();
    let stranger = Sandbox::new();
    let invalid =
        |error| matches!(error, ProofFailure::InvalidResponse(cause) if cause.contains("does not verify under the"));
    for answer in [vec![], vec![0; 256], vec![0xFF; 256], vec![0x30; 5000]] {
        assert!(invalid(failure(&Answers(Ok(answer.clone())), &sandbox.ec).await));
        assert!(invalid(failure(&sandbox.rsa, &Answers(Ok(answer))).await));
    }
    assert!(invalid(failure(&stranger.rsa, &sandbox.ec).await));
    assert!(invalid(failure(&sandbox.rsa, &stranger.ec).await));
}

#[test]
fn icp_brasil_seals_require_production() {
    let with = |environment, icp_brasil| {
        let mut profile = Sandbox::shared().profile.clone();
        (profile.environment, profile.seal.icp_brasil) = (environment, icp_brasil);
        Signers::parse(&profile).err()
    };
    for environment in [Environment::Staging, Environment::Sandbox] {
        let cause = format!("an ICP-Brasil chain signs in PRODUCTION only, not in {}", environment.name());
        assert_eq!(with(environment, true), Some(ProfileError::Seal(cause)));
        assert_eq!(with(environment, false), None);
    }
    assert_eq!(with(Environment::Production, true), None);
}

fn profile_error(change: impl FnOnce(&mut SignerProfile)) -> ProfileError {
    let mut profile = Sandbox::shared().profile.clone();
    change(&mut profile);
    Signers::parse(&profile).err().expect("a profile that cannot sign")
}

#[test]
fn refuses_each_unreadable_profile_part() {
    let claim_chain = Sandbox::shared().profile.claim.chain_pem.clone();
    let seal_chain = Sandbox::shared().profile.seal.chain_pem.clone();
    let reversed = |chain: &str| {
        let mut certificates: Vec<&str> = chain.split_inclusive("-----END CERTIFICATE-----\n").collect();
        certificates.reverse();
        certificates.concat()
    };
    type Refused = (fn(&ProfileError) -> bool, Box<dyn FnOnce(&mut SignerProfile)>);
    let seal = |error: &ProfileError| matches!(error, ProfileError::Seal(_));
    let claim = |error: &ProfileError| matches!(error, ProfileError::Claim(_));
    let policy = |error: &ProfileError| matches!(error, ProfileError::Policy(_));
    let (other_kind_of_claim, other_kind_of_seal) = (seal_chain.clone(), claim_chain.clone());
    let cases: [Refused; 9] = [
        (seal, Box::new(|profile| profile.seal.chain_pem = String::new())),
        (seal, Box::new(|profile| profile.seal.chain_pem = "no PEM".into())),
        (seal, Box::new(move |profile| profile.seal.chain_pem = other_kind_of_seal)),
        (seal, Box::new(move |profile| profile.seal.chain_pem = reversed(&seal_chain))),
        (claim, Box::new(move |profile| profile.claim.chain_pem = reversed(&claim_chain))),
        (claim, Box::new(move |profile| profile.claim.chain_pem = other_kind_of_claim)),
        (policy, Box::new(|profile| profile.seal.policy.oid = "AD-RB".into())),
        (policy, Box::new(|profile| profile.seal.policy.hash_hex = "00".into())),
        (policy, Box::new(|profile| profile.seal.policy.uri = String::new())),
    ];
    for (expected, change) in cases {
        let error = profile_error(change);
        assert!(expected(&error), "{error}");
    }
}

#[test]
fn certificates_sign_only_while_they_are_valid() {
    let signers = Sandbox::shared().signers();
    let now = OffsetDateTime::now_utc();
    assert_eq!(signers.check_dates(now), Ok(()));
    for then in [now - Duration::days(2), now + Duration::days(365)] {
        assert!(matches!(signers.check_dates(then), Err(ProfileError::OutOfDate(_))), "{then}");
    }
}

#[test]
fn the_end_of_every_certificate_is_reported() {
    let expiries = Expiry::of_profile(&Sandbox::shared().profile).unwrap();
    let now = OffsetDateTime::now_utc();
    let ends: Vec<_> = expiries.iter().map(|expiry| (expiry.subject.as_str(), expiry.days_left(now))).collect();
    // The certificates are valid from the day before, so the last day is partly over.
    let (leaf, authority) = (363, 3648);
    let expected = [
        ("CN=LACRE DEVELOPMENT:11222333000181,OU=Development,O=ICP-Brasil,C=BR", leaf),
        ("CN=AC Lacre Development,OU=Development,O=ICP-Brasil,C=BR", authority),
        ("CN=Lacre Development Seal Root,OU=Development,O=ICP-Brasil,C=BR", authority),
        ("CN=Lacre Development Claim Signer,O=Lacre Development,C=BR", leaf),
        ("CN=Lacre Development Claim Intermediate,O=Lacre Development,C=BR", authority),
    ];
    assert_eq!(ends, expected);
    let ended = &expiries[0];
    assert_eq!(ended.days_left(ended.not_after), 0);
    assert_eq!(ended.days_left(ended.not_after + Duration::seconds(1)), -1);
}

#[test]
fn public_keys_come_from_the_leaves() {
    use p256::pkcs8::EncodePublicKey;
    let sandbox = Sandbox::shared();
    let signers = sandbox.signers();
    let claim_key = sandbox.ec.0.verifying_key().to_public_key_der().unwrap();
    assert_eq!(signers.claim_public_key(), claim_key.as_bytes());
    assert_ne!(signers.seal_public_key(), signers.claim_public_key());
}
