//! Fails each call of a sequencing in each way, and redelivers the batch: the log has one history with each capture
//! once.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use lacre_domain::EvidenceRecord;
use lacre_sequencer::Sequencer;
use lacre_tests::{Fault, Faults, Service};

use crate::{behind_doors, captures, deliver, deliver_until_done, public::Public, sequencer};

/// Faults of a call: it fails definitely, takes effect without a response, takes effect later, or gets a malformed
/// response.
const FAULTS: [Fault; 7] =
    [Fault::Refuse, Fault::Throttle, Fault::ServerError, Fault::Cut, Fault::LoseAnswer, Fault::Late, Fault::Garble];

/// Names of the calls to AWS that the sequencer makes when it adds leaves.
async fn calls(service: &Service) -> BTreeSet<String> {
    let (sequencer, doors) = behind_doors(service).await;
    deliver(&sequencer, &captures(3)).await.unwrap();
    deliver(&sequencer, &captures(3)).await.unwrap();
    doors.take_calls().into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sequencing_survives_faults_of_each_call() {
    let names = calls(&Service::start().await).await;
    let expected = [
        "BatchGetItem log leaf",
        "BatchWriteItem log leaf",
        "GetItem log head",
        "GetObject log checkpoint",
        "GetObject log tile",
        "GetPublicKey",
        "PutItem log head",
        "PutObject log checkpoint",
        "PutObject log pending",
        "PutObject log tile",
        "Sign checkpoint",
        "UpdateItem log head",
    ];
    assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    // Concurrently, because most of the time is spent waiting for missing responses.
    stream::iter(names).for_each_concurrent(4, async |name| one_call_fails(&name).await).await;
}

/// For each fault: a batch meets it at one call; then the same or another sequencer gets an overlapping batch; the late
/// call takes effect; and the first batch is redelivered.
async fn one_call_fails(name: &str) {
    let service = Service::start().await;
    let mut public = Public::new(&service);
    let mut all: Vec<EvidenceRecord> = captures(250);
    let healthy = sequencer(&service, service.config(|_| None));
    deliver(&healthy, &all).await.unwrap();
    for fault in FAULTS {
        for is_taken_over in [false, true] {
            let (failing, doors) = failing(&service, fault).await;
            let batch = captures(5);
            doors.strike(name, 1, 10, fault);
            let outcome = until_struck(&failing, &doors, &batch).await;
            // If only the response was lost, the following calls may continue from the stored state.
            let is_certain = !matches!(fault, Fault::LoseAnswer | Fault::Late | Fault::Garble);
            assert!(!is_certain || outcome.is_err(), "{name} {fault:?}: {outcome:?}");
            public.look().await;
            let next: Vec<_> = batch[3..].iter().cloned().chain(captures(2)).collect();
            let other = if is_taken_over { &healthy } else { &failing };
            deliver_until_done(other, &next).await;
            public.look().await;
            doors.let_late_calls_in().await;
            public.look().await;
            deliver_until_done(&failing, &batch).await;
            public.look().await;
            all.extend(batch.into_iter().chain(next.into_iter().skip(2)));
            doors.close();
        }
    }
    public.audit(&all).await;
}

/// Delivers a batch until the fault was injected: on a busy machine another call may time out first.
async fn until_struck(
    failing: &Sequencer,
    doors: &Faults,
    batch: &[EvidenceRecord],
) -> Result<(), lacre_sequencer::Error> {
    for _ in 0..20 {
        let outcome = deliver(failing, batch).await;
        if doors.injected() > 0 {
            doors.clear();
            return outcome;
        }
    }
    panic!("the call is not made");
}

async fn failing(service: &Service, fault: Fault) -> (Sequencer, Faults) {
    let doors = Faults::before(service).await;
    // Full timeouts are only needed for calls that do not respond.
    let budgets = match fault {
        Fault::Late => lacre_storage::TimeBudgets::PRODUCTION.divided_by(4),
        _ => lacre_storage::TimeBudgets::RELAXED,
    };
    (sequencer(service, lacre_storage::Config { budgets, ..doors.config(service) }), doors)
}

/// A signature over something else does not get into the log.
#[tokio::test]
async fn a_wrong_signature_is_not_published() {
    let service = Service::start().await;
    let (sequencer, doors) = behind_doors(&service).await;
    let batch = captures(2);
    doors.once("Sign checkpoint", Fault::WrongSignature);
    let error = deliver(&sequencer, &batch).await.unwrap_err();
    assert_eq!(error.to_string(), "the log's key: the signature of the checkpoint does not verify");
    let mut public = Public::new(&service);
    assert_eq!(public.look().await, None);
    deliver(&sequencer, &batch).await.unwrap();
    public.audit(&batch).await;
}
