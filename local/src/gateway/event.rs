//! Converts a request into an event of payload format 2.0, as API Gateway's HTTP APIs do.

use std::{collections::BTreeMap, net::SocketAddr};

use axum::http::{HeaderMap, header, request::Parts};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value, json};
use time::{OffsetDateTime, macros::format_description};

const TIME: &[time::format_description::FormatItem<'static>] =
    format_description!("[day]/[month repr:short]/[year]:[hour]:[minute]:[second] +0000");
/// Hop-by-hop headers, which a gateway does not pass on.
const HOP_BY_HOP: [header::HeaderName; 5] =
    [header::CONNECTION, header::TE, header::TRAILER, header::TRANSFER_ENCODING, header::UPGRADE];

/// Values of the event's request context.
pub(super) struct Found<'a> {
    pub(super) route_key: &'a str,
    pub(super) path_parameters: BTreeMap<String, String>,
    pub(super) client: SocketAddr,
    /// The caller that an authorizer identified, if any.
    pub(super) authorizer: Option<Value>,
    pub(super) stage_variables: Option<Value>,
    pub(super) request_id: &'a str,
}

/// Builds the event of a request.
pub(super) fn event(found: Found<'_>, head: &Parts, body: &[u8]) -> Value {
    let Found { route_key, path_parameters, client, authorizer, stage_variables, request_id } = found;
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
    let now = OffsetDateTime::now_utc();
    let host = text(&head.headers, header::HOST);
    let mut event = json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers(head, client, &trace(now, request_id)),
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split(['.', ':']).next(),
            "http": {
                "method": head.method.as_str(),
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": client.ip().to_string(),
                "userAgent": text(&head.headers, header::USER_AGENT),
            },
            "requestId": request_id,
            "routeKey": route_key,
            "stage": "$default",
            "time": now.format(TIME).unwrap_or_default(),
            "timeEpoch": i64::try_from(now.unix_timestamp_nanos() / 1_000_000).unwrap_or_default(),
        },
        "isBase64Encoded": false,
    });
    if let Some(authorizer) = authorizer {
        event["requestContext"]["authorizer"] = authorizer;
    }
    if let Some(variables) = stage_variables {
        event["stageVariables"] = variables;
    }
    let cookies: Vec<&str> = all(&head.headers, header::COOKIE).flat_map(|line| line.split("; ")).collect();
    if !cookies.is_empty() {
        event["cookies"] = json!(cookies);
    }
    if !query.is_empty() {
        event["queryStringParameters"] = query_parameters(query);
    }
    if !path_parameters.is_empty() {
        event["pathParameters"] = json!(path_parameters);
    }
    match std::str::from_utf8(body) {
        Ok("") => {}
        Ok(body) if is_text(&text(&head.headers, header::CONTENT_TYPE)) => event["body"] = body.into(),
        _ => {
            event["body"] = BASE64_STANDARD.encode(body).into();
            event["isBase64Encoded"] = true.into();
        }
    }
    event
}

/// Header names in lower case, repeated values joined with commas, without cookies, plus the headers that a gateway
/// adds.
fn headers(head: &Parts, client: SocketAddr, trace: &str) -> Map<String, Value> {
    let names = head.headers.keys().filter(|name| !HOP_BY_HOP.contains(name) && *name != header::COOKIE);
    let mut headers: Map<String, Value> = names
        .map(|name| (name.as_str().to_owned(), all(&head.headers, name.clone()).collect::<Vec<_>>().join(",").into()))
        .collect();
    let port = text(&head.headers, header::HOST).rsplit_once(':').map_or("80".to_owned(), |(_, port)| port.to_owned());
    headers.insert("x-amzn-trace-id".into(), trace.into());
    headers.insert("x-forwarded-for".into(), client.ip().to_string().into());
    headers.insert("x-forwarded-port".into(), port.into());
    headers.insert("x-forwarded-proto".into(), "http".into());
    headers
}

fn trace(now: OffsetDateTime, request_id: &str) -> String {
    format!("Root=1-{:08x}-{:.24}", now.unix_timestamp(), request_id)
}

fn query_parameters(query: &str) -> Value {
    let decode =
        |part: &str| percent_encoding::percent_decode_str(&part.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut parameters = BTreeMap::<String, Vec<String>>::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        parameters.entry(decode(name)).or_default().push(decode(value));
    }
    json!(parameters.into_iter().map(|(name, values)| (name, values.join(","))).collect::<BTreeMap<_, _>>())
}

/// Whether API Gateway passes a body of this content type as text. Other bodies are base64-encoded.
fn is_text(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.starts_with("text/")
        || ["application/json", "application/javascript", "application/xml"].contains(&kind.as_str())
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
}

fn all(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    headers.get_all(name).into_iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> String {
    all(headers, name).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use axum::http::Request;

    fn event_of(request: Request<()>, body: &[u8]) -> Value {
        let parameters = BTreeMap::from([("token".to_owned(), "abc".to_owned())]);
        let client = "127.0.0.1:9".parse().unwrap();
        let route_key = "GET /web/sessions/{token}";
        let found = Found {
            route_key,
            path_parameters: parameters,
            client,
            authorizer: None,
            stage_variables: None,
            request_id: "id",
        };
        event(found, &request.into_parts().0, body)
    }

    #[test]
    fn an_event_has_the_whole_request() {
        let request = Request::get("/web/sessions/abc?a=1&a=2&b=%20")
            .header("Host", "127.0.0.1:8700")
            .header("User-Agent", "curl")
            .header("X-Api-Key", "one")
            .header("X-Api-Key", "two")
            .header("Cookie", "x=1; y=2")
            .header("Connection", "keep-alive")
            .body(())
            .unwrap();
        let mut event = event_of(request, b"");
        let context = event["requestContext"].as_object_mut().unwrap();
        assert!(context.remove("time").unwrap().as_str().unwrap().ends_with(" +0000"));
        assert!(context.remove("timeEpoch").unwrap().as_i64().unwrap() > 1_700_000_000_000);
        let trace = event["headers"].as_object_mut().unwrap().remove("x-amzn-trace-id").unwrap();
        assert!(trace.as_str().unwrap().starts_with("Root=1-"), "{trace}");
        assert_eq!(
            event,
            json!({
                "version": "2.0",
                "routeKey": "GET /web/sessions/{token}",
                "rawPath": "/web/sessions/abc",
                "rawQueryString": "a=1&a=2&b=%20",
                "queryStringParameters": { "a": "1,2", "b": " " },
                "pathParameters": { "token": "abc" },
                "cookies": ["x=1", "y=2"],
                "headers": {
                    "host": "127.0.0.1:8700", "user-agent": "curl", "x-api-key": "one,two",
                    "x-forwarded-for": "127.0.0.1", "x-forwarded-port": "8700", "x-forwarded-proto": "http",
                },
                "requestContext": {
                    "accountId": "000000000000", "apiId": "local",
                    "domainName": "127.0.0.1:8700", "domainPrefix": "127",
                    "http": {
                        "method": "GET", "path": "/web/sessions/abc", "protocol": "HTTP/1.1",
                        "sourceIp": "127.0.0.1", "userAgent": "curl",
                    },
                    "requestId": "id", "routeKey": "GET /web/sessions/{token}", "stage": "$default",
                },
                "isBase64Encoded": false,
            })
        );
    }

    #[test]
    fn a_body_is_text_or_base64() {
        let sent = |content_type: &str, body: &[u8]| {
            let request = Request::post("/").header("content-type", content_type).body(()).unwrap();
            let event = event_of(request, body);
            (event["body"].as_str().map(str::to_owned), event["isBase64Encoded"].as_bool().unwrap())
        };
        assert_eq!(sent("application/json; charset=utf-8", b"{}"), (Some("{}".into()), false));
        assert_eq!(sent("application/json", b"\xff"), (Some("/w==".into()), true));
        assert_eq!(sent("image/jpeg", b"{}"), (Some("e30=".into()), true));
        assert_eq!(sent("application/json", b""), (None, false));
    }
}
