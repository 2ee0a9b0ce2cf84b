//! Tests the hosted flow: several photos, one link on several devices, and the license key of a link.

use futures_util::future::join_all;
use lacre_api::limits;
use lacre_tests::{
    Answer, Service, frame,
    service::{Loaded, PAGE, SAFARI, refusal},
    verifiers,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

fn order_mismatch() -> (u16, Value) {
    let text = "photo_order não corresponde à foto pendente desta sessão.";
    refusal(400, text, Some("web_photo_order_mismatch"))
}

fn license_invalid() -> (u16, Value) {
    refusal(403, "License inválida — verifique a licença.", Some("web_license_invalid"))
}

fn not_found() -> (u16, Value) {
    refusal(404, "Sessão não encontrada", None)
}

fn replayed() -> (u16, Value) {
    refusal(403, "Sessão de captura inválida — recarregue a sessão", Some("web_nonce_replay"))
}

async fn captured(service: &Service, token: &str) -> (String, u64) {
    let status = service.session_status(token).await.ok();
    (status["status"].as_str().unwrap().to_owned(), status["captured_count"].as_u64().unwrap())
}

async fn used(service: &Service, license: &str) -> u64 {
    service.validate(license).await.ok()["captures_used"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn signs_each_photo_of_a_profile() {
    let service = Service::start().await;
    for (profile, photos, framing) in [
        ("vehicle_inspection", 3, "landscape"),
        ("real_estate", 3, "portrait"),
        ("high_value_item", 3, "square"),
        ("demo", 1, "square"),
    ] {
        let token = service.create_hosted(profile).await;
        assert_eq!(captured(&service, &token).await, ("pending".into(), 0));
        let frames: Vec<Vec<u8>> = (0..photos).map(|_| frame::fresh()).collect();
        for (taken, photo) in (1..).zip(&frames) {
            let loaded = service.open_hosted(&token).await;
            assert_eq!(
                [&loaded.body["profile"], &loaded.body["framing"], &loaded.body["redirect_uri"]],
                [profile, framing, "http://localhost:3000/done?claim=42"]
            );
            assert_eq!(loaded.body["photo_order"], taken);
            let ingested = service.capture_hosted(&loaded, photo).await.ok();
            assert_eq!((&ingested["photo_order"], &ingested["complete"]), (&json!(taken), &json!(taken == photos)));
            let status = if taken == photos { "captured" } else { "partial" };
            assert_eq!(captured(&service, &token).await, (status.into(), u64::try_from(taken).unwrap()));
        }
        let results = service.hosted_results(&token).await.ok();
        assert_eq!((&results["profile"], &results["total_photos"]), (&json!(profile), &json!(photos)));
        for (photo, frame) in results["photos"].as_array().unwrap().iter().zip(&frames) {
            let (status, signed) = service.fetch(photo["authenticated_jpeg_url"].as_str().unwrap()).await;
            let (report, contents) = verifiers::ours(&signed, service.trust_anchors());
            assert_eq!((status, report.valid, &contents.unwrap().frame), (200, true, frame));
        }
        let ids: std::collections::HashSet<_> =
            results["photos"].as_array().unwrap().iter().map(|one| &one["session_id"]).collect();
        assert_eq!(ids.len(), frames.len(), "each photo has an id of its own");
        assert_eq!(service.load_hosted(&token, None).await.status, 410);
    }
    assert_eq!(used(&service, "LICENSE_KEY_HOSTED").await, 10, "each photo counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn photo_order_survives_lost_responses() {
    let service = Service::start().await;
    let token = service.create_hosted("vehicle_inspection").await;
    let loaded = service.open_hosted(&token).await;
    let photo = frame::fresh();
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let mut submission = service.submission(&loaded, &photo);
    for wrong in [0, 2, 3] {
        submission["photo_order"] = json!(wrong);
        assert_eq!(service.ingest_hosted(&submission).await.outcome(), order_mismatch(), "{wrong}");
    }
    submission["photo_order"] = json!(1);
    service.ingest_hosted(&submission).await.ok();
    // After a lost response, a repetition is refused, and a reload continues with the second photo.
    assert_eq!(service.ingest_hosted(&submission).await.outcome(), replayed());
    let again = service.open_hosted(&token).await;
    assert_eq!((&again.body["photo_order"], &again.body["status"]), (&json!(2), &json!("partial")));
    let frame = refusal(409, "Esta captura não pôde ser processada.", Some("web_duplicate"));
    assert_eq!(service.capture_hosted(&again, &photo).await.outcome(), frame, "one frame is not two photos");
    assert_eq!(captured(&service, &token).await, ("partial".into(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_phone_takes_each_photo() {
    let service = Service::start().await;
    let token = service.create_hosted("real_estate").await;
    for order in 1..=3 {
        let phones: Vec<Loaded> = vec![service.open_hosted(&token).await, service.open_hosted(&token).await];
        let frames = [frame::fresh(), frame::fresh()];
        for (phone, frame) in phones.iter().zip(&frames) {
            assert_eq!(service.upload(phone, frame).await, StatusCode::OK);
        }
        let submissions: Vec<Value> =
            phones.iter().zip(&frames).map(|(phone, frame)| service.submission(phone, frame)).collect();
        let answers: Vec<Answer> = join_all(submissions.iter().map(|one| service.ingest_hosted(one))).await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!((won.len(), lost.len()), (1, 1));
        let last = refusal(409, "Sessão já utilizada", None);
        assert_eq!(lost[0].outcome(), if order == 3 { last } else { order_mismatch() });
        assert_eq!(captured(&service, &token).await.1, order);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_exist_only_in_their_flow() {
    let service = Service::start().await;
    let hosted = service.create_hosted("demo").await;
    let loaded = service.open_hosted(&hosted).await;
    assert_eq!(service.load(&hosted).await.outcome(), not_found());
    assert_eq!(service.results(&hosted).await.outcome(), not_found());
    assert_eq!(service.ingest(&service.submission(&loaded, &frame::fresh())).await.outcome(), not_found());

    let component = service.open("LICENSE_KEY_ALWAYS").await;
    let submission = service.submission(&component, &frame::fresh());
    assert_eq!(service.load_hosted(&component.token, None).await.outcome(), not_found());
    assert_eq!(service.ingest_hosted(&submission).await.outcome(), not_found());
    assert_eq!(service.hosted_results(&component.token).await.outcome(), not_found());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_page_loads_hosted_sessions() {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    let load = || service.hosted_request(Method::GET, &format!("/web/sessions/{token}")).header("user-agent", SAFARI);
    for origin in [PAGE, "https://evil.example", "null", service.variable("BASE_URL")] {
        let answer = service.send(load().header("origin", origin)).await;
        assert_eq!(answer.body["block_reason"], "web_origin_not_allowed", "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(service.send(load().header("sec-fetch-site", "cross-site")).await.status, 403);
    // Browsers send no `Origin` with a same-origin GET.
    assert_eq!(service.send(load().header("sec-fetch-site", "same-origin")).await.status, 200);
    // Safari before 16.4 sends neither header; a custom header, which other origins cannot send without a preflight,
    // identifies its own page.
    assert_eq!(service.send(load().header("x-svc-touch-points", "5")).await.status, 200);
    assert_eq!(service.send(load()).await.status, 403);
    // The preflight response to another page allows nothing.
    let preflight = service.hosted_request(Method::OPTIONS, "/web/ingest");
    let preflight = preflight.header("origin", PAGE).header("access-control-request-method", "POST");
    let answer = preflight.send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers().get("access-control-allow-origin")), (404, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn rebinds_only_sessions_without_a_photo() {
    let service = Service::start().await;
    let token = service.create_hosted("vehicle_inspection").await;
    let other = service.variable("LICENSE_KEY_HOSTED_OTHER");
    let before = service.open_hosted(&token).await;
    assert_eq!(before.body["capture_resolution"], "FHD");
    let photo = frame::fresh();
    assert_eq!(service.upload(&before, &photo).await, StatusCode::OK);

    let verdict = service.validate_session(&json!({ "token": token, "license_key": other })).await.ok();
    assert_eq!((&verdict["valid"], &verdict["capture_resolution"]), (&json!(true), &json!("HD")));
    let body = service.load_hosted(&token, Some(other)).await.ok();
    assert_eq!(body["capture_resolution"], "HD");
    assert_eq!(
        service.ingest_hosted(&service.submission(&before, &photo)).await.outcome(),
        replayed(),
        "loads under the license before are void"
    );
    let after = Loaded { token: token.clone(), body };
    service.capture_hosted(&after, &photo).await.ok();
    assert_eq!((used(&service, "LICENSE_KEY_HOSTED").await, used(&service, "LICENSE_KEY_HOSTED_OTHER").await), (0, 1));

    // A session with a photo keeps its license: another key is refused; its own key or none continues.
    let named = service.variable("LICENSE_KEY_HOSTED");
    assert_eq!(service.load_hosted(&token, Some(named)).await.outcome(), license_invalid());
    let verdict = service.validate_session(&json!({ "token": token, "license_key": named })).await.ok();
    assert_eq!(verdict, json!({ "valid": false, "reason": "INVALID_KEY" }));
    for key in [Some(other), None] {
        let body = service.load_hosted(&token, key).await.ok();
        assert_eq!((&body["photo_order"], &body["capture_resolution"]), (&json!(2), &json!("HD")));
    }
}

/// The person with the phone can append any license key to the link.
#[tokio::test(flavor = "multi_thread")]
async fn refuses_unsuitable_license_keys_in_links() {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    let (foreign, _) = service
        .license_like("LICENSE_KEY_HOSTED", |license| license.client_id = lacre_domain::ClientId::from_u128(1))
        .await;
    let (revoked, _) = service
        .license_like("LICENSE_KEY_HOSTED", |license| license.status = lacre_domain::LicenseStatus::Revoked)
        .await;
    let (elsewhere, _) = service
        .license_like("LICENSE_KEY_HOSTED", |license| {
            license.terms.redirect_origins =
                vec![lacre_domain::OriginPattern::parse("https://app.example.com").unwrap()];
        })
        .await;
    let (live, _) = service
        .license_like("LICENSE_KEY_HOSTED", |license| license.environment = lacre_domain::Environment::Production)
        .await;
    let keys = [
        ("another client's", service.variable("LICENSE_KEY_FOREIGN"), "INVALID_KEY"),
        ("another client's, by its license", &foreign, "INVALID_KEY"),
        ("another environment's", service.variable("LICENSE_KEY_LIVE"), "INVALID_KEY"),
        ("another environment's, hosted", &live, "INVALID_KEY"),
        ("not hosted", service.variable("LICENSE_KEY_ALWAYS"), "INVALID_KEY"),
        ("not retaining", service.variable("LICENSE_KEY"), "INVALID_KEY"),
        ("redirects elsewhere", &elsewhere, "INVALID_KEY"),
        ("revoked", &revoked, "REVOKED"),
        ("malformed", "svc_sand_x", "INVALID_KEY"),
        ("empty", "", "INVALID_KEY"),
    ];
    for (cause, key, reason) in keys {
        let verdict = service.validate_session(&json!({ "token": token, "license_key": key })).await.ok();
        assert_eq!(verdict, json!({ "valid": false, "reason": reason }), "{cause}");
        assert_eq!(service.load_hosted(&token, Some(key)).await.outcome(), license_invalid(), "{cause}");
    }
    let loaded = service.open_hosted(&token).await;
    service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    assert_eq!(used(&service, "LICENSE_KEY_HOSTED").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limited_load_does_not_rebind() {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    let loaded = service.open_hosted(&token).await;
    for _ in 1..limits::LOADS_PER_SESSION {
        service.open_hosted(&token).await;
    }
    let refused = service.load_hosted(&token, Some(service.variable("LICENSE_KEY_HOSTED_OTHER"))).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    service.capture_hosted(&loaded, &frame::fresh()).await.ok();
    assert_eq!((used(&service, "LICENSE_KEY_HOSTED").await, used(&service, "LICENSE_KEY_HOSTED_OTHER").await), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn component_sessions_have_no_license_override() {
    let service = Service::start().await;
    let token = Service::token_of(service.create("LICENSE_KEY").await);
    let load = service.request(Method::GET, &format!("/web/sessions/{token}"));
    let load = load.header("x-svc-license-key", service.variable("LICENSE_KEY_ALWAYS"));
    let loaded = Loaded { token, body: service.send_from_page(load).await.ok() };
    let ingested = service.capture_in(&loaded, &frame::fresh()).await.ok();
    assert_eq!(ingested["authenticated_jpeg_url"], Value::Null, "its license is the one that does not retain photos");
}

#[tokio::test(flavor = "multi_thread")]
async fn rebinding_and_capture_exclude_each_other() {
    let service = Service::start().await;
    let other = service.variable("LICENSE_KEY_HOSTED_OTHER");
    for _ in 0..5 {
        let token = service.create_hosted("demo").await;
        let loaded = service.open_hosted(&token).await;
        let photo = frame::fresh();
        assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
        let submission = service.submission(&loaded, &photo);
        let (ingested, rebound) =
            tokio::join!(service.ingest_hosted(&submission), service.load_hosted(&token, Some(other)));
        match (ingested.status, rebound.status) {
            (200, 200) => panic!("the photo is of the license before"),
            (200, status) => assert!([403, 410].contains(&status), "{}", rebound.body),
            (_, 200) => {
                assert_eq!(ingested.outcome(), replayed());
                let again = Loaded { token: token.clone(), body: rebound.body };
                service.capture_hosted(&again, &photo).await.ok();
            }
            outcome => panic!("{outcome:?}"),
        }
        let results = service.hosted_results(&token).await.ok();
        assert_eq!(results["captured_count"], 1);
    }
}

#[tokio::test]
async fn head_answers_only_read_only_routes() {
    let service = Service::start().await;
    let token = service.create_hosted("demo").await;
    let (page, api) = (service.variable("CAPTURE_URL"), service.variable("BASE_URL"));
    let component = Service::token_of(service.create("LICENSE_KEY").await);
    let head = |url: String| async {
        let response = service.http.head(url).header("user-agent", SAFARI).header("origin", PAGE).send().await.unwrap();
        (response.status().as_u16(), response.bytes().await.unwrap().len())
    };
    for url in [
        format!("{page}/"),
        format!("{page}/web/session-status/{token}"),
        format!("{page}/web/session-results/{token}"),
        format!("{api}/web/session-results/{component}"),
    ] {
        assert_eq!(head(url.clone()).await, (200, 0), "{url}");
    }
    for url in [format!("{page}/web/sessions/{token}"), format!("{api}/web/sessions/{component}")] {
        assert_eq!(head(url.clone()).await, (404, 0), "{url}");
    }
    let html = service.http.get(format!("{page}/")).send().await.unwrap().text().await.unwrap();
    let asset = html.split('"').find(|part| part.starts_with("/assets/")).unwrap();
    assert_eq!(head(format!("{page}{asset}")).await, (200, 0));
}
