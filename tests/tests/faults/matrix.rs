//! Tests every call to AWS of every route with every fault: the response, the stored state, and the result of the next
//! attempt.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::{StreamExt, stream};
use lacre_api::Refusal;
use lacre_domain::SessionId;
use lacre_tests::{Fault, Service, Storage, frame, verifiers};
use serde_json::{Value, json};
use time::Duration;

use crate::{
    case::{Case, Reply, Route, Stage, is_success, ok, put_kit, text},
    expected::{Again, Expected, Times, expected, faults_of},
};

/// Number of concurrent cases, which mostly wait.
const SIDE_BY_SIDE: usize = 32;
/// The call that an ingest makes after its response.
const REMOVAL: &str = "DeleteObject uploads jpg";
/// Number of objects of a capture: a photo and a manifest.
const OBJECTS: usize = 2;

/// One call of one route, with its fault.
#[derive(Clone, Debug)]
struct Strike {
    route: Route,
    call: String,
    nth: usize,
    fault: Fault,
    times: Times,
    /// Whether the function has not handled a request yet.
    cold: bool,
    /// Other calls that fail for as long.
    also: Vec<(&'static str, Fault)>,
    expected: Expected,
}

impl Strike {
    fn new(route: Route, (call, nth): (&str, usize), fault: Fault, times: Times, cold: bool) -> Self {
        let expected = expected(route, call, fault, times);
        Self { route, call: call.to_owned(), nth, fault, times, cold, also: Vec::new(), expected }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fault_loses_anything() {
    let service = Service::start().await;
    put_kit(&service).await;
    let mut strikes = Vec::new();
    for route in Route::ALL {
        let calls = calls_of(&Case::new(&service).await, route).await;
        strikes.extend(all_strikes(route, &calls, false));
    }
    for route in [Route::Ingest, Route::Results, Route::Image] {
        let mut cold = calls_of(&Case::cold(&service).await, route).await;
        cold.retain(|call| ["GetPublicKey", "GetSecretValue"].contains(&call.as_str()));
        strikes.extend(all_strikes(route, &cold, true));
    }
    strikes.extend(compounds());

    let outcomes = stream::iter(&strikes).map(|strike| run(&service, strike)).buffer_unordered(SIDE_BY_SIDE);
    let outcomes: Vec<Outcome> = outcomes.collect().await;
    let table = table(&strikes);
    println!("{table}");
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    std::fs::create_dir_all(target).unwrap();
    std::fs::write(format!("{target}/fault-matrix.md"), &table).unwrap();
    let wrong: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {} went wrong:\n{}", wrong.len(), strikes.len(), join(&wrong));
    nothing_is_kept_that_no_record_names(&service, outcomes.into_iter().flatten().sum()).await;
}

/// The calls of a route without faults, in order of arrival.
async fn calls_of(case: &Case<'_>, route: Route) -> Vec<String> {
    let stage = case.stage(route).await;
    case.faults.take_calls();
    ok(case.ask(route, &stage).await);
    let mut calls = case.faults.take_calls();
    // The response of the ingest does not wait for the removal of the upload.
    calls.retain(|call| *call != REMOVAL);
    calls.extend((route == Route::Ingest).then(|| REMOVAL.to_owned()));
    calls
}

fn all_strikes(route: Route, calls: &[String], cold: bool) -> Vec<Strike> {
    let mut strikes = Vec::new();
    for (i, call) in calls.iter().enumerate() {
        let nth = calls[..=i].iter().filter(|earlier| *earlier == call).count();
        for fault in faults_of(call) {
            for times in [Times::Once, Times::Always] {
                strikes.push(Strike::new(route, (call, nth), fault, times, cold));
            }
        }
    }
    strikes
}

/// Failures whose clean-up or read-back fails too.
fn compounds() -> Vec<Strike> {
    let cleanups = vec![("DeleteItem frames", Fault::Cut)];
    let settling = vec![("GetItem evidence", Fault::Cut)];
    let strike = |call, fault, also: &[_], again| {
        let strike = Strike::new(Route::Ingest, (call, 1), fault, Times::Always, false);
        Strike { also: also.to_vec(), expected: (strike.expected.0, again), ..strike }
    };
    vec![
        strike("PutItem frames", Fault::LoseAnswer, &cleanups, Again::TakenForAWhile),
        strike("Sign seal", Fault::Refuse, &cleanups, Again::TakenForAWhile),
        strike("PutObject proofs c2pa", Fault::Cut, &cleanups, Again::TakenForGood),
        strike("PutObject proofs jpg", Fault::LoseAnswer, &cleanups, Again::TakenForGood),
        strike("UpdateItem frames", Fault::Refuse, &cleanups, Again::TakenForAWhile),
        strike("UpdateItem frames", Fault::LoseAnswer, &cleanups, Again::TakenForGood),
        strike("TransactWriteItems", Fault::Refuse, &settling, Again::TakenForGood),
        Strike {
            expected: (Some(Refusal::LedgerWriteFailed), Again::Concluded),
            ..strike("TransactWriteItems", Fault::LoseAnswer, &settling, Again::Concluded)
        },
    ]
}

/// Number of remaining objects that no record names, or an error.
type Outcome = Result<usize, String>;

async fn run(service: &Service, strike: &Strike) -> Outcome {
    let case = if strike.cold { Case::cold(service).await } else { Case::new(service).await };
    let stage = case.stage(strike.route).await;
    match (strike.times, strike.fault) {
        (Times::Once, fault) => case.faults.strike(&strike.call, strike.nth, 1, fault),
        // A repeated partial batch has another name than the whole one.
        (Times::Always, Fault::LeaveUnread) => case.faults.always("BatchGetItem", Fault::LeaveUnread),
        (Times::Always, fault) => case.faults.strike(&strike.call, strike.nth, usize::MAX, fault),
    }
    strike.also.iter().for_each(|(call, fault)| case.faults.always(call, *fault));
    let reply = case.ask(strike.route, &stage).await;
    if strike.call == REMOVAL {
        case.faults.arrival_of(REMOVAL).await;
    }
    if case.faults.clear() == 0 {
        return Err(format!("{strike:?} was injected nowhere"));
    }
    case.faults.let_late_calls_in().await;
    let judged = judge(&case, strike, &stage, &reply).await;
    case.faults.close();
    judged.map_err(|wrong| format!("{strike:?}: {wrong}; answered {}", shortened(&reply)))
}

async fn judge(case: &Case<'_>, strike: &Strike, stage: &Stage, reply: &Reply) -> Outcome {
    let (refusal, again) = strike.expected;
    match refusal {
        Some(refusal) => expect("the answer", reply, &refused(refusal))?,
        None if !is_success(reply.0) => return Err("no success".into()),
        None => {}
    }
    match strike.route {
        Route::Create | Route::CreateHosted | Route::CreateOfKit => {
            let successes = usize::from(refusal.is_none());
            let counted = case.creations_counted().await;
            // If a count and its reversal both arrive late, their order is undefined.
            if strike.fault != Fault::Late || counted != 1 {
                expect("creations counted", &counted, &successes)?;
            }
            expect("the next try", &is_success(case.ask(strike.route, stage).await.0), &true)?;
            expect("creations counted", &case.creations_counted().await, &(counted + 1))?;
        }
        Route::Load | Route::Rebind => {
            let counted = case.loads_counted(&stage.token).await;
            let fits = counted <= 1 && (refusal.is_some() || counted == 1);
            expect("loads counted fit", &fits, &true)?;
            expect("the next try", &case.ask(strike.route, stage).await.0, &200)?;
            expect("loads counted", &case.loads_counted(&stage.token).await, &(counted + 1))?;
        }
        Route::Results
        | Route::Image
        | Route::Validate
        | Route::ValidateSession
        | Route::Status
        | Route::Introduction => {
            expect("the next try", &case.ask(strike.route, stage).await.0, &200)?;
        }
        // The next try is a reload: one photo was skipped, or none.
        Route::Skip => {
            let pending = ok(case.load_hosted(&stage.token).await)["photo_order"].clone();
            let fits = pending == json!(2) || (pending == json!(1) && refusal.is_some());
            expect("the pending photo fits", &fits, &true)?;
            expect("the next try", &case.skip(&case.skip_of(&stage.token).await).await.0, &200)?;
        }
        Route::Ingest => {
            let orphans = judge_ingest(case, strike, stage, reply, again).await?;
            expect("captures counted", &case.captures_used().await, &1)?;
            return Ok(orphans);
        }
    }
    Ok(0)
}

/// Checks after an ingest that what was delivered is proved and recorded, and that the session ends well.
async fn judge_ingest(case: &Case<'_>, strike: &Strike, stage: &Stage, reply: &Reply, again: Again) -> Outcome {
    let token = &stage.token;
    let used = refused(Refusal::SessionAlreadyUsed);
    let captured = || async { ok(case.results(token).await)["captured_count"].clone() };
    if strike.expected.0.is_none() {
        delivered(case, &reply.1, &case.photo).await?;
        expect("the same again", &case.ingest(&stage.submission).await, &used)?;
        expect("captured", &captured().await, &json!(1))?;
        taken_for_good(case, &case.photo).await?;
        return Ok(0);
    }
    if again == Again::Concluded {
        expect("the same again", &case.ingest(&stage.submission).await, &used)?;
        expect("captured", &captured().await, &json!(1))?;
        taken_for_good(case, &case.photo).await?;
        // The response with the photo was lost, but the photo can be fetched.
        let results = ok(case.results(token).await);
        let (status, photo) = case.service.fetch(&text(&results["photos"][0], "authenticated_jpeg_url")).await;
        expect("the photo is kept", &status, &200)?;
        verified(case, &photo, &case.photo)?;
        return Ok(0);
    }
    expect("captured", &captured().await, &json!(0))?;
    let duplicate = refused(Refusal::Duplicate);
    if again != Again::Captures {
        expect("at once", &case.ingest(&case.prepare(token).await).await, &duplicate)?;
        case.clock.advance(Duration::minutes(10));
    }
    let photo = if again == Again::TakenForGood {
        expect("after ten minutes", &case.ingest(&case.prepare(token).await).await, &duplicate)?;
        frame::fresh()
    } else {
        case.photo.clone()
    };
    let last = case.ingest(&case.prepare_with(token, &photo).await).await;
    expect("in the end", &last.0, &200)?;
    delivered(case, &last.1, &photo).await?;
    expect("captured", &captured().await, &json!(1))?;
    taken_for_good(case, &photo).await?;
    Ok(match (again, strike.expected.0) {
        // The photo was signed but not recorded: its objects stay for an examination.
        (Again::TakenForGood, Some(Refusal::LedgerWriteFailed)) => OBJECTS,
        // Objects stored before a failure stay for operators: the one that did not fail, and one that was stored
        // although its response was lost.
        (_, Some(Refusal::ProofStoreUnavailable)) => {
            1 + usize::from(matches!(strike.fault, Fault::LoseAnswer | Fault::HangAfter | Fault::Late))
        }
        (_, Some(Refusal::HashStoreUnavailable)) if strike.call.starts_with("Update") => OBJECTS,
        _ => 0,
    })
}

/// Checks that a captured frame is never captured again, in any session.
async fn taken_for_good(case: &Case<'_>, photo: &[u8]) -> Result<(), String> {
    case.clock.advance(Duration::minutes(10));
    let session = text(&ok(case.create().await), "token");
    let answer = case.ingest(&case.prepare_with(&session, photo).await).await;
    expect("the frame in another session", &answer, &refused(Refusal::Duplicate))
}

/// Checks that a signed photo verifies and contains the frame; returns its manifest.
fn verified(case: &Case<'_>, signed: &[u8], frame: &[u8]) -> Result<Vec<u8>, String> {
    let (report, contents) = verifiers::ours(signed, case.service.trust_anchors());
    expect("verified", &report.valid, &true)?;
    let contents = contents.ok_or("no contents")?;
    expect("the frame", &(contents.frame == frame), &true)?;
    Ok(contents.manifest)
}

/// Checks that a delivered capture is signed, recorded once, and available at its URLs.
async fn delivered(case: &Case<'_>, body: &Value, photo: &[u8]) -> Result<(), String> {
    let inline = STANDARD.decode(text(body, "signed_image_base64")).map_err(|error| error.to_string())?;
    let manifest = verified(case, &inline, photo)?;
    let capture_id = SessionId::parse(&text(body, "session_id")).ok_or("no session id")?.capture_id();
    let captures = lacre_storage::Captures::new(case.service.connection());
    let recorded = captures.read(&capture_id).await.map_err(|error| error.to_string())?.ok_or("no evidence")?;
    expect("evidence of the frame", &recorded.frame_hash, &lacre_domain::FrameHash::of(photo))?;
    expect(
        "the photo is kept",
        &(case.service.fetch(&text(body, "authenticated_jpeg_url")).await == (200, inline)),
        &true,
    )?;
    let kept = case.service.fetch(&text(body, "manifest_url")).await;
    expect("the manifest is kept", &(kept == (200, manifest)), &true)
}

/// Checks that each license has as many captures as evidence records, and that every object is named by one, except
/// `left_behind`.
async fn nothing_is_kept_that_no_record_names(service: &Service, left_behind: usize) {
    let storage = Storage::of(service);
    let records = storage.items("EVIDENCE_TABLE").await;
    let names = |record: &_| ["jpeg_key", "manifest_key"].map(|name| attribute(record, name));
    let named: BTreeSet<String> = records.iter().flat_map(names).collect();
    let kept: BTreeSet<String> = storage.keys("PROOFS_BUCKET").await.into_iter().collect();
    assert_eq!(named.difference(&kept).count(), 0, "evidence names what is not there");
    assert_eq!(kept.difference(&named).count(), left_behind, "objects that no record names");
    let mut licenses = BTreeMap::<String, usize>::new();
    records.iter().for_each(|record| *licenses.entry(attribute(record, "license_id")).or_default() += 1);
    assert!(licenses.values().all(|captures| *captures == 1), "one capture in each case");
}

fn attribute(
    record: &std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue>,
    name: &str,
) -> String {
    record[name].as_s().unwrap().clone()
}

fn refused(refusal: Refusal) -> Reply {
    let mut body = json!({ "error": refusal.text("Lacre") });
    if let Some(reason) = refusal.block_reason() {
        body["block_reason"] = reason.into();
    }
    (refusal.status(), body)
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?} instead of {wanted:?}")) }
}

fn shortened((status, body): &Reply) -> String {
    if *status == 200 { "200".to_owned() } else { format!("{status} {body}") }
}

fn join(wrong: &[&String]) -> String {
    wrong.iter().map(|wrong| wrong.as_str()).collect::<Vec<_>>().join("\n")
}

/// The matrix in Markdown: for each call and fault, the responses if the first attempt fails and if all do.
fn table(strikes: &[Strike]) -> String {
    let mut table =
        String::from("| Route | Call | Fault | Once | Always | The next try |\n|---|---|---|---|---|---|\n");
    for strike in strikes.iter().filter(|strike| strike.times == Times::Always) {
        let answer = |refusal: Option<Refusal>| {
            refusal.map_or("200".to_owned(), |refusal| {
                format!("{} {}", refusal.status(), refusal.block_reason().unwrap_or("Imagem ausente ou inválida"))
            })
        };
        let nth = if strike.nth > 1 { format!(" ({})", strike.nth) } else { String::new() };
        let also = strike.also.iter().map(|(call, _)| format!(", and {call} fails")).collect::<String>();
        let once = match strike.also.is_empty() {
            true => answer(expected(strike.route, &strike.call, strike.fault, Times::Once).0),
            false => "-".to_owned(),
        };
        let (refusal, again) = strike.expected;
        let next = match (strike.route, refusal, again) {
            (Route::Ingest, None, _) => "409 Sessão já utilizada",
            (Route::Ingest, _, Again::TakenForAWhile) => "409 web_duplicate; 200 after ten minutes",
            (Route::Ingest, _, Again::TakenForGood) => "409 web_duplicate; 200 with another frame",
            (Route::Ingest, _, Again::Concluded) => "409 Sessão já utilizada",
            _ => "200",
        };
        writeln!(
            table,
            "| {} | {}{nth}{} | {:?}{also} | {once} | {} | {next} |",
            strike.route.name(),
            strike.call,
            if strike.cold { ", cold" } else { "" },
            strike.fault,
            answer(refusal),
        )
        .unwrap();
    }
    table
}
