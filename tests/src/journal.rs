//! Collects all log lines and all secrets of a test run, to check that no line contains a secret.

use std::{
    collections::{BTreeSet, HashMap},
    io,
    sync::{Mutex, Once},
};

use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{self, MakeWriter},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static SECRETS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static STARTED: Once = Once::new();

/// Shorter texts are not recorded as secrets, because they would occur by chance.
const SHORTEST: usize = 16;

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

/// Starts to collect logs: at production levels, but in full detail for the functions' own crates.
pub fn start() {
    STARTED.call_once(|| {
        // `aws` is not listed, because the prefix would include every crate of the SDK, which log what they send.
        let own = [
            "admin",
            "alerts",
            "canary",
            "create_session",
            "domain",
            "image",
            "ingest",
            "lacre_http",
            "load_session",
            "proof",
        ];
        let own = own.into_iter().chain(["recapture", "session_results", "validate"]);
        let levels = Targets::new().with_default(LevelFilter::INFO);
        let levels = levels.with_targets(own.map(|name| (name, LevelFilter::TRACE)));
        tracing_subscriber::registry().with(fmt::layer().json().with_writer(Journal)).with(levels).init();
    });
}

/// Records a secret. For a presigned URL this is its signature, without which the URL is worthless.
pub fn remember(secret: &str) {
    let secret = secret.split_once("X-Amz-Signature=").map_or(secret, |(_, signature)| &signature[..64]);
    assert!(secret.len() >= SHORTEST, "too short to search for: {secret}");
    SECRETS.lock().unwrap().insert(secret.to_owned());
}

/// The number of log lines.
pub fn line_count() -> usize {
    LINES.lock().unwrap().iter().filter(|byte| **byte == b'\n').count()
}

/// All log lines as one text.
pub fn lines() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned()
}

/// Checks that no log line contains a secret.
pub fn assert_no_secret() {
    let lines = LINES.lock().unwrap().clone();
    if let Some(line) = line_with_a_secret(&lines, &SECRETS.lock().unwrap()) {
        panic!("a log line holds a secret: {line}");
    }
}

/// Finds the first line that contains a secret. Thousands of secrets are searched in one pass, by their first bytes.
fn line_with_a_secret(lines: &[u8], secrets: &BTreeSet<String>) -> Option<String> {
    let mut by_beginning: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for secret in secrets.iter().map(String::as_bytes) {
        by_beginning.entry(&secret[..SHORTEST]).or_default().push(secret);
    }
    let holds_one = |line: &&[u8]| {
        line.windows(SHORTEST).enumerate().any(|(at, beginning)| {
            by_beginning.get(beginning).into_iter().flatten().any(|secret| line[at..].starts_with(secret))
        })
    };
    let found = lines.split(|byte| *byte == b'\n').find(holds_one);
    found.map(|line| String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_secrets_anywhere_in_a_line() {
        let secrets = BTreeSet::from(["0123456789abcdef-one".to_owned(), "0123456789abcdef-two".to_owned()]);
        let search = |lines: &str| line_with_a_secret(lines.as_bytes(), &secrets);
        assert_eq!(search("first\nsecond 0123456789abcdef-two\nthird").as_deref(), Some("second 0123456789abcdef-two"));
        assert_eq!(search("0123456789abcdef-one").as_deref(), Some("0123456789abcdef-one"));
        assert_eq!(search("0123456789abcdef-three\n0123456789abcdef\n-one"), None);
    }
}
