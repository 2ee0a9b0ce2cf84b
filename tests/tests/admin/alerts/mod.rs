//! Tests of alerts: each is raised once and published at least once, even if records are repeated, late, malformed or
//! lost.

mod certificates;
mod publishing;
mod raising;

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use lacre_alerts::Alerts;
use lacre_domain::{Alert, AlertKind, Clock, Environment, LicenseId, NamedTerms, capture::month_of};
use lacre_storage::{Connection, Volume};
use lacre_tests::{Fault, Faults, Service, Storage, customer::Customer, frame};
use serde_json::{Value, json};

/// The function as on Lambda, with fault proxies in front of its AWS.
struct Watch<'a> {
    service: &'a Service,
    doors: Faults,
    function: Alerts,
    stored: lacre_storage::Alerts,
}

impl<'a> Watch<'a> {
    /// Creates the function and lets it publish the alert that creating the accounts raised.
    async fn of(service: &'a Service) -> Self {
        let doors = Faults::before(service).await;
        let connection = Connection::new(doors.config(service)).unwrap();
        let function = Alerts::new(&connection, Arc::clone(&service.clock) as Arc<dyn Clock>);
        function.handle_schedule(&mut Vec::new()).await.unwrap();
        doors.take_calls();
        Self { service, doors, function, stored: lacre_storage::Alerts::new(service.connection()) }
    }

    fn month(&self) -> String {
        month_of(self.service.clock.now())
    }

    /// Sets a license's count of captures in a month.
    async fn count(&self, license: &LicenseId, month: &str, captures: u64) {
        let volume = Volume::new(self.service.connection());
        let read = volume.read(license, month).await.unwrap();
        assert!(volume.replace(&read, captures, &lacre_tests::operator::entry()).await.unwrap());
    }

    /// The function's partial batch response: the sequence number of the first failed record, if any.
    async fn deliver(&self, records: &[Value]) -> Option<String> {
        let answer = self.function.handle(json!({ "Records": records }), &mut Vec::new()).await.unwrap();
        let failures = answer["batchItemFailures"].as_array().unwrap();
        assert!(failures.len() <= 1, "{answer}");
        failures.first().map(|failure| failure["itemIdentifier"].as_str().unwrap().to_owned())
    }

    /// The output of a scheduled run, or its error.
    async fn tick(&self) -> Result<String, String> {
        let mut metrics = Vec::new();
        let event = sample("alerts-schedule");
        self.function.handle(event, &mut metrics).await.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(metrics).unwrap())
    }

    async fn of_license(&self, license: &LicenseId) -> Vec<Alert> {
        self.stored.of_license(license).await.unwrap()
    }

    async fn kinds(&self, license: &LicenseId) -> Vec<AlertKind> {
        let mut kinds: Vec<_> = self.of_license(license).await.into_iter().map(|alert| alert.kind).collect();
        kinds.sort();
        kinds
    }

    async fn unpublished(&self) -> usize {
        self.stored.unpublished().await.unwrap().len()
    }

    /// Publications since the last call, one name for each attempt.
    fn published(&self) -> Vec<String> {
        let mut published = publications(&self.doors);
        published.sort();
        published
    }
}

fn publications(doors: &Faults) -> Vec<String> {
    let calls = doors.take_calls().into_iter();
    calls.filter_map(|call| call.strip_prefix("Publish ").map(str::to_owned)).collect()
}

fn sample(name: &str) -> Value {
    let path = format!("{}/../events/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A client whose license has this monthly volume.
async fn customer(service: &Service, environment: Environment, volume_limit: Option<u64>) -> Customer<'_> {
    Customer::new(service, environment, NamedTerms { volume_limit, ..NamedTerms::default() }).await
}

/// A stream record of a capture under the client's license.
fn record(customer: &Customer<'_>, month: &str, sequence_number: u32) -> Value {
    let mut record = sample("alerts-stream")["Records"][0].clone();
    let change = &mut record["dynamodb"];
    change["SequenceNumber"] = sequence_number.to_string().into();
    change["NewImage"]["license_id"]["S"] = customer.license_id.as_str().into();
    change["NewImage"]["client_id"]["S"] = customer.client_id.as_str().into();
    change["NewImage"]["month"]["S"] = month.into();
    record
}

const VOLUME: [AlertKind; 3] = [AlertKind::Volume70, AlertKind::Volume90, AlertKind::Volume100];
const PUBLISHED: [&str; 3] = ["VOLUME_100", "VOLUME_70", "VOLUME_90"];
