//! Bodies that are not JSON objects or that are malicious, with every content type or none.

use std::iter;

use lacre_tests::{
    Answer,
    service::{PAGE, SAFARI, refusal},
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{Prey, gateway, payload_invalid};

/// Bodies that are not JSON objects, with the reason.
fn no_objects() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str| [open.repeat(10_000), "1".into(), close.repeat(10_000)].concat().into_bytes();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("nothing", vec![]),
        ("blanks", text(" \n\t")),
        ("an array", text("[{}]")),
        ("a text", text("\"{}\"")),
        ("null", text("null")),
        ("10,000 arrays", deep("[", "]")),
        ("10,000 objects", deep("{\"a\":", "}")),
        ("10,000 objects that do not end", "{\"a\":".repeat(10_000).into_bytes()),
        ("NaN", text("{\"a\": NaN}")),
        ("infinity", text("{\"a\": -Infinity}")),
        ("a number that no double holds", text("{\"a\": 1e999}")),
        ("a number with a leading zero", text("{\"a\": 01}")),
        ("a number with a plus", text("{\"a\": +1}")),
        ("a hexadecimal number", text("{\"a\": 0x10}")),
        ("a lone surrogate", text("{\"a\": \"\\ud800\"}")),
        ("a pair of surrogates in the wrong order", text("{\"a\": \"\\udc00\\ud800\"}")),
        ("a NUL in a text", b"{\"a\": \"\0\"}".to_vec()),
        ("a line break in a text", text("{\"a\": \"\n\"}")),
        ("bytes that are not UTF-8", b"{\"a\": \"\xff\xfe\"}".to_vec()),
        ("an overlong encoding", b"{\"a\": \"\xc0\xaf\"}".to_vec()),
        ("an encoded surrogate", b"{\"a\": \"\xed\xa0\x80\"}".to_vec()),
        ("a byte order mark", text("\u{feff}{}")),
        ("UTF-16", "{}".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("a comment", text("{} // {}")),
        ("two objects", text("{}{}")),
        ("single quotes", text("{'a': 1}")),
        ("a comma too many", text("{\"a\": 1,}")),
        ("5 MB that do not end", iter::once(b'[').chain(iter::repeat_n(b' ', 5_000_000)).collect()),
    ]
}

/// The three routes that read a body.
fn requests(prey: &Prey) -> [(RequestBuilder, (u16, Value)); 3] {
    let service = &prey.service;
    let validate = service.http.post(format!("{}/validate", service.variable("LICENSE_URL")));
    let page = |request: RequestBuilder| request.header("origin", PAGE).header("user-agent", SAFARI);
    let create = service.request(Method::POST, "/web/sessions").header("x-api-key", service.variable("API_KEY"));
    let create_invalid = refusal(400, "Payload inválido", Some("web_create_payload_invalid"));
    [
        (create, create_invalid),
        (page(service.request(Method::POST, "/web/ingest")), payload_invalid()),
        (page(validate), payload_invalid()),
    ]
}

#[tokio::test]
async fn every_route_refuses_other_json_types() {
    let prey = Prey::ready().await;
    for (what, body) in no_objects() {
        for (request, expected) in requests(&prey) {
            let answer = prey.service.send(request.header("content-type", "application/json").body(body.clone()));
            assert_eq!(answer.await.outcome(), expected, "{what}");
        }
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn the_content_type_makes_no_difference() {
    let prey = Prey::ready().await;
    let form = "reference_id=a&license_key=b&token=c";
    let multipart = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n{}\r\n--x--\r\n";
    for (content_type, body) in [
        (Some("application/x-www-form-urlencoded"), form),
        (Some("multipart/form-data; boundary=x"), multipart),
        (Some("text/plain"), "x"),
        (Some("application/xml"), "<a/>"),
        (None, "x"),
    ] {
        for (request, expected) in requests(&prey) {
            let request = content_type.iter().fold(request, |request, kind| request.header("content-type", *kind));
            assert_eq!(prey.service.send(request.body(body)).await.outcome(), expected, "{content_type:?}");
        }
    }
    // The content type does not affect how a body is read.
    let asked = json!({ "license_key": prey.service.variable("LICENSE_KEY") }).to_string();
    for content_type in ["text/plain", "image/jpeg", "application/json; charset=utf-16", "nonsense", ""] {
        let [_, _, (validate, _)] = requests(&prey);
        let answer = prey.service.send(validate.header("content-type", content_type).body(asked.clone())).await;
        assert_eq!(answer.ok()["valid"], true, "{content_type}");
    }
    prey.still_captures().await;
}

/// The gateway's own response to a body: `docs/reference/api.md#the-gateways-responses`.
async fn refused_by_the_gateway(prey: &Prey, bytes: usize) -> (u16, Value) {
    let request = prey.service.request(Method::POST, "/web/ingest").body(vec![b' '; bytes]);
    let response = request.header("content-type", "application/json").send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn the_gateway_refuses_too_large_bodies() {
    let prey = Prey::ready().await;
    let megabyte = 1024 * 1024;
    // The gateway accepts 10 MB; a function's event, which includes the body, 6 MB.
    for bytes in [6 * megabyte, 10 * megabyte, 10 * megabyte + 1, 12 * megabyte] {
        let answer = refused_by_the_gateway(&prey, bytes).await;
        assert_eq!(answer, gateway(413, "Request Entity Too Large"), "{bytes} bytes");
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn the_last_of_duplicate_fields_counts() {
    let prey = Prey::ready().await;
    let key = prey.service.variable("LICENSE_KEY");
    let create = |body: String| async {
        let [(request, _), ..] = requests(&prey);
        prey.service.send(request.body(body)).await
    };
    let bad_last = create(format!(r#"{{"reference_id": "a", "license_key": "{key}", "license_key": 1}}"#)).await;
    assert_eq!(bad_last.outcome(), refusal(400, "Payload inválido", Some("web_license_key_malformed")));
    let good_last = create(format!(r#"{{"license_key": 1, "reference_id": "a", "license_key": "{key}"}}"#)).await;
    assert_eq!(good_last.status, 200);

    let sent = prey.submission.to_string();
    let twice = |fields: &str| ingest(&prey, sent.replacen('{', fields, 1));
    assert_eq!(twice(r#"{"label": "ok", "label": "<", "#).await.outcome(), label_invalid());
    assert_eq!(twice(r#"{"gps_lat": "x", "#).await.status, 200);
    assert_eq!(prey.service.results(&prey.loaded.token).await.ok()["status"], "captured");
}

#[tokio::test]
async fn unknown_fields_are_ignored_however_large() {
    let prey = Prey::ready().await;
    let sent = prey.submission.to_string();
    let deep = ["{\"a\":".repeat(100), "1".into(), "}".repeat(100)].concat();
    let large = "é".repeat(500_000);
    let keys: String = (0..20_000).map(|n| format!("\"k{n}\":{n},")).collect();
    let body = sent.replacen('{', &format!(r#"{{"deep": {deep}, "large": "{large}", {keys} "#), 1);
    assert_eq!(ingest(&prey, body).await.status, 200);
}

#[tokio::test]
async fn each_fields_rule_refuses_nul() {
    let prey = Prey::ready().await;
    let service = &prey.service;
    let with = |name: &str| {
        let mut changed = prey.submission.clone();
        changed[name] = format!("{}\0", changed[name].as_str().unwrap_or_default()).into();
        changed
    };
    for (name, expected) in [
        ("label", label_invalid()),
        ("token", refusal(404, "Sessão não encontrada", None)),
        ("image_key", refusal(404, "Imagem não encontrada — refaça o upload", None)),
        ("frame_hash", payload_invalid()),
        ("nonce", refusal(403, "Sessão de captura inválida — recarregue a sessão", Some("web_nonce_malformed"))),
    ] {
        assert_eq!(service.ingest(&with(name)).await.outcome(), expected, "{name}");
    }
    let malformed = |reason| refusal(400, "Payload inválido", Some(reason));
    let (api_key, key) = (service.variable("API_KEY"), service.variable("LICENSE_KEY"));
    let created = service.create_with(api_key, json!({ "reference_id": "a\0", "license_key": key })).await;
    assert_eq!(created.outcome(), malformed("web_reference_id_invalid"));
    let created = service.create_with(api_key, json!({ "reference_id": "a", "license_key": format!("{key}\0") })).await;
    assert_eq!(created.outcome(), malformed("web_license_key_malformed"));
    let asked = service.validate_with(json!({ "license_key": format!("{key}\0") }).to_string(), None).await;
    assert_eq!(asked.outcome(), (200, json!({ "valid": false, "reason": "INVALID_KEY" })));
    // Users do not type the user agent, so invisible characters are removed instead of refused.
    let mut prey = prey;
    prey.submission["user_agent"] = "Mozilla\0".into();
    prey.still_captures().await;
}

fn label_invalid() -> (u16, Value) {
    refusal(400, "Rótulo inválido", Some("web_label_invalid"))
}

async fn ingest(prey: &Prey, body: String) -> Answer {
    let request = prey.service.request(Method::POST, "/web/ingest").header("content-type", "application/json");
    prey.service.send_from_page(request.body(body)).await
}
