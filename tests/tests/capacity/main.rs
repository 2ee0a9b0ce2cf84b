//! Records what a capture consumes of AWS in `capture.json` and `fingerprint.json`, the input of `scripts/capacity`, and
//! compares it with a load.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod recorded;

use std::{collections::BTreeMap, time::Duration};

use futures_util::{StreamExt, stream};
use lacre_domain::{Environment, FingerprintMode, NamedTerms, limits};
use lacre_tests::{
    Faults, Service,
    customer::Customer,
    faults::{Asked, Demand},
    frame, scene,
};

use recorded::{CAPTURE, Recorded, WITH_FINGERPRINT, partition_of};

/// Functions on the path of a capture, which consume the same for each capture.
const PATH: [&str; 5] = ["validate", "create-session", "load-session", "ingest", "session-results"];
/// The entries that `prints` writes for a fingerprint.
const ENTRIES: usize = 17;
/// How long to wait for the streams.
const PATIENCE: Duration = Duration::from_secs(30);

/// Starts a service whose logs have begun, so that this is not measured.
async fn start() -> (Service, Faults) {
    let options = local::Options { follows_streams: true, ..local::Options::for_tests() };
    let (service, faults) = Service::start_behind_faults_with(options).await;
    let state = lacre_storage::LogState::new(service.connection());
    for environment in Environment::ALL {
        while !state.head(environment).await.unwrap().is_some_and(|head| head.is_published) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    faults.take_demands();
    (service, faults)
}

/// A complete capture: validation by the page, session, photo, and one read of the results.
async fn capture(service: &Service, customer: &Customer<'_>, frame: Vec<u8>) {
    assert_eq!(customer.validate().await["valid"], true);
    let loaded = customer.open().await;
    assert_eq!(service.upload(&loaded, &frame).await, 200);
    customer.ingest(&service.submission(&loaded, &frame)).await.ok();
    service.results(&loaded.token).await.ok();
}

/// Consumption of a complete capture. Another one before it warms up the functions.
async fn of_one(terms: NamedTerms, frame: impl Fn() -> Vec<u8>) -> Recorded {
    let (service, faults) = start().await;
    let entries = if terms.fingerprint == Some(FingerprintMode::Code) { ENTRIES } else { 0 };
    let customer = Customer::new(&service, Environment::Production, terms).await;
    capture(&service, &customer, frame()).await;
    asked(&faults, 1, entries).await;
    capture(&service, &customer, frame()).await;
    Recorded::of(&asked(&faults, 1, entries).await)
}

/// Consumption since the last call, once the streams have processed `captures` and written `entries` of fingerprints.
async fn asked(faults: &Faults, captures: usize, entries: usize) -> Vec<Demand> {
    let mut demands = Vec::new();
    let mut last = tokio::time::Instant::now();
    let of = |demands: &[Demand], function: &str, operation: &str| {
        let of = |demand: &&Demand| demand.function.as_deref() == Some(function) && demand.operation == operation;
        demands.iter().filter(of).count()
    };
    let is_done = |demands: &[Demand]| {
        of(demands, "export", "PutObject") >= captures
            && of(demands, "alerts", "TransactWriteItems") > 0
            && of(demands, "sequencer", "BatchWriteItem") >= captures
            && of(demands, "prints", "BatchWriteItem") >= entries
            && of(demands, "sequencer", "UpdateItem") == of(demands, "sequencer", "Sign")
    };
    while !is_done(&demands) {
        assert!(last.elapsed() < PATIENCE, "the streams are not followed: {demands:#?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
        let before = demands.len();
        demands.extend(faults.take_demands().into_iter().filter(|demand| !is_of_the_schedule(demand)));
        if demands.len() > before {
            last = tokio::time::Instant::now();
        }
    }
    demands
}

/// Whether the consumption belongs to the schedule of `alerts`, which runs independently: the outbox, and the signers'
/// certificates. Or to that of `revocation`.
fn is_of_the_schedule(demand: &Demand) -> bool {
    let of_signers = matches!(&demand.asked, Asked::DynamoDb { partition, .. } if partition.starts_with("signer#"));
    match demand.function.as_deref() {
        Some("alerts") => demand.operation == "Query" || of_signers,
        function => function == Some("revocation"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_costs_what_is_recorded() {
    of_one(NamedTerms::default(), frame::fresh).await.compare(CAPTURE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fingerprint_costs_what_is_recorded() {
    let terms = NamedTerms { fingerprint: Some(FingerprintMode::Code), ..NamedTerms::default() };
    // A scene that the analysis accepts. It takes about one in 400 random scenes for a display.
    of_one(terms, || scene::photo(1)).await.compare(WITH_FINGERPRINT);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_captures_cost_what_is_recorded() {
    const CAPTURES: usize = 96;
    let (service, faults) = start().await;
    let terms = || NamedTerms { volume_limit: Some(1_000_000), ..NamedTerms::default() };
    let customers = [
        Customer::new(&service, Environment::Production, terms()).await,
        Customer::new(&service, Environment::Production, terms()).await,
    ];
    for customer in &customers {
        capture(&service, customer, frame::fresh()).await;
    }
    // Waits until the streams have processed these captures; a checkpoint published later would be counted partially.
    asked(&faults, customers.len(), 0).await;
    stream::iter(0..CAPTURES)
        .for_each_concurrent(8, |number| capture(&service, &customers[number % 2], frame::fresh()))
        .await;
    let demands = asked(&faults, CAPTURES, 0).await;

    let recorded = Recorded::read(CAPTURE);
    let mut wanted = recorded.totals(&PATH);
    wanted.values_mut().for_each(|total| *total *= CAPTURES as f64);
    assert_eq!(Recorded::of(&demands).totals(&PATH), wanted);

    // Reads of a record are spread over its replicas, and a license's count over its shards.
    let mut spread = BTreeMap::<String, BTreeMap<&str, f64>>::new();
    for Demand { asked, .. } in &demands {
        if let Asked::DynamoDb { partition, reads, writes, .. } = asked {
            *spread.entry(partition_of(partition)).or_default().entry(partition).or_default() += reads + writes;
        }
    }
    for (partition, of) in [
        ("client#{client}#{replica}", limits::RECORD_REPLICAS),
        ("license#{license}#{replica}", limits::RECORD_REPLICAS),
        ("license_key#{license_key}#{replica}", limits::RECORD_REPLICAS),
        ("volume#{license}#{shard}", limits::VOLUME_SHARDS),
    ] {
        let of = usize::from(of) * customers.len();
        assert_eq!(spread[partition].len(), of, "{partition}");
        let total: f64 = spread[partition].values().sum();
        let most = spread[partition].values().copied().fold(0.0, f64::max);
        assert!(most < 2.0 * total / of as f64, "{partition}: {most} of {total}");
    }
}
