//! Invokes a function as the Lambda runtime does.

use std::{convert::Infallible, future::Future, pin::Pin, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use lacre_http::Endpoint;
use lacre_metrics::Initialization;
use lambda_http::{Adapter, Context, LambdaEvent, Request, Service, request::LambdaRequest, service_fn};
use serde::Deserialize;

use tokio::sync::Semaphore;

use super::message;
use crate::{cloud_watch::CloudWatch, service::STACK};

/// Lambda's limit for a synchronous response, in bytes, including the envelope.
const MAX_ANSWER_BYTES: usize = 6_291_556;

/// The response to an event, or why the invocation failed.
type Answer = Pin<Box<dyn Future<Output = Result<Response, String>> + Send>>;

/// A function that takes an event's JSON text and returns a response.
#[derive(Clone)]
pub(crate) struct Function {
    invoke: Arc<dyn Fn(String) -> Answer + Send + Sync>,
}

/// Settings that all functions share: their metrics and limits.
#[derive(Clone)]
pub(crate) struct Lambda {
    pub(crate) watch: CloudWatch,
    /// Maximum concurrent invocations of each function; `None` means unlimited.
    pub(crate) concurrency: Option<usize>,
    /// Timeout of an invocation; `None` means that it never ends.
    pub(crate) timeout: Option<Duration>,
}

/// The JSON object that a function returns to API Gateway.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    status_code: u16,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

impl Function {
    pub(super) fn new(invoke: impl Fn(String) -> Answer + Send + Sync + 'static) -> Self {
        Self { invoke: Arc::new(invoke) }
    }

    /// Wraps an endpoint as a function, with its logical name in the template and the name in its metrics.
    pub(crate) fn of(endpoint: impl Endpoint, (logical, name): (&'static str, &'static str), lambda: &Lambda) -> Self {
        let (endpoint, watch) = (Arc::new(endpoint), lambda.watch.clone());
        let timeout = lambda.timeout.unwrap_or(Duration::MAX);
        let instances = Arc::new(Semaphore::new(lambda.concurrency.unwrap_or(Semaphore::MAX_PERMITS)));
        let program = Arc::new(Initialization::of(name).done(STACK));
        Self::new(move |event| {
            let (endpoint, program, watch) = (Arc::clone(&endpoint), Arc::clone(&program), watch.clone());
            let instance = Arc::clone(&instances).try_acquire_owned();
            Box::pin(async move {
                let Ok(_instance) = instance else {
                    watch.throttled(logical);
                    return Ok(message(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"));
                };
                let begun = watch.now();
                // Each invocation is a separate task, so that a panic fails the invocation and not the gateway.
                let running = tokio::spawn(async move { program.measure(run(endpoint, event)).await });
                let ending = running.abort_handle();
                let answer = match tokio::time::timeout(timeout, running).await {
                    Ok(Ok((answer, records))) => {
                        records.into_iter().for_each(|record| watch.read(record.line().as_bytes()));
                        answer
                    }
                    Ok(Err(_)) => Err("the handler panicked".to_owned()),
                    Err(_) => {
                        ending.abort();
                        Err("the function took too long".to_owned())
                    }
                };
                watch.invoked(logical, begun, answer.is_err());
                answer
            })
        })
    }

    pub(super) async fn invoke(&self, event: String) -> Result<Response, String> {
        (self.invoke)(event).await
    }
}

async fn run(endpoint: Arc<impl Endpoint>, event: String) -> Result<Response, String> {
    let event: LambdaRequest = serde_json::from_str(&event).map_err(|error| error.to_string())?;
    let mut adapter = Adapter::from(service_fn(move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(lacre_http::answer(&*endpoint, request).await) }
    }));
    let Ok(answer) = adapter.call(LambdaEvent::new(event, Context::default())).await;
    let answer = serde_json::to_vec(&answer).map_err(|error| error.to_string())?;
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(format!("the response has {} bytes", answer.len()));
    }
    let reply: Reply = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    reply.into_response()
}

impl Reply {
    fn into_response(self) -> Result<Response, String> {
        let body = self.body.unwrap_or_default();
        let body = match self.is_base64_encoded {
            true => BASE64_STANDARD.decode(body).map_err(|error| error.to_string())?,
            false => body.into_bytes(),
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(self.status_code).map_err(|error| error.to_string())?;
        let cookies = self.cookies.into_iter().map(|cookie| (header::SET_COOKIE.as_str().to_owned(), cookie));
        for (name, value) in self.headers.into_iter().chain(cookies) {
            let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
            response.headers_mut().append(name, value);
        }
        Ok(response)
    }
}
