//! Tests of proofs with timestamps: how they are made, who accepts them, and that they stay valid after their
//! certificates expired.

use std::{
    fs,
    io::Cursor,
    path::Path,
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use c2pa::{Context, Reader, Settings, ValidationState};
use der::{Decode, EncodePem, pem::LineEnding};
use lacre_domain::{FrameHash, SignError, clock::epoch_millis};
use lacre_photo::CheckedPhoto;
use lacre_proof::{Anchors, TimestampFailure, TimestampRequest, Timestamps, Trust};
use lacre_proof_fixtures::authority::{Authority, LONG_NAME, NONE, Stamping};
use lacre_proof_fixtures::{Sandbox, facts_at, synthetic};
use lacre_sign::{DigestSigner, Facts, ProofFailure, SignedPhoto};
use lacre_verify::{Contents, Found, Report, check};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime, macros::datetime};

/// The time at which everything is signed. It is the current one, because the C2PA library refuses a certificate that
/// is not valid now.
fn then() -> OffsetDateTime {
    static THEN: OnceLock<OffsetDateTime> = OnceLock::new();
    *THEN.get_or_init(|| OffsetDateTime::now_utc().replace_nanosecond(0).unwrap())
}

/// Two years later, when the sandbox's certificates have expired and the authority's have not.
fn later() -> OffsetDateTime {
    then() + Duration::days(2 * 365)
}

fn sandbox() -> &'static Sandbox {
    Sandbox::shared()
}

fn anchors_pem() -> String {
    format!("{}{}", sandbox().anchors_pem, Authority::shared().anchors_pem)
}

fn judged(proof: &SignedPhoto, at: OffsetDateTime) -> (Report, Contents) {
    let verdict = check(&proof.jpeg, &Anchors::from_pem(&anchors_pem()).unwrap(), at);
    (verdict.report, verdict.contents.unwrap())
}

fn failed(report: &Report) -> Vec<&str> {
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

fn old_facts() -> Facts {
    facts_at(then())
}

async fn sealed(timestamps: Timestamps<'_>) -> Result<SignedPhoto, ProofFailure> {
    sandbox().seal_with(&synthetic(320, 240, false), &old_facts(), timestamps).await
}

async fn stamped() -> SignedPhoto {
    sealed(Timestamps::Required(&Stamping::new(Authority::shared(), then()))).await.unwrap()
}

#[tokio::test]
async fn only_timestamped_proofs_outlive_their_certificates() {
    let now = later();
    let (report, _) = judged(&stamped().await, now);
    assert!(report.valid, "{report}");
    let times = report.times.unwrap();
    let trusted = report.seal.as_ref().unwrap().judged_at.clone();
    assert_eq!((times.seal_trusted.as_deref(), times.claim_trusted.as_deref()), (Some(&*trusted), Some(&*trusted)));
    assert_eq!(report.claim.unwrap().judged_at, trusted);
    assert_eq!(OffsetDateTime::parse(&trusted, &time::format_description::well_known::Rfc3339), Ok(then()));
    assert_eq!(report.seal.unwrap().policy_name, Some("AD-RT v2.4"));
    // The authority's certificate is valid for three years, of which two have passed.
    let end = report.holds_until.unwrap();
    assert!(end.certificate.starts_with("CN=Servidor de Carimbo do Tempo"), "{end:?}");
    let end = OffsetDateTime::parse(&end.time, &time::format_description::well_known::Rfc3339).unwrap();
    assert!((360..=365).contains(&(end - now).whole_days()), "{end}");

    let without = sealed(Timestamps::None).await.unwrap();
    let (report, _) = judged(&without, now);
    assert_eq!(failed(&report), ["claim certificate", "seal certificate"]);
    assert_eq!(report.holds_until, None);
    let why = report.checks.iter().filter_map(|check| check.fault.as_deref());
    assert!(why.clone().all(|fault| fault.ends_with("and no valid timestamp proves an earlier signature")), "{report}");
    assert_eq!(why.count(), 2);

    let (report, _) = judged(&without, then());
    assert!(report.valid, "{report}");
    assert_eq!(report.seal.unwrap().policy_name, Some("AD-RB v2.4"));
    let end = report.holds_until.unwrap();
    assert!(end.certificate.contains("Claim Signer") || end.certificate.contains("LACRE DEVELOPMENT"), "{end:?}");
}

/// A proof with the given times of ingest and capture, and with timestamps of the given times over seal and claim.
async fn stating(ingested_at: OffsetDateTime, captured_at: OffsetDateTime, stamps: [OffsetDateTime; 2]) -> SignedPhoto {
    let (signers, frame) = (sandbox().signers(), synthetic(240, 240, false));
    let (hash, mut facts) = (FrameHash::of(&frame), facts_at(ingested_at));
    facts.claims.captured_at_ms = epoch_millis(captured_at);
    let [seal, claim] = stamps.map(|at| Stamping::new(Authority::shared(), at));
    let signature = signers.sign_frame(&hash, &facts, &sandbox().rsa, Timestamps::Required(&seal)).await.unwrap();
    let photo = CheckedPhoto::check(frame.into()).unwrap();
    signers.sign_manifest(&photo, &hash, &signature, &sandbox().ec, Timestamps::Required(&claim), None).await.unwrap()
}

#[tokio::test]
async fn the_manifest_has_room_for_similar_tokens() {
    let (signers, frame) = (sandbox().signers(), synthetic(240, 240, false));
    let (hash, photo) = (FrameHash::of(&frame), CheckedPhoto::check(frame.into()).unwrap());
    let signed = async |seal, claim| {
        let stamping = |lies| Stamping { lies, ..Stamping::new(Authority::shared(), then()) };
        let [seal, claim] = [seal, claim].map(stamping);
        let timestamps = Timestamps::Required(&seal);
        let signature = signers.sign_frame(&hash, &old_facts(), &sandbox().rsa, timestamps).await.unwrap();
        let claim = Timestamps::Required(&claim);
        signers
            .sign_manifest(&photo, &hash, &signature, &sandbox().ec, claim, None)
            .await
            .map(|proof| proof.manifest.len())
    };
    let (small, large) = (signed(&NONE, &NONE).await.unwrap(), signed(&LONG_NAME, &LONG_NAME).await.unwrap());
    assert!(small < 16 * 1024 && small < large, "{small}, {large}");
    assert_eq!(signed(&LONG_NAME, &NONE).await.unwrap(), large);
    let refused = signed(&NONE, &LONG_NAME).await.unwrap_err().to_string();
    assert!(refused.ends_with("the claim's timestamp is much longer than the seal's"), "{refused}");
}

#[tokio::test]
async fn all_times_must_agree_with_ingest() {
    let then = then();
    let long_ago = datetime!(2019-03-01 12:00 UTC);
    let after = |seconds| then + Duration::seconds(seconds);
    let cases = [
        ("as it is", then, then, [then, then], None),
        ("first", then, after(-1_920), [after(-60), after(-60)], None),
        ("last", then, after(120), [after(300), after(300)], None),
        ("captured before the session", then, after(-1_921), [then, then], Some("the browser's time of the capture")),
        ("captured in the future", then, after(121), [then, then], Some("the browser's time of the capture")),
        ("sealed before the ingest", then, then, [after(-61), then], Some("the timestamp")),
        ("sealed long after it", then, then, [after(301), then], Some("the timestamp")),
        ("another timestamp of the claim", then, then, [then, after(600)], Some("the timestamp")),
        ("dated back", long_ago, long_ago, [then, then], Some("the timestamp")),
        ("dated forward", later(), later(), [then, then], Some("the timestamp")),
    ];
    for (what, ingested_at, captured_at, stamps, expected) in cases {
        let (report, _) = judged(&stating(ingested_at, captured_at, stamps).await, later());
        let faults =
            report.checks.iter().filter_map(|check| Some((check.name, check.fault.as_deref()?.split(", ").next()?)));
        assert!(faults.eq(expected.map(|whose| ("times agree", whose))), "{what}: {report}");
    }
}

#[tokio::test]
async fn certificates_were_valid_at_the_ingest() {
    let proof = sandbox().seal(&synthetic(240, 240, false), &facts_at(then() - Duration::days(2))).await;
    let (report, _) = judged(&proof, then());
    assert_eq!(failed(&report), ["times agree"], "nothing but the service's clock says when it was");
    assert!(report.to_string().contains("is not within the validity of the certificate of "), "{report}");
}

#[tokio::test]
async fn timestamps_prove_nothing_outside_their_validity() {
    let proof = stamped().await;
    for (at, why) in [
        (then() - Duration::hours(1), ", is later than"),
        (then() + Duration::days(5 * 365), "the timestamp's certificate is not trusted"),
    ] {
        let (report, _) = judged(&proof, at);
        let fault = |name| report.checks.iter().find(|check| check.name == name).unwrap().fault.clone().unwrap();
        assert!(fault("seal timestamp").contains(why), "{report}");
        assert!(fault("claim timestamp").contains(why), "{report}");
        assert!(report.times.is_some_and(|times| times.seal_trusted.is_none() && times.claim_trusted.is_none()));
    }
}

#[tokio::test]
async fn the_c2pa_reader_trusts_the_timestamp() {
    let settings = serde_json::json!({
        "trust": {"trust_anchors": anchors_pem()},
        "verify": {"verify_trust": true, "verify_timestamp_trust": true, "remote_manifest_fetch": false},
    });
    for (proof, is_trusted) in [(stamped().await, true), (sealed(Timestamps::None).await.unwrap(), false)] {
        let settings = Settings::new().with_json(&settings.to_string()).unwrap();
        let context = Context::new().with_settings(settings).unwrap();
        let reader = Reader::from_context(context).with_stream("image/jpeg", Cursor::new(&proof.jpeg)).unwrap();
        assert_eq!(reader.validation_state(), ValidationState::Trusted, "{}", reader.json());
        assert_eq!(reader.json().contains("timeStamp.trusted"), is_trusted, "{}", reader.json());
    }
}

fn openssl(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("openssl").args(arguments).current_dir(folder).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[tokio::test]
async fn openssl_accepts_signature_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let stamping = Stamping::new(Authority::shared(), then());
    let proof = sealed(Timestamps::Required(&stamping)).await.unwrap();
    let (report, contents) = judged(&proof, later());
    let anchors = anchors_pem();
    let files: [(&str, &[u8]); 5] = [
        ("frame.jpg", &contents.frame),
        ("signature.p7s", &contents.signature),
        ("signature.tst", contents.signature_timestamp.as_ref().unwrap()),
        ("claim.tst", contents.claim_timestamp.as_ref().unwrap()),
        ("anchors.pem", anchors.as_bytes()),
    ];
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());

    let trusted = report.times.unwrap().seal_trusted.unwrap();
    let trusted = OffsetDateTime::parse(&trusted, &time::format_description::well_known::Rfc3339).unwrap();
    let verify = |at: OffsetDateTime| {
        let at = at.unix_timestamp().to_string();
        let signature = ["cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", "signature.p7s"];
        let content = ["-content", "frame.jpg", "-out", "out", "-purpose", "any", "-CAfile", "anchors.pem", "-attime"];
        openssl(folder.path(), &[&signature[..], &content, &[&at]].concat())
    };
    let (accepted, said) = verify(trusted);
    assert!(accepted && said.contains("CAdES Verification successful"), "{said}");
    assert!(!verify(later()).0, "the signer's certificate has ended");

    let asked = stamping.asked.into_inner().unwrap();
    for (token, message) in [("signature.tst", asked[0]), ("claim.tst", asked[1])] {
        let verify = |digest: [u8; 32]| {
            let digest = hex::encode(digest);
            let arguments = ["ts", "-verify", "-token_in", "-in", token, "-CAfile", "anchors.pem", "-digest", &digest];
            openssl(folder.path(), &arguments)
        };
        let (accepted, said) = verify(message);
        assert!(accepted, "{token}: {said}");
        assert!(!verify([0; 32]).0, "{token} is over one message");
    }
}

#[tokio::test]
async fn one_token_covers_the_cades_signature() {
    let stamping = Stamping::new(Authority::shared(), then());
    let proof = sealed(Timestamps::Required(&stamping)).await.unwrap();
    let (_, contents) = judged(&proof, then());
    let message = cms::content_info::ContentInfo::from_der(&contents.signature).unwrap();
    let message: cms::signed_data::SignedData = message.content.decode_as().unwrap();
    let value = message.signer_infos.0.get(0).unwrap().signature.as_bytes();
    let asked = stamping.asked.into_inner().unwrap();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0], <[u8; 32]>::from(Sha256::digest(value)));
}

#[tokio::test]
async fn best_effort_tolerates_either_missing_token() {
    for (answers, policy) in [
        ([true, true], "AD-RT v2.4"),
        ([true, false], "AD-RT v2.4"),
        ([false, true], "AD-RB v2.4"),
        ([false, false], "AD-RB v2.4"),
    ] {
        let stamping = Stamping { answers, ..Stamping::new(Authority::shared(), then()) };
        let proof = sealed(Timestamps::BestEffort(&stamping)).await.unwrap();
        let (report, contents) = judged(&proof, then());
        assert!(report.valid, "{answers:?}: {report}");
        assert_eq!([contents.signature_timestamp.is_some(), contents.claim_timestamp.is_some()], answers);
        let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
        assert_eq!([seal.timestamp.is_some(), claim.timestamp.is_some()], answers);
        assert_eq!(seal.policy_name, Some(policy));
    }
}

/// A key that signs once and then refuses.
struct Once(AtomicUsize);

#[async_trait]
impl DigestSigner for Once {
    async fn sign(&self, digest: [u8; 32]) -> Result<Vec<u8>, SignError> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => sandbox().rsa.sign(digest).await,
            _ => Err(SignError::Rejected("AccessDenied".into())),
        }
    }
}

/// A seal that gets no timestamp is signed again, under the policy that needs none; a signature then exists already.
#[tokio::test]
async fn a_refused_second_signature_is_invalid() {
    let stamping = Stamping { answers: [false, false], ..Stamping::new(Authority::shared(), then()) };
    let (signers, hash) = (sandbox().signers(), lacre_domain::FrameHash::of(b"frame"));
    let refused = async |times: usize, timestamps: Timestamps<'_>| {
        let key = Once(AtomicUsize::new(times));
        signers.sign_frame(&hash, &old_facts(), &key, timestamps).await.err()
    };
    let cause = || "AccessDenied".to_owned();
    assert_eq!(refused(0, Timestamps::BestEffort(&stamping)).await, Some(ProofFailure::InvalidResponse(cause())));
    assert_eq!(refused(1, Timestamps::BestEffort(&stamping)).await, Some(ProofFailure::Rejected(cause())));
    assert_eq!(refused(1, Timestamps::None).await, Some(ProofFailure::Rejected(cause())));
}

#[tokio::test]
async fn makes_no_proof_without_required_tokens() {
    for answers in [[false, true], [true, false]] {
        let stamping = Stamping { answers, ..Stamping::new(Authority::shared(), then()) };
        let failure = sealed(Timestamps::Required(&stamping)).await.err().unwrap();
        assert_eq!(failure, ProofFailure::NotTimestamped(TimestampFailure("no answer".into())));
    }
}

#[tokio::test]
async fn a_required_timestamp_needs_a_policy() {
    let mut profile = sandbox().profile.clone();
    profile.timestamps = None;
    let signers = lacre_sign::Signers::parse(&profile).unwrap();
    let stamping = Stamping::new(Authority::shared(), then());
    let hash = lacre_domain::FrameHash::of(b"a frame");
    let timestamps = Timestamps::Required(&stamping);
    let failure = signers.sign_frame(&hash, &old_facts(), &sandbox().rsa, timestamps).await.err().unwrap();
    assert!(matches!(failure, ProofFailure::NotTimestamped(_)));
    assert!(stamping.asked.into_inner().unwrap().is_empty());
}

/// A file in which one part, which must occur once, is replaced by another of the same length.
fn replaced(file: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..file.len() - part.len()).filter(|at| file[*at..].starts_with(part)).collect();
    let ([at], true) = (&places[..], part.len() == by.len()) else { panic!("{places:?}") };
    [&file[..*at], by, &file[at + part.len()..]].concat()
}

#[tokio::test]
async fn notices_exchanged_tokens() {
    let one = stamped().await;
    // The tokens are of another photo, because RSA signs the same photo at the same time with the same result.
    let stamping = Stamping::new(Authority::shared(), then());
    let other = synthetic(240, 240, true);
    let other = sandbox().seal_with(&other, &old_facts(), Timestamps::Required(&stamping)).await.unwrap();
    let now = later();
    let tokens = |proof: &SignedPhoto| {
        let (_, contents) = judged(proof, now);
        (contents.signature_timestamp.unwrap(), contents.claim_timestamp.unwrap())
    };
    let ((seal, claim), (other_seal, other_claim)) = (tokens(&one), tokens(&other));
    let with = |part: &[u8], by: &[u8]| {
        let jpeg = replaced(&one.jpeg, part, by);
        judged(&SignedPhoto { jpeg, manifest: Vec::new(), manifest_id: String::new() }, now).0
    };
    // The claim's token is made last, so replacing it breaks nothing else; the claim's certificate has expired since.
    for by in [&other_claim, &seal] {
        let report = with(&claim, by);
        assert_eq!(failed(&report), ["claim timestamp", "claim certificate"]);
        assert_eq!(report.checks[5].fault.as_deref(), Some("the timestamp is over another message"));
    }
    // The claim covers the seal's token.
    for by in [&other_seal, &claim] {
        let report = with(&seal, by);
        assert_eq!(failed(&report), ["claim", "seal timestamp", "seal certificate"]);
    }
}

#[tokio::test]
async fn untrusted_authorities_are_still_reported() {
    let proof = stamped().await;
    let without_root = check(&proof.jpeg, &Anchors::from_pem(&sandbox().anchors_pem).unwrap(), then()).report;
    assert_eq!(failed(&without_root), ["claim timestamp", "seal timestamp"]);
    let fault = without_root.checks[5].fault.as_deref().unwrap();
    assert!(fault.starts_with("the timestamp's certificate is not trusted"), "{fault}");
    let reported = without_root.seal.unwrap().timestamp.unwrap();
    assert!(
        !reported.holds && reported.authority.starts_with("CN=Servidor de Carimbo do Tempo"),
        "its name and time are reported"
    );
}

#[tokio::test]
async fn roots_vouch_only_in_their_role() {
    let proof = stamped().await;
    // The holder of a claim root issued the certificates of the seal and of the timestamps.
    let claim = Anchors::from_pem(&anchors_pem()).unwrap();
    let anchors = |pem: &str| Anchors::from_pem(pem).unwrap();
    let (seal, timestamps) = (anchors(&sandbox().seal_anchor_pem), Authority::shared().anchors());
    let judged = |seal, timestamps| {
        check(
            &proof.jpeg,
            Trust { seal, seal_timestamps: timestamps, claim: &claim, claim_timestamps: timestamps },
            then(),
        )
        .report
    };

    let report = judged(&seal, &timestamps);
    assert!(report.valid, "{report}");
    let (claim_root, seal_root) = (report.claim.unwrap(), report.seal.unwrap());
    assert_ne!(claim_root.root.as_ref().unwrap(), seal_root.root.as_ref().unwrap());
    let stamp_root = seal_root.timestamp.unwrap().root.unwrap();
    assert!(stamp_root.starts_with("CN=Lacre Development Timestamp Root"), "{stamp_root}");

    // Replaces each list in turn by one whose roots have the same names but other keys.
    let (other_seal, other_timestamps) = (anchors(&Sandbox::new().seal_anchor_pem), Authority::new().anchors());
    assert_eq!(failed(&judged(&other_seal, &timestamps)), ["seal certificate"]);
    assert_eq!(failed(&judged(&seal, &other_timestamps)), ["claim timestamp", "seal timestamp"]);
    let report = judged(&other_seal, &timestamps);
    assert_eq!(report.seal.unwrap().root, None);
}

#[tokio::test]
async fn authorities_among_the_roots_change_nothing() {
    let (authority, proof) = (Authority::shared(), stamped().await);
    let below = authority.chain[1].to_pem(LineEnding::LF).unwrap();
    let bundle = Anchors::from_pem(&(below.clone() + &anchors_pem())).unwrap();
    let report = check(&proof.jpeg, &bundle, then()).report;
    assert!(report.valid, "{report}");
    let root = report.claim.unwrap().timestamp.unwrap().root.unwrap();
    assert!(root.starts_with("CN=Lacre Development Timestamp Root"), "{root}");

    // The embedded certificates also suit those who trust only the root.
    let bundle = Anchors::from_pem(&(below + &authority.anchors_pem)).unwrap();
    let request = TimestampRequest::new([7; 32], [7; 16]).unwrap();
    let answer = authority.answer(request.der(), then(), &NONE);
    let [token, expected] =
        [&bundle, &authority.anchors()].map(|anchors| request.open(&answer, anchors, then()).unwrap());
    assert_eq!(token, expected);
}

#[tokio::test]
async fn a_removed_timestamp_leaves_empty_space() {
    let proof = stamped().await;
    let token = judged(&proof, then()).1.claim_timestamp.unwrap();
    // The unprotected header is a map of `sigTst2` and `pad`. With zeros only it has the same length.
    let token_start = (0..proof.jpeg.len()).find(|at| proof.jpeg[*at..].starts_with(&token)).unwrap();
    let start = token_start - b"\xa2\x67sigTst2\xa1\x69tstTokens\x81\xa1\x63val\x59__".len();
    assert!(proof.jpeg[start..].starts_with(b"\xa2\x67sigTst2"));
    let pad = token_start + token.len();
    let length = usize::from(u16::from_be_bytes([proof.jpeg[pad + 5], proof.jpeg[pad + 6]]));
    assert!(proof.jpeg[pad..].starts_with(b"\x63pad\x59"));
    let end = pad + 7 + length;
    let zeros = end - start - 8;
    let empty = [&b"\xa1\x63pad\x59"[..], &u16::try_from(zeros).unwrap().to_be_bytes(), &vec![0; zeros]].concat();
    let jpeg = [&proof.jpeg[..start], &empty, &proof.jpeg[end..]].concat();

    let (report, contents) = judged(&SignedPhoto { jpeg, manifest: Vec::new(), manifest_id: String::new() }, then());
    assert!(report.valid && contents.claim_timestamp.is_none(), "no signature covers it: {report}");
    assert!(report.to_string().contains("none arrived in time, or it was removed later"), "{report}");
    assert_eq!(report.times.unwrap().claim_trusted, None);
    let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
    assert_eq!((seal.timestamp_found, claim.timestamp_found), (Found::Timestamp, Found::EmptyRoom));

    let (report, _) = judged(&sealed(Timestamps::None).await.unwrap(), then());
    let (seal, claim) = (report.seal.unwrap(), report.claim.unwrap());
    assert_eq!((seal.timestamp_found, claim.timestamp_found), (Found::Nothing, Found::Nothing));
}

#[tokio::test]
async fn notices_changed_bytes_of_tokens_and_padding() {
    let proof = stamped().await;
    let now = later();
    let (_, contents) = judged(&proof, now);
    let anchors = Anchors::from_pem(&anchors_pem()).unwrap();
    let place = |part: &[u8]| {
        let start = (0..proof.jpeg.len()).find(|at| proof.jpeg[*at..].starts_with(part)).unwrap();
        start..start + part.len()
    };
    let seal = place(&contents.signature_timestamp.unwrap());
    let claim = place(&contents.claim_timestamp.unwrap());
    // The claim's token is preceded by the map's keys and followed by some 950 zeros, and then by the signature.
    let names = claim.start - 64..claim.start;
    let room = claim.end..claim.end + 900;
    let places = [(seal, 1), (names, 1), (claim, 1), (room.start..room.start + 64, 1), (room, 97)];
    std::thread::scope(|scope| {
        for (range, step) in places {
            let (mut file, anchors) = (proof.jpeg.clone(), &anchors);
            scope.spawn(move || {
                for at in range.step_by(step) {
                    let mask = 1 << (at % 8);
                    file[at] ^= mask;
                    assert!(!check(&file, anchors, now).report.valid, "byte {at} changed by {mask:#04x}");
                    file[at] ^= mask;
                }
            });
        }
    });
}
