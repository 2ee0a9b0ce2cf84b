//! Headers that are repeated, not text, or too long.

use lacre_tests::service::{PAGE, SAFARI, refusal};
use serde_json::Value;

use super::{
    Prey,
    wire::{request, say},
};

const ACCESS: &str = "Não foi possível validar o acesso. Recarregue a página pelo link recebido e tente de novo.";
const ORIGIN: &str = "Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio.";

/// The outcome of a load with these headers.
async fn load(prey: &Prey, headers: &str) -> (u16, Value) {
    let line = format!("GET /web/sessions/{} HTTP/1.1", prey.loaded.token);
    say(prey, request(prey, &line, headers, "").as_bytes()).await.remove(0)
}

#[tokio::test]
async fn refuses_repeated_or_malformed_api_keys() {
    let prey = Prey::ready().await;
    let key = prey.service.variable("API_KEY").to_owned();
    let invalid = refusal(401, "API key inválida ou ausente", None);
    let prefix = refusal(401, "API key inválida — apenas svc_api_* aceito", None);
    for (headers, expected) in [
        (format!("x-api-key: {key}\r\nx-api-key: {key}\r\n"), &invalid),
        (format!("x-api-key: {key},\r\n"), &invalid),
        (format!("x-api-key: {key}\u{e9}\r\n"), &invalid),
        ("x-api-key: svc_api_\u{ff21}\r\n".to_owned(), &invalid),
        ("x-api-key: \r\n".to_owned(), &invalid),
        (String::new(), &invalid),
        (format!("authorization: Bearer {key}\r\n"), &invalid),
        (format!("x-api-key: svc_api_{}\r\n", "1".repeat(8000)), &invalid),
        (format!("x-api-key: Bearer {key}\r\n"), &prefix),
        (format!("x-api-key: {}\r\n", key.to_uppercase()), &prefix),
        (format!("x-api-key: {}\r\n", prey.service.variable("LICENSE_KEY")), &prefix),
    ] {
        let text = request(&prey, "POST /web/sessions HTTP/1.1", &format!("{headers}content-length: 2\r\n"), "{}");
        assert_eq!(say(&prey, text.as_bytes()).await, std::slice::from_ref(expected), "{headers:?}");
    }
    // Whitespace around a value is ignored: the key is accepted and the body is checked.
    let text = request(
        &prey,
        "POST /web/sessions HTTP/1.1",
        &format!("x-api-key: \t {key} \t\r\ncontent-length: 2\r\n"),
        "{}",
    );
    let malformed = refusal(400, "Payload inválido", Some("web_license_key_malformed"));
    assert_eq!(say(&prey, text.as_bytes()).await, [malformed]);
    prey.still_captures().await;
}

#[tokio::test]
async fn refuses_repeated_or_malformed_origins() {
    let prey = Prey::ready().await;
    let refused = refusal(403, ORIGIN, Some("web_origin_not_allowed"));
    for origin in [
        format!("origin: {PAGE}\r\norigin: {PAGE}\r\n"),
        format!("origin: https://evil.example\r\norigin: {PAGE}\r\n"),
        format!("origin: {PAGE} https://evil.example\r\n"),
        format!("origin: {PAGE}/\r\n"),
        format!("origin: {PAGE}\u{e9}\r\n"),
        "origin: null\r\n".to_owned(),
        "origin: \r\n".to_owned(),
        "origin: \u{ff48}ttp://localhost:5173\r\n".to_owned(),
        "origin: http://localhost:5173.evil.example\r\n".to_owned(),
        "origin: http://localhost@evil.example\r\n".to_owned(),
        "origin: http://[::1]:5173\r\n".to_owned(),
        // Only `Sec-Fetch-Site`, which scripts cannot set, replaces a missing `Origin`, which is then the request's own
        // host.
        "sec-fetch-site: same-origin\r\nsec-fetch-site: cross-site\r\n".to_owned(),
        format!("referer: {PAGE}/\r\n"),
        "x-forwarded-host: localhost:5173\r\norigin: file://\r\n".to_owned(),
    ] {
        let answer = load(&prey, &format!("user-agent: {SAFARI}\r\n{origin}")).await;
        assert_eq!(answer, refused, "{origin:?}");
    }
    prey.still_captures().await;
}

#[tokio::test]
async fn refuses_repeated_or_malformed_user_agents() {
    let prey = Prey::ready().await;
    let macintosh = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";
    let touch = |points: &str| format!("user-agent: {macintosh}\r\nx-svc-touch-points: {points}\r\n");
    for agent in [
        format!("user-agent: {SAFARI}\r\nuser-agent: {SAFARI}\r\n"),
        format!("user-agent: {SAFARI}\u{e9}\r\n"),
        format!("user-agent: {}\r\n", SAFARI.replace("iPhone;", "iPh\u{f6}ne;")),
        format!("user-agent: {}\r\n", SAFARI.replace(' ', "\t")),
        format!("user-agent: {}{}\r\n", SAFARI, " x".repeat(20_000)),
        "user-agent: \r\n".to_owned(),
        String::new(),
        touch("1"),
        touch("-5"),
        touch("5.0"),
        touch("\u{ff15}"),
        touch("99999999999"),
        touch("5\r\nx-svc-touch-points: 5"),
    ] {
        let answer = load(&prey, &format!("origin: {PAGE}\r\n{agent}")).await;
        assert_eq!(answer, refusal(403, ACCESS, None), "{agent:?}");
    }
    assert_eq!(load(&prey, &format!("origin: {PAGE}\r\n{}", touch(" +5 "))).await.0, 200);
    prey.still_captures().await;
}

#[tokio::test]
async fn the_gateway_refuses_too_large_headers() {
    let prey = Prey::ready().await;
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let long = format!("x: {}\r\n", "1".repeat(1_000_000));
    for headers in [many, long] {
        assert_eq!(load(&prey, &headers).await, (431, Value::Null), "{} bytes", headers.len());
    }
    prey.still_captures().await;
}
