//! Errors shown when the admin API's own response is missing, and which requests are retried.

use crate::{
    browser::{Browser, refused},
    gateway::{Gateway, NOBODY, cutting_off},
    operator::{Sequence, role, start, start_as_user, user},
};

const CLIENTS: &str = "/api/admin/clients";
const EXPIRED: (u16, &str) = (403, r#"{"message":"The security token included in the request is expired"}"#);
const FORBIDDEN: (u16, &str) = (403, r#"{"message":"Forbidden"}"#);
const CREATED: (u16, &str) = (201, r#"{"id":"1"}"#);

#[tokio::test]
async fn retries_with_new_credentials_after_expiry() {
    let gateway = Gateway::answering([EXPIRED, CREATED]).await;
    let credentials = Sequence::new([role(1), role(2)]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    let answer = browser.request("POST", CLIENTS).header("idempotency-key", "5f0c").body(b"{\"a\":1}").send().await;
    assert_eq!((answer.status, answer.body.as_str()), CREATED);
    let seen = gateway.seen();
    assert_eq!(seen.len(), 2);
    let tokens: Vec<_> = seen.iter().map(|seen| seen.header("x-amz-security-token")).collect();
    assert_eq!(tokens, [Some("session-token-1"), Some("session-token-2")]);
    for seen in &seen {
        assert_eq!((seen.body.as_ref(), seen.header("idempotency-key")), (b"{\"a\":1}".as_slice(), Some("5f0c")));
    }
    assert_eq!(browser.get(CLIENTS).await.status, 200);
    assert_eq!(credentials.reads(), 2);
}

#[tokio::test]
async fn reports_credentials_that_stay_expired() {
    let gateway = Gateway::answering([EXPIRED, EXPIRED, CREATED]).await;
    let credentials = Sequence::new([role(1)]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    let answer = browser.post(CLIENTS).await;
    assert_eq!(answer.refusal(), refused(401, "credentials"));
    assert!(answer.body.contains("aws sso login"), "{}", answer.body);
    assert_eq!((gateway.seen().len(), credentials.reads()), (2, 2));
    // The operator signed in again.
    assert_eq!(browser.post(CLIENTS).await.status, 201);
}

#[tokio::test]
async fn reports_unreadable_credentials() {
    let gateway = Gateway::answering([EXPIRED]).await;
    let credentials = Sequence::new([None, role(1), None, role(2)]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.get(CLIENTS).await.refusal(), refused(401, "credentials"));
    assert!(gateway.seen().is_empty());
    // The credentials of the second read have expired, and the third read finds none.
    assert_eq!(browser.get(CLIENTS).await.refusal(), refused(401, "credentials"));
    assert_eq!(gateway.seen().len(), 1);
    assert_eq!(browser.get(CLIENTS).await.status, 200);
    assert_eq!(credentials.reads(), 4);
}

#[tokio::test]
async fn does_not_retry_denied_requests() {
    let gateway = Gateway::answering([FORBIDDEN, (403, r#"{"Message":"User: x is not authorized"}"#)]).await;
    let credentials = Sequence::new([user()]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.post(CLIENTS).await.refusal(), refused(403, "denied"));
    assert_eq!(browser.post(CLIENTS).await.refusal(), refused(403, "denied"));
    assert_eq!((gateway.seen().len(), credentials.reads()), (2, 1));
}

#[tokio::test]
async fn retries_forbidden_requests_with_newer_credentials() {
    let gateway = Gateway::answering([FORBIDDEN, CREATED, FORBIDDEN]).await;
    let credentials = Sequence::new([role(1), role(2)]);
    let console = start(&gateway.url, credentials.clone()).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.post(CLIENTS).await.status, 201);
    assert_eq!((gateway.seen().len(), credentials.reads()), (2, 2));
    // No newer credentials exist, so the request is not sent again.
    assert_eq!(browser.post(CLIENTS).await.refusal(), refused(403, "denied"));
    assert_eq!((gateway.seen().len(), credentials.reads()), (3, 3));
}

#[tokio::test]
async fn cut_responses_are_unknown() {
    let short = b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"id\"";
    for bytes in [b"".as_slice(), b"HTTP/1.1 201 Cre", short, b"not HTTP at all\r\n\r\n"] {
        let console = start_as_user(&cutting_off(bytes).await).await;
        let browser = Browser::open(&console).await;
        let answer = browser.post(CLIENTS).await;
        assert_eq!(answer.refusal(), refused(504, "unknown"), "{}", String::from_utf8_lossy(bytes));
        assert!(answer.body.contains("may have been made"), "{}", answer.body);
    }
}

#[tokio::test]
async fn lost_responses_are_unknown() {
    let gateway = Gateway::answering([
        (500, r#"{"message":"Internal Server Error"}"#),
        (503, r#"{"message":"Service Unavailable"}"#),
        (504, r#"{"message":"Endpoint request timed out"}"#),
    ])
    .await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    for _ in 0..3 {
        assert_eq!(browser.post(CLIENTS).await.refusal(), refused(504, "unknown"));
    }
    assert_eq!(gateway.seen().len(), 3, "each was sent once");
}

#[tokio::test]
async fn an_unreachable_api_has_changed_nothing() {
    // The server at this address does not speak TLS.
    let plain = cutting_off(b"plain").await.replace("http://", "https://");
    for admin_url in [NOBODY, &plain] {
        let console = start_as_user(admin_url).await;
        let browser = Browser::open(&console).await;
        let answer = browser.post(CLIENTS).await;
        assert_eq!(answer.refusal(), refused(502, "unreachable"), "{admin_url}");
        assert!(answer.body.contains("Nothing was changed"), "{}", answer.body);
    }
}

#[tokio::test]
async fn reports_throttling() {
    let gateway = Gateway::answering([(429, r#"{"message":"Too Many Requests"}"#)]).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    assert_eq!(browser.post(CLIENTS).await.refusal(), refused(429, "throttled"));
    assert_eq!(gateway.seen().len(), 1);
}

#[tokio::test]
async fn forwards_errors_of_the_admin_api() {
    let errors = [
        (400, r#"{"error":"the name is empty"}"#),
        (404, r#"{"error":"client 1 does not exist"}"#),
        (409, r#"{"error":"carried out","carried_out_at":"2026-11-20T12:00:00Z"}"#),
        (412, r#"{"error":"another revision"}"#),
        (503, r#"{"error":"AWS: DynamoDB did not respond"}"#),
    ];
    let gateway = Gateway::answering(errors).await;
    let console = start_as_user(&gateway.url).await;
    let browser = Browser::open(&console).await;
    for error in errors {
        let answer = browser.post(CLIENTS).await;
        assert_eq!((answer.status, answer.body.as_str()), error);
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}
