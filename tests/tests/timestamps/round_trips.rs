//! Tests the sequential round trips that timestamps add.

use std::{sync::Arc, time::Duration};

use lacre_domain::Environment;
use lacre_http::Endpoint;
use lacre_ingest::Ingest;
use lacre_tests::{
    Service, Storage,
    event::event,
    frame,
    gate::Gate,
    service::{PAGE, SAFARI},
};

#[tokio::test(flavor = "multi_thread")]
async fn two_timestamps_cost_two_round_trips() {
    let service = Service::start().await;
    let gate = Gate::default();
    let mut doors = std::collections::BTreeMap::new();
    for name in ["DYNAMODB", "S3", "KMS"] {
        doors.insert(format!("AWS_ENDPOINT_URL_{name}"), gate.door(service.endpoint(name)).await);
    }
    let authority = service.variable("TSA_URL");
    let (origin, path) = authority.split_at(authority.rfind('/').unwrap());
    let behind_gate = gate.door(origin).await + path;
    let connection = lacre_storage::Connection::new(service.config(|name| doors.get(name).cloned())).unwrap();
    let ingest = Ingest::new(&connection, Arc::clone(&service.clock) as Arc<dyn lacre_domain::Clock>);

    let with = service.change_timestamps(Environment::Sandbox, |timestamps| {
        timestamps.as_mut().unwrap().authorities = vec![behind_gate];
    });
    let with = with.await.timestamps;
    let mut rounds = Vec::new();
    for timestamps in [None, with] {
        service.change_timestamps(Environment::Sandbox, |now| *now = timestamps).await;
        // The first capture makes the process ready to sign.
        ingest_one(&service, &ingest).await;
        gate.take_rounds();
        ingest_one(&service, &ingest).await;
        rounds.push(gate.take_rounds());
    }
    // One of them is the removal of the upload.
    assert_eq!(rounds, [9, 11]);
}

/// Captures a photo, and waits until also its upload is removed, which happens after the response.
async fn ingest_one(service: &Service, ingest: &Ingest) {
    let (loaded, photo) = (service.open("LICENSE_KEY").await, frame::fresh());
    assert_eq!(service.upload(&loaded, &photo).await, 200);
    let body = service.submission(&loaded, &photo).to_string();
    let page = [("origin", PAGE), ("user-agent", SAFARI)];
    let response = Box::pin(ingest.handle(event("ingest", &page, Some(body), None))).await;
    assert_eq!(response.status(), 200, "{:?}", response.body());
    while !Storage::of(service).keys("UPLOADS_BUCKET").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
