//! A client gets what proves its own captures for decades, and learns which of it was renewed.

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_administration::LastingEvidence;
use lacre_api::admin::AuditView;
use lacre_domain::{Clock, Environment, NamedTerms, Operation, SessionId, Sha256Digest};
use lacre_storage::PageRequest;
use lacre_tests::{
    Answer, Service, Storage,
    customer::Customer,
    frame,
    log::{
        OLD_AUTHORITY_DAYS, add_leaf, ask_authorities, judged, run_on, sequencer, with_new_authority,
        with_old_authority,
    },
    service::{refusal, unknown_api_key},
};
use lacre_verify::Anchors;
use serde_json::{Value, json};
use time::{Date, Duration, macros::format_description};

const SANDBOX: Environment = Environment::Sandbox;
const UNKNOWN: &str = "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b";

async fn get(service: &Service, path: &str, api_key: &str) -> Answer {
    let request = service.http.get(format!("{}{path}", service.variable("PROOFS_URL")));
    service.send(request.header("authorization", format!("Bearer {api_key}"))).await
}

async fn evidence(service: &Service, session_id: &str, api_key: &str) -> Answer {
    get(service, &format!("/evidence/{session_id}"), api_key).await
}

async fn renewed_since(service: &Service, since: Date, api_key: &str) -> Value {
    get(service, &format!("/evidence?since={since}"), api_key).await.ok()["days"].clone()
}

/// Captures a photo. Returns the session id and the photo.
async fn captured(customer: &Customer<'_>) -> (String, Vec<u8>) {
    let ingested = customer.capture(&frame::fresh()).await.ok();
    let jpeg = BASE64_STANDARD.decode(ingested["signed_image_base64"].as_str().unwrap()).unwrap();
    (ingested["session_id"].as_str().unwrap().to_owned(), jpeg)
}

/// The files in a response and those that it links to, whose hashes must be those that it states.
async fn files(service: &Service, body: &Value) -> LastingEvidence {
    let bytes = |value: &Value| BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap();
    let mut bundles = Vec::new();
    for bundle in body["bundles"].as_array().unwrap() {
        let content = Storage::of(service).object_at(bundle["url"].as_str().unwrap()).await;
        assert_eq!(bundle["sha256"], Sha256Digest::of(&content).hex());
        bundles.push((bundle["name"].as_str().unwrap().to_owned(), content));
    }
    LastingEvidence {
        day: Date::parse(body["day"].as_str().unwrap(), format_description!("[year]-[month]-[day]")).unwrap(),
        transparency_proof: body["transparency_proof"].as_str().unwrap().to_owned(),
        evidence_record: bytes(&body["evidence_record"]),
        second_evidence_record: body.get("second_evidence_record").map(bytes),
        bundles,
    }
}

fn not_found() -> (u16, Value) {
    refusal(404, "Captura não encontrada", None)
}

fn pending() -> (u16, Value) {
    let text = "A captura ainda aguarda o carimbo do tempo do registro público — tente novamente mais tarde";
    refusal(409, text, Some("web_evidence_pending"))
}

/// What the audit log says of the evidence of a client's captures, oldest first.
async fn audited(service: &Service, customer: &Customer<'_>) -> Vec<AuditView> {
    let audit = service.administration().audit;
    let page = audit.of_client(&customer.client_id, &PageRequest::first(100)).await.unwrap();
    let entries = page.entries.into_iter().filter(|entry| entry.operation == Operation::GetEvidence);
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|entry| entry.at.clone());
    entries
}

#[tokio::test]
async fn files_prove_the_photo_for_decades() {
    let (service, roots) = with_old_authority(Service::start().await).await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let key = customer.api_key.as_str();
    let (session_id, jpeg) = captured(&customer).await;
    let first = service.clock.now().date() + Duration::DAY;
    for is_logged in [false, true] {
        if is_logged {
            add_leaf(&service, &session_id).await;
        }
        let early = evidence(&service, &session_id, key).await;
        assert_eq!(early.outcome(), pending(), "in the log: {is_logged}");
        let expected = first.with_hms(2, 0, 0).unwrap().assume_utc() - service.clock.now();
        let wait: i64 = early.header("retry-after").unwrap().parse().unwrap();
        assert!((0..60).contains(&(wait - expected.whole_seconds())), "{wait}, {expected}");
    }

    run_on(&service, &sequencer, first, 0).await.unwrap();
    ask_authorities(&service).await;
    let fresh = files(&service, &evidence(&service, &session_id, key).await.ok()).await;
    let names = |evidence: &LastingEvidence| evidence.bundles.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let of_day = format!("dated-{first}.p7b");
    assert_eq!((fresh.day, names(&fresh)), (first, vec![of_day.clone()]));
    let anchors = Anchors::from_pem(&format!("{}{roots}", service.trust_anchors())).unwrap();
    let report = judged(&service, &jpeg, &fresh, &anchors, service.clock.now());
    assert!(report.valid, "{report}");
    assert_eq!(renewed_since(&service, first, key).await, json!([]));
    for environment in [Environment::Production, Environment::Staging] {
        let other = Customer::new(&service, environment, NamedTerms::default()).await;
        assert_eq!(renewed_since(&service, first, &other.api_key).await, json!([]), "{environment:?}");
    }

    with_new_authority(&service).await;
    let days = OLD_AUTHORITY_DAYS - 100;
    run_on(&service, &sequencer, first, days).await.unwrap();
    let at = first + Duration::days(days);
    for (since, expected) in [(first, json!([first.to_string()])), (at + Duration::DAY, json!([]))] {
        assert_eq!(renewed_since(&service, since, key).await, expected, "{since}");
    }
    ask_authorities(&service).await;
    let renewed = files(&service, &evidence(&service, &session_id, key).await.ok()).await;
    assert_eq!(renewed.transparency_proof, fresh.transparency_proof);
    assert_eq!(names(&renewed), [of_day, "renewals-1.p7b".to_owned()]);
    let late = service.clock.now() + Duration::days(600);
    let report = judged(&service, &jpeg, &renewed, &anchors, late);
    assert!(report.valid, "{report}");
    assert!(!judged(&service, &jpeg, &fresh, &anchors, late).valid);

    let entries = audited(&service, &customer).await;
    let details: Vec<_> = entries.iter().map(|entry| entry.detail.as_deref().unwrap()).collect();
    assert_eq!(
        details,
        ["not dated yet in SANDBOX", "not dated yet in SANDBOX", "delivered in SANDBOX", "delivered in SANDBOX"]
    );
    let capture = SessionId::parse(&session_id).unwrap().capture_id();
    assert!(entries.iter().all(|entry| entry.subject.as_deref() == Some(capture.as_str())));
}

#[tokio::test]
async fn nobody_else_gets_evidence() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let other = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let keys = service.administration().api_keys;
    let staging = keys.issue(&customer.client_id, Environment::Staging, "backend").await.unwrap().api_key;
    lacre_tests::journal::remember(&staging);
    let (session_id, _) = captured(&customer).await;
    add_leaf(&service, &session_id).await;
    let first = service.clock.now().date() + Duration::DAY;
    run_on(&service, &sequencer(&service, service.config(|_| None)), first, 0).await.unwrap();
    assert_eq!(evidence(&service, &session_id, &customer.api_key).await.status, 200);
    for (id, key) in [
        (session_id.as_str(), other.api_key.as_str()),
        (session_id.as_str(), staging.as_str()),
        (UNKNOWN, customer.api_key.as_str()),
        ("x", customer.api_key.as_str()),
    ] {
        assert_eq!(evidence(&service, id, key).await.outcome(), not_found());
    }
    let [entry]: [AuditView; 1] = audited(&service, &other).await.try_into().unwrap();
    assert_eq!((entry.subject, entry.detail.as_deref()), (None, Some("not found in SANDBOX")));
    for (key, text) in [
        (unknown_api_key().as_str(), "API key inválida ou ausente"),
        ("sk_live_1", "API key inválida — apenas svc_api_* aceito"),
    ] {
        for path in [format!("/evidence/{session_id}"), "/evidence?since=2026-11-30".to_owned()] {
            let refused = get(&service, &path, key).await;
            assert_eq!(refused.outcome(), refusal(401, text, None));
            assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn withheld_and_erased_captures_have_none() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let (session_id, _) = captured(&customer).await;
    add_leaf(&service, &session_id).await;
    let first = service.clock.now().date() + Duration::DAY;
    run_on(&service, &sequencer(&service, service.config(|_| None)), first, 0).await.unwrap();
    let custody = service.evidence();
    let ask = async || evidence(&service, &session_id, &customer.api_key).await;
    custody.withhold(&session_id, "case 7").await.unwrap();
    assert_eq!(ask().await.outcome(), not_found());
    custody.release(&session_id, "case 7").await.unwrap();
    assert_eq!(ask().await.status, 200);
    custody.erase(&session_id, "request 41").await.unwrap();
    assert_eq!(ask().await.outcome(), not_found());
}

#[tokio::test]
async fn evidence_counts_as_lookups() {
    let service = Service::start().await;
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let key = customer.api_key.as_str();
    for since in ["", "?since=", "?since=2026-11-31", "?since=30/11/2026", "?since=2026-11-30T00:00:00Z"] {
        let refused = get(&service, &format!("/evidence{since}"), key).await;
        assert_eq!(refused.outcome(), refusal(400, "Payload inválido: since", None), "{since}");
    }
    let asked = ["/evidence?since=2026-11-30".to_owned(), format!("/evidence/{UNKNOWN}")];
    for turn in 0..60 {
        let status = get(&service, &asked[turn % 2], key).await.status;
        assert_eq!(status, [200, 404][turn % 2], "{turn}");
    }
    for path in &asked {
        let refused = get(&service, path, key).await;
        assert_eq!(refused.outcome(), refusal(429, "Limite de consultas atingido — tente novamente mais tarde", None));
        let left: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=3600).contains(&left), "{left}");
    }
}
