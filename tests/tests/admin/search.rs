//! Tests what operators search for: captures, open alerts, failed webhooks.

use std::io::sink;

use lacre_domain::{Clock, Environment, NamedTerms};
use lacre_tests::{
    Service,
    customer::Customer,
    frame,
    outbox::event_of,
    receiver::{self, Receiver},
    vault::capture_id,
};
use lacre_webhooks::Webhooks;
use reqwest::Method;
use serde_json::{Value, json};

async fn get(service: &Service, path: &str) -> Value {
    service.admin(Method::GET, path, Value::Null).await.ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_captures_by_reference_until_erased() {
    let service = lacre_tests::vault::exporting_service().await;
    let customer = Customer::new(&service, Environment::Sandbox, NamedTerms::default()).await;
    let photo = frame::fresh();
    let session = customer.capture(&photo).await.ok();
    let id = capture_id(&session);
    let shown = get(&service, &format!("/captures/{id}")).await;
    let frame_hash = lacre_domain::FrameHash::of(&photo).hex();
    assert_eq!(
        (&shown["capture_id"], &shown["frame_hash"], &shown["state"]),
        (&json!(id), &json!(frame_hash), &json!("held"))
    );
    // Neither personal data, nor anything that leads to objects or sessions.
    let evidence = service.evidence().capture(&id).await.unwrap();
    let personal = evidence.fields()["commitments"].as_object().unwrap().keys().map(String::as_str);
    for secret in personal.chain(["attempt", "commitments", "manifest_key", "jpeg_key", "session", "salt"]) {
        assert!(shown.get(secret).is_none(), "{secret}");
    }
    let reference = evidence.fields()["reference_id"].as_str().unwrap();
    let by_reference = format!("/captures?reference_id={reference}");
    let by_frame = format!("/captures?frame_hash={frame_hash}");
    assert_eq!(get(&service, &by_frame).await, json!({ "captures": [shown], "next": null }));
    let found = get(&service, &by_reference).await;
    assert!(found["captures"].as_array().unwrap().contains(&shown), "{found}");
    let by_session = session["session_id"].as_str().unwrap();
    assert_eq!(get(&service, &format!("/captures/{by_session}")).await, shown);

    service.exported().await;
    service.evidence().erase(&id, "request 41").await.unwrap();
    let erased = get(&service, &by_frame).await;
    assert_eq!(erased["captures"][0]["state"], "erased");
    let left = get(&service, &by_reference).await;
    assert!(!left["captures"].as_array().unwrap().iter().any(|capture| capture["capture_id"] == json!(id)), "{left}");

    for (path, status) in [
        ("/captures".to_owned(), 400),
        (format!("/captures?frame_hash={frame_hash}&reference_id=a"), 400),
        ("/captures?frame_hash=x".to_owned(), 400),
        ("/captures?reference_id=".to_owned(), 400),
        ("/captures/x".to_owned(), 400),
        (format!("/captures/{}", "0".repeat(64)), 404),
    ] {
        assert_eq!(service.admin(Method::GET, &path, Value::Null).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn an_alert_is_open_until_acknowledged() {
    let service = Service::start().await;
    let admin = service.administration();
    let mut licenses = Vec::new();
    for _ in 0..3 {
        let customer = Customer::new(&service, Environment::Staging, NamedTerms::default()).await;
        service.clock.advance(time::Duration::seconds(1));
        admin.licenses.revoke(&customer.license_id).await.unwrap();
        licenses.push(customer.license_id.to_string());
    }
    licenses.reverse();
    let open = async || {
        let (mut ids, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = get(&service, &format!("/alerts?{cursor}limit=2&state=open")).await;
            let alerts = page["alerts"].as_array().unwrap().clone();
            ids.extend(alerts.iter().map(|alert| alert["license_id"].as_str().unwrap().to_owned()));
            match page["next"].as_str() {
                Some(next) => cursor = format!("cursor={next}&"),
                None => return ids,
            }
        }
    };
    // The service's first start also revoked one license.
    assert_eq!(open().await[..3], licenses);
    assert_eq!(get(&service, "/overview").await["open_alerts"], json!({ "count": 4, "more": false }));
    let month = lacre_domain::capture::month_of(service.clock.now());
    let path = format!("/licenses/{}/alerts/{month}/REVOKED/acknowledge", licenses[1]);
    let acknowledge = || service.admin(Method::POST, &path, Value::Null);
    let both = futures_util::future::join_all([acknowledge(), acknowledge()]).await;
    let mut statuses: Vec<u16> = both.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(open().await[..2], [licenses[0].clone(), licenses[2].clone()]);
    let known = get(&service, &format!("/alerts?license={}", licenses[1])).await;
    let principal = format!("arn:aws:iam::000000000000:user/{}", service.variable("AWS_ACCESS_KEY_ID"));
    assert_eq!(known["alerts"][0]["acknowledged_by"], json!(principal));
    assert!(known["alerts"][0]["acknowledged_at"].is_string());

    for (path, status) in [
        (format!("/licenses/{}/alerts/{month}/VOLUME_70/acknowledge", licenses[0]), 404),
        (format!("/licenses/{}/alerts/{month}/OTHER/acknowledge", licenses[0]), 400),
        (format!("/licenses/{}/alerts/2026-13/REVOKED/acknowledge", licenses[0]), 400),
        ("/licenses/x/alerts/2026-11/REVOKED/acknowledge".to_owned(), 400),
    ] {
        assert_eq!(service.admin(Method::POST, &path, Value::Null).await.status, status, "{path}");
    }
    assert_eq!(service.admin(Method::GET, "/alerts?month=2026-11&state=open", Value::Null).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_failed_webhooks_until_redelivered() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let function =
        Webhooks::new(service.connection(), std::sync::Arc::clone(&service.clock) as std::sync::Arc<dyn Clock>);
    receiver.answer(receiver::Answer::status(500));
    let mut attempts = Vec::new();
    for _ in 0..3 {
        let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
        function.handle(event_of(&attempt), &mut sink()).await.unwrap();
        attempts.push(attempt.message_id.to_string());
        service.clock.advance(time::Duration::seconds(1));
    }
    attempts.reverse();
    let failing = async || {
        let page = get(&service, "/webhooks").await;
        let found = page["webhooks"].as_array().unwrap().iter();
        found.map(|attempt| attempt["message_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(failing().await, attempts);
    assert_eq!(get(&service, "/overview").await["failing_webhooks"], json!({ "count": 3, "more": false }));
    let client = service.client().await;
    let path = format!("/clients/{client}/webhooks/{}/redeliver", attempts[1]);
    let redelivered = service.admin(Method::POST, &path, Value::Null).await;
    assert_eq!((redelivered.status, &redelivered.body["attempt"]), (201, &json!(2)));
    assert_eq!(failing().await, [attempts[0].clone(), attempts[2].clone()]);
    // In pages, latest first.
    let of_client = format!("/clients/{client}/webhooks?limit=3");
    let page = get(&service, &of_client).await;
    assert_eq!(page["webhooks"].as_array().unwrap().len(), 3);
    let next = page["next"].as_str().unwrap();
    let last = get(&service, &format!("/clients/{client}/webhooks?cursor={next}&limit=3")).await;
    assert_eq!((last["webhooks"].as_array().unwrap().len(), &last["next"]), (1, &Value::Null));
}
