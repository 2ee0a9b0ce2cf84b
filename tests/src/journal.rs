//! Every log line of the whole test run, and every secret that passed through it: the one must not hold the other.

use std::{
    collections::BTreeSet,
    io,
    sync::{Mutex, Once},
};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SECRETS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static STARTED: Once = Once::new();

struct Journal;

impl io::Write for Journal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Journal {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

/// Starts to write down the log: as the functions log in production, and their own crates in all detail.
pub fn start() {
    STARTED.call_once(|| {
        // Not `aws`, which would let in every crate of the SDK whose name starts so: they log what they send.
        let own = ["create_session", "domain", "image", "ingest", "lacre_http", "load_session", "proof"];
        let own = own.into_iter().chain(["recapture", "session_results", "validate"]);
        let filter = own.fold(String::from("info"), |filter, name| format!("{filter},{name}=trace"));
        tracing_subscriber::fmt().json().with_env_filter(EnvFilter::new(filter)).with_writer(Journal).init();
    });
}

/// Remembers a secret. Of a presigned URL it is the signature, which the URL is worth nothing without.
pub fn remember(secret: &str) {
    let secret = secret.split_once("X-Amz-Signature=").map_or(secret, |(_, signature)| &signature[..64]);
    assert!(secret.len() >= 16, "too short to search for: {secret}");
    SECRETS.lock().unwrap().insert(secret.to_owned());
}

/// How many lines were written so far.
pub fn line_count() -> usize {
    LINES.lock().unwrap().iter().filter(|byte| **byte == b'\n').count()
}

/// Searches all lines so far for all secrets so far.
pub fn assert_no_secret() {
    let lines = String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned();
    for secret in SECRETS.lock().unwrap().iter() {
        if let Some(line) = lines.lines().find(|line| line.contains(secret.as_str())) {
            panic!("a log line holds a secret: {line}");
        }
    }
}
