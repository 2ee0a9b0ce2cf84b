//! Tests the number of sequential round trips to AWS of each route.

use std::sync::Arc;

use lacre_create_session::CreateSession;
use lacre_http::{Body, Endpoint, Response};
use lacre_image::Image;
use lacre_ingest::Ingest;
use lacre_load_session::LoadSession;
use lacre_session_results::SessionResults;
use lacre_tests::{
    Service,
    event::event,
    frame,
    gate::Gate,
    service::{LIVE_PAGE, SAFARI, retains_without_timestamps},
};
use lacre_validate::Validate;
use serde_json::Value;

fn body(response: &Response<Body>) -> Value {
    assert_eq!(response.status(), 200, "{:?}", response.body());
    serde_json::from_slice(response.body()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_exceeds_its_round_trips() {
    let service = Service::start().await;
    let gate = Gate::default();
    let mut doors = std::collections::BTreeMap::new();
    for name in ["DYNAMODB", "S3", "KMS"] {
        doors.insert(format!("AWS_ENDPOINT_URL_{name}"), gate.door(service.endpoint(name)).await);
    }
    let connection = lacre_storage::Connection::new(service.config(|name| doors.get(name).cloned())).unwrap();
    let clock = || Arc::clone(&service.clock) as Arc<dyn lacre_domain::Clock>;
    let page = [("origin", LIVE_PAGE), ("user-agent", SAFARI)];
    let mut measured = Vec::new();
    macro_rules! measure {
        ($route:literal, $target:literal, $endpoint:expr, $request:expr) => {{
            let endpoint = $endpoint;
            Box::pin(endpoint.warm_up()).await;
            gate.take_rounds();
            let response = Box::pin(endpoint.handle($request)).await;
            measured.push(($route, gate.take_rounds(), $target));
            body(&response)
        }};
    }

    // In the environment for which a warm process has a signer ready.
    let (license, _) = service.license_like("LICENSE_KEY_LIVE", retains_without_timestamps).await;
    let order = serde_json::json!({ "reference_id": "r", "license_key": license }).to_string();
    let key = [("x-api-key", service.variable("API_KEY_LIVE"))];
    let created = measure!(
        "POST /web/sessions",
        2,
        CreateSession::new(&connection, clock()),
        event("create-session", &key, Some(order.clone()), None)
    );
    let token = created["token"].as_str().unwrap();
    let loaded = measure!(
        "GET /web/sessions/:token",
        3,
        LoadSession::new(&connection, clock()),
        event("load-session", &page, None, Some(("token", token)))
    );
    let loaded = lacre_tests::service::Loaded { token: token.to_owned(), body: loaded };
    let photo = frame::fresh();
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    let submission = service.submission(&loaded, &photo).to_string();
    let ingested = measure!(
        "POST /web/ingest",
        8,
        Ingest::new(&connection, clock()),
        event("ingest", &page, Some(submission), None)
    );
    measure!(
        "GET /web/session-results/:token",
        2,
        SessionResults::new(&connection, clock()),
        event("session-results", &[], None, Some(("token", token)))
    );
    measure!(
        "GET /web/image/:session_id",
        2,
        Image::new(&connection, clock()),
        event("image", &[], None, Some(("session_id", ingested["session_id"].as_str().unwrap())))
    );
    measure!("POST /validate", 2, Validate::new(&connection, clock()), event("validate", &[], Some(order), None));

    for (route, rounds, target) in &measured {
        println!("{route}: {rounds} sequential round trips, designed for {target}");
    }
    assert!(measured.iter().all(|(_, rounds, target)| rounds <= target), "{measured:?}");
    assert!(measured.iter().all(|(_, rounds, _)| *rounds > 0), "the gate saw nothing: {measured:?}");
}
