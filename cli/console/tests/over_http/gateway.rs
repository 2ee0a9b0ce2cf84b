//! Stand-ins for API Gateway: one records requests and returns prepared responses; another cuts connections
//! off.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

/// A recorded request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

#[derive(Default)]
struct Book {
    seen: Mutex<Vec<Seen>>,
    answers: Mutex<VecDeque<(u16, String)>>,
}

/// A recording server, which stops when it is dropped.
pub(crate) struct Gateway {
    pub(crate) url: String,
    book: Arc<Book>,
    task: JoinHandle<()>,
}

impl Gateway {
    /// Returns these responses in order, then empty JSON objects. A redirect leads to another path of this
    /// server.
    pub(crate) async fn answering<const N: usize>(answers: [(u16, &str); N]) -> Self {
        let answers = answers.map(|(status, body)| (status, body.to_owned())).into();
        let book = Arc::new(Book { answers: Mutex::new(answers), ..Book::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&book));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, book, task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.book.seen.lock().unwrap().clone()
    }

    /// The only recorded request; panics if there are more or none.
    pub(crate) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(book): State<Arc<Book>>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    book.seen.lock().unwrap().push(Seen { method, uri, headers, body });
    let next = book.answers.lock().unwrap().pop_front();
    let (status, body) = next.unwrap_or((200, "{}".to_owned()));
    let headers = [(header::LOCATION, "/elsewhere"), (header::SET_COOKIE, "of=the-gateway")];
    (StatusCode::from_u16(status).unwrap(), headers, body).into_response()
}

/// Starts a server that reads a request, sends these bytes and closes the connection.
pub(crate) async fn cutting_off(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 16 * 1024];
            let _ = stream.read(&mut head).await;
            let _ = stream.write_all(bytes).await;
        }
    });
    url
}

/// The address of the discard port (9), where nothing listens.
pub(crate) const NOBODY: &str = "http://127.0.0.1:9";
