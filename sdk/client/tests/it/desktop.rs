//! Tests of the store and the transport for desktops.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use license_client::{Clock, FileStore, HttpTransport, RecordStore, SystemClock, Transport, TransportError};

#[test]
fn a_file_keeps_the_last_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record").to_str().unwrap().to_owned();
    let store = FileStore::new(path.clone());
    assert_eq!(store.read().unwrap(), None);
    store.erase().unwrap();
    store.write(b"first, and longer".to_vec()).unwrap();
    store.write(b"second".to_vec()).unwrap();
    assert_eq!(FileStore::new(path).read().unwrap().as_deref(), Some(&b"second"[..]));
    store.erase().unwrap();
    assert_eq!(store.read().unwrap(), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn missing_or_blocking_folders_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let missing = FileStore::new(folder.path().join("missing/record").to_str().unwrap().into());
    assert!(missing.write(b"record".to_vec()).is_err());
    let folder = FileStore::new(folder.path().to_str().unwrap().into());
    assert!(folder.read().is_err());
    assert!(folder.write(b"record".to_vec()).is_err());
    assert!(folder.erase().is_err());
}

const WRITER: &str = "LACRE_TEST_RECORD";

/// The records that the writer stores alternately: larger than a page, so that a partial write would be noticed.
fn record(number: u8) -> Vec<u8> {
    vec![number; 100_000]
}

/// The process of the test below, which runs until it is killed.
#[test]
fn writer() {
    let Ok(path) = env::var(WRITER) else { return };
    let store = FileStore::new(path);
    for number in (0..=255).cycle() {
        store.write(record(number)).unwrap();
        if number == 1 {
            println!("writing");
        }
    }
}

#[test]
fn a_killed_writer_leaves_whole_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record").to_str().unwrap().to_owned();
    for round in 0..20 {
        let mut writer = Command::new(env::current_exe().unwrap())
            .args(["--exact", "desktop::writer", "--nocapture"])
            .env(WRITER, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("writing")));
        thread::sleep(Duration::from_micros(round * 300));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let found = FileStore::new(path.clone()).read().unwrap().unwrap();
        assert_eq!(found, record(found[0]), "round {round}");
        assert!(fs::read_dir(folder.path()).unwrap().count() <= 2, "round {round}");
    }
}

/// A server that handles one connection as the test says, and the URL to post to.
fn server(answer: impl FnOnce(TcpStream) + Send + 'static) -> (String, thread::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/validate", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut request = Vec::new();
        let mut length = 0;
        loop {
            let start = request.len();
            reader.read_until(b'\n', &mut request).unwrap();
            let line = String::from_utf8_lossy(&request[start..]).to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let start = request.len();
        request.resize(start + length, 0);
        reader.read_exact(&mut request[start..]).unwrap();
        answer(stream);
        request
    });
    (url, server)
}

fn post(answer: &'static [u8]) -> (Result<(u16, Vec<u8>), TransportError>, String) {
    let (url, server) = server(move |mut stream| {
        // The client may close the connection first, if the response is too long.
        let _ = stream.write_all(answer);
        let _ = stream.shutdown(Shutdown::Write);
    });
    let response = HttpTransport::new().post(url, b"{\"a\":1}".to_vec(), 10_000);
    (response.map(|response| (response.status, response.body)), String::from_utf8(server.join().unwrap()).unwrap())
}

#[test]
fn any_http_status_is_an_answer() {
    let (answer, request) = post(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    assert_eq!(answer.unwrap(), (200, b"{}".to_vec()));
    assert!(request.starts_with("POST /validate HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("\r\ncontent-type: application/json\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    let (answer, _) = post(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy");
    assert_eq!(answer.unwrap(), (503, b"busy".to_vec()));
}

#[test]
fn redirects_are_not_followed() {
    let (answer, _) =
        post(b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(answer.unwrap(), (307, Vec::new()));
}

#[test]
fn malformed_and_endless_answers_fail() {
    assert!(post(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"valid").0.is_err());
    assert!(post(b"HTTP/1.1 200 OK\r\ncontent-le").0.is_err());
    assert!(post(b"SSH-2.0-OpenSSH_9.2\r\n").0.is_err());
    assert!(post([&b"HTTP/1.1 200 OK\r\n\r\n"[..], &[b' '; 70_000]].concat().leak()).0.is_err());
}

#[test]
fn a_hanging_server_is_a_failure() {
    let (url, _server) = server(|mut stream| {
        // Byte by byte, so that no single read takes long.
        while stream.write_all(b"h").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert!(HttpTransport::new().post(url, Vec::new(), 300).is_err());
}

#[test]
fn the_clock_goes_on() {
    let clock = SystemClock::new();
    let first = clock.now();
    thread::sleep(Duration::from_millis(5));
    let second = clock.now();
    assert!(first.wall_ms > 1_700_000_000_000, "{first:?}");
    assert!(second.monotonic_ms >= first.monotonic_ms + 5, "{first:?} {second:?}");
}
