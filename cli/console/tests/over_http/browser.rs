//! Sends requests byte by byte, so that no HTTP client normalizes what a test sends.

use axum::http::Uri;
use lacre_console::Console;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A browser that has opened the console's session.
pub(crate) struct Browser {
    pub(crate) port: u16,
    /// The session cookie as `NAME=VALUE`.
    pub(crate) cookie: String,
    pub(crate) token: String,
}

impl Browser {
    /// Opens the console with its one-time code.
    pub(crate) async fn open(console: &Console) -> Self {
        let port = port(console);
        let answer = Request::new(port, "GET", &opening_path(console)).send().await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let token = answer.header("location").unwrap().strip_prefix("/#session=").unwrap().to_owned();
        Self { port, cookie, token }
    }

    /// A request as the page sends it, with cookie and token.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        let request = Request::new(self.port, method, path);
        let origin = format!("http://127.0.0.1:{}", self.port);
        let request = request.header("cookie", &self.cookie).header("x-console-session", &self.token);
        let request = request.header("sec-fetch-site", "same-origin").header("sec-fetch-mode", "cors");
        if method == "GET" { request } else { request.header("origin", &origin) }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request("GET", path).send().await
    }

    pub(crate) async fn post(&self, path: &str) -> Answer {
        self.request("POST", path).body(b"{}").send().await
    }
}

pub(crate) fn port(console: &Console) -> u16 {
    console.url().parse::<Uri>().unwrap().port_u16().unwrap()
}

/// Path and query of the opening address, including the code.
pub(crate) fn opening_path(console: &Console) -> String {
    console.opening_url().strip_prefix(&console.url()).unwrap().to_owned()
}

/// A request whose headers the test sets.
#[derive(Clone)]
pub(crate) struct Request {
    port: u16,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request that has only the `Host` header.
    pub(crate) fn new(port: u16, method: &str, target: &str) -> Self {
        let host = ("host".to_owned(), format!("127.0.0.1:{port}"));
        Self { port, line: format!("{method} {target} HTTP/1.1"), headers: vec![host], body: Vec::new() }
    }

    /// Sets a header, replacing others of the same name.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a header, keeping others of the same name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn body(mut self, body: &[u8]) -> Self {
        self.body = body.to_vec();
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let mut head = format!("{}\r\nconnection: close\r\n", self.line);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        // A server that rejects the request after its head may close the connection before it has read the
        // body.
        let _ = stream.write_all(&[head.as_bytes(), &self.body].concat()).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        Answer::read(&String::from_utf8(bytes).unwrap())
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Self { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap()
    }

    /// The status and the reason code of an error.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let body = self.json();
        assert!(!body["error"].as_str().unwrap().is_empty(), "{body}");
        (self.status, body["reason"].as_str().unwrap().to_owned())
    }
}

/// The expected status and reason code of an error.
pub(crate) fn refused(status: u16, reason: &str) -> (u16, String) {
    (status, reason.to_owned())
}
