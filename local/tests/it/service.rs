//! Tests the local service as a whole: the gateways' own responses, and what a start stores.

use lacre_admin_api::Route;
use local::{Aws, Options, Service, Storage};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};

async fn start() -> Service {
    Service::start(Options::default()).await.unwrap()
}

fn text<'a>(response: &'a Response, header: &str) -> Option<&'a str> {
    response.headers().get(header).map(|value| value.to_str().unwrap())
}

async fn create(service: &Service, api_key: &str, license_key: &str) -> (StatusCode, Value) {
    let body = json!({ "license_key": license_key, "reference_id": "vehicle 1" });
    let post = Client::new().post(format!("{}/web/sessions", service.base_url()));
    let response = post.header("x-api-key", api_key).json(&body).send().await.unwrap();
    (response.status(), response.json().await.unwrap())
}

#[tokio::test]
async fn unknown_routes_are_the_gateways_404() {
    let service = start().await;
    let browser = Client::new();
    for (method, url) in [
        (Method::GET, service.base_url()),
        (Method::GET, format!("{}/web/sessions", service.base_url())),
        (Method::POST, format!("{}/web/sessions/abc", service.base_url())),
        (Method::POST, format!("{}/web/sessions/", service.base_url())),
        (Method::POST, format!("{}/validate", service.base_url())),
        (Method::POST, format!("{}/web/sessions", service.license_url())),
    ] {
        let response = browser.request(method, &url).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{url}");
        assert_eq!(response.text().await.unwrap(), r#"{"message":"Not Found"}"#);
    }
}

#[tokio::test]
async fn any_page_reads_responses_and_errors() {
    let service = start().await;
    let browser = Client::new();
    let url = format!("{}/web/sessions/abc", service.base_url());
    let from_page = |method| browser.request(method, &url).header("origin", "https://app.example.com");

    let preflight = from_page(Method::OPTIONS).header("access-control-request-method", "GET").send().await.unwrap();
    assert_eq!(preflight.status(), StatusCode::NO_CONTENT);
    assert_eq!(text(&preflight, "access-control-allow-origin"), Some("*"));
    assert_eq!(text(&preflight, "access-control-allow-methods"), Some("GET,POST"));
    assert_eq!(text(&preflight, "access-control-allow-headers"), Some("content-type,x-svc-photo,x-svc-touch-points"));
    assert_eq!(text(&preflight, "access-control-max-age"), Some("7200"));
    assert_eq!(text(&preflight, "access-control-allow-credentials"), None);

    for method in [Method::GET, Method::DELETE] {
        let refused = from_page(method).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::NOT_FOUND);
        assert_eq!(text(&refused, "access-control-allow-origin"), Some("*"));
        assert_eq!(text(&refused, "access-control-expose-headers"), Some("retry-after,x-request-id,apigw-requestid"));
    }
    let template = include_str!("../../../template.yaml");
    for cors in [
        "AllowMethods: [GET, POST]",
        "AllowHeaders: [content-type, x-svc-photo, x-svc-touch-points]",
        "ExposeHeaders: [retry-after, x-request-id, apigw-requestid]",
    ] {
        assert_eq!(template.matches(cors).count(), 1, "{cors}");
    }
    let plain = browser.get(&url).send().await.unwrap();
    assert_eq!(text(&plain, "access-control-allow-origin"), None);
}

#[tokio::test]
async fn seeded_keys_behave_as_named() {
    let service = start().await;
    let keys = service.keys();
    let status = async |api_key: &str, license_key: &str| create(&service, api_key, license_key).await.0.as_u16();

    assert_eq!(status(&keys.api_key, &keys.license_key).await, 200);
    assert_eq!(status(&keys.api_key, &keys.license_key_always).await, 200);
    assert_eq!(status(&keys.api_key, &keys.license_key_no_origin).await, 200);
    assert_eq!(status(&keys.api_key, &keys.license_key_gps_required).await, 200);
    assert_eq!(status(&keys.api_key, &keys.license_key_tsa).await, 200);
    assert_eq!(status(&keys.api_key_staging, &keys.license_key_staging).await, 200);
    assert_eq!(status(&keys.api_key_staging, &keys.license_key_over_volume).await, 200);
    assert_eq!(status(&keys.api_key_live, &keys.license_key_live).await, 200);
    assert_eq!(status(&keys.api_key_revoked, &keys.license_key).await, 401);
    assert_eq!(status(&keys.api_key_suspended, &keys.license_key_suspended).await, 401);
    let refused =
        [&keys.license_key_foreign, &keys.license_key_revoked, &keys.license_key_expired, &keys.license_key_suspended];
    for license_key in refused {
        let body = json!({ "error": "License inválida para esta API key" });
        assert_eq!(create(&service, &keys.api_key, license_key).await, (StatusCode::FORBIDDEN, body));
    }
    let (_, mismatch) = create(&service, &keys.api_key, &keys.license_key_live).await;
    assert_eq!(mismatch["block_reason"], "web_license_environment_mismatch");
}

#[tokio::test]
async fn validate_gives_each_license_its_reason() {
    let service = start().await;
    let keys = service.keys();
    let reason = async |license_key: &str| {
        let post = Client::new().post(format!("{}/validate", service.license_url()));
        let response = post.json(&json!({ "license_key": license_key })).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.json::<Value>().await.unwrap()["reason"].as_str().map(str::to_owned)
    };
    assert_eq!(reason(&keys.license_key).await, None);
    assert_eq!(reason(&keys.license_key_revoked).await.as_deref(), Some("REVOKED"));
    assert_eq!(reason(&keys.license_key_suspended).await.as_deref(), Some("CLIENT_SUSPENDED"));
    assert_eq!(reason(&keys.license_key_expired).await.as_deref(), Some("EXPIRED"));
    assert_eq!(reason(&keys.license_key_over_volume).await.as_deref(), Some("VOLUME_EXCEEDED"));
}

#[tokio::test]
async fn every_environment_has_a_signer() {
    let service = start().await;
    let signers = lacre_storage::SignerProfiles::new(service.connection()).in_force().await.unwrap();
    assert_eq!(signers.len(), 3);
    for signer in &signers {
        let keys = lacre_storage::SigningKeys::new(service.connection());
        assert!(!keys.public_key(&signer.seal.key_arn).await.unwrap().is_empty());
        assert!(!keys.public_key(&signer.claim.key_arn).await.unwrap().is_empty());
        assert!(!signer.seal.icp_brasil);
        let root = signer.seal.chain_pem.rsplit_once("-----BEGIN").unwrap().1;
        assert!(service.trust_anchors_pem().contains(root));
        let timestamps = signer.timestamps.as_ref().unwrap();
        assert_eq!(timestamps.authorities, [service.tsa_url()]);
        assert!(service.trust_anchors_pem().contains(&timestamps.roots_pem));
        assert_eq!(signer.version, 1);
    }
    let mut claim_keys: Vec<_> = signers.iter().map(|signer| &signer.claim.key_arn).collect();
    claim_keys.sort();
    claim_keys.dedup();
    assert_eq!(claim_keys.len(), 3);
}

#[tokio::test]
async fn keeps_its_keys_with_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let data = Storage::Directory(directory.path().join("data"));
    let start =
        async || Service::start(Options { aws: Aws::StandIns(data.clone()), ..Options::default() }).await.unwrap();
    let first = start().await;
    let (keys, anchors) = (first.keys().clone(), first.trust_anchors_pem().to_owned());
    drop(first);
    data.closed().await;

    let second = start().await;
    assert_eq!(second.keys().variables(), keys.variables());
    assert_eq!(second.trust_anchors_pem(), anchors);
    for signer in lacre_storage::SignerProfiles::new(second.connection()).in_force().await.unwrap() {
        assert_eq!(signer.timestamps.unwrap().authorities, [second.tsa_url()], "it listens elsewhere now");
    }
    assert_eq!(create(&second, &keys.api_key, &keys.license_key).await.0, StatusCode::OK);
}

#[tokio::test]
async fn fresh_starts_remove_only_their_data() {
    let directory = tempfile::tempdir().unwrap();
    let data = Storage::Directory(directory.path().join("data"));
    let start = async |fresh, port| {
        Service::start(Options { aws: Aws::StandIns(data.clone()), fresh, port, ..Options::default() }).await
    };
    let first = start(true, 0).await.unwrap();
    let port = first.base_url().rsplit_once(':').unwrap().1.parse().unwrap();
    let refused = start(true, port).await.err().unwrap();
    assert!(refused.to_string().starts_with(&format!("127.0.0.1, port {port}: ")), "{refused}");
    assert_eq!(create(&first, &first.keys().api_key, &first.keys().license_key).await.0, StatusCode::OK);
    let first_key = first.keys().api_key.clone();
    drop(first);
    data.closed().await;
    assert_ne!(start(true, 0).await.unwrap().keys().api_key, first_key);

    std::fs::write(directory.path().join("letter.txt"), "keep me").unwrap();
    let aws = Aws::StandIns(Storage::Directory(directory.path().to_owned()));
    let refused = Service::start(Options { aws, fresh: true, ..Options::default() }).await.err().unwrap();
    assert!(refused.to_string().contains("not removed"), "{refused}");
    assert!(directory.path().join("letter.txt").exists());
}

#[tokio::test]
async fn large_bodies_are_the_gateways_413() {
    let service = start().await;
    let post = Client::new().post(format!("{}/web/sessions", service.base_url()));
    let response = post.body(vec![b' '; 10 * 1024 * 1024 + 1]).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(response.text().await.unwrap(), r#"{"message":"Request Entity Too Large"}"#);
}

#[tokio::test]
async fn the_admin_api_needs_a_signature() {
    let service = start().await;
    let url = format!("{}/clients", service.admin_url());
    for method in [Method::GET, Method::POST] {
        let response =
            Client::new().request(method, &url).header("origin", "https://app.example.com").send().await.unwrap();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        assert_eq!(text(&response, "access-control-allow-origin"), None);
        assert_eq!(response.text().await.unwrap(), r#"{"message":"Forbidden"}"#);
    }
    let preflight = Client::new().request(Method::OPTIONS, &url).header("access-control-request-method", "GET");
    assert_eq!(preflight.send().await.unwrap().status(), StatusCode::NOT_FOUND);
}

/// Each admin route in the template belongs to the expected function, and there are no others.
#[test]
fn the_template_has_the_admin_routes() {
    let template: Value = serde_saphyr::from_str(include_str!("../../../template.yaml")).unwrap();
    let resources = &template["Resources"];
    let mut routes = Vec::new();
    for (path, methods) in resources["AdminApi"]["Properties"]["DefinitionBody"]["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let uri = operation["x-amazon-apigateway-integration"]["uri"].as_str().unwrap();
            let function = uri.split(['{', '}']).find_map(|part| part.strip_suffix("Aliaslive")).unwrap();
            routes.push((method.to_uppercase(), path.clone(), function.to_owned()));
        }
    }
    for (name, resource) in resources.as_object().unwrap() {
        for event in resource["Properties"]["Events"].as_object().into_iter().flat_map(|events| events.values()) {
            let event = &event["Properties"];
            if event["ApiId"] == "AdminApi" {
                let part = |key: &str| event[key].as_str().unwrap().to_owned();
                routes.push((part("Method"), part("Path"), name.clone()));
            }
        }
    }
    let function = |route: Route| match route {
        Route::ProbeSigners => "IngestFunction",
        Route::FindCopy => "FindProofFunction",
        _ => "AdminFunction",
    };
    let mut expected: Vec<_> =
        Route::ALL.map(|route| (route.method().to_owned(), route.path().to_owned(), function(route).to_owned())).into();
    routes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(routes, expected);
}
