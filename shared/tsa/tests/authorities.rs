//! Tests with authorities on real connections: those that respond, hang, lie or send garbage, and the order in which
//! they are tried.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, Mutex};

use lacre_domain::Clock;
use lacre_proof::{TimestampFailure, TimestampSource, Token};
use lacre_proof_fixtures::authority::{Authority, NONE};
use lacre_tsa::Authorities;
use time::OffsetDateTime;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{Duration, Instant},
};

/// How a server responds to the body of a request; `None` for no response.
type Answer = fn(&[u8]) -> Option<Vec<u8>>;

/// A server that records the headers of requests, with a URL that contains a secret.
struct Server {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
    /// The number of connections that were made.
    connections: Arc<Mutex<usize>>,
}

impl Server {
    async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://user:secret@{}/stamp?key=secret", listener.local_addr().unwrap());
        let (heads, connections) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Mutex<usize>>::default());
        let server = Self { address, heads: Arc::clone(&heads), connections: Arc::clone(&connections) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *connections.lock().unwrap() += 1;
                tokio::spawn(serve(stream, answer, Arc::clone(&heads)));
            }
        });
        server
    }

    fn requests(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

async fn serve(mut stream: TcpStream, answer: Answer, heads: Arc<Mutex<Vec<String>>>) {
    let mut received = Vec::new();
    while stream.read_buf(&mut received).await.is_ok_and(|read| read > 0) {
        let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(received[..end].to_vec()).unwrap().to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let body_end = end + 4 + length.unwrap_or(0);
        if received.len() < body_end {
            continue;
        }
        heads.lock().unwrap().push(head);
        match answer(&received[end + 4..body_end]) {
            Some(answer) => stream.write_all(&answer).await.unwrap_or_default(),
            None => std::future::pending().await,
        }
        received.drain(..body_end);
    }
}

fn http(status: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn truth(query: &[u8]) -> Option<Vec<u8>> {
    Some(http("200 OK", &Authority::shared().answer(query, OffsetDateTime::now_utc(), &NONE)))
}

fn silence(_query: &[u8]) -> Option<Vec<u8>> {
    None
}

fn garbage(_query: &[u8]) -> Option<Vec<u8>> {
    Some(http("200 OK", b"<html>"))
}

fn stale(query: &[u8]) -> Option<Vec<u8>> {
    let an_hour_ago = OffsetDateTime::now_utc() - time::Duration::hours(1);
    Some(http("200 OK", &Authority::shared().answer(query, an_hour_ago, &NONE)))
}

fn endless(_query: &[u8]) -> Option<Vec<u8>> {
    Some(http("200 OK", &vec![0; 100_000]))
}

fn unavailable(_query: &[u8]) -> Option<Vec<u8>> {
    Some(http("503 Service Unavailable", b""))
}

fn elsewhere(_query: &[u8]) -> Option<Vec<u8>> {
    Some(b"HTTP/1.1 302 Found\r\nlocation: /stamp\r\ncontent-length: 0\r\n\r\n".to_vec())
}

fn cut_off(_query: &[u8]) -> Option<Vec<u8>> {
    Some(b"HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\nno more".to_vec())
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}

fn authorities(servers: &[&Server]) -> Authorities {
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    Authorities::new(&addresses, &Authority::shared().anchors_pem, Arc::new(SystemClock)).unwrap()
}

const LONG: Duration = Duration::from_secs(60);
/// Long enough for a local response. Each silent server costs this time.
const ATTEMPT: Duration = Duration::from_secs(2);

async fn ask(servers: &[&Server]) -> Result<Token, TimestampFailure> {
    authorities(servers).until(Instant::now() + LONG, ATTEMPT).timestamp([7; 32]).await
}

#[tokio::test]
async fn sends_rfc_3161_requests_over_one_connection() {
    let server = Server::start(truth).await;
    let authorities = authorities(&[&server]);
    let asking = authorities.until(Instant::now() + LONG, LONG);
    asking.timestamp([7; 32]).await.unwrap();
    asking.timestamp([8; 32]).await.unwrap();
    let heads = server.heads.lock().unwrap().clone();
    assert_eq!(heads.len(), 2);
    for head in heads {
        assert!(head.starts_with("post /stamp?key=secret http/1.1\r\n"), "{head}");
        assert!(head.contains("content-type: application/timestamp-query"), "{head}");
        // The credentials user:secret in Base64.
        assert!(head.contains("authorization: basic dxnlcjpzzwnyzxq="), "{head}");
    }
    assert_eq!(*server.connections.lock().unwrap(), 1);
}

#[tokio::test]
async fn any_failure_asks_the_next_authority() {
    let good = Server::start(truth).await;
    for bad in [silence, garbage, stale, endless, unavailable, elsewhere] as [Answer; 6] {
        let bad = Server::start(bad).await;
        assert!(ask(&[&bad, &good]).await.is_ok());
        assert_eq!(bad.requests(), 1);
    }
    assert_eq!(good.requests(), 6);
}

#[tokio::test]
async fn names_each_authoritys_fault_without_secrets() {
    let unknown = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://user:secret@{}/stamp", listener.local_addr().unwrap());
        Server { address, heads: Arc::default(), connections: Arc::default() }
    };
    for (answer, fault) in [
        (silence as Answer, "no response within 2000 ms"),
        (garbage, "the timestamp cannot be read"),
        (stale, "differs from this clock's"),
        (endless, "a response of more than 65536 bytes"),
        (unavailable, "HTTP status 503"),
        (elsewhere, "HTTP status 302"),
    ] {
        let server = Server::start(answer).await;
        let TimestampFailure(text) = ask(&[&unknown, &server]).await.unwrap_err();
        let (first, second) = text.split_once("; ").unwrap();
        assert!(first.starts_with("http://127.0.0.1:") && first.contains("/stamp: "), "{text}");
        assert!(second.starts_with("http://127.0.0.1:") && second.contains(fault), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
    let cut_off = Server::start(cut_off).await;
    assert!(ask(&[&cut_off]).await.is_err(), "an answer that never ends");
}

#[tokio::test]
async fn skips_failed_authorities_within_one_capture() {
    let (bad, good) = (Server::start(unavailable).await, Server::start(truth).await);
    let authorities = authorities(&[&bad, &good]);
    let asking = authorities.until(Instant::now() + LONG, LONG);
    asking.timestamp([7; 32]).await.unwrap();
    asking.timestamp([8; 32]).await.unwrap();
    assert_eq!((bad.requests(), good.requests()), (1, 2));
    authorities.until(Instant::now() + LONG, LONG).timestamp([9; 32]).await.unwrap();
    assert_eq!((bad.requests(), good.requests()), (2, 3), "for the next one it is");
}

#[tokio::test]
async fn stops_awaiting_authorities_at_the_deadline() {
    let (one, other) = (Server::start(silence).await, Server::start(silence).await);
    let authorities = authorities(&[&one, &other]);
    let asking = authorities.until(Instant::now() + Duration::from_millis(100), LONG);
    let TimestampFailure(text) = asking.timestamp([7; 32]).await.unwrap_err();
    assert_eq!(text.matches("no response within").count(), 2, "one that hangs leaves the other its part: {text}");
    assert_eq!(asking.timestamp([7; 32]).await.unwrap_err().0, "every timestamp authority failed before");
}

#[test]
fn refuses_unreadable_addresses_and_roots() {
    let roots = &Authority::shared().anchors_pem;
    let refused = |addresses: &[&str], roots: &str| {
        let addresses: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
        Authorities::new(&addresses, roots, Arc::new(SystemClock)).err().unwrap()
    };
    assert_eq!(refused(&[], roots), "no timestamp authority");
    let bad = refused(&["http://act.example", "ftp://user:secret@act.example"], roots);
    assert!(bad.contains("must be http or https, not ftp") && !bad.contains("secret"), "{bad}");
    assert!(refused(&["http://act.example"], "no PEM").starts_with("the authorities' roots"));
}
