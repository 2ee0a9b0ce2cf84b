//! The service against a small model of `docs/reference/api.md`: random sequences of requests, of operators' acts, of waiting,
//! of requests that arrive together and of calls to AWS that fail. Every answer must be one that the model allows, and at the
//! end of a sequence every promise must be kept.
//!
//! Each sequence has a seed, and the same seed makes the same sequence. A failure is shrunk to the smallest sequence that
//! still fails, and prints the command that plays it again.

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

/// Sequences play until so many operations were performed, unless the environment asks for another number.
const OPERATIONS: usize = 4_000;
/// The environment's word on how many operations to play.
const HOW_MANY: &str = "LACRE_MODEL_OPERATIONS";
/// The first seed; the others follow it. The same for every run, so that a change is judged by what it changed.
const FIRST_SEED: u64 = 1;
/// The environment's word on another first seed: for runs that look for what the usual one does not find.
const FIRST: &str = "LACRE_MODEL_FIRST_SEED";
/// Services at work at the same time.
const STAGES: usize = 4;
/// How often a failing sequence is tried again in smaller forms.
const SHRINKING: u32 = 500;

/// The environment's word on which sequence to play, and no other.
const SEED: &str = "LACRE_MODEL_SEED";

/// What was played.
#[derive(Default)]
struct Played {
    sequences: AtomicUsize,
    operations: AtomicUsize,
    replies: Mutex<Tally>,
    /// The first sequence that failed, which alone is made smaller.
    failing: OnceLock<u64>,
    failure: Mutex<Option<String>>,
}

#[test]
fn the_service_does_what_its_model_says() {
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

/// Plays one sequence after the other on one stage, until enough is played or one fails. The seed of each is the next
/// that no stage has played.
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
    // Within the runtime, since what is dropped lives on it.
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
