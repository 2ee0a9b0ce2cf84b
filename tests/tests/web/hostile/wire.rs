//! HTTP/1.1 requests that no library sends, over a TCP connection to the gateway.

use lacre_tests::service::{PAGE, SAFARI, refusal};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Prey, gateway, payload_invalid};

/// Sends bytes; returns status and JSON of each response, with `null` for an empty body.
pub(super) async fn say(prey: &Prey, request: &[u8]) -> Vec<(u16, Value)> {
    let mut connection = TcpStream::connect(host(prey)).await.unwrap();
    connection.write_all(request).await.unwrap();
    let mut heard = Vec::new();
    // The gateway may close the connection before it has read everything.
    let _ = connection.read_to_end(&mut heard).await;
    answers(&heard)
}

/// Host and port.
pub(super) fn host(prey: &Prey) -> &str {
    prey.service.variable("BASE_URL").strip_prefix("http://").unwrap()
}

fn answers(mut heard: &[u8]) -> Vec<(u16, Value)> {
    let mut answers = Vec::new();
    while !heard.is_empty() {
        let end = heard.windows(4).position(|line| line == b"\r\n\r\n").unwrap() + 4;
        let head = std::str::from_utf8(&heard[..end]).unwrap().to_ascii_lowercase();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let (body, rest) = heard[end..].split_at(length.parse().unwrap());
        answers.push((status, if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap() }));
        heard = rest;
    }
    answers
}

/// A request with this request line and `Host`, the last on its connection.
pub(super) fn request(prey: &Prey, line: &str, headers: &str, body: &str) -> String {
    format!("{line}\r\nhost: {}\r\nconnection: close\r\n{headers}\r\n{body}", host(prey))
}

#[tokio::test]
async fn reads_bodies_in_any_framing() {
    let prey = Prey::ready().await;
    let body = prey.submission.to_string();
    let chunks: String = body.as_bytes().chunks(7).map(|chunk| chunk_of(std::str::from_utf8(chunk).unwrap())).collect();
    let page = format!("origin: {PAGE}\r\nuser-agent: {SAFARI}\r\n");
    let chunked = format!("{page}transfer-encoding: chunked\r\n");
    let answers =
        say(&prey, request(&prey, "POST /web/ingest HTTP/1.1", &chunked, &format!("{chunks}0\r\n\r\n")).as_bytes())
            .await;
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].0, &answers[0].1["complete"]), (200, &json!(true)), "{answers:?}");
}

fn chunk_of(text: &str) -> String {
    format!("{:x};extension=\"1\"\r\n{text}\r\n", text.len())
}

#[tokio::test]
async fn refuses_wrongly_framed_bodies() {
    let prey = Prey::ready().await;
    let line = "POST /web/ingest HTTP/1.1";
    let nothing = (400, Value::Null);
    let bad = gateway(400, "Bad Request");
    for (headers, body, expected) in [
        ("content-length: 2\r\ncontent-length: 3\r\n", "{} ", nothing.clone()),
        ("content-length: 2, 3\r\n", "{} ", nothing.clone()),
        ("content-length: -2\r\n", "{}", nothing.clone()),
        ("content-length: +2\r\n", "{}", nothing.clone()),
        ("content-length: 99999999999999999999\r\n", "{}", nothing.clone()),
        ("transfer-encoding: gzip\r\n", "{}", nothing.clone()),
        ("transfer-encoding: chunked, gzip\r\n", "{}", nothing.clone()),
        ("transfer-encoding: chunked\r\n", "x\r\n{}\r\n0\r\n\r\n", bad.clone()),
        ("transfer-encoding: chunked\r\n", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n", bad.clone()),
        ("transfer-encoding: chunked\r\n", "2\r\n{}XX0\r\n\r\n", bad.clone()),
        // With both headers, the chunked encoding takes precedence (RFC 9112).
        ("content-length: 1\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n", payload_invalid()),
    ] {
        let answers = say(&prey, request(&prey, line, headers, body).as_bytes()).await;
        assert_eq!(answers, [expected], "{headers:?} {body:?}");
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn refuses_bytes_other_than_http() {
    let prey = Prey::ready().await;
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".as_slice();
    for garbage in [
        hello,
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /web/sessions/x\r\n\r\n",
        b"GET /web/sessions/x HTTP/3.0\r\n\r\n",
        b"GET /web/sessions/\xff HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET  /web/sessions/x HTTP/1.1\r\nhost: a\r\n\r\n",
        b"GET /web/sessions/x HTTP/1.1\r\nhost : a\r\n\r\n",
        b"GET /web/sessions/x HTTP/1.1\r\nhost: a\r\n folded\r\n\r\n",
        b"GET /web/sessions/x HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /web/sessions/x HTTP/1.1\r\nhost: a\0b\r\n\r\n",
    ] {
        let answers = say(&prey, garbage).await;
        assert_eq!(answers, [(400, Value::Null)], "{:?}", String::from_utf8_lossy(garbage));
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn a_request_names_one_host() {
    let prey = Prey::ready().await;
    let bad = [gateway(400, "Bad Request")];
    for headers in [
        "",
        "host: a\r\nhost: b\r\n",
        "host: \r\n",
        "host: a b\r\n",
        "host: 1.2.3.999\r\n",
        "host: a:99999\r\n",
        "host: \u{e9}\r\n",
    ] {
        let text = format!("POST /web/ingest HTTP/1.1\r\nconnection: close\r\ncontent-length: 2\r\n{headers}\r\n{{}}");
        assert_eq!(say(&prey, text.as_bytes()).await, bad, "{headers:?}");
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn understands_old_and_unusual_requests() {
    let prey = Prey::ready().await;
    let (host, token) = (host(&prey).to_owned(), prey.loaded.token.clone());
    let path = format!("/web/session-results/{token}");
    let results = prey.service.results(&token).await.outcome();
    for text in [
        // An absolute-form target, as sent to a proxy.
        format!("GET http://{host}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"),
        format!("GET {path} HTTP/1.0\r\nhost: {host}\r\n\r\n"),
        // Lines that end with LF only.
        format!("GET {path} HTTP/1.1\nhost: {host}\nconnection: close\n\n"),
        format!("\r\n\r\nGET {path} HTTP/1.1\r\nHOST: {host}\r\nConnection:close\r\n\r\n"),
        // A GET with a body.
        format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 4\r\n\r\n{{\"a\""),
        format!("GET {path}?token=x&token[]=%00&%ff#x HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"),
    ] {
        assert_eq!(say(&prey, text.as_bytes()).await, std::slice::from_ref(&results), "{text}");
    }
    // Two pipelined requests, answered in order.
    let both = format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\nGET {path}x HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    );
    let not_found = refusal(404, "Sessão não encontrada", None);
    assert_eq!(say(&prey, both.as_bytes()).await, [results.clone(), not_found]);
    // A body sent without waiting for `100 Continue`.
    let expect = request(&prey, "POST /web/ingest HTTP/1.1", "expect: 100-continue\r\ncontent-length: 2\r\n", "{}");
    assert_eq!(say(&prey, expect.as_bytes()).await, [(100, Value::Null), payload_invalid()]);
    prey.still_captures().await;
}

#[tokio::test]
async fn refuses_other_methods() {
    let prey = Prey::ready().await;
    let path = format!("/web/session-results/{}", prey.loaded.token);
    for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "BREW"] {
        let text = request(&prey, &format!("{method} {path} HTTP/1.1"), "", "");
        assert_eq!(say(&prey, text.as_bytes()).await, [gateway(404, "Not Found")], "{method}");
    }
    // A load counts, so its route has no HEAD.
    let head = request(&prey, &format!("HEAD /web/sessions/{} HTTP/1.1", prey.loaded.token), "", "");
    let mut connection = TcpStream::connect(host(&prey)).await.unwrap();
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut heard = String::new();
    connection.read_to_string(&mut heard).await.unwrap();
    assert!(heard.starts_with("HTTP/1.1 404 Not Found\r\n") && heard.ends_with("\r\n\r\n"), "{heard}");
    let connect = request(&prey, "CONNECT example.com:443 HTTP/1.1", "", "");
    assert_eq!(say(&prey, connect.as_bytes()).await, [gateway(404, "Not Found")]);
    prey.still_captures().await;
}

#[tokio::test]
async fn interrupted_requests_do_no_harm() {
    let prey = Prey::ready().await;
    let body = prey.submission.to_string();
    let head = format!("origin: {PAGE}\r\nuser-agent: {SAFARI}\r\ncontent-length: {}\r\n", body.len());
    let half = request(&prey, "POST /web/ingest HTTP/1.1", &head, &body[..body.len() / 2]);
    for end in [10, 80, half.len() - body.len() / 2, half.len()] {
        let mut connection = TcpStream::connect(host(&prey)).await.unwrap();
        connection.write_all(&half.as_bytes()[..end]).await.unwrap();
        drop(connection);
    }
    prey.still_captures().await;
}
