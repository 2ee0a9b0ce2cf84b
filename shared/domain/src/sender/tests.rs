#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{logo::tests::png, *};

/// A sender with every field.
fn complete() -> Value {
    let text = |text: &str| json!({ "pt-BR": text, "en": text, "es": text });
    json!({
        "name": "Seguradora Exemplo",
        "logo": STANDARD.encode(png()),
        "purpose": text("Vistoria prévia do veículo."),
        "duration": text("Cinco anos após o fim do contrato."),
        "controller": "Seguradora Exemplo S.A., CNPJ 00.000.000/0001-91",
        "contact": "privacidade@seguradora.example",
        "sharing": text("Com a resseguradora, para calcular o risco."),
        "responsibilities": text("A Lacre guarda as fotos por conta da seguradora."),
        "condition": text("Sem as fotos não há cobertura; peça uma vistoria presencial."),
        "notice_url": "https://seguradora.example/privacidade",
    })
}

fn parse(sender: &Value) -> Result<Sender, Vec<KitFault>> {
    Sender::parse(sender.to_string().as_bytes())
}

/// The paths and rules of all faults of a sender.
fn faults(sender: &Value) -> BTreeSet<(String, &'static str)> {
    parse(sender).unwrap_err().into_iter().map(|KitFault { path, rule, .. }| (path, rule.name())).collect()
}

/// The complete sender with another value at a path; a missing one is removed.
fn with(pointer: &str, value: Option<Value>) -> Value {
    let mut sender = complete();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = sender.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => _ = parent.insert(name.to_owned(), value),
        None => _ = parent.remove(name).unwrap(),
    }
    sender
}

#[test]
fn keeps_every_field_in_one_form() {
    let sender = parse(&complete()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(sender.canonical_json()).unwrap(), complete());
    assert_eq!(Sender::parse(sender.canonical_json().as_bytes()).unwrap(), sender);
    assert!(sender.canonical_json().starts_with(r#"{"condition":{"en":"#), "{}", sender.canonical_json());

    let url = with("/notice_url", Some("https://Seguradora.example/a b".replace(' ', "%20").into()));
    assert_eq!(
        parse(&url).unwrap().content().notice_url.as_ref().unwrap().as_str(),
        "https://seguradora.example/a%20b"
    );
    let mut least = complete();
    for optional in ["logo", "condition", "notice_url"] {
        least.as_object_mut().unwrap().remove(optional).unwrap();
    }
    least["purpose"] = json!({ "pt-BR": "Vistoria." });
    assert_eq!(serde_json::from_str::<Value>(parse(&least).unwrap().canonical_json()).unwrap(), least);
}

#[test]
fn invalid_senders_have_all_their_faults() {
    let long = |chars: usize| Some(Value::from("á".repeat(chars)));
    for (pointer, value, rule) in [
        ("/name", None, "missing_field"),
        ("/purpose", None, "missing_field"),
        ("/duration", None, "missing_field"),
        ("/controller", None, "missing_field"),
        ("/contact", None, "missing_field"),
        ("/sharing", None, "missing_field"),
        ("/responsibilities", None, "missing_field"),
        ("/purpose/pt-BR", None, "missing_field"),
        ("/address", Some(json!("Rua A")), "unknown_field"),
        ("/purpose/fr", Some(json!("Pour voir.")), "unknown_field"),
        ("/name", Some(json!(1)), "wrong_type"),
        ("/logo", Some(json!(null)), "wrong_type"),
        ("/sharing", Some(json!("Com todos.")), "wrong_type"),
        ("/sharing/en", Some(json!(null)), "wrong_type"),
        ("/name", Some(json!(" ")), "text_empty"),
        ("/purpose/es", Some(json!("")), "text_empty"),
        ("/name", long(sender::NAME_CHARS + 1), "text_length"),
        ("/contact", long(sender::NAME_CHARS + 1), "text_length"),
        ("/duration/en", long(sender::TEXT_CHARS + 1), "text_length"),
        ("/condition/pt-BR", Some(json!("Uma\nduas")), "text_invisible"),
        ("/controller", Some(json!("A\u{202e}B")), "text_invisible"),
        ("/logo", Some(json!("data:image/png;base64,AAAA")), "logo_form"),
        ("/logo", Some(json!("AAAA")), "logo_form"),
        ("/logo", Some(json!("")), "logo_form"),
        ("/notice_url", Some(json!("http://seguradora.example/")), "url_form"),
        ("/notice_url", Some(json!("javascript:alert(1)")), "url_form"),
        ("/notice_url", Some(json!("/privacidade")), "url_form"),
        ("/notice_url", Some(json!("https://a:b@seguradora.example/")), "url_form"),
    ] {
        assert_eq!(faults(&with(pointer, value.clone())), [(pointer.to_owned(), rule)].into(), "{value:?}");
    }
    for longest in [with("/name", long(sender::NAME_CHARS)), with("/purpose/en", long(sender::TEXT_CHARS))] {
        assert!(parse(&longest).is_ok());
    }

    let mut many = with("/notice_url", Some(json!("ftp://a")));
    many["name"] = json!("<b>\n");
    many["purpose"] = json!({ "en": 1 });
    let expected = [
        ("/name".to_owned(), "text_invisible"),
        ("/name".to_owned(), "text_markup"),
        ("/purpose/pt-BR".to_owned(), "missing_field"),
        ("/purpose/en".to_owned(), "wrong_type"),
        ("/notice_url".to_owned(), "url_form"),
    ];
    assert_eq!(faults(&many), expected.into());
    assert_eq!(faults(&json!([])), [(String::new(), "wrong_type")].into());
}

#[test]
fn refuses_markup_in_every_text() {
    let translated = ["purpose", "duration", "sharing", "responsibilities", "condition"];
    let translated = translated.iter().flat_map(|field| ["pt-BR", "en", "es"].map(|tag| format!("/{field}/{tag}")));
    for pointer in ["name", "controller", "contact"].map(|field| format!("/{field}")).into_iter().chain(translated) {
        for markup in ["<script>alert(1)</script>", "a > b", "<"] {
            let marked = with(&pointer, Some(markup.into()));
            assert_eq!(faults(&marked), [(pointer.clone(), "text_markup")].into(), "{markup}");
        }
    }
}

#[test]
fn refuses_what_is_no_document() {
    let rule = |bytes: &[u8]| Sender::parse(bytes).unwrap_err().into_iter().map(|fault| fault.rule).collect::<Vec<_>>();
    assert_eq!(rule(b"{"), [KitRule::NotJson]);
    assert_eq!(rule(b"{\"name\":\"\xff\"}"), [KitRule::NotJson]);
    let text = complete().to_string();
    let padded = |bytes: usize| format!("{text}{}", " ".repeat(bytes - text.len()));
    assert!(Sender::parse(padded(SENDER_BYTES).as_bytes()).is_ok());
    assert_eq!(rule(padded(SENDER_BYTES + 1).as_bytes()), [KitRule::SenderSize]);
    let twice = text.replacen('{', r#"{"name":"Outra","#, 1);
    assert_eq!(rule(twice.as_bytes()), [KitRule::DuplicateField]);
}

#[test]
fn the_largest_sender_fits() {
    let mut sender = with("/notice_url", Some(format!("https://a.example/{}", "x".repeat(2000)).into()));
    sender["logo"] = STANDARD.encode(logo::tests::with_pixels(sender::LOGO_BYTES)).into();
    for field in ["name", "controller", "contact"] {
        sender[field] = "𝟘".repeat(sender::NAME_CHARS).into();
    }
    for field in ["purpose", "duration", "sharing", "responsibilities", "condition"] {
        let text = "𝟘".repeat(sender::TEXT_CHARS);
        sender[field] = json!({ "pt-BR": text, "en": text, "es": text });
    }
    let written = parse(&sender).unwrap();
    assert!(Sender::parse(written.canonical_json().as_bytes()).is_ok());
}

#[test]
fn the_example_of_the_guide_is_valid() {
    let guide = include_str!("../../../../docs/guides/tell-customers-who-asks.md");
    let (_, example) = guide.split_once("<<'SENDER'\n").unwrap();
    let (example, _) = example.split_once("\nSENDER\n").unwrap();
    let sender = Sender::parse(example.as_bytes()).unwrap();
    let text = &sender.content().condition.as_ref().unwrap().portuguese;
    assert!(text.as_str().starts_with("Sem as fotos"), "{text:?}");
}
