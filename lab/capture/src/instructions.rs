//! Reads the file that callgrind writes, and sums up the instructions by what they are for.

use std::collections::HashMap;

use crate::Failure;

/// What instructions are for, each with the beginnings of the names of the crates whose functions do it. The first one
/// that fits counts. A function of any other crate, or of C, works for its callers.
const PURPOSES: [(&str, &[&str]); 10] = [
    ("reading the photo", &["lacre_photo"]),
    ("recapture analysis", &["lacre_recapture", "lacre_fourier", "rustfft", "transpose"]),
    ("SHA-256", &["sha2"]),
    ("checking both signatures", &["ring", "webpki", "rsa", "p256", "ecdsa", "crypto_bigint", "num_bigint"]),
    ("seal and manifest", &["c2pa", "coset", "ciborium", "lacre_sign", "lacre_proof", "cms", "der", "x509"]),
    ("JSON and base64", &["serde_json", "base64"]),
    ("calls to AWS", &["aws_", "hyper", "http", "serde_dynamo", "lacre_storage"]),
    ("log and metrics", &["tracing", "lacre_metrics"]),
    ("the benchmark's gateway", &["bench_capture", "axum", "lambda_", "tower"]),
    ("tokio", &["tokio", "mio"]),
];
/// The rest of the service: the steps of the ingest and the rules.
const STEPS: &str = "the ingest's steps";
/// What has no caller.
const UNKNOWN: &str = "unknown";
/// How often instructions are passed on to callers. Only recursion leaves any.
const PASSES: u32 = 200;

/// The instructions of a process.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    functions: HashMap<String, Function>,
}

#[derive(Debug, Default)]
struct Function {
    /// Instructions of the function itself.
    own: u64,
    /// Instructions of its calls, with all that it calls, by caller.
    callers: HashMap<String, u64>,
}

impl Profile {
    /// Parses a file without compressed names and positions.
    pub(crate) fn read(file: &str) -> Result<Self, Failure> {
        let mut profile = Self::default();
        let (mut function, mut called) = (String::new(), None);
        let mut after_calls = false;
        for line in file.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                name.clone_into(&mut function);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                called = Some(name);
            } else if line.starts_with("calls=") {
                after_calls = true;
            } else if line.starts_with(|first: char| first.is_ascii_digit()) {
                let count: u64 = line.split(' ').nth(1).map_or(Ok(0), str::parse)?;
                match called.take().filter(|_| std::mem::take(&mut after_calls)) {
                    Some(called) => *profile.function(called).callers.entry(function.clone()).or_default() += count,
                    None => profile.function(&function).own += count,
                }
            }
        }
        if profile.total() == 0 { Err("callgrind counted nothing".into()) } else { Ok(profile) }
    }

    fn function(&mut self, name: &str) -> &mut Function {
        self.functions.entry(name.to_owned()).or_default()
    }

    /// All instructions.
    pub(crate) fn total(&self) -> u64 {
        self.functions.values().map(|function| function.own).sum()
    }

    /// The instructions for each purpose, the most first. Those of a function without a purpose count for its callers, in
    /// proportion to what their calls took.
    pub(crate) fn by_purpose(&self) -> Vec<(&'static str, f64)> {
        let mut sums: HashMap<_, f64> = HashMap::new();
        let mut waiting: HashMap<&str, f64> = HashMap::new();
        for (name, function) in &self.functions {
            match purpose(name) {
                Some(purpose) => *sums.entry(purpose).or_default() += function.own as f64,
                None => *waiting.entry(name).or_default() += function.own as f64,
            }
        }
        for _ in 0..PASSES {
            for (name, count) in std::mem::take(&mut waiting) {
                let callers = self.functions.get(name).map(|function| &function.callers);
                let others = || callers.into_iter().flatten().filter(|(caller, _)| *caller != name);
                let all = others().map(|(_, calls)| *calls as f64).sum::<f64>();
                if all == 0.0 {
                    *sums.entry(UNKNOWN).or_default() += count;
                }
                for (caller, calls) in others().filter(|_| all > 0.0) {
                    let share = count * *calls as f64 / all;
                    match purpose(caller) {
                        Some(purpose) => *sums.entry(purpose).or_default() += share,
                        None => *waiting.entry(caller).or_default() += share,
                    }
                }
            }
        }
        *sums.entry(UNKNOWN).or_default() += waiting.values().sum::<f64>();
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|one, other| other.1.total_cmp(&one.1));
        sums
    }

    /// The functions with the most instructions of their own, each with its purpose.
    pub(crate) fn largest(&self, most: usize) -> Vec<(&str, u64, Option<&'static str>)> {
        let functions = self.functions.iter().map(|(name, function)| (name.as_str(), function.own, purpose(name)));
        let mut functions: Vec<_> = functions.collect();
        functions.sort_by_key(|(name, own, _)| (std::cmp::Reverse(*own), *name));
        functions.truncate(most);
        functions
    }
}

/// The purpose of a function by its name, such as `<hyper::client::Conn<T> as core::future::Future>::poll`.
fn purpose(function: &str) -> Option<&'static str> {
    let name = function.trim_start_matches(['<', '&', '*', '(', '[', '_']).trim_start_matches("dyn ");
    let known = PURPOSES.iter().find(|(_, crates)| crates.iter().any(|begin| name.starts_with(begin)));
    known.map(|(purpose, _)| *purpose).or_else(|| name.starts_with("lacre_").then_some(STEPS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FILE: &str = "\
version: 1
positions: line
events: Ir

ob=/handlers
fl=lib.rs
fn=lacre_ingest::Ingest::handle
10 100
cfi=reading.rs
cfn=<lacre_photo::Jpeg as core::fmt::Debug>::fmt
calls=1 5
11 700
cfn=memcpy
calls=2 0
12 20

fn=<lacre_photo::Jpeg as core::fmt::Debug>::fmt
5 600
fi=other.rs
6 40
fe=reading.rs
cfn=memcpy
calls=1 0
7 60

fn=memcpy
0 80

fn=(below main)
0 3

totals: 823
";

    #[test]
    fn functions_of_no_purpose_count_for_callers() {
        let profile = Profile::read(FILE).unwrap();
        assert_eq!(profile.total(), 823);
        assert_eq!(profile.by_purpose(), [("reading the photo", 700.0), (STEPS, 120.0), (UNKNOWN, 3.0)]);
        assert_eq!(
            profile.largest(1),
            [("<lacre_photo::Jpeg as core::fmt::Debug>::fmt", 640, Some("reading the photo"))]
        );
    }

    #[test]
    fn an_empty_profile_is_an_error() {
        assert!(Profile::read("events: Ir\n\ntotals: 0\n").is_err());
    }
}
