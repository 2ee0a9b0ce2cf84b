//! Tests the service against a small model of `docs/reference/api.md` with random sequences of requests, operators'
//! actions, passing time, concurrent requests, and failing AWS calls. The model must allow every response, and at the
//! end of a sequence every invariant must hold.
//!
//! The seed of a sequence determines it. A failing sequence is shrunk to a minimal one, and the command that replays it
//! is printed.

mod accounts;
mod audit;
mod call;
mod client;
mod fate;
mod frames;
mod model;
mod operation;
mod play;
mod stage;
mod wire;
mod worlds;

use std::sync::{
    Mutex, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use tokio::runtime::Runtime;

use crate::{
    operation::sequence,
    play::{Tally, play},
    stage::Stage,
};

/// Default number of operations to execute.
const OPERATIONS: usize = 4_000;
/// Environment variable with another number of operations.
const HOW_MANY: &str = "LACRE_MODEL_OPERATIONS";
/// The first seed; others follow it. It is the same in every run, so that a failure results from the change under test.
const FIRST_SEED: u64 = 1;
/// Environment variable with another first seed, for runs that search for new failures.
const FIRST: &str = "LACRE_MODEL_FIRST_SEED";
/// Number of concurrent services.
const STAGES: usize = 4;
/// Maximum number of attempts to shrink a failing sequence.
const SHRINKING: u32 = 500;

/// Environment variable with the seed of the only sequence to run.
const SEED: &str = "LACRE_MODEL_SEED";

/// Progress of the run.
#[derive(Default)]
struct Played {
    sequences: AtomicUsize,
    operations: AtomicUsize,
    replies: Mutex<Tally>,
    /// Seed of the first failing sequence; only this one is shrunk.
    failing: OnceLock<u64>,
    failure: Mutex<Option<String>>,
}

#[test]
fn the_service_behaves_like_its_model() {
    let played = Played::default();
    if let Ok(seed) = std::env::var(SEED) {
        play_from(seed.parse().unwrap(), &played, 1);
    } else {
        let enough = std::env::var(HOW_MANY).map_or(OPERATIONS, |operations| operations.parse().unwrap());
        let first = std::env::var(FIRST).map_or(FIRST_SEED, |first| first.parse().unwrap());
        std::thread::scope(|scope| {
            for _ in 0..STAGES {
                scope.spawn(|| play_from(first, &played, enough));
            }
        });
        let (sequences, operations) = (played.sequences.into_inner(), played.operations.load(Ordering::SeqCst));
        for (what, times) in played.replies.lock().unwrap().iter() {
            println!("{times:>6} {what}");
        }
        println!("model: {operations} operations in {sequences} sequences, seed {first}");
        assert!(played.failure.lock().unwrap().is_some() || operations >= enough, "{operations} operations");
    }
    if let Some(failure) = played.failure.into_inner().unwrap() {
        panic!("{failure}");
    }
}

/// Runs sequences on one stage until enough operations were executed or one fails. Each takes the next unused seed.
fn play_from(first: u64, played: &Played, enough: usize) {
    let runtime = Runtime::new().unwrap();
    let stage = runtime.block_on(Stage::open());
    while played.operations.load(Ordering::SeqCst) < enough && played.failing.get().is_none() {
        let seed = first + played.sequences.fetch_add(1, Ordering::SeqCst) as u64;
        match play_one(seed, &played.failing, &runtime, &stage) {
            Ok(replies) => {
                played.operations.fetch_add(replies.values().sum(), Ordering::SeqCst);
                for (what, times) in replies {
                    *played.replies.lock().unwrap().entry(what).or_default() += times;
                }
            }
            Err(failure) => {
                played.failure.lock().unwrap().get_or_insert(failure);
            }
        }
    }
    // The stage must be dropped within the runtime.
    runtime.block_on(async move { drop(stage) });
}

fn play_one(seed: u64, failing: &OnceLock<u64>, runtime: &Runtime, stage: &Stage) -> Result<Tally, String> {
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: SHRINKING,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let replies = Mutex::new(Tally::new());
    let outcome = TestRunner::new(config).run(&sequence(), |(sandbox, operations)| {
        let played = runtime.block_on(play(stage, sandbox, &operations));
        match played {
            Ok(tally) => *replies.lock().unwrap() = tally,
            Err(reason) if failing.set(seed).is_ok() => {
                eprintln!("model: {SEED}={seed} fails, and is made smaller: {reason}");
                return Err(TestCaseError::fail(reason));
            }
            Err(reason) if failing.get() == Some(&seed) => return Err(TestCaseError::fail(reason)),
            Err(_) => {}
        }
        Ok(())
    });
    match outcome {
        Ok(()) => Ok(replies.into_inner().unwrap()),
        Err(TestError::Fail(reason, (sandbox, operations))) => {
            let steps: Vec<String> = operations.iter().map(|operation| format!("  {operation:?}")).collect();
            let place = if sandbox { "in the sandbox" } else { "in staging" };
            Err(format!(
                "{reason}\n\nthe smallest sequence, {place}:\n{}\n\nplay it again: {SEED}={seed} cargo test -p lacre-tests --test model",
                steps.join("\n")
            ))
        }
        Err(TestError::Abort(reason)) => Err(reason.to_string()),
    }
}
