//! Runs the `lacre-monitor` binary against a log on loopback that grows or misbehaves.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex},
};

use lacre_transparency::{Checkpoint, Edge, Entry, LogKey, NoteSignature, SignedNote};
use ring::signature::{Ed25519KeyPair, KeyPair};
use tempfile::TempDir;

const ORIGIN: &str = "log.example/production";

/// The files of a log, served over HTTP. A missing file is answered with an error status.
#[derive(Default)]
struct Files {
    content: BTreeMap<String, Vec<u8>>,
    /// Paths that fail: the status, and how many requests get it.
    failures: BTreeMap<String, (u16, u32)>,
}

/// A log with its signing key and server, and the monitor's state folder.
struct Log {
    pair: Ed25519KeyPair,
    edge: Edge,
    files: Arc<Mutex<Files>>,
    address: SocketAddr,
    folder: TempDir,
}

/// The result of a run of the monitor.
#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn entry(number: u64) -> Entry {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Entry::from_bytes(bytes)
}

impl Log {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let files = Arc::new(Mutex::new(Files::default()));
        let served = Arc::clone(&files);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, served) = (stream.unwrap(), Arc::clone(&served));
                // A client may connect without sending a request, so each connection has its own thread.
                std::thread::spawn(move || serve(stream, &served));
            }
        });
        let pair = Ed25519KeyPair::from_seed_unchecked(&[5; 32]).unwrap();
        Self { pair, edge: Edge::default(), files, address, folder: tempfile::tempdir().unwrap() }
    }

    fn key(&self) -> LogKey {
        LogKey::new(ORIGIN, self.pair.public_key().as_ref().try_into().unwrap()).unwrap()
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("log.checkpoint")
    }

    fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.lock().unwrap().content.insert(path.to_owned(), bytes.into());
    }

    fn signed(&self, edge: &Edge) -> SignedNote {
        let checkpoint = Checkpoint { origin: ORIGIN.into(), size: edge.size(), root: edge.root() };
        let signature = self.pair.sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
        self.key().signed(&checkpoint, signature).unwrap()
    }

    /// Publishes another history that continues from an earlier state.
    fn publish(&mut self, from: &Edge, entries: impl Iterator<Item = u64>) {
        let grown = from.grown(&entries.map(entry).collect::<Vec<_>>());
        for (path, bytes) in grown.files {
            self.put(path.as_str(), bytes);
        }
        self.put("checkpoint", self.signed(&grown.edge).to_string());
        self.edge = grown.edge;
    }

    fn grow(&mut self, count: u64) {
        let from = self.edge.clone();
        self.publish(&from, self.edge.size()..self.edge.size() + count);
    }

    fn monitor(&self, more: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lacre-monitor"));
        command.args(["--url", &format!("http://{}/log", self.address), "--key", &self.key().to_string()]);
        command.arg("--state").arg(self.state()).args(more);
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The number of checkpoints kept as evidence.
    fn contradictions(&self) -> usize {
        let names = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().unwrap().starts_with("log.checkpoint.contradiction-")).count()
    }

    /// Runs the monitor, which must find a fault, and returns its message. The state must not change.
    fn refused(&self) -> String {
        let before = std::fs::read(self.state()).ok();
        let ran = self.monitor(&[]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
        assert_eq!(std::fs::read(self.state()).ok(), before, "a log that lies does not replace what is known");
        ran.err
    }
}

fn serve(mut stream: TcpStream, files: &Mutex<Files>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(first)) = lines.next() else { return };
    lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
    let path = first.split(' ').nth(1).unwrap().trim_start_matches("/log/").to_owned();
    let (status, body) = answer(&mut files.lock().unwrap(), &path);
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    // The client may close the connection before it has read everything.
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}

fn answer(files: &mut Files, path: &str) -> (u16, Vec<u8>) {
    if let Some((status, left)) = files.failures.get_mut(path).filter(|(_, left)| *left > 0) {
        *left -= 1;
        return (*status, Vec::new());
    }
    files.content.get(path).map_or((404, Vec::new()), |body| (200, body.clone()))
}

#[test]
fn a_log_that_grows_is_followed() {
    let mut log = Log::start();
    for (more, before) in
        [(0, 0), (0, 0), (1, 0), (0, 1), (254, 1), (1, 255), (1, 256), (0, 257), (65_300, 257), (4_443, 65_557)]
    {
        log.grow(more);
        let size = log.edge.size();
        let ran = log.monitor(&[]);
        let line =
            format!("{ORIGIN}: {size} leaves, {} more than before; root {}\n", size - before, log.edge.root().hex());
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, line.as_str(), ""));
        assert_eq!(std::fs::read_to_string(log.state()).unwrap(), log.signed(&log.edge).to_string());
    }
    let json: serde_json::Value = serde_json::from_str(&log.monitor(&["--json"]).out).unwrap();
    assert_eq!((&json["before"], &json["leaves"]), (&70_000.into(), &70_000.into()));
}

#[test]
fn another_history_is_found_and_kept() {
    let mut log = Log::start();
    log.grow(300);
    let known = log.edge.clone();
    let at = |size: u64| Edge::default().grown(&(0..size).map(entry).collect::<Vec<_>>()).edge;
    assert_eq!(log.monitor(&[]).code, 0);
    let published = log.files.lock().unwrap().content.clone();
    for (from, leaves, fault) in [
        (200, 200..250, "the checkpoint has 250 leaves, and an earlier one has 300"),
        (200, 1000..1100, "the entries do not lead to the root of 300 leaves: the log has two histories"),
        (200, 1000..1200, "the tiles at the edge do not lead to the root of 300 leaves"),
        (270, 1000..1200, "tile/entries/001.p/214 does not match the log's entries"),
    ] {
        log.files.lock().unwrap().content.clone_from(&published);
        log.publish(&at(from), leaves);
        let err = log.refused();
        assert!(err.starts_with(&format!("lacre-monitor: {fault}; the checkpoint is kept in ")), "{err}");
        let kept = std::fs::read_to_string(err.trim_end().split_once(" is kept in ").unwrap().1).unwrap();
        assert_eq!(kept, log.signed(&log.edge).to_string(), "the evidence against the log");
    }
    assert_eq!(log.contradictions(), 4, "none replaces another");
    log.refused();
    assert_eq!(log.contradictions(), 4, "the same is kept once");
    // The log publishes its original history again.
    log.publish(&Edge::default(), 0..300);
    assert_eq!(log.edge.root(), known.root());
    log.grow(5);
    assert_eq!(log.monitor(&[]).code, 0);
}

#[test]
fn a_signed_rollback_is_a_contradiction() {
    let mut log = Log::start();
    log.grow(300);
    assert_eq!(log.monitor(&[]).code, 0);
    // Served with only the files of: the same history, another history, or no leaves.
    for (leaves, size) in [(0..299, 299), (1000..1200, 200), (0..0, 0)] {
        log.files.lock().unwrap().content.clear();
        log.publish(&Edge::default(), leaves);
        let err = log.refused();
        let fault = format!("the checkpoint has {size} leaves, and an earlier one has 300");
        assert!(err.starts_with(&format!("lacre-monitor: {fault}; the checkpoint is kept in ")), "{err}");
    }
    assert_eq!(log.contradictions(), 3);
}

#[test]
fn only_fresh_runs_compare_old_entries() {
    let mut log = Log::start();
    log.grow(600);
    assert_eq!(log.monitor(&[]).code, 0);
    let mut altered = log.files.lock().unwrap().content["tile/entries/000"].clone();
    altered[10] ^= 1;
    log.put("tile/entries/000", altered);
    log.grow(10);
    assert_eq!(log.monitor(&[]).code, 0, "it reads nothing that it compared before");
    std::fs::remove_file(log.state()).unwrap();
    assert!(log.refused().contains("does not match the log's entries"));
}

#[test]
fn refuses_files_that_contradict_the_checkpoint() {
    let mut log = Log::start();
    log.grow(600);
    let served = |path: &str| log.files.lock().unwrap().content[path].clone();
    for path in ["tile/0/000", "tile/0/002.p/88", "tile/1/000.p/2", "tile/entries/001", "tile/entries/002.p/88"] {
        let content = served(path);
        for changed in [content[1..].to_vec(), content.iter().map(|byte| byte ^ 1).collect(), Vec::new()] {
            log.put(path, changed);
            let err = log.refused();
            assert!(err.contains("does not match the log's entries"), "{path}: {err}");
        }
        log.put(path, vec![0; 70_000]);
        let large = log.monitor(&[]);
        assert_eq!(large.code, 3);
        assert!(large.err.starts_with(&format!("lacre-monitor: {path}: more than 65536 bytes; ")), "{}", large.err);
        log.put(path, content);
    }
    // One file holds the entries of two tiles that lead to the same root.
    for kind in ["tile/0", "tile/entries"] {
        let [first, second] = ["000", "001"].map(|name| format!("{kind}/{name}"));
        log.put(&first, [served(&first), served(&second)].concat());
        log.put(&second, Vec::new());
    }
    let err = log.refused();
    assert!(err.contains("tile/entries/000 does not match the log's entries"), "{err}");
}

/// The log states a false size. The monitor reads until the first missing file.
#[test]
fn false_sizes_end_at_missing_entries() {
    let mut log = Log::start();
    log.grow(3);
    let checkpoint = Checkpoint { origin: ORIGIN.into(), size: u64::MAX, root: log.edge.root() };
    let signature = log.pair.sign(checkpoint.to_string().as_bytes()).as_ref().to_vec();
    let note = log.key().signed(&checkpoint, signature).unwrap().to_string();
    log.put("checkpoint", note.clone());
    for state in [None, Some(log.signed(&log.edge).to_string())] {
        state.into_iter().for_each(|known| std::fs::write(log.state(), known).unwrap());
        let ran = log.monitor(&[]);
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.err.starts_with("lacre-monitor: tile/entries/000: HTTP status 404; "), "{}", ran.err);
        assert_eq!(log.contradictions(), 1, "what it signed is kept");
    }
}

#[test]
fn refuses_checkpoints_without_the_logs_signature() {
    let mut log = Log::start();
    log.grow(3);
    let note = log.signed(&log.edge).to_string();
    for (checkpoint, fault) in [
        (note.replace("\n3\n", "\n4\n"), "the checkpoint: the log's signature of the checkpoint is wrong"),
        (note.replace("log.example", "log.other"), "the checkpoint: the checkpoint is not signed by this key"),
        ("no note".to_owned(), "the checkpoint: not a signed note"),
    ] {
        log.put("checkpoint", checkpoint);
        assert_eq!(log.refused(), format!("lacre-monitor: {fault}\n"));
    }
}

#[test]
fn requires_recent_cosignatures_of_the_witness() {
    let mut log = Log::start();
    log.grow(300);
    let witness = Ed25519KeyPair::from_seed_unchecked(&[6; 32]).unwrap();
    let public = [&[4], witness.public_key().as_ref()].concat();
    let id = ring::digest::digest(&ring::digest::SHA256, &[b"witness.example\n".as_slice(), &public].concat());
    let id: [u8; 4] = id.as_ref()[..4].try_into().unwrap();
    let encoded = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, &public);
    let key = format!("witness.example+{:08x}+{encoded}", u32::from_be_bytes(id));
    let cosigned_at = |edge: &Edge, at: time::OffsetDateTime| {
        let (mut note, time) = (log.signed(edge), u64::try_from(at.unix_timestamp()).unwrap());
        let signature = witness.sign(format!("cosignature/v1\ntime {time}\n{}", note.text).as_bytes());
        let signature = [time.to_be_bytes().as_slice(), signature.as_ref()].concat();
        note.add([NoteSignature { name: "witness.example".into(), key_id: id, signature }]);
        note.to_string()
    };
    let history =
        |from: u64, size: u64| Edge::default().grown(&(from..from + size).map(entry).collect::<Vec<_>>()).edge;
    let now = time::OffsetDateTime::now_utc();
    let today = now.date();
    let cosigned = |edge: &Edge| cosigned_at(edge, now);
    let day = |day: time::Date| format!("dated/{day}/checkpoint");
    let ran = || log.monitor(&["--witness", &key]);
    let refused = |fault: &str| {
        let ran = ran();
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
        let err = ran.err.trim_end().strip_prefix("lacre-monitor: ").unwrap();
        let mut parts = err.split("; the checkpoint is kept in ");
        assert_eq!(parts.next(), Some(fault));
        if let Some(kept) = parts.next() {
            assert!(std::fs::read_to_string(kept).unwrap().contains("witness.example"), "with its cosignature");
        }
        assert!(!log.state().exists(), "nothing is verified");
    };

    let missing = "no checkpoint of today or yesterday has a cosignature of witness.example from its day on";
    refused(missing);
    log.put(&day(today), log.signed(&history(0, 280)).to_string());
    refused(missing);
    // Cosignatures dated before the day (which an operator with two histories could show every day) and in the future.
    let yesterday = today.previous_day().unwrap();
    let midnight = |day: time::Date| day.midnight().assume_utc();
    let before = time::Duration::minutes(6);
    log.put(&day(today), cosigned_at(&history(0, 280), midnight(today) - before));
    log.put(&day(yesterday), cosigned_at(&history(0, 280), midnight(yesterday) - before));
    refused(missing);
    log.put(&day(today), cosigned_at(&history(0, 280), now + time::Duration::hours(1)));
    refused(missing);
    // The witness cosigned another history, smaller or larger than the published one.
    log.put(&day(today), log.signed(&history(0, 280)).to_string());
    let others = [
        (
            history(0, 250).grown(&[entry(7)]),
            "the entries do not lead to the root of 251 leaves: the log has two histories",
        ),
        (history(0, 299).grown(&[entry(7), entry(8)]), "tile/entries/001.p/45 does not match the log's entries"),
    ];
    for (other, fault) in others {
        for (path, content) in other.files {
            log.put(path.as_str(), content);
        }
        log.put(&day(yesterday), cosigned(&other.edge));
        refused(fault);
    }
    assert_eq!(log.contradictions(), 3, "both cosigned ones, and the published one that they contradict");
    // The log withholds the file.
    log.files.lock().unwrap().failures.insert("tile/entries/001.p/45".into(), (403, 1));
    let withheld = ran();
    assert_eq!(withheld.code, 3, "{withheld:?}");
    assert_eq!(withheld.err.matches("the checkpoint is kept in").count(), 2, "{withheld:?}");
    log.put(&day(yesterday), cosigned(&history(0, 270)).replace("\n270\n", "\n271\n"));
    refused(&format!("the checkpoint of {yesterday}: the log's signature of the checkpoint is wrong"));

    log.put(&day(yesterday), cosigned(&history(0, 270)));
    assert_eq!(ran().code, 0, "yesterday's, until today's is cosigned");
    // The daily checkpoint was made while the monitor followed the log.
    let later = log.edge.grown(&[entry(300)]);
    for (path, content) in later.files {
        log.put(path.as_str(), content);
    }
    log.put(&day(yesterday), cosigned(&later.edge));
    let newer = ran();
    assert_eq!(newer.code, 0, "one that is newer than the published checkpoint: {newer:?}");
    assert_eq!(std::fs::read_to_string(log.state()).unwrap(), cosigned(&later.edge), "it is followed, too");
    log.put("checkpoint", log.signed(&later.edge).to_string());
    log.put(&day(today), cosigned(&history(0, 300)));
    assert_eq!(ran().code, 0);
    // S3's answer for a missing object.
    log.files.lock().unwrap().failures.insert(day(today), (403, 1));
    assert_eq!(ran().code, 0);
}

#[test]
fn read_errors_are_not_log_faults() {
    let mut log = Log::start();
    let empty = log.monitor(&[]);
    assert_eq!((empty.code, empty.err.as_str()), (3, "lacre-monitor: checkpoint: HTTP status 404\n"));
    log.grow(3);
    log.files.lock().unwrap().failures.insert("tile/0/000.p/3".into(), (503, 2));
    assert_eq!(log.monitor(&[]).code, 0, "asked again");
    log.grow(1);
    log.files.lock().unwrap().failures.insert("tile/0/000.p/4".into(), (403, 100));
    let ran = log.monitor(&[]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.err.starts_with("lacre-monitor: tile/0/000.p/4: HTTP status 403; the checkpoint is kept in "),
        "{ran:?}"
    );
    assert_eq!(log.contradictions(), 1, "a second history can be withheld, too");
    log.files.lock().unwrap().failures.insert("tile/0/000.p/4".into(), (503, 100));
    let ran = log.monitor(&[]);
    assert_eq!((ran.code, ran.err.as_str()), (3, "lacre-monitor: tile/0/000.p/4: HTTP status 503\n"));
    std::fs::write(log.state(), "no note").unwrap();
    let ran = log.monitor(&[]);
    assert_eq!(ran.code, 2, "{ran:?}");
}
