//! A copy of a photo leads back to its proof, for its own client and as long as the capture is held.

use base64::{Engine, engine::general_purpose::STANDARD};
use lacre_domain::StoreAssetPolicy;
use lacre_tests::{
    Answer, Service, Storage,
    scene::{copy, cropped, customer, indexed, photo, service},
    service::refusal,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

const BY_CONTENT: &str = "/c2pa/v1/matches/byContent";
const BY_BINDING: &str = "/c2pa/v1/matches/byBinding";

fn request(service: &Service, method: Method, path: &str, api_key: &str) -> RequestBuilder {
    let url = format!("{}{path}", service.variable("PROOFS_URL"));
    service.http.request(method, url).header("authorization", format!("Bearer {api_key}"))
}

async fn find(service: &Service, api_key: &str, copy: &[u8]) -> Answer {
    let request = request(service, Method::POST, BY_CONTENT, api_key).header("content-type", "image/jpeg");
    service.send(request.body(copy.to_vec())).await
}

/// The manifests that a copy leads to.
async fn matches(service: &Service, api_key: &str, copy: &[u8]) -> Vec<Value> {
    find(service, api_key, copy).await.ok()["matches"].as_array().unwrap().clone()
}

async fn manifest(service: &Service, api_key: &str, id: &str) -> (u16, Option<String>, Vec<u8>) {
    let request = request(service, Method::GET, &format!("/c2pa/v1/manifests/{id}"), api_key);
    let response = request.send().await.unwrap();
    let media_type = response.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
    (response.status().as_u16(), media_type, response.bytes().await.unwrap().to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_leads_to_its_proof() {
    let service = service().await;
    for (place, policy) in [StoreAssetPolicy::Always, StoreAssetPolicy::Never].into_iter().enumerate() {
        let owner = customer(&service, policy).await;
        let seed = 10 + place as u64;
        let ingested = owner.capture(&photo(seed)).await.ok();
        indexed(&service, (place + 1) * 18).await;
        let found = matches(&service, &owner.api_key, &copy(seed)).await;
        let id = found[0]["manifestId"].as_str().unwrap();
        assert!(id.starts_with("urn:c2pa:"), "{id}");
        assert!(found.len() == 1 && found[0]["similarityScore"].as_u64().unwrap() > 80, "{found:?}");
        let (_, sidecar) = service.fetch(ingested["manifest_url"].as_str().unwrap()).await;
        let expected = (200, Some("application/c2pa".to_owned()), sidecar);
        assert_eq!(manifest(&service, &owner.api_key, id).await, expected);
        assert_eq!(matches(&service, &owner.api_key, &copy(99)).await, Vec::<Value>::new(), "another scene");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_originals_confirm_a_crop() {
    let service = service().await;
    for (place, policy) in [StoreAssetPolicy::Always, StoreAssetPolicy::Never].into_iter().enumerate() {
        let owner = customer(&service, policy).await;
        owner.capture(&photo(15)).await.ok();
        indexed(&service, (place + 1) * 18).await;
        let found = matches(&service, &owner.api_key, &cropped(15)).await;
        assert_eq!(found.len(), usize::from(policy == StoreAssetPolicy::Always), "{policy:?}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_finds_it() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Always).await;
    let other = customer(&service, StoreAssetPolicy::Always).await;
    owner.capture(&photo(20)).await.ok();
    other.capture(&photo(21)).await.ok();
    indexed(&service, 36).await;
    let found = matches(&service, &owner.api_key, &copy(20)).await;
    let id = found[0]["manifestId"].as_str().unwrap();
    assert_eq!(matches(&service, &other.api_key, &copy(20)).await, Vec::<Value>::new());
    let unknown = manifest(&service, &other.api_key, "urn:c2pa:00000000-0000-4000-8000-000000000000").await;
    assert_eq!(unknown.0, 404);
    assert_eq!(manifest(&service, &other.api_key, id).await, unknown, "it cannot be told from an unknown one");
    assert_eq!(manifest(&service, &other.api_key, "x").await, unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn withheld_and_erased_captures_are_not_found() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Always).await;
    let session_id = owner.capture(&photo(30)).await.ok()["session_id"].as_str().unwrap().to_owned();
    indexed(&service, 18).await;
    let id = matches(&service, &owner.api_key, &copy(30)).await[0]["manifestId"].as_str().unwrap().to_owned();
    let evidence = service.evidence();
    evidence.withhold(&session_id, "case 7").await.unwrap();
    assert_eq!(matches(&service, &owner.api_key, &copy(30)).await, Vec::<Value>::new());
    assert_eq!(manifest(&service, &owner.api_key, &id).await.0, 404);
    evidence.release(&session_id, "case 7").await.unwrap();
    assert_eq!(matches(&service, &owner.api_key, &copy(30)).await.len(), 1);
    evidence.erase(&session_id, "request 41").await.unwrap();
    assert_eq!(matches(&service, &owner.api_key, &copy(30)).await, Vec::<Value>::new());
    assert_eq!(manifest(&service, &owner.api_key, &id).await.0, 404);
    indexed(&service, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn binding_and_content_agree() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Always).await;
    owner.capture(&photo(40)).await.ok();
    indexed(&service, 18).await;
    let storage = Storage::of(&service);
    let scan = storage.dynamodb.scan().table_name(service.variable("PERSONAL_TABLE")).send().await.unwrap();
    let items = scan.items();
    let code = items.iter().find_map(|item| item.get("fingerprint")?.as_s().ok()).unwrap();
    let code: Vec<u8> =
        (0..code.len()).step_by(2).map(|at| u8::from_str_radix(&code[at..at + 2], 16).unwrap()).collect();
    let value = STANDARD.encode([&[0x21, 0x07][..], &code].concat());
    let by_content = matches(&service, &owner.api_key, &copy(40)).await;

    let query = [("alg", "io.iscc.v0"), ("value", value.as_str())];
    let get = request(&service, Method::GET, BY_BINDING, &owner.api_key).query(&query);
    let in_query = service.send(get).await.ok();
    let body = json!({ "alg": "io.iscc.v0", "value": value });
    let post = request(&service, Method::POST, BY_BINDING, &owner.api_key).json(&body);
    assert_eq!(service.send(post).await.ok(), in_query);
    assert_eq!(in_query["matches"][0], json!({ "manifestId": by_content[0]["manifestId"], "similarityScore": 100 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_in_the_documented_order() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Never).await;
    let key = owner.api_key.as_str();
    let jpeg = copy(50);
    let send = async |key: &str, path: &str, media_type: &str, body: Vec<u8>| {
        let request = request(&service, Method::POST, path, key).header("content-type", media_type);
        service.send(request.body(body)).await
    };
    let wrong = send("sk_live_1", BY_CONTENT, "text/plain", vec![]).await;
    assert_eq!(wrong.outcome(), refusal(401, "API key inválida — apenas svc_api_* aceito", None));
    assert_eq!(wrong.header("www-authenticate"), Some("Bearer"));
    let unknown = send(&lacre_tests::service::unknown_api_key(), BY_CONTENT, "text/plain", vec![]).await;
    assert_eq!(unknown.outcome(), refusal(401, "API key inválida ou ausente", None));
    let field = |name: &str| refusal(400, &format!("Payload inválido: {name}"), None);
    let most = format!("{BY_CONTENT}?maxResults=0");
    assert_eq!(send(key, &most, "text/plain", vec![]).await.outcome(), field("maxResults"));
    let algorithm = format!("{BY_CONTENT}?alg=org.example.x");
    assert_eq!(send(key, &algorithm, "image/jpeg", jpeg.clone()).await.outcome(), field("alg"));
    let unsupported = refusal(415, "Envie a imagem como JPEG, PNG ou WebP", Some("web_picture_type_unsupported"));
    assert_eq!(send(key, BY_CONTENT, "image/heic", jpeg.clone()).await.outcome(), unsupported);
    let large = send(key, BY_CONTENT, "image/jpeg", vec![0; 4_194_305]).await;
    assert_eq!((large.status, &large.body["block_reason"]), (413, &json!("web_asset_too_large")));
    let unreadable = refusal(400, "A imagem não pode ser lida", Some("web_picture_unreadable"));
    for hostile in [vec![], b"GIF89a".to_vec(), jpeg[..jpeg.len() / 2].to_vec(), huge_png()] {
        assert_eq!(send(key, BY_CONTENT, "image/jpeg", hostile).await.outcome(), unreadable);
    }
    for (body, name) in [
        (json!({ "value": "IQc=" }), "alg"),
        (json!({ "alg": "io.iscc.v0" }), "value"),
        (json!({ "alg": "io.iscc.v0", "value": "IQc=" }), "value"),
        (json!({ "alg": "io.iscc.v0", "value": 7 }), "value"),
        (json!([]), "alg"),
    ] {
        let post = request(&service, Method::POST, BY_BINDING, key).json(&body);
        assert_eq!(service.send(post).await.outcome(), field(name), "{body}");
    }
}

/// The header of a PNG of 100,000 × 100,000 pixels.
fn huge_png() -> Vec<u8> {
    let side = 100_000_u32.to_be_bytes();
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &side, &side, &[8, 2, 0, 0, 0, 0, 0, 0, 0]].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_lookups_of_each_key() {
    let service = service().await;
    let owner = customer(&service, StoreAssetPolicy::Never).await;
    let other = customer(&service, StoreAssetPolicy::Never).await;
    let value = STANDARD.encode([&[0x21, 0x07][..], &[7; 32]].concat());
    let ask = async |key: &str| {
        let query = [("alg", "io.iscc.v0"), ("value", value.as_str())];
        service.send(request(&service, Method::GET, BY_BINDING, key).query(&query)).await
    };
    for _ in 0..60 {
        assert_eq!(ask(&owner.api_key).await.ok(), json!({ "matches": [] }));
    }
    let refused = ask(&owner.api_key).await;
    assert_eq!(refused.outcome(), refusal(429, "Limite de consultas atingido — tente novamente mais tarde", None));
    let left: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=3600).contains(&left), "{left}");
    assert_eq!(ask(&other.api_key).await.status, 200, "each key has its own");
    let audit = service.administration().audit;
    let entries = audit.of_client(&owner.client_id, &lacre_storage::PageRequest::first(100)).await.unwrap();
    let lookups = entries.entries.iter().filter(|entry| entry.operation == lacre_domain::Operation::FindCopy);
    assert_eq!(lookups.count(), 60, "each lookup has an entry in the audit log");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fingerprint_without_the_term() {
    let service = service().await;
    let ingested = service.capture("LICENSE_KEY", &photo(60)).await.1.ok();
    assert!(ingested["session_id"].is_string());
    let storage = Storage::of(&service);
    for (table, attribute) in [("PERSONAL_TABLE", "fingerprint"), ("PERSONAL_TABLE", "manifest_id")] {
        let scan = storage.dynamodb.scan().table_name(service.variable(table)).send().await.unwrap();
        assert!(scan.count() > 0 && scan.items().iter().all(|item| !item.contains_key(attribute)), "{attribute}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_are_public() {
    let service = service().await;
    let base = service.variable("PROOFS_URL").to_owned();
    let get = async |path: &str| service.send(service.http.get(format!("{base}{path}"))).await.ok();
    assert_eq!(
        get("/c2pa/v1/services/supportedAlgorithms").await,
        json!({ "watermarks": [], "fingerprints": [{ "alg": "io.iscc.v0" }] })
    );
    assert_eq!(get("/c2pa/v1/services/status").await, json!({ "status": "ok" }));
    assert_eq!(
        get("/c2pa/v1/services/capabilities").await,
        json!({ "c2paSpecificationVersion": "2.4.0", "supportedCapabilities": ["queryByContent"] })
    );
    let discovery = get("/.well-known/c2pa-soft-binding-resolution").await;
    assert_eq!(discovery["apiEndpoint"].as_str(), Some(format!("{base}/c2pa/v1").as_str()));
    let without_key = service.send(service.http.get(format!("{base}{BY_BINDING}"))).await;
    assert_eq!(without_key.outcome(), refusal(401, "API key inválida ou ausente", None));
}
