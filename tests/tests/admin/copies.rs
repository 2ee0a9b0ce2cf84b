//! Operators find the captures that a copy of a photo may show, and repair the index that leads to them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lacre_administration::IndexRepair;
use lacre_domain::{Operation, StoreAssetPolicy, Via};
use lacre_storage::PageRequest;
use lacre_tests::{
    Answer, Service, Storage,
    customer::Customer,
    scene::{copy, customer, indexed, photo, service},
    vault::{CUSTODIAN, capture_id},
};
use reqwest::Method;
use serde_json::{Value, json};

const UNKNOWN: &str = "00000000-0000-7000-8000-000000000000";
/// The attributes of an entry's key.
const KEY: [&str; 2] = ["pk", "sk"];

fn path(client: &impl std::fmt::Display, environment: &str) -> String {
    format!("/clients/{client}/captures/{environment}/matches")
}

async fn find(service: &Service, client: &impl std::fmt::Display, copy: &[u8]) -> Answer {
    service.admin_picture(&path(client, "SANDBOX"), "image/jpeg", copy).await
}

fn nothing() -> Value {
    json!({ "matches": [], "truncated": false })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_finds_the_original() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Never).await;
    let other = customer(&service, StoreAssetPolicy::Never).await;
    let id = capture_id(&owner.capture(&photo(10)).await.ok());
    other.capture(&photo(11)).await.ok();
    indexed(&service, 36).await;

    let found = find(&service, &owner.client_id, &copy(10)).await.ok();
    let shown = service.admin(Method::GET, &format!("/captures/{id}"), Value::Null).await.ok();
    let score = found["matches"][0]["similarity_score"].as_u64().unwrap();
    assert!((81..=100).contains(&score), "{found}");
    let expected = json!({ "matches": [{ "similarity_score": score, "capture": shown }], "truncated": false });
    assert_eq!(found, expected);
    assert_eq!(find(&service, &other.client_id, &copy(10)).await.ok(), nothing());
    let elsewhere = service.admin_picture(&path(&owner.client_id, "PRODUCTION"), "image/jpeg", &copy(10)).await;
    assert_eq!(elsewhere.ok(), nothing());
    assert_eq!(find(&service, &owner.client_id, &copy(99)).await.ok(), nothing(), "another scene");

    let entries = service.administration().audit.of_client(&owner.client_id, &PageRequest::first(10)).await.unwrap();
    let lookups = entries.entries.iter().filter(|entry| entry.operation == Operation::FindCopy);
    let lookups: Vec<_> = lookups.map(|entry| (entry.via, entry.detail.as_deref().unwrap())).collect();
    let expected = ["0 found in SANDBOX", "0 found in PRODUCTION", "1 found in SANDBOX"];
    assert_eq!(lookups, expected.map(|detail| (Via::Api, detail)));

    let evidence = service.evidence();
    evidence.withhold(&id, "case 7").await.unwrap();
    assert_eq!(find(&service, &owner.client_id, &copy(10)).await.ok(), nothing());
    evidence.erase(&id, "request 41").await.unwrap();
    assert_eq!(find(&service, &owner.client_id, &copy(10)).await.ok(), nothing());
}

#[tokio::test(flavor = "multi_thread")]
async fn says_why_a_copy_is_refused() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Never).await;
    let sandbox = path(&owner.client_id, "SANDBOX");
    let types = "send the copy as the body, with one of the media types image/jpeg, image/png, image/webp";
    let cut = "the JPEG cannot be decoded: ";
    let jpeg = copy(20);
    for (path, media_type, body, status, text) in [
        (path(&"x", "SANDBOX"), "image/jpeg", jpeg.clone(), 400, "the id of a client must be a UUID"),
        (path(&owner.client_id, "sandbox"), "image/jpeg", jpeg.clone(), 400, "the environment must be PRODUCTION"),
        (sandbox.clone(), "application/json", jpeg.clone(), 400, types),
        (sandbox.clone(), "image/heic", jpeg.clone(), 400, types),
        (sandbox.clone(), "image/jpeg", vec![0; 4_194_305], 400, "the copy has 4194305 bytes; the maximum is 4194304"),
        (sandbox.clone(), "image/jpeg", Vec::new(), 400, "the file is neither a JPEG, a PNG nor a WebP"),
        (sandbox.clone(), "image/png", b"GIF89a".to_vec(), 400, "the file is neither a JPEG, a PNG nor a WebP"),
        (sandbox, "image/jpeg", jpeg[..jpeg.len() / 2].to_vec(), 400, cut),
        (path(&UNKNOWN, "SANDBOX"), "image/jpeg", jpeg.clone(), 404, "client 00000000-0000-7000-8000-000000000000"),
    ] {
        let refused = service.admin_picture(&path, media_type, &body).await;
        assert_eq!(refused.status, status, "{path} {media_type}: {}", refused.body);
        let error = refused.body["error"].as_str().unwrap();
        assert!(error.starts_with(text), "{path} {media_type}: {error}");
    }
    let entries = service.administration().audit.of_client(&owner.client_id, &PageRequest::first(10)).await.unwrap();
    assert!(entries.entries.iter().all(|entry| entry.operation != Operation::FindCopy), "nothing was looked up");
}

/// The entries of the index, without the secrets.
async fn entries(service: &Service) -> Vec<HashMap<String, AttributeValue>> {
    let items = Storage::of(service).items("PRINTS_TABLE").await.into_iter();
    items.filter(|item| !item["pk"].as_s().unwrap().starts_with("key#")).collect()
}

async fn delete(service: &Service, item: &HashMap<String, AttributeValue>) {
    let key = KEY.map(|name| (name.to_owned(), item[name].clone()));
    let delete = Storage::of(service).dynamodb.delete_item().table_name(service.variable("PRINTS_TABLE"));
    delete.set_key(Some(key.into())).send().await.unwrap();
}

/// Makes two captures, each with its 17 entries and a secret.
async fn two_captures<'a>(service: &'a Service, seeds: [u64; 2]) -> (Customer<'a>, String) {
    let owner = customer(service, StoreAssetPolicy::Never).await;
    let mut ids = Vec::new();
    for seed in seeds {
        ids.push(capture_id(&owner.capture(&photo(seed)).await.ok()));
    }
    indexed(service, 35).await;
    (owner, ids.remove(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repair_refills_the_index() {
    let service = service().await;
    let (owner, _) = two_captures(&service, [30, 31]).await;
    let evidence = service.evidence();
    let whole = IndexRepair { applied: false, captures: 2, missing: 0, entries: 34, stale: 0 };
    assert_eq!(evidence.repair_index(false).await.unwrap(), whole);

    // One capture lacks an entry, and then both lack all, with the secret.
    delete(&service, &entries(&service).await[0]).await;
    let counted = evidence.repair_index(false).await.unwrap();
    assert_eq!(counted, IndexRepair { missing: 1, entries: 33, ..whole.clone() });
    for item in Storage::of(&service).items("PRINTS_TABLE").await {
        delete(&service, &item).await;
    }
    let counted = evidence.repair_index(false).await.unwrap();
    assert_eq!(counted, IndexRepair { missing: 2, entries: 0, ..whole.clone() });
    assert!(Storage::of(&service).items("PRINTS_TABLE").await.is_empty(), "counting writes nothing, and no secret");
    assert_eq!(find(&service, &owner.client_id, &copy(30)).await.ok(), nothing());

    let repaired = evidence.repair_index(true).await.unwrap();
    assert_eq!(repaired, IndexRepair { applied: true, ..counted });
    assert_eq!(evidence.repair_index(false).await.unwrap(), whole);
    assert_eq!(find(&service, &owner.client_id, &copy(30)).await.ok()["matches"].as_array().unwrap().len(), 1);
    let month = service.administration().audit.of_month(None, &PageRequest::first(100)).await.unwrap();
    let repairs = month.entries.iter().filter(|entry| entry.operation == Operation::RepairIndex);
    let repairs: Vec<_> = repairs.map(|entry| (entry.via, entry.principal.as_str())).collect();
    assert_eq!(repairs, [(Via::CommandLine, CUSTODIAN)], "only the repair itself is recorded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repair_removes_stale_entries() {
    let service = service().await;
    let (_, erased) = two_captures(&service, [40, 41]).await;
    let (storage, evidence) = (Storage::of(&service), service.evidence());
    let before = entries(&service).await;
    evidence.erase(&erased, "request 41").await.unwrap();
    indexed(&service, 18).await;
    // As if `prints` had given up on the erasure, and an entry had the fingerprint of another picture.
    for item in before.iter().filter(|item| item["sk"].as_s().unwrap() == &erased) {
        storage.replace("PRINTS_TABLE", item.clone()).await;
    }
    let mut odd = before.iter().find(|item| item["sk"].as_s().unwrap() != &erased).unwrap().clone();
    odd.insert("pk".into(), AttributeValue::S(format!("band#{}", "0".repeat(32))));
    storage.replace("PRINTS_TABLE", odd).await;

    let counted = evidence.repair_index(false).await.unwrap();
    assert_eq!(counted, IndexRepair { applied: false, captures: 1, missing: 0, entries: 35, stale: 18 });
    assert_eq!(entries(&service).await.len(), 35, "counting removes nothing");
    assert_eq!(evidence.repair_index(true).await.unwrap(), IndexRepair { applied: true, ..counted });
    let left = entries(&service).await;
    assert!(left.len() == 17 && left.iter().all(|item| before.contains(item)), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_table_is_not_compared() {
    let service = service().await;
    let refused = service.evidence().repair_index(true).await.unwrap_err();
    assert_eq!(refused.to_string(), "EVIDENCE_TABLE has no record: nothing was compared");
}
