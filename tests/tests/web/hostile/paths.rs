//! Tokens and ids in paths: other encodings of a valid one, and invalid ones.

use lacre_tests::service::{PAGE, SAFARI, refusal};
use serde_json::Value;

use super::{
    Prey, gateway,
    wire::{request, say},
};

async fn get(prey: &Prey, path: &str) -> (u16, Value) {
    let headers = format!("origin: {PAGE}\r\nuser-agent: {SAFARI}\r\n");
    say(prey, request(prey, &format!("GET {path} HTTP/1.1"), &headers, "").as_bytes()).await.remove(0)
}

/// Percent-encodes every byte.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn accepts_one_spelling_of_a_token() {
    let prey = Prey::ready().await;
    let token = prey.loaded.token.clone();
    let spellings = [
        token.to_uppercase(),
        token.replace('-', ""),
        format!("%7B{token}%7D"),
        format!("urn:uuid:{token}"),
        format!("{token}%00"),
        format!("%20{token}"),
        format!("{token}%0A"),
        format!("{token}%2F"),
        format!("..%2F{token}"),
        format!("%2e%2e%2fsessions%2f{token}"),
        format!("{token};x=1"),
        format!("{token},{token}"),
        escaped(&token.replace('1', "\u{661}").replace('2', "\u{ff12}")) + "%D9%A1",
        "%ff%fe".to_owned(),
        "%".to_owned(),
        "%zz".to_owned(),
        "%252e".to_owned(),
        "null".to_owned(),
        "00000000-0000-0000-0000-000000000000".to_owned(),
        "00000000-0000-4000-8000-000000000000".to_owned(),
        "x".repeat(8000),
    ];
    for spelling in &spellings {
        for (route, text) in [
            ("/web/sessions", "Sessão não encontrada"),
            ("/web/session-results", "Sessão não encontrada"),
            ("/web/image", "Captura não encontrada"),
        ] {
            let answer = get(&prey, &format!("{route}/{spelling}")).await;
            assert_eq!(answer, refusal(404, text, None), "{route}/{spelling}");
        }
    }
    // After decoding the path, it is the same token.
    assert_eq!(get(&prey, &format!("/web/session-results/{}", escaped(&token))).await.0, 200);
    prey.still_captures().await;
}

#[tokio::test]
async fn refuses_other_paths() {
    let prey = Prey::ready().await;
    let token = prey.loaded.token.clone();
    for path in [
        "/".to_owned(),
        "/web/sessions".to_owned(),
        "/web/sessions/".to_owned(),
        format!("/web/sessions/{token}/"),
        format!("//web/sessions/{token}"),
        format!("/web//sessions/{token}"),
        format!("/web/sessions//{token}"),
        format!("/WEB/sessions/{token}"),
        format!("/web/./sessions/{token}"),
        format!("/web/image/../sessions/{token}"),
        format!("/web/image/%2e%2e/sessions/{token}"),
        format!("/web%2Fsessions%2F{token}"),
        format!("/web/%73essions/{token}"),
        format!("/x/../web/sessions/{token}"),
        "/validate".to_owned(),
        format!("/{}", "a/".repeat(3000)),
    ] {
        assert_eq!(get(&prey, &path).await, gateway(404, "Not Found"), "{path}");
    }
    // A request target that is too long for the gateway.
    assert_eq!(get(&prey, &format!("/web/sessions/{}", "x".repeat(70_000))).await, (414, Value::Null));
    prey.still_captures().await;
}
