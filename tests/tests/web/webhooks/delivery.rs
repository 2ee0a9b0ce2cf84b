//! Tests the message, its signatures, and its delivery.

use std::{io::Write, time::Duration};

use lacre_api::headers;
use lacre_domain::{AttemptState, Clock, Environment, limits};
use lacre_tests::{
    Service, frame,
    openapi::Documents,
    outbox::event_of,
    receiver::{Answer, Receiver},
    vault::capture_id,
};
use serde_json::{Value, json};

use super::{add_secret, attempts, capture, function, make, result};

#[tokio::test(flavor = "multi_thread")]
async fn announces_three_photos_in_one_message() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let token = capture(&service, "vehicle_inspection", &receiver.url()).await;
    let [attempt] = attempts(&service).await.try_into().unwrap();
    assert_eq!(attempt.state(service.clock.now()), AttemptState::Pending);
    let made = make(&service, &function(&service), &attempt).await;
    assert_eq!(
        (result(&made), made.state(service.clock.now())),
        ((json!("delivered"), Some(204)), AttemptState::Delivered)
    );

    let [received] = receiver.received().try_into().unwrap();
    assert_eq!(received.verify(service.variable("WEBHOOK_SECRET")), Ok(()));
    assert_eq!(Documents::get().check_webhook(&received), Ok(()));
    assert_eq!(received.header(headers::WEBHOOK_ID), attempt.message_id.as_str());
    assert_eq!(received.header("content-type"), "application/json");
    let body: Value = serde_json::from_slice(&received.body).unwrap();
    let results = service.hosted_results(&token).await.ok();
    assert_eq!(body.as_object().unwrap().len(), 8, "seven fields of the last photo, and the photos");
    assert_eq!((&body["reference_id"], &body["status"]), (&json!("sinistro-42"), &json!("signed")));
    let photos = body["photos"].as_array().unwrap();
    assert_eq!(photos.len(), 3);
    for (photo, captured) in photos.iter().zip(results["photos"].as_array().unwrap()) {
        for same in ["order", "session_id", "frame_hash_hex"] {
            assert_eq!(photo[same], captured[same], "{same}");
        }
        for url in ["authenticated_jpeg_url", "manifest_url"] {
            assert_eq!(service.http.get(photo[url].as_str().unwrap()).send().await.unwrap().status(), 200, "{url}");
        }
    }
    assert_eq!(
        (&body["session_id"], &body["authenticated_jpeg_url"]),
        (&photos[2]["session_id"], &photos[2]["authenticated_jpeg_url"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn announces_withheld_without_urls_and_omits_erased() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let mut order = Service::hosted_order("vehicle_inspection");
    order["webhook_url"] = receiver.url().into();
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    let mut captured = Vec::<String>::new();
    for _ in 0..3 {
        if let [withheld, erased] = &captured[..] {
            service.evidence().withhold(withheld, "case 7").await.unwrap();
            service.evidence().erase(erased, "request 41").await.unwrap();
        }
        let loaded = service.open_hosted(&token).await;
        captured.push(capture_id(&service.capture_hosted(&loaded, &frame::fresh()).await.ok()));
    }
    let [attempt] = attempts(&service).await.try_into().unwrap();
    make(&service, &function(&service), &attempt).await;
    let [received] = receiver.received().try_into().unwrap();
    assert_eq!(Documents::get().check_webhook(&received), Ok(()));
    let body: Value = serde_json::from_slice(&received.body).unwrap();
    let [withheld, last] = &body["photos"].as_array().unwrap()[..] else { panic!("{body}") };
    assert_eq!((&withheld["order"], &last["order"]), (&json!(1), &json!(3)));
    assert_eq!((&withheld["authenticated_jpeg_url"], &withheld["manifest_url"]), (&Value::Null, &Value::Null));
    assert!(last["authenticated_jpeg_url"].is_string() && last["manifest_url"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_photo_writes_the_message() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    service.capture("LICENSE_KEY", &lacre_tests::frame::fresh()).await.1.ok();
    assert_eq!(attempts(&service).await, []);
    let mut order = Service::hosted_order("real_estate");
    order["webhook_url"] = receiver.url().into();
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    for before in [0, 0, 0] {
        assert_eq!(attempts(&service).await.len(), before);
        let loaded = service.open_hosted(&token).await;
        service.capture_hosted(&loaded, &lacre_tests::frame::fresh()).await.ok();
    }
    assert_eq!(attempts(&service).await.len(), 1);
    assert_eq!(receiver.received().len(), 0, "nothing is sent before the queue hands it over");
}

#[tokio::test(flavor = "multi_thread")]
async fn largest_messages_stay_under_the_limit() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let mut order = Service::hosted_order("vehicle_inspection");
    order["webhook_url"] = receiver.url().into();
    order["reference_id"] = "\"".repeat(limits::REFERENCE_ID_BYTES).into();
    let created = service.create_hosted_with(service.variable("API_KEY"), &order).await;
    // The longest text that is accepted if quotes are refused.
    let created = if created.status == 201 {
        created
    } else {
        order["reference_id"] = "x".repeat(limits::REFERENCE_ID_BYTES).into();
        service.create_hosted_with(service.variable("API_KEY"), &order).await
    };
    let token = created.hosted_token();
    for _ in 0..3 {
        let loaded = service.open_hosted(&token).await;
        service.capture_hosted(&loaded, &lacre_tests::frame::fresh()).await.ok();
    }
    let [attempt] = attempts(&service).await.try_into().unwrap();
    make(&service, &function(&service), &attempt).await;
    let length = receiver.received()[0].body.len();
    // URLs on AWS are longer than those of the stand-ins because of bucket, region and credential.
    assert!(length + 6 * 400 < limits::WEBHOOK_BODY_BYTES, "{length}");
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_photos_fit_the_message() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    service.put_kit(&crate::kits::twenty()).await;
    let mut order = Service::hosted_order("vistoria");
    order["webhook_url"] = receiver.url().into();
    order["reference_id"] = "x".repeat(limits::REFERENCE_ID_BYTES).into();
    let token = service.create_hosted_with(service.variable("API_KEY"), &order).await.hosted_token();
    let mut pending = service.open_hosted(&token).await;
    for _ in 0..20 {
        let photo = lacre_tests::frame::fresh();
        assert_eq!(service.upload(&pending, &photo).await, 200);
        let mut submission = service.submission(&pending, &photo);
        submission["label"] = "é".repeat(limits::LABEL_BYTES / 2).into();
        let ingested = service.ingest_hosted(&submission).await.ok();
        pending = pending.followed_by(ingested.get("next").unwrap_or(&json!({})));
    }
    let [attempt] = attempts(&service).await.try_into().unwrap();
    make(&service, &function(&service), &attempt).await;
    let message = receiver.received().remove(0).body;
    // URLs on AWS are longer than those of the stand-ins because of bucket, region and credential.
    assert!(message.len() + 40 * 400 < limits::WEBHOOK_BODY_BYTES, "{}", message.len());
    let body: serde_json::Value = serde_json::from_slice(&message).unwrap();
    let photos = body["photos"].as_array().unwrap();
    assert_eq!((&body["kit"], photos.len()), (&json!("vistoria@1"), 20));
    assert_eq!(photos[19]["step"], "foto-20");
    assert!(photos.iter().all(|photo| photo["label"].as_str().unwrap().len() == limits::LABEL_BYTES));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_signs_with_both_secrets() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let (second, live) =
        (add_secret(&service, Environment::Sandbox).await, add_secret(&service, Environment::Production).await);
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    make(&service, &function(&service), &attempt).await;
    let [mut received] = receiver.received().try_into().unwrap();
    assert_eq!(received.header(headers::WEBHOOK_SIGNATURE).split(' ').count(), 2);
    assert_eq!(received.verify(service.variable("WEBHOOK_SECRET")), Ok(()));
    assert_eq!(received.verify(&second.expose()), Ok(()));
    assert!(received.verify(&live.expose()).is_err(), "another environment's secret");
    received.body.push(b' ');
    assert!(received.verify(&second.expose()).is_err(), "a changed body");
    received.body.pop();
    let old = service.clock.now().unix_timestamp() - 600;
    received.headers.insert(headers::WEBHOOK_TIMESTAMP, old.into());
    assert!(received.verify(&second.expose()).is_err(), "an old timestamp");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_secret_signs_nothing() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let secrets = lacre_storage::WebhookSecrets::new(service.connection());
    let (client, now) = (service.client().await, service.clock.now());
    for record in secrets.records(&client, Environment::Sandbox).await.unwrap() {
        assert!(secrets.end(&record, &lacre_tests::operator::entry_at(now)).await.unwrap());
        assert!(!secrets.end(&record, &lacre_tests::operator::entry_at(now)).await.unwrap(), "a second time");
    }
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    let made = make(&service, &function(&service), &attempt).await;
    assert_eq!((result(&made), receiver.received().len()), ((json!("unsigned"), None), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn records_receiver_responses_bounded_and_clean() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let function = function(&service);
    let elsewhere = Receiver::start().await;
    let long = "x".repeat(10_000_000);
    for (answer, status, detail) in [
        (Answer::Status(500, "no\u{1b}[31m\r\nway".into(), String::new()), 500, "no [31m way"),
        (Answer::Status(302, "moved".into(), elsewhere.url()), 302, "moved"),
        (Answer::Status(404, long.clone(), String::new()), 404, &long[..limits::WEBHOOK_EXCERPT_CHARS]),
    ] {
        receiver.answer(answer);
        let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
        let made = make(&service, &function, &attempt).await;
        assert_eq!(result(&made), (json!("rejected"), Some(status)));
        assert_eq!(made.outcome.as_ref().unwrap().detail, detail);
        assert_eq!(made.state(service.clock.now()), AttemptState::Failed);
    }
    assert_eq!((receiver.received().len(), elsewhere.received().len()), (3, 0), "no redirect is followed");
    receiver.answer(Answer::Status(200, long, String::new()));
    let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
    assert_eq!(result(&make(&service, &function, &attempt).await), (json!("delivered"), Some(200)));
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_or_absent_receivers_fail_attempts() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let hurried = function(&service).with_timeout(Duration::from_millis(300));
    for (answer, status) in [(Answer::Never, None), (Answer::Endless, Some(200))] {
        receiver.answer(answer);
        let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
        assert_eq!(result(&make(&service, &hurried, &attempt).await), (json!("timed_out"), status));
    }
    assert_eq!(receiver.received().len(), 2);
    let url = receiver.url();
    drop(receiver);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let attempt = service.post_webhook(Environment::Sandbox, &url).await;
    assert_eq!(result(&make(&service, &function(&service), &attempt).await), (json!("unreachable"), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_each_attempt_for_the_alarm() {
    let (service, receiver) = (Service::start().await, Receiver::start().await);
    let function = function(&service);
    let mut lines = Vec::new();
    for answer in [Answer::status(200), Answer::status(500)] {
        receiver.answer(answer);
        let attempt = service.post_webhook(Environment::Sandbox, &receiver.url()).await;
        function.handle(event_of(&attempt), &mut lines).await.unwrap();
        lines.flush().unwrap();
    }
    let lines = String::from_utf8(lines).unwrap();
    let counted: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&counted[0]["WebhooksDelivered"], &counted[1]["WebhooksFailed"]), (&json!(1), &json!(1)));
    for line in counted {
        assert_eq!((&line["Stack"], &line["Environment"]), (&json!("local"), &json!("SANDBOX")));
    }
}
