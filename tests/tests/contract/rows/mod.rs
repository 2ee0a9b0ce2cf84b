//! One test for each row of the error tables, through the gateway. A row with several causes is tested for each of
//! them.

mod create_session;
mod hosted;
mod image;
mod ingest;
mod load_session;
mod row;
mod session_results;
mod validate;

use std::{collections::HashSet, mem::discriminant, sync::Arc};

use lacre_api::{Refusal, Route};
use lacre_domain::{Clock, LicenseId, SessionToken};
use lacre_http::Endpoint;
use lacre_ingest::Ingest;
use lacre_tests::{
    Service, Storage,
    event::event,
    frame, journal,
    service::{PAGE, SAFARI},
};
use reqwest::StatusCode;
use row::{Row, rows};
use serde_json::Value;

/// The rows that have a test. A row's test fails if it never produced the row's response.
fn tested() -> Vec<(Route, Refusal)> {
    [
        create_session::ROWS,
        load_session::ROWS,
        ingest::submission::ROWS,
        ingest::image::ROWS,
        ingest::delivery::ROWS,
        session_results::ROWS,
        image::ROWS,
        validate::ROWS,
        hosted::create::ROWS,
        hosted::results::ROWS,
        hosted::skip::ROWS,
        hosted::status::ROWS,
        hosted::validate::ROWS,
    ]
    .concat()
}

#[test]
fn every_row_has_a_test() {
    let kinds = |rows: &[(Route, Refusal)]| -> HashSet<_> {
        rows.iter().map(|(route, refusal)| (*route, discriminant(refusal))).collect()
    };
    let rows_of = |route: Route| route.refusals().iter().map(move |refusal| (route, *refusal));
    let (table, tested): (Vec<_>, _) = (Route::ALL.into_iter().flat_map(rows_of).collect(), tested());
    let missing_in = |known: &[(Route, Refusal)], rows: &[(Route, Refusal)]| -> Vec<_> {
        let known = kinds(known);
        rows.iter().filter(|(route, refusal)| !known.contains(&(*route, discriminant(refusal)))).copied().collect()
    };
    let untested = missing_in(&tested, &table);
    println!("{} of {} rows", table.len() - untested.len(), table.len());
    assert_eq!(untested, [], "rows without a test");
    assert_eq!(missing_in(&table, &tested), [], "tests of rows that the table lacks");
    assert_eq!(kinds(&tested).len(), tested.len(), "a row has two tests");
}

/// A service whose functions have a different environment. An empty value removes the variable.
async fn deployed_with(environment: &[(&str, &str)]) -> Service {
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Service::start_with(local::Options { environment, ..local::Options::for_tests() }).await
}

/// Removes an attribute from a session's record.
async fn damage_session(service: &Service, token: &str, attribute: &str) {
    let key = [("pk", format!("session#{}", SessionToken::parse(token).unwrap().hash().as_str()))];
    Storage::of(service).damage("SESSIONS_TABLE", &key, attribute).await;
}

/// Deletes a license. The service itself never does this; a person may by mistake.
async fn delete_license(service: &Service, id: &LicenseId) {
    let item = [("pk", format!("license#{id}")), ("sk", "license".to_owned())];
    Storage::of(service).delete("ACCOUNTS_TABLE", &item).await;
}

/// Makes a capture with a working function if the service's own cannot; returns the token and the `session_id`.
async fn capture_by_a_sound_function(service: &Service, license: &str) -> (String, String) {
    let photo = frame::fresh();
    let loaded = service.open(license).await;
    assert_eq!(service.upload(&loaded, &photo).await, StatusCode::OK);
    let ingest = Ingest::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>);
    let page = [("origin", PAGE), ("user-agent", SAFARI)];
    let submission = service.submission(&loaded, &photo).to_string();
    let answer = ingest.handle(event("ingest", &page, Some(submission), None)).await;
    assert_eq!(answer.status(), 200, "{:?}", answer.body());
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    let session_id = body["session_id"].as_str().unwrap().to_owned();
    journal::remember(&session_id);
    (loaded.token, session_id)
}
