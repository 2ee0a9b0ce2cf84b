//! A webhook receiver on this machine, in place of an integrator's.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use tokio::{net::TcpListener, task::JoinHandle};

/// How the receiver responds.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With a status, a body, and a `Location` unless it is empty.
    Status(u16, String, String),
    /// Not at all, with the connection kept open.
    Never,
    /// With status 200 and a body that never ends.
    Endless,
}

impl Answer {
    /// A status without a body.
    pub fn status(status: u16) -> Self {
        Self::Status(status, String::new(), String::new())
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Received {
    /// Its headers.
    pub headers: HeaderMap,
    /// The raw body.
    pub body: Vec<u8>,
}

impl Received {
    /// A header's value.
    #[track_caller]
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// Verifies the message with the Standard Webhooks library. Returns the error if it is rejected.
    pub fn verify(&self, secret: &str) -> Result<(), String> {
        let webhook = standardwebhooks::Webhook::new(secret).unwrap();
        webhook.verify(&self.body, &self.headers).map_err(|error| error.to_string())
    }
}

/// The running receiver, which stops when it is dropped.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Answer>>,
    server: JoinHandle<()>,
}

impl Receiver {
    /// Starts a receiver that accepts every message.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, received) = (listener.local_addr().unwrap(), Arc::default());
        let answer = Arc::new(Mutex::new(Answer::status(204)));
        let router = Router::new().fallback(receive).with_state((Arc::clone(&received), Arc::clone(&answer)));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, received, answer, server }
    }

    /// Its URL on this machine.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/lacre?from=test", self.port())
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Changes how it responds.
    pub fn answer(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    /// Received requests in order of arrival.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

type Shared = (Arc<Mutex<Vec<Received>>>, Arc<Mutex<Answer>>);

async fn receive(State((received, answer)): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    received.lock().unwrap().push(Received { headers, body: body.to_vec() });
    let answer = answer.lock().unwrap().clone();
    match answer {
        Answer::Never => std::future::pending().await,
        Answer::Endless => {
            let start = stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b"{")) });
            Body::from_stream(start.chain(stream::pending())).into_response()
        }
        Answer::Status(status, body, location) => {
            let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
            if !location.is_empty() {
                response.headers_mut().insert(header::LOCATION, location.parse().unwrap());
            }
            response
        }
    }
}
