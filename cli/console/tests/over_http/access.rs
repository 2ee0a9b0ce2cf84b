//! Forged requests: a foreign host, a foreign origin, or no session.

use crate::{
    browser::{Browser, Request, opening_path, port, refused},
    gateway::{Gateway, NOBODY},
    operator::start_as_user,
};

const CLIENTS: &str = "/api/admin/clients";

#[tokio::test]
async fn refuses_foreign_host_names() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    let other_port = format!("127.0.0.1:{}", browser.port ^ 1);
    let evil = format!("127.0.0.1.evil.example:{}", browser.port);
    let capital = format!("LOCALHOST:{}", browser.port);
    for host in ["127.0.0.1.evil.example", &evil, &other_port, "127.0.0.1", "localhost", &capital, ""] {
        for path in ["/", "/open?code=x", "/api/console", CLIENTS] {
            let answer = browser.request("GET", path).header("host", host).send().await;
            assert_eq!(answer.refusal(), refused(403, "host"), "{host} {path}");
        }
    }
    let missing = browser.request("GET", "/").without("host").send().await;
    assert_eq!(missing.refusal(), refused(403, "host"));
    // Two `Host` headers, one of them correct. hyper may reject this itself.
    let twice = browser.request("GET", "/").and("host", "evil.example").send().await;
    assert!(twice.status == 403 || twice.status == 400, "{twice:?}");
    let absolute = browser.request("GET", "http://evil.example/").send().await;
    assert_eq!(absolute.refusal(), refused(403, "host"));
    let localhost = format!("localhost:{}", browser.port);
    assert_eq!(browser.request("GET", "/").header("host", &localhost).send().await.status, 200);
}

#[tokio::test]
async fn refuses_requests_of_other_pages() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let other_port = format!("http://127.0.0.1:{}", browser.port ^ 1);
    let other_name = format!("http://localhost:{}", browser.port);
    let encrypted = format!("https://127.0.0.1:{}", browser.port);
    for origin in [other_port.as_str(), &other_name, &encrypted, "null", "http://127.0.0.1", ""] {
        let posted = browser.request("POST", CLIENTS).header("origin", origin).body(b"{}").send().await;
        assert_eq!(posted.refusal(), refused(403, "origin"), "{origin}");
        let read = browser.request("GET", CLIENTS).header("origin", origin).send().await;
        assert_eq!(read.refusal(), refused(403, "origin"), "{origin}");
    }
    let without = browser.request("POST", CLIENTS).without("origin").body(b"{}").send().await;
    assert_eq!(without.refusal(), refused(403, "origin"));
    for site in ["cross-site", "same-site", "none"] {
        for path in ["/", "/index.html", "/api/console", CLIENTS, "/open?code=x"] {
            let answer = browser.request("GET", path).header("sec-fetch-site", site).send().await;
            assert_eq!(answer.refusal(), refused(403, "origin"), "{site} {path}");
        }
        let posted = browser.request("POST", CLIENTS).header("sec-fetch-site", site);
        let posted = posted.header("sec-fetch-mode", "navigate").body(b"{}").send().await;
        assert_eq!(posted.refusal(), refused(403, "origin"), "{site}");
        // The operator follows a link on another site.
        let followed = browser.request("GET", "/").header("sec-fetch-site", site);
        assert_eq!(followed.header("sec-fetch-mode", "navigate").send().await.status, 200, "{site}");
    }
    assert!(gateway.seen().is_empty());
}

#[tokio::test]
async fn serves_no_file_without_the_cookie() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    let shown = Request::new(browser.port, "GET", "/").header("sec-fetch-mode", "navigate");
    let shown = shown.header("sec-fetch-site", "none").send().await;
    assert_eq!((shown.status, shown.header("content-type")), (401, Some("text/html; charset=utf-8")));
    assert!(shown.body.contains("lacre-admin console"), "{}", shown.body);
    let swapped = format!("{}={}", browser.cookie.split('=').next().unwrap(), browser.token);
    for cookie in ["", "lacre_console=x", &swapped, &browser.cookie[..browser.cookie.len() - 1]] {
        for path in ["/index.html", "/nothing", "/api/console", CLIENTS] {
            let answer = browser.request("GET", path).header("cookie", cookie).send().await;
            assert_eq!(answer.refusal(), refused(401, "session"), "{cookie} {path}");
        }
        let fetched = browser.request("GET", "/").header("cookie", cookie).send().await;
        assert_eq!(fetched.refusal(), refused(401, "session"), "{cookie}");
    }
    // Another server on this machine set a cookie of the same name.
    let tossed = format!("{}=tossed; {}", browser.cookie.split('=').next().unwrap(), browser.cookie);
    assert_eq!(browser.request("GET", "/").header("cookie", &tossed).send().await.status, 200);
}

#[tokio::test]
async fn the_cookie_alone_opens_no_api() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let cookie = browser.cookie.split_once('=').unwrap().1.to_owned();
    for path in ["/api", "/api/console", "/api/signers", "/api/nothing", CLIENTS] {
        let without = browser.request("GET", path).without("x-console-session").send().await;
        assert_eq!(without.refusal(), refused(401, "session"), "{path}");
        for token in ["", "wrong", &cookie, &browser.token[1..]] {
            let wrong = browser.request("GET", path).header("x-console-session", token).send().await;
            assert_eq!(wrong.refusal(), refused(401, "session"), "{path} {token}");
        }
    }
    assert!(gateway.seen().is_empty());
    assert_eq!(browser.get(CLIENTS).await.status, 200);
}

#[tokio::test]
async fn a_session_opens_no_other_console() {
    let (console, other) = (start_as_user(NOBODY).await, start_as_user(NOBODY).await);
    let browser = Browser::open(&console).await;
    let elsewhere = Browser { port: port(&other), cookie: browser.cookie.clone(), token: browser.token.clone() };
    assert_eq!(elsewhere.get("/index.html").await.refusal(), refused(401, "session"));
    let code = Request::new(port(&other), "GET", &opening_path(&console)).send().await;
    assert_eq!(code.status, 401);
}
