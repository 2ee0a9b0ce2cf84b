//! Tests the sequencer without faults: repeated records, records that are not captures, and two sequencers.

use std::collections::BTreeSet;

use lacre_tests::Service;
use serde_json::{Value, json};

use crate::{behind_doors, captures, deliver, deliver_until_done, event, handle, public::Public, sequencer};

#[tokio::test]
async fn adds_repeated_captures_once() {
    let service = Service::start().await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let mut public = Public::new(&service);
    assert_eq!(public.look().await, None, "no log before the first capture");
    let all = captures(700);
    deliver(&sequencer, &all[..1]).await.unwrap();
    assert_eq!(public.look().await.unwrap().0, 1);
    // The same batch, one with a duplicate, and an overlapping one.
    deliver(&sequencer, &all[..1]).await.unwrap();
    let doubled: Vec<_> = all[..3].iter().chain(&all[1..4]).cloned().collect();
    deliver(&sequencer, &doubled).await.unwrap();
    assert_eq!(public.look().await.unwrap().0, 4);
    for end in [255, 256, 257, 700] {
        deliver(&sequencer, &all[..end]).await.unwrap();
        assert_eq!(public.look().await.unwrap().0, end as u64);
    }
    public.audit(&all).await;
}

#[tokio::test]
async fn metrics_report_leaves_and_delay() {
    let service = Service::start().await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let mut all = captures(3);
    for (seconds, capture) in [(7, 0), (5, 1), (6, 2)] {
        all[capture].ingested_at = lacre_domain::Clock::now(&*service.clock) - time::Duration::seconds(seconds);
    }
    let mut metrics = Vec::new();
    sequencer.handle(serde_json::from_value(event(&all)).unwrap(), &mut metrics).await.unwrap();
    let lines = String::from_utf8(metrics).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [line, signed] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(signed["CheckpointSignatures"], json!(2), "the checkpoint of no leaf, and that of three");
    assert_eq!((&line["LogLeaves"], &line["Stack"]), (&json!(3), &json!("local")));
    let delay = line["LogDelay"].as_f64().unwrap();
    assert!((7000.0..7900.0).contains(&delay), "the oldest: {delay}");
    let mut metrics = Vec::new();
    sequencer.handle(serde_json::from_value(event(&all)).unwrap(), &mut metrics).await.unwrap();
    assert!(metrics.is_empty(), "nothing was added");
}

#[tokio::test]
async fn skips_records_other_than_captures() {
    let service = Service::start().await;
    let sequencer = sequencer(&service, service.config(|_| None));
    let all = captures(3);
    let mut event = event(&all);
    event["Records"][0]["dynamodb"]["NewImage"]["v"] = json!({ "N": "2" });
    event["Records"][1]["eventName"] = "MODIFY".into();
    let mut head = event["Records"][2].clone();
    head["dynamodb"]["NewImage"]["pk"] = json!({ "S": "head#SANDBOX" });
    event["Records"].as_array_mut().unwrap().push(head);
    handle(&sequencer, event).await.unwrap();
    Public::new(&service).audit(&all[2..]).await;
}

/// Two sequencers that only the table separates, with overlapping batches.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_sequencers_make_one_log() {
    let service = Service::start().await;
    let all = captures(600);
    let ((one, doors), (other, _)) = (behind_doors(&service).await, behind_doors(&service).await);
    let deliver_all = async |sequencer, size: usize| {
        for batch in all.chunks(size) {
            deliver_until_done(sequencer, batch).await;
        }
    };
    tokio::join!(deliver_all(&one, 20), deliver_all(&other, 30));
    Public::new(&service).audit(&all).await;
    let calls: BTreeSet<_> = doors.take_calls().into_iter().collect();
    assert!(calls.contains("PutItem log head"), "{calls:?}");
}

/// A sequencer that was overtaken while publishing does not replace a newer checkpoint with an older one.
#[tokio::test(flavor = "multi_thread")]
async fn overtaken_sequencers_replace_no_newer_checkpoint() {
    let service = Service::start().await;
    let all = captures(30);
    let (slow, doors) = behind_doors(&service).await;
    let quick = sequencer(&service, service.config(|_| None));
    deliver(&quick, &all[..10]).await.unwrap();
    let mut public = Public::new(&service);
    doors.once("PutObject log checkpoint", lacre_tests::Fault::Late);
    let _ = tokio::join!(deliver(&slow, &all[10..20]), async {
        doors.arrival_of("PutObject log checkpoint").await;
        deliver(&quick, &all[20..]).await.unwrap();
    });
    assert_eq!(public.look().await.unwrap().0, 30);
    doors.let_late_calls_in().await;
    assert_eq!(public.look().await.unwrap().0, 30);
    deliver_until_done(&slow, &all[10..20]).await;
    public.audit(&all).await;
}

/// If another sequencer has added the first leaves of a batch, the result is the same tree, and the sequencer continues
/// from there.
#[tokio::test(flavor = "multi_thread")]
async fn overtaken_sequencers_reach_the_same_tree() {
    let service = Service::start().await;
    let all = captures(30);
    let (overtaken, doors) = behind_doors(&service).await;
    doors.strike("Sign checkpoint", 1, 3, lacre_tests::Fault::ServerError);
    assert!(deliver(&overtaken, &all).await.is_err());
    deliver(&sequencer(&service, service.config(|_| None)), &all[..20]).await.unwrap();
    deliver(&overtaken, &all).await.unwrap();
    Public::new(&service).audit(&all).await;
}
