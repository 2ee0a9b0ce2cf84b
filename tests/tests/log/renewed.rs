//! Tests the renewal of the timestamps of days, and the evidence records that are assembled from it.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_administration::{LastingEvidence, LogAdministration};
use lacre_domain::{Clock, Environment, NamedTerms, Sha256Digest};
use lacre_lookup::LogProofs;
use lacre_proof_fixtures::authority::{Authority, NONE};
use lacre_storage::{Covered, LogFiles, Renewable};
use lacre_tests::{
    Fault, Faults, Service,
    customer::Customer,
    frame,
    log::{
        OLD_AUTHORITY_DAYS as DAYS, add_leaf, ask_authorities, judged, run_on, sequencer, serve, with_authorities,
        with_new_authority, with_old_authority,
    },
    operator::caller,
    vault::{CUSTODIAN, capture_id},
};
use lacre_verify::Anchors;
use time::{Duration, Time, macros::date};

const SANDBOX: Environment = Environment::Sandbox;

/// The days until the first expiry that a run reported.
fn days_left(metrics: &str) -> Option<i64> {
    let (_, value) = metrics.split_once("\"EvidenceDaysLeft\":")?;
    value.split([',', '}', '.']).next()?.parse().ok()
}

/// What the renewals cover, oldest first.
async fn renewals(service: &Service) -> Vec<Vec<Renewable>> {
    let files = LogFiles::new(service.connection());
    let mut renewals = Vec::new();
    while let Some(renewal) =
        files.renewal(SANDBOX, renewals.len() as u32 + 1).await.unwrap().filter(|found| found.token.is_some())
    {
        renewals.push(renewal.covered.iter().map(|line| line.what).collect());
    }
    renewals
}

/// Takes a photo whose leaf is in the log. Returns the id of its capture and the photo.
async fn logged(service: &Service, customer: &Customer<'_>) -> (String, Vec<u8>) {
    let captured = customer.capture(&frame::fresh()).await.ok();
    add_leaf(service, captured["session_id"].as_str().unwrap()).await;
    let jpeg = BASE64_STANDARD.decode(captured["signed_image_base64"].as_str().unwrap()).unwrap();
    (capture_id(&captured), jpeg)
}

#[tokio::test]
async fn timestamps_are_renewed_before_they_expire() {
    let (service, roots) = with_old_authority(Service::start().await).await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    let (id, jpeg) = logged(&service, &customer).await;
    let admin =
        LogAdministration::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN));
    let first = service.clock.now().date() + Duration::days(1);
    let early = admin.evidence(&id, None).await.unwrap_err();
    assert!(early.to_string().contains("no timestamp of the month after the capture covers it"), "{early}");

    let left = days_left(&run_on(&service, &sequencer, first, 0).await.unwrap()).unwrap();
    // How far the first renewal is away depends on the hour of the day.
    assert!((DAYS - 3..DAYS - 1).contains(&left), "{left}");
    // The hours of the day at which nothing is renewed report nothing.
    service.clock.advance(Duration::hours(1));
    let mut metrics = Vec::new();
    sequencer.date(&mut metrics).await.unwrap();
    assert_eq!(days_left(&String::from_utf8(metrics).unwrap()), None);
    // A renewal by the same authority would gain nothing.
    let soon = DAYS - 100;
    assert_eq!(days_left(&run_on(&service, &sequencer, first, soon).await.unwrap()), Some(left - soon));
    assert_eq!(renewals(&service).await, Vec::<Vec<Renewable>>::new());
    assert_eq!(ask_authorities(&service).await, [false; 3]);
    with_new_authority(&service).await;
    let renewed = days_left(&run_on(&service, &sequencer, first, soon + 1).await.unwrap()).unwrap();
    assert!(renewed > 3 * 365, "{renewed}");
    // The last day's timestamp waits for its bundle.
    let days = [0, soon].map(|days| Renewable::Day(first + Duration::days(days)));
    assert_eq!(renewals(&service).await, [days]);
    assert_eq!(ask_authorities(&service).await, [false; 3]);
    // What is renewed is not renewed again.
    run_on(&service, &sequencer, first, soon + 2).await.unwrap();
    assert_eq!(renewals(&service).await.len(), 1);

    let evidence = admin.evidence(&id, None).await.unwrap();
    let names: Vec<_> = evidence.bundles.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, [format!("dated-{first}.p7b"), "renewals-1.p7b".to_owned()]);
    let anchors = Anchors::from_pem(&format!("{}{roots}", service.trust_anchors())).unwrap();
    let at = service.clock.now() + Duration::days(600);
    let report = judged(&service, &jpeg, &evidence, &anchors, at);
    assert!(report.valid, "{report}");
    assert_eq!(report.transparency_log.as_ref().unwrap().renewals.len(), 1, "{report}");
    let alone = LastingEvidence { evidence_record: Vec::new(), bundles: Vec::new(), ..evidence };
    assert!(!judged(&service, &jpeg, &alone, &anchors, at).valid);
}

/// Authorities under different roots give each day two timestamps, and each of both records proves the photo without the
/// other's authority.
#[tokio::test]
async fn two_roots_make_two_records() {
    let (service, old_roots) = with_old_authority(Service::start().await).await;
    let profile = service.change_timestamps(SANDBOX, |_| {}).await;
    let old = profile.timestamps.unwrap().authorities.remove(0);
    let (other, other_roots) = serve(&service, Authority::since(service.clock.now())).await;
    let (files, sequencer) = (LogFiles::new(service.connection()), sequencer(&service, service.config(|_| None)));
    let customer = Customer::new(&service, SANDBOX, NamedTerms::default()).await;
    // The photo's own timestamps are of a third one.
    with_new_authority(&service).await;
    let (id, jpeg) = logged(&service, &customer).await;
    let admin =
        LogAdministration::new(service.connection(), Arc::clone(&service.clock) as Arc<dyn Clock>, caller(CUSTODIAN));
    let first = service.clock.now().date() + Duration::days(1);
    with_authorities(&service, &[&old, &other]).await;
    run_on(&service, &sequencer, first, 0).await.unwrap();
    let (of_next_day, _) = logged(&service, &customer).await;
    // An authority under the same root, and one that does not answer, give no second timestamp, which is no fault.
    for (days, next) in [(1, old.as_str()), (2, "http://127.0.0.1:9/tsa")] {
        with_authorities(&service, &[&old, next]).await;
        run_on(&service, &sequencer, first, days).await.unwrap();
    }
    let second_of = |days| Renewable::SecondOfDay(first + Duration::days(days));
    for (days, is_there) in [(0, true), (1, false), (2, false)] {
        assert_eq!(files.token(SANDBOX, second_of(days)).await.unwrap().is_some(), is_there, "{days}");
    }
    assert_eq!(ask_authorities(&service).await, [false; 3]);

    // The first timestamps expire first. The next authorities renew both.
    with_authorities(&service, &[service.variable("TSA_URL"), &other]).await;
    let left = days_left(&run_on(&service, &sequencer, first, DAYS - 100).await.unwrap()).unwrap();
    assert!(left > 3 * 365, "{left}");
    let days = [1, 2].map(|days| Renewable::Day(first + Duration::days(days)));
    let [second, third] = days;
    assert_eq!(renewals(&service).await, [[second_of(0), Renewable::Day(first), second, third]]);
    assert_eq!(ask_authorities(&service).await, [false; 3]);

    let evidence = admin.evidence(&id, None).await.unwrap();
    let names: Vec<_> = evidence.bundles.iter().map(|(name, _)| name.as_str()).collect();
    let [of_day, of_second] = ["", "-second"].map(|second| format!("dated-{first}{second}.p7b"));
    assert_eq!(names, [&of_day, "renewals-1.p7b", &of_second, "renewals-1-second.p7b"]);
    let alone = |evidence_record: &Vec<u8>, is_second: bool| {
        let mut alone = evidence.clone();
        alone.bundles.retain(|(name, _)| name.contains("second") == is_second);
        LastingEvidence { evidence_record: evidence_record.clone(), second_evidence_record: None, ..alone }
    };
    let one = alone(&evidence.evidence_record, false);
    let two = alone(evidence.second_evidence_record.as_ref().unwrap(), true);
    // A day with a single timestamp has a second record since the renewal.
    let single = admin.evidence(&of_next_day, None).await.unwrap();
    let names: Vec<_> = single.bundles.iter().map(|(name, _)| name.as_str()).collect();
    let of_next = format!("dated-{}.p7b", first + Duration::days(1));
    assert_eq!(names, [&of_next, "renewals-1.p7b", "renewals-1-second.p7b"]);
    assert!(single.second_evidence_record.is_some_and(|record| record != single.evidence_record));
    let own = service.trust_anchors();
    let at = service.clock.now() + Duration::days(600);
    for (what, evidence, roots, is_broken) in [
        ("both", &evidence, [&old_roots, &other_roots], false),
        ("the first without the other's root", &evidence, [&old_roots, &old_roots], true),
        ("the second without the first's root", &evidence, [&other_roots, &other_roots], true),
        ("the first alone", &one, [&old_roots, &other_roots], false),
        ("the second alone", &two, [&old_roots, &other_roots], true),
    ] {
        let anchors = Anchors::from_pem(&format!("{own}{}{}", roots[0], roots[1])).unwrap();
        let report = judged(&service, &jpeg, evidence, &anchors, at);
        assert!(report.valid, "{what}: {report}");
        let entry = report.transparency_log.as_ref().unwrap();
        assert_eq!((entry.renewals.len(), entry.other_record_is_broken), (1, is_broken), "{what}: {report}");
    }
}

/// An operator renews what does not expire soon, by the authorities of that moment.
#[tokio::test]
async fn operators_renew_at_any_time() {
    let (service, _) = with_old_authority(Service::start().await).await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let renew = async || {
        let event = serde_json::from_value(serde_json::json!({ "renew": "SANDBOX" })).unwrap();
        sequencer.invoke(event, &mut Vec::new()).await.map_err(|error| error.to_string())
    };
    let nothing = Err("no timestamp can be renewed yet".to_owned());
    assert_eq!(renew().await, nothing);
    crate::deliver(&sequencer, &crate::captures(1)).await.unwrap();
    let first = service.clock.now().date() + Duration::days(1);
    run_on(&service, &sequencer, first, 0).await.unwrap();
    assert_eq!(renew().await, nothing, "the bundle is not there yet");
    ask_authorities(&service).await;
    with_new_authority(&service).await;
    assert_eq!(renew().await, Ok(()));
    assert_eq!(renewals(&service).await, [[Renewable::Day(first)]]);
    assert_eq!(renew().await, nothing, "all is renewed");
    // A day later even the renewal can be renewed, by an authority of the same root.
    service.clock.advance(Duration::days(1) + Duration::minutes(1));
    assert_eq!(renew().await, Ok(()));
    assert_eq!(renewals(&service).await[1], [Renewable::Renewal(1)]);
}

/// A list is begun because of a day's timestamp, and then the preferred authority answers again, whose certificates gain
/// nothing.
#[tokio::test]
async fn an_earlier_end_renews_nothing() {
    let (service, _) = with_old_authority(Service::start().await).await;
    let sequencer = sequencer(&service, service.config(|_| None));
    crate::deliver(&sequencer, &crate::captures(1)).await.unwrap();
    let first = service.clock.now().date() + Duration::days(1);
    let left = days_left(&run_on(&service, &sequencer, first, 0).await.unwrap()).unwrap();
    let profile = service.change_timestamps(SANDBOX, |_| {}).await;
    let old = profile.timestamps.unwrap().authorities.remove(0);
    with_new_authority(&service).await;
    let then = (first + Duration::days(DAYS - 100)).with_time(Time::from_hms(1, 0, 0).unwrap()).assume_utc();
    service.clock.advance(then - service.clock.now());
    sequencer.date(&mut Vec::new()).await.unwrap();
    with_authorities(&service, &[&old]).await;
    let metrics = run_on(&service, &sequencer, first, DAYS - 100).await.unwrap();
    assert_eq!(days_left(&metrics), Some(left - (DAYS - 100)));
    let begun = LogFiles::new(service.connection()).renewal(SANDBOX, 1).await.unwrap().unwrap();
    assert_eq!(begun.token, None);
    with_new_authority(&service).await;
    run_on(&service, &sequencer, first, DAYS - 99).await.unwrap();
    assert_eq!(renewals(&service).await.len(), 1);
}

/// Each call of a renewal fails in each way; a later run completes it, and what it covers stays the same.
#[tokio::test(flavor = "multi_thread")]
async fn renewal_survives_faults_of_each_call() {
    let (service, _) = with_old_authority(Service::start().await).await;
    let doors = Faults::before(&service).await;
    let (failing, healthy) =
        (sequencer(&service, doors.config(&service)), sequencer(&service, service.config(|_| None)));
    crate::deliver(&healthy, &crate::captures(1)).await.unwrap();
    let first = service.clock.now().date() + Duration::days(1);
    run_on(&service, &healthy, first, 0).await.unwrap();
    with_new_authority(&service).await;
    let mut day = DAYS - 100;
    doors.take_calls();
    for call in [
        "GetObject log covered",
        "GetBucket log",
        "PutObject log bundle",
        "PutObject log covered",
        "PutObject log renewal",
    ] {
        for fault in [Fault::Refuse, Fault::ServerError, Fault::Cut] {
            doors.strike(call, 1, 100, fault);
            let failed = run_on(&service, &failing, first, day).await;
            assert!(doors.injected() > 0, "{call}: {:?}", doors.take_calls());
            doors.clear();
            assert!(failed.is_err(), "{call} {fault:?}");
            day += 1;
        }
    }
    assert_eq!(renewals(&service).await.len(), 0);
    let begun = LogFiles::new(service.connection()).renewal(SANDBOX, 1).await.unwrap().unwrap();
    let begun: Vec<_> = begun.covered.iter().map(|line| line.what).collect();
    assert_eq!(begun[0], Renewable::Day(first));
    run_on(&service, &failing, first, day).await.unwrap();
    assert_eq!(renewals(&service).await, [begun]);
}

/// A renewal changes the evidence of the days that it covers, and of those that an earlier renewal of its own covers.
#[tokio::test]
async fn renewed_days_include_those_before() {
    let service = Service::start().await;
    let (files, proofs) = (LogFiles::new(service.connection()), LogProofs::new(service.connection()));
    let (authority, now) = (Authority::shared(), service.clock.now());
    let days = [date!(2026 - 11 - 30), date!(2026 - 12 - 01), date!(2029 - 06 - 02), date!(2032 - 06 - 02)];
    let [first, second, third, fourth] = days.map(Renewable::Day);
    for (number, what, at) in [
        (1, vec![first], Some(now - Duration::days(2))),
        // What one run could not renew, the next night renews, with the renewal before.
        (2, vec![Renewable::Renewal(1), second], Some(now - Duration::days(1))),
        (3, vec![Renewable::Renewal(2), third], Some(now)),
        (4, vec![Renewable::Renewal(3), fourth], None),
    ] {
        let sha256 = Sha256Digest::of(b"");
        let covered: Vec<_> = what.iter().map(|what| Covered { what: *what, token: sha256, bundle: sha256 }).collect();
        files.begin_renewal(SANDBOX, number, &covered).await.unwrap();
        if let Some(at) = at {
            let token = authority.stamp(b"", at, &NONE).unwrap();
            files.add_tokens(SANDBOX, Renewable::Renewal(number), token.der(), None).await.unwrap();
        }
    }
    for (ago, expected) in [(2, &days[..3]), (0, &days[..3]), (-1, &[])] {
        let since = (now - Duration::days(ago)).date();
        let renewed = proofs.renewed_since(SANDBOX, since).await.unwrap();
        assert_eq!(renewed.into_iter().collect::<Vec<_>>(), expected, "{since}");
    }
    assert!(proofs.renewed_since(Environment::Production, days[0]).await.unwrap().is_empty());
}
