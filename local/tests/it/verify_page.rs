//! Tests the verification page that the local service serves.

use std::path::Path;

use local::{Options, Service};
use reqwest::StatusCode;

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// Collapses whitespace to single spaces.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn serves_page_policy_and_local_roots() {
    let service = Service::start(Options::default()).await.unwrap();
    let get = |path: &str| reqwest::get(format!("{}{path}", service.verify_url()));
    let page = get("/").await.unwrap();
    let (status, headers) = (page.status(), page.headers().clone());
    let text = page.text().await.unwrap();
    match status {
        StatusCode::OK => {
            assert!(text.contains("<link rel=\"lacre-roots\" href=\"roots.pem\""), "{text}");
            assert!(text.contains(&format!("data-log-key=\"{}\"", service.log_key())), "{text}");
        }
        // The page was not built; a separate command builds it.
        StatusCode::NOT_FOUND => assert!(text.contains("scripts/build-verify-page"), "{text}"),
        other => panic!("{other}: {text}"),
    }
    assert_eq!(get("/roots.pem").await.unwrap().text().await.unwrap(), service.trust_anchors_pem());
    assert_eq!(get("/..%2fCargo.toml").await.unwrap().status(), StatusCode::NOT_FOUND);

    // The local service, the stack and the page state the same policy, except for `frame-ancestors`, which works only
    // in a header.
    let policy = headers["content-security-policy"].to_str().unwrap();
    let template = file("infra/edge.yaml");
    let of_stack = template.split_once("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'").unwrap().1;
    let of_stack = of_stack.split_once("ContentTypeOptions").unwrap().0;
    assert_eq!(policy, joined(&format!("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{of_stack}")));
    let page = file("web/verify/index.html");
    let of_page =
        page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap();
    assert_eq!(policy, format!("{}; frame-ancestors 'none'", of_page.0));
    for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")] {
        assert_eq!(headers[name], value, "{name}");
    }
}
