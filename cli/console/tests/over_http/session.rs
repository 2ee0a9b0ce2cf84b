//! Tests the one-time code and the session that it opens.

use crate::{
    browser::{Browser, Request, opening_path, port, refused},
    gateway::NOBODY,
    operator::{Sequence, settings, start_as_user, user},
};

#[tokio::test]
async fn a_code_works_once() {
    let console = start_as_user(NOBODY).await;
    let (port, path) = (port(&console), opening_path(&console));
    // A HEAD request does not consume the code.
    let head = Request::new(port, "HEAD", &path).send().await;
    assert_eq!((head.status, head.header("set-cookie")), (405, None));
    let opened = Request::new(port, "GET", &path).header("sec-fetch-site", "none");
    let opened = opened.header("sec-fetch-mode", "navigate").send().await;
    assert_eq!((opened.status, opened.body.as_str()), (303, ""));
    let cookie = opened.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("lacre_console_{port}=")), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    let again = Request::new(port, "GET", &path).send().await;
    assert_eq!((again.status, again.header("set-cookie"), again.header("location")), (401, None, None));
    assert_eq!(again.header("content-type"), Some("text/html; charset=utf-8"));
    let (in_portuguese, in_english) = (again.body.contains("Execute <code>"), again.body.contains("Run <code>"));
    assert!(in_portuguese && in_english, "{}", again.body);
}

#[tokio::test]
async fn ten_wrong_codes_void_it() {
    let (nine, ten) = (start_as_user(NOBODY).await, start_as_user(NOBODY).await);
    for (console, count) in [(&nine, 9), (&ten, 10)] {
        for _ in 0..count {
            let wrong = Request::new(port(console), "GET", "/open?code=wrong").send().await;
            assert_eq!(wrong.status, 401);
        }
        // A request without a code does not count as a wrong code.
        assert_eq!(Request::new(port(console), "GET", "/open").send().await.status, 401);
    }
    assert_eq!(Request::new(port(&nine), "GET", &opening_path(&nine)).send().await.status, 303);
    assert_eq!(Request::new(port(&ten), "GET", &opening_path(&ten)).send().await.status, 401);
}

#[tokio::test]
async fn debug_output_has_no_secret() {
    let console = start_as_user(NOBODY).await;
    let code = opening_path(&console).split_once('=').unwrap().1.to_owned();
    let browser = Browser::open(&console).await;
    let shown = format!("{console:?}");
    assert!(shown.contains(&console.url()), "{shown}");
    for secret in [&code, &browser.token, &browser.cookie] {
        assert!(!shown.contains(secret.as_str()), "{shown}");
    }
    let shown = format!("{:?}", settings(NOBODY, Sequence::new([user()])));
    assert!(!shown.contains("-secret"), "{shown}");
}

#[tokio::test]
async fn a_dropped_console_stops_listening() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.get("/index.html").await.status, 200);
    drop(console);
    let connects = || tokio::net::TcpStream::connect(("127.0.0.1", browser.port));
    for _ in 0..100 {
        if connects().await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("it still listens");
}

#[tokio::test]
async fn refuses_other_methods_and_routes() {
    let console = start_as_user(NOBODY).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.post("/").await.refusal(), refused(405, "method"));
    assert_eq!(browser.post("/open").await.refusal(), refused(405, "method"));
    assert_eq!(browser.post("/api/console").await.refusal(), refused(405, "method"));
    for method in ["PUT", "DELETE", "OPTIONS"] {
        let answer = browser.request(method, "/api/admin/clients").send().await;
        assert_eq!(answer.refusal(), refused(405, "method"), "{method}");
    }
    for path in ["/nothing", "/api", "/api/", "/api/nothing", "/api/admin", "/api/admin/", "//", "/../index.html"] {
        assert_eq!(browser.get(path).await.refusal(), refused(404, "not_found"), "{path}");
    }
}
