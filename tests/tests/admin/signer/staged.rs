//! Tests a staged rotation: install, probe by the function itself, activate, revert. Captures continue meanwhile.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_administration::{Error, signer::SealMaterial};
use lacre_domain::{Environment, SealSigner, SignerDraft};
use lacre_storage::SignerProfiles;
use lacre_tests::{
    Fault, Storage, frame,
    openssl::{Bench, PASSWORD, icp_brasil_like},
    verifiers,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Desk, import};

const SANDBOX: Environment = Environment::Sandbox;
const NEW: &str = "CN=TEST COMPANY:11222333000181,O=ICP-Brasil,C=BR";

/// Imports a seal into the sandbox's draft; returns its key.
async fn install(desk: &Desk, bench: &Bench) -> String {
    let material = SealMaterial::from_pfx(&bench.pfx("company", &["issuing", "root"], ""), PASSWORD, &[]).unwrap();
    desk.signer.import_seal(&material, &import(SANDBOX)).await.unwrap().key_arn
}

/// The function's probe of the draft, or of a version.
async fn probe(desk: &Desk, query: &str) -> (u16, Value) {
    desk.service.admin(Method::POST, &format!("/signers/SANDBOX/probe{query}"), Value::Null).await.outcome()
}

fn sound(version: u32, draft_revision: Option<u32>) -> (u16, Value) {
    let checks =
        ["profile", "dates", "seal", "claim", "timestamps"].map(|check| json!({ "check": check, "fault": null }));
    let body = json!({
        "environment": "SANDBOX", "version": version, "draft_revision": draft_revision, "works": true, "checks": checks,
    });
    (200, body)
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    match outcome {
        Err(Error::Refused(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn captures_continue_during_a_rotation() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let kms = Storage::of(&desk.service).kms;
    let (ended, sealed) = (Cell::new(false), RefCell::new(Vec::new()));
    let anchors = format!("{}{}", desk.service.trust_anchors(), bench.text("root.pem"));
    // Captures one after the other; each must succeed.
    let captures = async {
        while !ended.get() {
            let (_, answer) = desk.service.capture("LICENSE_KEY", &frame::fresh()).await;
            let jpeg = BASE64_STANDARD.decode(answer.ok()["signed_image_base64"].as_str().unwrap()).unwrap();
            let report = verifiers::ours(&jpeg, &anchors).0;
            assert!(report.valid, "{report}");
            sealed.borrow_mut().push(report.seal.unwrap().signer);
        }
    };
    let further = async || {
        let before = sealed.borrow().len();
        // Waits for two captures, because the first may have read the old profile.
        while sealed.borrow().len() < before + 2 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        sealed.borrow().last().unwrap().clone()
    };
    let rotation = async {
        let old = further().await;
        assert_ne!(old, NEW);

        let key = install(&desk, &bench).await;
        // The function is denied the new key, as until its permission has propagated.
        kms.disable_key().key_id(&key).send().await.unwrap();
        let (status, probed) = probe(&desk, "").await;
        assert_eq!((status, &probed["works"], &probed["version"]), (200, &json!(false), &json!(2)), "{probed}");
        let faults =
            probed.pointer("/checks").unwrap().as_array().unwrap().iter().filter(|check| !check["fault"].is_null());
        let faults: Vec<_> = faults.map(|check| check["fault"].as_str().unwrap()).collect();
        assert!(matches!(faults[..], [fault] if fault.contains("DisabledException")), "{faults:?}");
        assert_eq!(further().await, old);

        kms.enable_key().key_id(&key).send().await.unwrap();
        assert_eq!(probe(&desk, "").await, sound(2, Some(1)));
        assert_eq!(further().await, old);

        assert_eq!(desk.signer.activate(SANDBOX, Some(1)).await.unwrap(), 2);
        assert_eq!(further().await, NEW);

        assert_eq!(probe(&desk, "?version=1").await, sound(1, None));
        assert_eq!(desk.signer.earlier_version(SANDBOX, None).await.unwrap(), 1);
        assert_eq!(desk.signer.revert(SANDBOX, 1).await.unwrap(), 3);
        assert_eq!(further().await, old);
        ended.set(true);
    };
    tokio::join!(captures, rotation);
    assert_eq!(sealed.borrow().iter().collect::<BTreeSet<_>>().len(), 2);
}

#[tokio::test]
async fn a_probe_changes_nothing() {
    let desk = Desk::open().await;
    let none = (404, json!({ "error": "SANDBOX has no draft with both signers" }));
    assert_eq!(probe(&desk, "").await, none);
    let no_version = (404, json!({ "error": "the signer profile of SANDBOX has no version 7" }));
    assert_eq!(probe(&desk, "?version=7").await, no_version);
    for query in ["?version=", "?version=0", "?version=x", "?version=-1", "?version=4294967296"] {
        assert_eq!(probe(&desk, query).await, (400, json!({ "error": "version: a number from 1" })), "{query}");
    }
    for named in ["other", "sandbox", "sand"] {
        let unknown = desk.service.admin(Method::POST, &format!("/signers/{named}/probe"), Value::Null).await.outcome();
        assert_eq!(unknown, (400, json!({ "error": "environment: PRODUCTION, STAGING or SANDBOX" })), "{named}");
    }

    let before = desk.signers().await;
    assert_eq!(probe(&desk, "?version=1").await, sound(1, None));
    assert_eq!(desk.signers().await, before);
    // The probe is not available on public gateways.
    for base in ["BASE_URL", "CAPTURE_URL", "LICENSE_URL"] {
        let url = format!("{}/signers/SANDBOX/probe?version=1", desk.service.variable(base));
        assert_eq!(desk.service.http.post(url).send().await.unwrap().status(), 404, "{base}");
    }
}

#[tokio::test]
async fn a_probe_finds_each_signer_fault() {
    let desk = Desk::open().await;
    let profiles = SignerProfiles::new(desk.service.connection());
    let of = async |change: &dyn Fn(&mut SignerDraft)| {
        let before = profiles.state(SANDBOX).await.unwrap();
        let mut draft = SignerDraft::from(before.profile.clone().unwrap());
        change(&mut draft);
        assert!(profiles.put_draft(SANDBOX, &before, &draft, &lacre_tests::operator::entry()).await.unwrap());
        let (status, probed) = probe(&desk, "").await;
        assert_eq!((status, &probed["works"]), (200, &json!(false)), "{probed}");
        let faults = probed["checks"].as_array().unwrap().iter().filter(|check| !check["fault"].is_null());
        faults
            .map(|check| (check["check"].as_str().unwrap().to_owned(), check["fault"].to_string()))
            .collect::<Vec<_>>()
    };
    let only = |faults: &[(String, String)], check: &str, says: &str| {
        assert!(matches!(faults, [(name, fault)] if name == check && fault.contains(says)), "{faults:?}");
    };

    let another = desk.claim_key().await;
    let mismatch = of(&|draft| draft.claim.as_mut().unwrap().key_arn.clone_from(&another)).await;
    only(&mismatch, "profile", "the certificate of the claim does not match its KMS key");
    let missing = of(&|draft| draft.seal.as_mut().unwrap().key_arn = format!("{another}-none")).await;
    only(&missing, "profile", "NotFoundException");
    let unreadable = of(&|draft| draft.seal.as_mut().unwrap().chain_pem = "none".into()).await;
    only(&unreadable, "profile", "ICP-Brasil signer");
    let silent = "http://127.0.0.1:9/".to_owned();
    let silent = of(&|draft| draft.timestamps.as_mut().unwrap().authorities = vec![silent.clone()]).await;
    only(&silent, "timestamps", "127.0.0.1");

    desk.clock.advance(time::Duration::days(4000));
    let expired = of(&|_| {}).await;
    assert!(
        expired.iter().any(|(check, fault)| check == "dates" && fault.contains("not valid at this time")),
        "{expired:?}"
    );
}

#[tokio::test]
async fn activates_only_the_probed_draft() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    install(&desk, &bench).await;
    let (_, probed) = probe(&desk, "").await;
    assert_eq!(probed["draft_revision"], 1);
    let second = install(&desk, &bench).await;
    let before = desk.signers().await;
    let changed = "the draft of the signer profile was changed by another request: read it again, then retry";
    assert_eq!(refused(desk.signer.activate(SANDBOX, Some(1)).await), changed);
    assert_eq!(desk.signers().await, before);

    // A draft that was discarded and filled again is a different one.
    desk.signer.discard(SANDBOX).await.unwrap();
    assert_eq!(
        refused(desk.signer.discard(SANDBOX).await),
        "the draft is empty: signer import-a1, signer install-claim-certificate"
    );
    assert_eq!(probe(&desk, "").await.0, 404);
    let third = install(&desk, &bench).await;
    assert_eq!(refused(desk.signer.activate(SANDBOX, Some(2)).await), changed);
    assert_eq!(desk.signer.activate(SANDBOX, Some(4)).await.unwrap(), 2);
    assert_eq!(desk.profile(SANDBOX).await.seal.key_arn, third);
    assert_ne!(second, third);
    assert_eq!(desk.signers().await.iter().filter(|item| item["sk"].as_s().unwrap() == "draft").count(), 0);
}

#[tokio::test]
async fn refuses_a_draft_on_stale_state() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let profiles = SignerProfiles::new(desk.service.connection());
    let before = profiles.state(SANDBOX).await.unwrap();
    let draft = |seal: &SealSigner| SignerDraft { seal: Some(seal.clone()), ..SignerDraft::default() };
    let seal = before.profile.as_ref().unwrap().seal.clone();
    install(&desk, &bench).await;
    let entry = lacre_tests::operator::entry;
    assert!(
        !profiles.put_draft(SANDBOX, &before, &draft(&seal), &entry()).await.unwrap(),
        "there is a draft meanwhile"
    );
    desk.signer.activate(SANDBOX, None).await.unwrap();
    assert!(!profiles.put_draft(SANDBOX, &before, &draft(&seal), &entry()).await.unwrap(), "and it is in force");
    let now = profiles.state(SANDBOX).await.unwrap();
    assert!(profiles.put_draft(SANDBOX, &now, &draft(&seal), &entry()).await.unwrap());
}

#[tokio::test]
async fn timestamps_and_revert_keep_the_draft() {
    let desk = Desk::open().await;
    let bench = icp_brasil_like();
    let first = desk.profile(SANDBOX).await;
    let key = install(&desk, &bench).await;
    let timestamps = first.timestamps.clone().unwrap();
    desk.signer.set_timestamps(SANDBOX, None).await.unwrap();
    assert_eq!(desk.profile(SANDBOX).await.timestamps, None);
    desk.signer.set_timestamps(SANDBOX, Some(timestamps.clone())).await.unwrap();
    assert_eq!(desk.signer.revert(SANDBOX, 2).await.unwrap(), 4);
    assert_eq!(desk.profile(SANDBOX).await.timestamps, None, "a version is reverted as a whole");
    assert_eq!(desk.signer.activate(SANDBOX, Some(1)).await.unwrap(), 5);
    let now = desk.profile(SANDBOX).await;
    assert_eq!((now.seal.key_arn, now.timestamps, now.claim), (key, None, first.claim));

    assert_eq!(refused(desk.signer.revert(SANDBOX, 5).await), "version 5 is in force");
    let missing = desk.signer.revert(SANDBOX, 9).await;
    assert!(matches!(&missing, Err(Error::NotFound(text)) if text.contains("has no version 9")), "{missing:?}");
    desk.forget(Environment::Staging).await;
    let none = desk.signer.earlier_version(Environment::Staging, None).await;
    assert!(matches!(none, Err(Error::NotFound(_))), "{none:?}");
}

#[tokio::test]
async fn a_lost_response_keeps_the_activation() {
    let desk = Desk::open().await;
    let key = install(&desk, &icp_brasil_like()).await;
    desk.faults.always("TransactWriteItems", Fault::LoseAnswer);
    assert_eq!(desk.signer.activate(SANDBOX, Some(1)).await.unwrap(), 2);
    assert_eq!(desk.signer.revert(SANDBOX, 1).await.unwrap(), 3);
    desk.faults.clear();
    assert_ne!(desk.profile(SANDBOX).await.seal.key_arn, key);
    desk.faults.always("TransactWriteItems", Fault::ServerError);
    let before = desk.signers().await;
    assert!(desk.signer.revert(SANDBOX, 2).await.is_err());
    desk.faults.clear();
    assert_eq!(desk.signers().await, before);
}
