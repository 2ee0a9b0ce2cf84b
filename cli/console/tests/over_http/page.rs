//! Tests the page's files, the description of the deployment, and the security headers of every response.

use serde_json::{Value, json};

use crate::{
    browser::{Answer, Browser, Request, refused},
    gateway::{Gateway, NOBODY},
    operator::start_as_user,
};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn assert_protected(answer: &Answer, what: &str) {
    let expected = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    ];
    for (name, value) in expected {
        assert_eq!(answer.header(name), Some(value), "{name} of {what}");
    }
    assert_eq!(answer.header("access-control-allow-origin"), None, "{what}");
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let gateway = Gateway::answering([(200, "{}"), (403, r#"{"message":"Forbidden"}"#)]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let large = vec![b' '; 4_194_305];
    let clients = "/api/admin/clients";
    let requests = [
        (200, browser.request("GET", "/")),
        (200, browser.request("HEAD", "/").without("origin")),
        (200, browser.request("GET", "/index.html")),
        (200, browser.request("GET", "/api/console")),
        (200, browser.request("GET", clients)),
        (403, browser.request("GET", clients)),
        (400, browser.request("GET", "/api/admin/..")),
        (401, browser.request("GET", "/").without("cookie")),
        (401, Request::new(browser.port, "GET", "/")),
        (401, Request::new(browser.port, "GET", "/open?code=wrong")),
        (403, browser.request("GET", "/").without("host")),
        (403, browser.request("POST", clients).without("origin")),
        (404, browser.request("GET", "/nothing")),
        (405, browser.request("DELETE", clients)),
        (405, browser.request("POST", "/api/console")),
        (413, browser.request("POST", clients).body(&large)),
    ];
    for (number, (status, request)) in requests.into_iter().enumerate() {
        let answer = request.send().await;
        assert_eq!(answer.status, status, "request {number}: {answer:?}");
        assert_protected(&answer, &format!("request {number}"));
    }
}

#[tokio::test]
async fn serves_the_page_and_its_files() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    let page = browser.get("/").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let attributes = page.body.split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css"));
    let named: Vec<&str> = attributes.map(|name| name.trim_start_matches("./").trim_start_matches('/')).collect();
    assert!(named.len() >= 2, "{named:?}");
    for name in named {
        let file = browser.get(&format!("/{name}")).await;
        assert_eq!(file.status, 200, "{name}");
        let expected = if name.ends_with(".js") { "text/javascript; charset=utf-8" } else { "text/css; charset=utf-8" };
        assert_eq!(file.header("content-type"), Some(expected), "{name}");
    }
    for path in ["/index.html/", "/INDEX.HTML", "/%69ndex.html", "/./index.html", "//index.html"] {
        assert_eq!(browser.get(path).await.refusal(), refused(404, "not_found"), "{path}");
    }
}

#[tokio::test]
async fn tells_the_page_its_deployment() {
    let console = start_as_user("https://admin.example").await;
    let browser = Browser::open(&console).await;
    let expected = json!({
        "stack": "lacre-test",
        "region": "sa-east-1",
        "admin_url": "https://admin.example",
        "verify_url": null,
        // `null`, because STS does not answer.
        "principal": null,
        "version": env!("CARGO_PKG_VERSION"),
    });
    assert_eq!(browser.get("/api/console").await.json(), expected);
}

#[tokio::test]
async fn reports_unreadable_signers() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    let answer = browser.get("/api/signers").await;
    assert_eq!(answer.refusal(), refused(503, "unavailable"));
    let body: Value = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
}
