//! A door before DynamoDB that writes down each call and changes nothing. Those of the tests answer a read of an index as if
//! it was still empty, for no index can be read consistently; here it is to be found full.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, to_bytes};
use axum::{Router, extract::Request, http::StatusCode, response::Response, serve::ListenerExt};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::Failure;

/// The door's other side, and the calls that passed.
pub(crate) struct Counter {
    behind: String,
    http: reqwest::Client,
    calls: Mutex<Vec<String>>,
}

impl Counter {
    /// Opens a door before an endpoint; answers with its address too.
    pub(crate) async fn before(endpoint: &str) -> Result<(Arc<Self>, String), Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let behind = endpoint.trim_end_matches('/').to_owned();
        let counter = Arc::new(Self { behind, http: reqwest::Client::new(), calls: Mutex::default() });
        let own = Arc::clone(&counter);
        let router = Router::new().fallback(move |request: Request| {
            let own = Arc::clone(&own);
            async move { own.pass(request).await.map_err(|lost| (StatusCode::BAD_GATEWAY, lost.to_string())) }
        });
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        tokio::spawn(axum::serve(listener, router).into_future());
        Ok((counter, url))
    }

    /// The calls since they were last taken: operation, table and index.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn pass(&self, request: Request) -> Result<Response, Failure> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await?;
        let target = head.headers.get("x-amz-target").map_or(Ok(""), |target| target.to_str())?;
        let call = name(target.trim_start_matches("DynamoDB_20120810."), &serde_json::from_slice(&body)?);
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        // The signature covers the host that the client named: the header stays as it is.
        let request = self.http.request(head.method, format!("{}{}", self.behind, head.uri.path()));
        let answer = request.headers(head.headers).body(body).send().await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let mut response = Response::new(Body::from(answer.bytes().await?));
        (*response.status_mut(), *response.headers_mut()) = (status, headers);
        // The body is whole by now.
        response.headers_mut().remove("transfer-encoding");
        Ok(response)
    }
}

/// `Query audit by_month`, `BatchGetItem accounts`.
fn name(operation: &str, input: &Value) -> String {
    let batch = input["RequestItems"].as_object().into_iter().flatten().map(|(table, _)| table.as_str());
    let tables = batch.chain(input["TableName"].as_str()).map(|table| table.trim_start_matches("lacre-"));
    [operation].into_iter().chain(tables).chain(input["IndexName"].as_str()).collect::<Vec<_>>().join(" ")
}
