//! A proxy in front of DynamoDB that records calls without changing them. The tests' proxies return old data for reads
//! of indexes, because these cannot be strongly consistent; here the indexes must return their entries.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, to_bytes};
use axum::{Router, extract::Request, http::StatusCode, response::Response, serve::ListenerExt};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::Failure;

/// The endpoint behind the proxy, and the recorded calls.
pub(crate) struct Counter {
    behind: String,
    http: reqwest::Client,
    calls: Mutex<Vec<String>>,
}

impl Counter {
    /// Starts a proxy in front of an endpoint; returns it with its address.
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

    /// The calls since they were last taken, each with operation, table and index.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn pass(&self, request: Request) -> Result<Response, Failure> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await?;
        let target = head.headers.get("x-amz-target").map_or(Ok(""), |target| target.to_str())?;
        let call = name(target.trim_start_matches("DynamoDB_20120810."), &serde_json::from_slice(&body)?);
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        // `Host` stays unchanged because the signature covers it.
        let request = self.http.request(head.method, format!("{}{}", self.behind, head.uri.path()));
        let answer = request.headers(head.headers).body(body).send().await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let mut response = Response::new(Body::from(answer.bytes().await?));
        (*response.status_mut(), *response.headers_mut()) = (status, headers);
        // The body has been read completely.
        response.headers_mut().remove("transfer-encoding");
        Ok(response)
    }
}

/// The name of a call, such as `Query audit by_month` or `BatchGetItem accounts`.
fn name(operation: &str, input: &Value) -> String {
    let batch = input["RequestItems"].as_object().into_iter().flatten().map(|(table, _)| table.as_str());
    let tables = batch.chain(input["TableName"].as_str()).map(|table| table.trim_start_matches("lacre-"));
    [operation].into_iter().chain(tables).chain(input["IndexName"].as_str()).collect::<Vec<_>>().join(" ")
}
