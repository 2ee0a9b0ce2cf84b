//! Tests that the check notices every change of a delivered file, and never panics.

use lacre_domain::{FrameHash, SignaturePolicy};
use lacre_photo::{CheckedPhoto, Jpeg};
use lacre_proof::{Anchors, Timestamps};
use lacre_proof_fixtures::{Sandbox, facts, synthetic};
use lacre_sign::Signers;
use lacre_verify::{Outcome, Report, check};
use time::{Duration, OffsetDateTime};

struct Delivered {
    frame: Vec<u8>,
    jpeg: Vec<u8>,
    /// The range of the manifest's segments in the file.
    segments: std::ops::Range<usize>,
}

async fn delivered() -> Delivered {
    let frame = synthetic(320, 240, true);
    let proof = Sandbox::shared().seal(&frame, &facts()).await;
    let offset = Jpeg::parse(&frame).unwrap().manifest_offset();
    let segments = offset..offset + proof.jpeg.len() - frame.len();
    Delivered { frame, jpeg: proof.jpeg, segments }
}

fn anchors(pem: &str) -> Anchors {
    Anchors::from_pem(pem).unwrap()
}

fn report(file: &[u8]) -> Report {
    check(file, &anchors(&Sandbox::shared().anchors_pem), OffsetDateTime::now_utc()).report
}

/// The names of the failed checks.
fn failed(report: &Report) -> Vec<&str> {
    assert_eq!(report.valid, report.checks.iter().all(|check| check.holds));
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

/// A generator of pseudo-random numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

#[tokio::test]
async fn notices_every_changed_manifest_segment_byte() {
    let Delivered { jpeg, segments, .. } = delivered().await;
    assert_eq!(failed(&report(&jpeg)), [""; 0]);
    let half = segments.start + segments.len() / 2;
    // One thread for each half, because this is the longest test of the crate.
    std::thread::scope(|scope| {
        for range in [segments.start..half, half..segments.end] {
            let mut file = jpeg.clone();
            scope.spawn(move || {
                for at in range {
                    for mask in [1 << (at % 8), 0xFF] {
                        file[at] ^= mask;
                        assert_eq!(report(&file).outcome, Outcome::Refused, "byte {at} changed by {mask:#04x}");
                        file[at] ^= mask;
                    }
                }
            });
        }
    });
}

#[tokio::test]
async fn notices_changed_bytes_elsewhere() {
    let Delivered { jpeg, segments, .. } = delivered().await;
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut file = jpeg.clone();
    for _ in 0..2000 {
        let mut at = random.below(jpeg.len() - segments.len());
        if at >= segments.start {
            at += segments.len();
        }
        let mask = 1 + random.below(255) as u8;
        file[at] ^= mask;
        assert_eq!(report(&file).outcome, Outcome::Refused, "byte {at} changed by {mask:#04x}");
        file[at] ^= mask;
    }
}

#[tokio::test]
async fn notices_truncations_insertions_and_removals() {
    let Delivered { jpeg, segments, .. } = delivered().await;
    for length in (0..jpeg.len()).step_by(31) {
        let report = report(&jpeg[..length]);
        // The truncated manifest still counts as a proof, unless it ends before the first of Lacre's labels.
        let expected = if length > segments.start + 1_000 { Outcome::Refused } else { report.outcome };
        assert!(!report.valid && report.outcome == expected, "{length} bytes: {:?}", report.outcome);
    }
    // At every position around the headers in the segments' first 100 bytes, then at every eleventh byte.
    let places = (0..segments.start + 100).chain((segments.start..segments.end).step_by(11)).chain([jpeg.len()]);
    for at in places {
        for inserted in [&[0x00][..], &[0xFF], &[0xFF, 0xEB, 0x00, 0x02]] {
            let file = [&jpeg[..at], inserted, &jpeg[at..]].concat();
            assert_eq!(report(&file).outcome, Outcome::Refused, "{inserted:02x?} at {at}");
        }
        if at < jpeg.len() {
            let file = [&jpeg[..at], &jpeg[at + 1..]].concat();
            assert_eq!(report(&file).outcome, Outcome::Refused, "byte {at} removed");
        }
    }
}

#[tokio::test]
async fn random_changes_of_manifests_never_panic() {
    let Delivered { jpeg, segments, .. } = delivered().await;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..3000 {
        let mut file = jpeg.clone();
        for _ in 0..1 + random.below(8) {
            let at = segments.start + random.below(segments.len());
            match random.below(3) {
                0 => file[at] = random.below(256) as u8,
                1 => file[at] = [0x00, 0xFF, 0x7F, 0x80, 0x5F, 0x9B, 0x30, 0x84][random.below(8)],
                _ => {
                    let length = random.below(64).min(segments.end - at);
                    let from = segments.start + random.below(segments.len() - length);
                    file.copy_within(from..from + length, at);
                }
            }
        }
        assert!(file == jpeg || !report(&file).valid);
    }
}

#[tokio::test]
async fn notices_another_frame_under_a_manifest() {
    let delivered = delivered().await;
    let other = synthetic(320, 240, false);
    let offset = Jpeg::parse(&other).unwrap().manifest_offset();
    let manifest = &delivered.jpeg[delivered.segments.clone()];
    let file = [&other[..offset], manifest, &other[offset..]].concat();
    assert_eq!(failed(&report(&file)), ["hashes agree"]);
}

#[tokio::test]
async fn notices_a_misplaced_manifest() {
    let delivered = delivered().await;
    let manifest = &delivered.jpeg[delivered.segments.clone()];
    let frame = &delivered.frame;
    for at in [2, frame.len() - 2] {
        let file = [&frame[..at], manifest, &frame[at..]].concat();
        assert_eq!(failed(&report(&file)), ["form"], "at {at}");
    }
    let twice =
        [&delivered.jpeg[..delivered.segments.end], manifest, &delivered.jpeg[delivered.segments.end..]].concat();
    assert_eq!(failed(&report(&twice)), ["form"]);
}

#[tokio::test]
async fn without_manifest_there_is_no_proof() {
    let report = report(&delivered().await.frame);
    assert_eq!(report.checks[0].fault.as_deref(), Some("the file carries no manifest"));
    assert_eq!((report.outcome, report.valid), (Outcome::NoProof, false));
}

#[tokio::test]
async fn both_chains_need_their_root() {
    let sandbox = Sandbox::shared();
    let jpeg = delivered().await.jpeg;
    let now = OffsetDateTime::now_utc();
    let judged = |pem: &str| check(&jpeg, &anchors(pem), now).report;
    assert_eq!(failed(&judged(&sandbox.claim_anchor_pem)), ["seal certificate"]);
    assert_eq!(failed(&judged(&sandbox.seal_anchor_pem)), ["claim certificate"]);
    // Roots with the same names and other keys.
    assert_eq!(failed(&judged(&Sandbox::new().anchors_pem)), ["claim certificate", "seal certificate"]);
}

#[tokio::test]
async fn certificates_are_judged_at_the_given_time() {
    let jpeg = delivered().await.jpeg;
    let anchors = anchors(&Sandbox::shared().anchors_pem);
    let unknown = Anchors::from_pem(&Sandbox::new().anchors_pem).unwrap();
    let faults = |anchors| {
        let report = check(&jpeg, anchors, OffsetDateTime::now_utc() + Duration::days(365)).report;
        report.checks.into_iter().filter_map(|check| check.fault).collect::<Vec<_>>()
    };
    assert!(faults(&anchors).iter().all(|fault| fault.contains(" expired on ")));
    assert!(
        faults(&unknown).iter().all(|fault| fault.starts_with("no chain to a trusted root")),
        "expired, and unknown"
    );
    for days in [-2, 365] {
        let report = check(&jpeg, &anchors, OffsetDateTime::now_utc() + Duration::days(days)).report;
        assert_eq!(failed(&report), ["claim certificate", "seal certificate"], "{days} days from now");
    }
}

/// The report on a proof whose signature names another policy.
async fn under_policy(policy: SignaturePolicy) -> Report {
    let sandbox = Sandbox::shared();
    let mut profile = sandbox.profile.clone();
    profile.seal.policy = policy;
    let signers = Signers::parse(&profile).unwrap();
    let (frame, facts) = (synthetic(240, 240, false), facts());
    let hash = FrameHash::of(&frame);
    let signature = signers.sign_frame(&hash, &facts, &sandbox.rsa, Timestamps::None).await.unwrap();
    let frame = CheckedPhoto::check(frame.into()).unwrap();
    let proof = signers.sign_manifest(&frame, &hash, &signature, &sandbox.ec, Timestamps::None, None).await.unwrap();
    report(&proof.jpeg)
}

#[tokio::test]
async fn accepts_only_exact_published_policies() {
    let ad_rb_v2_3 = SignaturePolicy {
        oid: "2.16.76.1.7.1.1.2.3".into(),
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RB_v2_3.der".into(),
        hash_hex: "b16e88bbf77322a67995b79078778ed3d0ea7c88587b6f6d518b715e8f76a3d5".into(),
    };
    let ad_rt_v2_4 = SignaturePolicy {
        oid: "2.16.76.1.7.1.2.2.4".into(),
        uri: "http://politicas.icpbrasil.gov.br/PA_AD_RT_v2_4.der".into(),
        hash_hex: "fa59dca6d9c0e808eb7397b2de800cce5b0e4da2c42e2e5ef2496a2ce6badcb7".into(),
    };
    let valid = under_policy(ad_rb_v2_3.clone()).await;
    assert!(valid.valid);
    assert_eq!(valid.seal.unwrap().policy_name, Some("AD-RB v2.3"));

    let right = SignaturePolicy::ad_rb_v2_4();
    let wrong_hash = SignaturePolicy { hash_hex: ad_rb_v2_3.hash_hex.clone(), ..right.clone() };
    let wrong_address = SignaturePolicy { uri: ad_rb_v2_3.uri, ..right.clone() };
    let unknown = SignaturePolicy { oid: "2.16.76.1.7.1.1.2.99".into(), ..right };
    for (policy, fault) in [
        (wrong_hash, "the hash does not match AD-RB v2.4"),
        (wrong_address, "the address does not match AD-RB v2.4"),
        (unknown, "unknown policy 2.16.76.1.7.1.1.2.99"),
        (ad_rt_v2_4, "AD-RT v2.4 requires a timestamp, which is missing"),
    ] {
        let report = under_policy(policy).await;
        assert_eq!(failed(&report), ["seal policy"]);
        let faults: Vec<_> = report.checks.iter().filter_map(|check| check.fault.as_deref()).collect();
        assert_eq!(faults, [fault]);
    }
}

#[tokio::test]
async fn notices_signatures_over_another_frame() {
    let sandbox = Sandbox::shared();
    let signers = sandbox.signers();
    let (frame, facts) = (synthetic(240, 240, false), facts());
    let (hash, other) = (FrameHash::of(&frame), FrameHash::of(b"another frame"));
    let frame = CheckedPhoto::check(frame.into()).unwrap();
    let of_other = signers.sign_frame(&other, &facts, &sandbox.rsa, Timestamps::None).await.unwrap();
    let proof = signers.sign_manifest(&frame, &hash, &of_other, &sandbox.ec, Timestamps::None, None).await.unwrap();
    assert_eq!(failed(&report(&proof.jpeg)), ["hashes agree"]);

    let of_frame = signers.sign_frame(&hash, &facts, &sandbox.rsa, Timestamps::None).await.unwrap();
    let proof = signers.sign_manifest(&frame, &other, &of_frame, &sandbox.ec, Timestamps::None, None).await.unwrap();
    assert_eq!(failed(&report(&proof.jpeg)), ["hashes agree"]);
}

#[test]
fn anchors_are_certificates() {
    for bad in
        ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----"]
    {
        assert!(Anchors::from_pem(bad).is_err(), "{bad:?}");
    }
    let commented = format!("# the roots\r\n{}\r\n", Sandbox::shared().anchors_pem.replace('\n', "\r\n"));
    assert!(Anchors::from_pem(&commented).is_ok());
}
