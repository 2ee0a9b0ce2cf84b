//! Which parts of a browser's request reach the admin API, with whose signature, and what is returned.

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use lacre_console::Console;
use tokio::net::TcpListener;

use crate::{
    browser::{Browser, Request, refused},
    gateway::{Gateway, NOBODY, Seen},
    operator::{NOW, REGION, Sequence, role, settings, start, start_as_user, user},
};

const CLIENTS: &str = "/api/admin/clients";

/// Recomputes the signature of a request that arrived.
fn signature(gateway: &Gateway, seen: &Seen, credentials: Credentials) -> String {
    let identity = credentials.into();
    let parameters = v4::SigningParams::builder()
        .identity(&identity)
        .region(REGION)
        .name("execute-api")
        .time(NOW.into())
        .settings(SigningSettings::default())
        .build()
        .unwrap()
        .into();
    let authorization = seen.header("authorization").unwrap();
    let signed = authorization.split_once("SignedHeaders=").unwrap().1.split(',').next().unwrap();
    // The signer adds these headers itself.
    let own = ["host", "x-amz-date", "x-amz-security-token"];
    let headers = signed.split(';').filter(|name| !own.contains(name)).map(|name| (name, seen.header(name).unwrap()));
    let url = format!("{}{}", gateway.url, seen.uri);
    let request = SignableRequest::new(seen.method.as_str(), url, headers, SignableBody::Bytes(&seen.body)).unwrap();
    sign(request, &parameters).unwrap().into_parts().1
}

fn assert_signed(gateway: &Gateway, seen: &Seen, credentials: Option<Credentials>) {
    let credentials = credentials.unwrap();
    let authorization = seen.header("authorization").unwrap();
    let scope = format!("Credential={}/20261120/sa-east-1/execute-api/aws4_request", credentials.access_key_id());
    assert!(authorization.contains(&scope), "{authorization}");
    assert_eq!(seen.header("x-amz-security-token"), credentials.session_token());
    let signature = format!("Signature={}", signature(gateway, seen, credentials));
    assert!(authorization.ends_with(&signature), "{authorization} {signature}");
}

#[tokio::test]
async fn forwards_signed_requests_without_browser_headers() {
    let gateway = Gateway::answering([(201, r#"{"id":"1"}"#)]).await;
    let console = start(&gateway.url, Sequence::new([role(1)])).await;
    let browser = Browser::open(&console).await;
    let body = r#"{"name":"São João"}"#.as_bytes();
    let request = browser.request("POST", "/api/admin/clients/2f6f/api-keys?limit=5&search=S%C3%A3o+J");
    let request = request.header("idempotency-key", "5f0c").header("if-match", "\"7\"");
    let request =
        request.header("content-type", "text/plain").header("accept-language", "pt-BR").header("x-other", "1");
    let request = request.header("authorization", "Basic a2V5").header("x-amz-security-token", "forged");
    let request = request.header("x-forwarded-for", "10.0.0.1").header("referer", "http://127.0.0.1/secret");
    let answer = request.body(body).send().await;
    assert_eq!((answer.status, answer.body.as_str()), (201, r#"{"id":"1"}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!((answer.header("set-cookie"), answer.header("location")), (None, None));

    let seen = gateway.only();
    assert_eq!(seen.method, "POST");
    assert_eq!(seen.uri, "/clients/2f6f/api-keys?limit=5&search=S%C3%A3o%20J");
    assert_eq!(seen.body, body);
    assert_signed(&gateway, &seen, role(1));
    let mut names: Vec<&str> = seen.headers.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    let expected = [
        "accept",
        "authorization",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "if-match",
        "user-agent",
        "x-amz-date",
        "x-amz-security-token",
    ];
    assert_eq!(names, expected);
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!((seen.header("idempotency-key"), seen.header("if-match")), (Some("5f0c"), Some("\"7\"")));
    assert!(seen.header("user-agent").unwrap().starts_with("lacre-console/"));
    let covered = seen.header("authorization").unwrap();
    assert!(covered.contains("SignedHeaders=content-type;host;idempotency-key;if-match;x-amz-date;"), "{covered}");
}

#[tokio::test]
async fn forwards_each_method_unchanged() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&format!("{}/stage/", gateway.url)).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.get("/api/admin/overview").await.status, 200);
    // Requests without a body, such as a suspension.
    assert_eq!(browser.request("POST", "/api/admin/clients/1/suspend").send().await.status, 200);
    assert_eq!(browser.request("PATCH", "/api/admin/licenses/1").body(b"{}").send().await.status, 200);
    let seen = gateway.seen();
    let arrived: Vec<_> = seen.iter().map(|seen| format!("{} {}", seen.method, seen.uri)).collect();
    assert_eq!(arrived, ["GET /stage/overview", "POST /stage/clients/1/suspend", "PATCH /stage/licenses/1"]);
    assert_eq!((seen[0].header("content-type"), seen[0].header("content-length")), (None, None));
    assert_eq!(seen[1].header("content-length"), Some("0"));
    seen.iter().for_each(|seen| assert_signed(&gateway, seen, user()));
}

#[tokio::test]
async fn no_path_leaves_the_admin_api() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let hostile = [
        "..",
        "../x",
        "clients/..",
        "clients/../../x",
        "%2e%2e/x",
        "%2E%2e",
        ".%2e/x",
        "%2e./x",
        ".",
        "%2e",
        "clients//x",
        "/evil.example/x",
        "//evil.example",
        "%2f%2fevil.example",
        "clients%2Fx",
        "clients/%2F..",
        "..%2fx",
        "\\\\evil.example",
        "clients\\..\\x",
        "%5c%5cevil.example",
        "clients%5C..",
        "a%00b",
        "a%0ab",
        "a%0d%0aHost:x",
        "%252e%252e/x",
        "a%252fb",
        "clients/",
        "%ff",
        "%",
    ];
    for path in hostile {
        for method in ["GET", "POST"] {
            let answer = browser.request(method, &format!("/api/admin/{path}")).body(b"{}").send().await;
            assert_eq!(answer.refusal(), refused(400, "path"), "{method} {path}");
        }
    }
    // Paths that do not belong to the admin API.
    for path in [
        "//evil.example/api/admin/clients",
        "/x/../api/admin/clients",
        "/api/../api/admin/clients",
        "/%61pi/admin/clients",
    ] {
        assert_eq!(browser.get(path).await.refusal(), refused(404, "not_found"), "{path}");
    }
    let absolute = Request::new(browser.port, "GET", "http://evil.example/api/admin/clients");
    let absolute = absolute.header("cookie", &browser.cookie).header("x-console-session", &browser.token).send().await;
    assert_eq!(absolute.refusal(), refused(403, "host"));
    assert!(gateway.seen().is_empty(), "{:?}", gateway.seen());
}

#[tokio::test]
async fn a_picture_keeps_its_type() {
    for (named, forwarded) in [
        (Some("image/webp"), "image/webp"),
        (Some("application/json"), "application/json"),
        (Some("text/html"), "application/json"),
        (None, "application/json"),
    ] {
        let gateway = Gateway::answering([]).await;
        let console = start_as_user(&gateway.url).await;
        let browser = Browser::open(&console).await;
        let request = browser.request("POST", CLIENTS).body(b"RIFF\0\xff");
        let request = match named {
            Some(named) => request.header("content-type", named),
            None => request,
        };
        assert_eq!(request.send().await.status, 200);
        let seen = gateway.only();
        assert_eq!((seen.header("content-type"), &seen.body[..]), (Some(forwarded), b"RIFF\0\xff".as_slice()));
    }
}

#[tokio::test]
async fn a_body_has_a_limit() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let most = vec![b' '; 4_194_304];
    assert_eq!(browser.request("POST", CLIENTS).body(&most).send().await.status, 200);
    let more = [most.as_slice(), b" "].concat();
    let answer = browser.request("POST", CLIENTS).body(&more).send().await;
    assert_eq!(answer.refusal(), refused(413, "too_large"));
    assert_eq!(gateway.only().body.len(), most.len());
}

#[tokio::test]
async fn refuses_repeated_or_non_ascii_headers() {
    let gateway = Gateway::answering([]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    let twice = browser.request("POST", CLIENTS).and("idempotency-key", "1").and("idempotency-key", "2").send().await;
    assert_eq!(twice.refusal(), refused(400, "header"));
    let odd = browser.request("POST", CLIENTS).header("if-match", "ã").send().await;
    assert_eq!(odd.refusal(), refused(400, "header"));
    assert!(gateway.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let gateway = Gateway::answering([(302, ""), (307, ""), (308, "")]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    for status in [302, 307, 308] {
        let answer = browser.post(CLIENTS).await;
        assert_eq!((answer.status, answer.header("location")), (status, None));
    }
    assert_eq!(gateway.seen().len(), 3);
}

#[tokio::test]
async fn reads_credentials_once_when_needed() {
    let gateway = Gateway::answering([]).await;
    let credentials = Sequence::new([user()]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    assert_eq!(credentials.reads(), 0);
    assert_eq!((browser.get(CLIENTS).await.status, browser.get(CLIENTS).await.status), (200, 200));
    assert_eq!(credentials.reads(), 1);
}

#[tokio::test]
async fn refuses_to_start_with_invalid_settings() {
    let listener = || async { TcpListener::bind("127.0.0.1:0").await.unwrap() };
    let bad = settings("ftp://a.example", Sequence::new([user()]));
    assert!(Console::start(listener().await, bad).unwrap_err().to_string().starts_with("ADMIN_URL "));
    let mut bad = settings(NOBODY, Sequence::new([user()]));
    bad.ca_bundle = Some("/nowhere/roots.pem".to_owned());
    assert!(Console::start(listener().await, bad).unwrap_err().to_string().starts_with("/nowhere/roots.pem: "));
    let open = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refused = Console::start(open, settings(NOBODY, Sequence::new([user()]))).unwrap_err();
    assert_eq!(refused.to_string(), "the console listens on 127.0.0.1 only");
}
