//! A genuine seal in a manifest that it was not made for. The manifest is consistent: the C2PA library wrote it, and
//! its claim is signed under a root that the verifier trusts for claims. Only what the seal covers besides the frame
//! reveals the fraud.

use lacre_domain::{BrowserClaims, CaptureId, Environment, FrameHash};
use lacre_proof::{Anchors, Timestamps, Trust, certificates_of_file};
use lacre_proof_fixtures::authority::{Authority, Stamping};
use lacre_proof_fixtures::{Sandbox, asked_for, facts, synthetic};
use lacre_sign::Facts;
use lacre_verify::{FileKind, Outcome, Report, check};
use serde_json::json;
use time::OffsetDateTime;

use super::claimant::{Claimant, Stated, stated, stated_with};

fn trusting(claim: &str) -> (Anchors, Anchors) {
    (Anchors::from_pem(claim).unwrap(), Anchors::from_pem(&Sandbox::shared().seal_anchor_pem).unwrap())
}

/// The names of the checks that fail for a verifier who also trusts another operator's claim roots.
fn failed(file: &[u8], others: &Sandbox) -> Vec<&'static str> {
    let (claim, seal) = trusting(&format!("{}{}", Sandbox::shared().claim_anchor_pem, others.claim_anchor_pem));
    let timestamps = Anchors::from_pem(&Authority::shared().anchors_pem).unwrap();
    let trust = Trust { seal: &seal, seal_timestamps: &timestamps, claim: &claim, claim_timestamps: &timestamps };
    let report = check(file, trust, OffsetDateTime::now_utc()).report;
    report.checks.iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

fn report(file: &[u8]) -> Report {
    check(file, &Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap(), OffsetDateTime::now_utc()).report
}

#[tokio::test]
async fn refuses_seals_in_other_manifests() {
    let (frame, others) = (synthetic(320, 240, false), Sandbox::new());
    let genuine = stated(&frame, &facts()).await;
    let (own, other) = (Claimant::of(Sandbox::shared()), Claimant::of(&others));
    assert_eq!(failed(&own.wrap(&frame, &genuine), &others), [""; 0], "the same statements, wrapped again");

    let with = |change: &dyn Fn(&mut Stated)| {
        let mut changed = genuine.clone();
        change(&mut changed);
        changed
    };
    let elsewhere = with(&|stated| (stated.browser.gps_lat, stated.browser.gps_lon) = (-3.1, -60.0));
    let earlier = with(&|stated| stated.capture.ingested_at = "2020-01-01T00:00:00.000Z".into());
    let unlabeled = with(&|stated| stated.browser.photo_label = None);
    let another_id: CaptureId = serde_json::from_value(FrameHash::of(b"another").hex().into()).unwrap();
    let renamed = with(&|stated| stated.capture.capture_id = another_id.clone());
    let in_production = with(&|stated| stated.capture.environment = Environment::Production);
    let in_staging = with(&|stated| stated.capture.environment = Environment::Staging);
    let of_icp_brasil = with(&|stated| {
        stated.capture.environment = Environment::Production;
        stated.capture.icp_brasil = true;
    });
    let of_a_kit = with(&|stated| stated.capture.asked_for = Some(asked_for()));
    let sandbox_of_icp_brasil = with(&|stated| stated.capture.icp_brasil = true);

    for (what, file, expected) in [
        ("another position", own.wrap(&frame, &elsewhere), &["sealed statements"][..]),
        ("another time", own.wrap(&frame, &earlier), &["sealed statements", "times agree"]),
        ("a label less", own.wrap(&frame, &unlabeled), &["sealed statements"]),
        ("another capture", own.wrap(&frame, &renamed), &["sealed statements"]),
        ("another environment", own.wrap(&frame, &in_production), &["sealed environment", "sealed statements"]),
        ("staging", own.wrap(&frame, &in_staging), &["sealed environment", "sealed statements"]),
        ("as ICP-Brasil's", own.wrap(&frame, &of_icp_brasil), &["sealed environment", "sealed statements"]),
        ("as a step of a kit", own.wrap(&frame, &of_a_kit), &["sealed statements"]),
        ("ICP-Brasil in sandbox", own.wrap(&frame, &sandbox_of_icp_brasil), &["statements", "sealed statements"]),
        ("another claim signer", other.wrap(&frame, &genuine), &["sealed claim certificate"]),
        (
            "all of it by another claim signer",
            other.wrap(&frame, &of_icp_brasil),
            &["sealed environment", "sealed statements", "sealed claim certificate"],
        ),
    ] {
        assert_eq!(failed(&file, &others), expected, "{what}");
    }
}

#[tokio::test]
async fn refuses_malformed_names_of_kits() {
    let (frame, others) = (synthetic(320, 240, false), Sandbox::new());
    let genuine = stated(&frame, &Facts { asked_for: Some(asked_for()), ..facts() }).await;
    let own = Claimant::of(Sandbox::shared());
    assert_eq!(failed(&own.wrap(&frame, &genuine), &others), [""; 0]);
    let too_long = "a".repeat(33);
    let hostile = [
        "",
        "Auto",
        "1a",
        "-a",
        "a_b",
        "a b",
        "autó",
        "a\0",
        "a\n  ok    seal",
        "a\u{1b}[2J",
        "a\u{202e}b",
        "<script>x</script>",
        "`a`",
        &too_long,
    ];
    let with = |member: &str, value: serde_json::Value| {
        let mut capture = serde_json::to_value(&genuine.capture).unwrap();
        capture["asked_for"][member] = value;
        own.wrap_stating(&frame, &genuine, &capture)
    };
    let names = hostile.iter().flat_map(|name| [("kit", json!(name)), ("step", json!(name))]);
    let versions = [json!(0), json!(-1), json!(1_000_000_000), json!(4_294_967_297_u64), json!(1.5), json!("3")];
    let hashes = [json!(""), json!("ab"), json!("z".repeat(64)), json!(too_long.repeat(1000))];
    let misfits = [("kit", json!(null)), ("step", json!(["a"])), ("shows", json!("chassi"))];
    let versions = versions.map(|version| ("version", version));
    for (member, value) in names.chain(versions).chain(hashes.map(|hash| ("sha256", hash))).chain(misfits) {
        let report = report(&with(member, value.clone()));
        let checks: Vec<_> = report.checks.iter().map(|check| (check.name, check.holds)).collect();
        assert_eq!((checks, report.outcome), (vec![("form", false)], Outcome::Refused), "{member} {value}");
        assert_eq!(report.capture, None, "{member} {value}");
    }
    for missing in ["kit", "version", "sha256", "step"] {
        let mut capture = serde_json::to_value(&genuine.capture).unwrap();
        capture["asked_for"].as_object_mut().unwrap().remove(missing);
        assert_eq!(report(&own.wrap_stating(&frame, &genuine, &capture)).outcome, Outcome::Refused, "{missing}");
    }
}

#[tokio::test]
async fn refuses_timestamped_seals_in_other_manifests() {
    let (frame, others) = (synthetic(320, 240, false), Sandbox::new());
    let facts = facts();
    let authority = Stamping::new(Authority::shared(), facts.ingested_at);
    let genuine = stated_with(&frame, &facts, Timestamps::Required(&authority)).await;
    assert_eq!(genuine.policy, "2.16.76.1.7.1.2.2.4");
    let (own, other) = (Claimant::of(Sandbox::shared()), Claimant::of(&others));
    assert_eq!(failed(&own.wrap(&frame, &genuine), &others), [""; 0], "the same statements, wrapped again");

    let mut in_production = genuine.clone();
    in_production.capture.environment = Environment::Production;
    let refused = failed(&own.wrap(&frame, &in_production), &others);
    assert_eq!(refused, ["sealed environment", "sealed statements"]);
    assert_eq!(failed(&other.wrap(&frame, &genuine), &others), ["sealed claim certificate"]);
    // Another seal of the same photo, which has no timestamp and names the other policy.
    let without_token = stated(&frame, &facts).await;
    let swapped = Stated { seal: without_token.seal, ..genuine };
    assert!(failed(&own.wrap(&frame, &swapped), &others).contains(&"seal policy"));
}

#[tokio::test]
async fn refuses_seals_of_other_captures() {
    let (frame, other_frame, others) = (synthetic(320, 240, false), synthetic(240, 240, false), Sandbox::new());
    let facts = facts();
    let unlabeled = Facts { claims: BrowserClaims { label: None, ..facts.claims.clone() }, ..facts.clone() };
    let one = stated(&frame, &facts).await;
    let same_photo = stated(&frame, &unlabeled).await;
    let other_photo = stated(&other_frame, &facts).await;
    let own = Claimant::of(Sandbox::shared());
    let with_seal = |stated: &Stated, seal: &Stated| Stated { seal: seal.seal.clone(), ..stated.clone() };

    let file = own.wrap(&frame, &with_seal(&same_photo, &one));
    assert_eq!(failed(&file, &others), ["sealed statements"]);
    let file = own.wrap(&other_frame, &with_seal(&other_photo, &one));
    assert_eq!(failed(&file, &others), ["hashes agree", "sealed statements"]);
}

#[tokio::test]
async fn refuses_too_many_claim_certificates() {
    let frame = synthetic(240, 240, false);
    let genuine = stated(&frame, &facts()).await;
    let anchors = Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap();
    let mut claimant = Claimant::of(Sandbox::shared());
    // The root certificate, repeated: each copy could have issued the next.
    let [root] = &certificates_of_file(&Sandbox::shared().claim_anchor_pem).unwrap()[..] else { panic!("one root") };
    for (certificates, expected) in [(8, None), (9, Some(9)), (80, Some(80))] {
        claimant.chain.resize(certificates, root.clone());
        let report = check(&claimant.wrap(&frame, &genuine), &anchors, OffsetDateTime::now_utc()).report;
        let refusal = report.checks[0].fault.clone();
        let expected = expected.map(|found| format!("the x5chain has {found} certificates; the limit is 8"));
        assert_eq!(refusal, expected, "{certificates}");
        assert_eq!(report.checks.len() == 1, expected.is_some(), "nothing else is checked");
    }
}

#[tokio::test]
async fn newer_proofs_are_not_judged() {
    let (frame, own) = (synthetic(240, 240, false), Claimant::of(Sandbox::shared()));
    let genuine = stated(&frame, &facts()).await;
    let newer = own.wrap_newer(&frame, &genuine);
    let anchors = Anchors::from_pem(&Sandbox::shared().anchors_pem).unwrap();
    let judged = |file: &[u8]| check(file, &anchors, OffsetDateTime::now_utc()).report;
    let report = judged(&newer);
    assert_eq!((report.outcome, report.file, report.valid), (Outcome::NewerVersion, FileKind::NewerProof, false));
    let lines = report.to_string();
    assert!(
        lines.starts_with("THE FILE SAYS THAT IT IS OF A NEWER VERSION\n") && lines.contains("Update the verifier "),
        "{lines}"
    );
    assert!(!lines.contains("FAIL") && !lines.contains("ok  "), "{lines}");

    // Version 1 is the first version, so a proof of version 0 is invalid.
    let mut earlier = genuine.clone();
    earlier.capture.version = 0;
    assert_eq!(judged(&own.wrap(&frame, &earlier)).outcome, Outcome::Refused);
    // Changing the version number makes the proof invalid.
    for (mut file, from, to) in [(newer, 2, 1), (own.wrap(&frame, &genuine), 1, 2)] {
        let place = file.windows(9).position(|window| window == [b"gversion", &[from][..]].concat()).unwrap();
        file[place + 8] = to;
        assert_eq!(judged(&file).outcome, Outcome::Refused);
    }
}
