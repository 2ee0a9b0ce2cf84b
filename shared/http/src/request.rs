//! Request ids, which connect the logs of API Gateway and of the function, the calls to AWS, and the response.

use lacre_api::headers;
use lacre_storage::{RequestIds, Trace};
use lambda_http::{
    Body, Context, Error, Request, RequestExt, Response,
    http::{HeaderName, HeaderValue, Method, StatusCode},
    request::RequestContext,
};
use tracing::{Instrument, field::Empty};

use crate::{Endpoint, header, response};

/// The response header that contains the request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static(headers::REQUEST_ID);

/// The header in which CloudFront sends the stage's `edge_key`, if a firewall (AWS WAF) is deployed.
const EDGE_KEY: &str = "x-edge-key";

/// Handles a request under the id that API Gateway gave it; no header of the client influences this id. A request that
/// bypassed the firewall is refused before anything else is read.
pub async fn answer(endpoint: &impl Endpoint, request: Request) -> Response<Body> {
    let id = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
        _ => None,
    };
    let ids = RequestIds { request: id.clone(), trace: request.lambda_context_ref().and_then(sampled) };
    lacre_metrics::add(lacre_metrics::REQUEST_BYTES, request.body().len() as f64);
    let is_head = request.method() == Method::HEAD;
    let mut response = match came_through_the_edge(&request) {
        true => in_request(ids, endpoint.handle(request)).await,
        false => response(StatusCode::FORBIDDEN, r#"{"message":"Forbidden"}"#.to_owned()),
    };
    if is_head {
        *response.body_mut() = Body::Empty;
    }
    lacre_metrics::add(lacre_metrics::RESPONSE_BYTES, response.body().len() as f64);
    if response.status().is_server_error() {
        lacre_metrics::add(lacre_metrics::SERVER_ERRORS, 1.0);
    }
    if let Some(id) = id.and_then(|id| HeaderValue::try_from(id).ok()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Whether the request carries CloudFront's key, if the API's stage requires one.
fn came_through_the_edge(request: &Request) -> bool {
    let variables = request.stage_variables();
    variables.first("edge_key").is_none_or(|key| header(request, EDGE_KEY) == Some(key))
}

/// The X-Ray trace of an invocation, if it is sampled.
fn sampled(invocation: &Context) -> Option<Trace> {
    Trace::sampled(invocation.xray_trace_id.as_deref()?)
}

/// Runs the work of a request. Its log lines and its metrics carry `request_id`, and `trace_id` if it is traced; its
/// calls to AWS carry both, see [`lacre_storage::for_request`].
async fn in_request<T>(ids: RequestIds, work: impl Future<Output = T>) -> T {
    // These fields are filled in later by `record_log_subject`.
    let span = tracing::info_span!(
        "request",
        request_id = ids.request.as_deref(),
        trace_id = ids.trace.as_ref().map(Trace::id),
        api_key = Empty,
        license_key = Empty,
        session = Empty,
        capture = Empty
    );
    if let Some(id) = &ids.request {
        lacre_metrics::name_subject("request_id", id);
    }
    lacre_storage::for_request(ids, work).instrument(span).await
}

/// Runs the work of an invocation without a waiting client, under Lambda's request id, and logs the cause of a failure.
///
/// # Errors
/// The error of the work, after which Lambda retries the event.
pub async fn in_invocation<T, E: std::error::Error + Send + Sync + 'static>(
    invocation: &Context,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Error> {
    let logged = async { work.await.inspect_err(|error| tracing::error!(cause = %error, "failed")) };
    let ids = RequestIds { request: Some(invocation.request_id.clone()), trace: sampled(invocation) };
    Ok(in_request(ids, logged).await?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use lacre_api::Refusal;
    use lacre_metrics::Measures;
    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::{OrRefuse, defer::run_deferred, edge::lines, json, record_log_subject, respond};

    /// The request id in the sample event.
    const ID: &str = "JKJaXmPLvHcESHA=";

    /// An endpoint that fails if the request's body says so, and logs from its own task and from a spawned one.
    struct Logs;

    impl Endpoint for Logs {
        async fn handle(&self, request: Request) -> Response<Body> {
            let fails = request.body().as_ref() == b"fail";
            let handler = async {
                record_log_subject("capture", "01234567");
                let other = async { tracing::warn!(aws = lacre_storage::request_ids().request, "another task") };
                tokio::spawn(lacre_storage::for_request(lacre_storage::request_ids(), other).in_current_span())
                    .await
                    .unwrap();
                match fails {
                    true => Err(io::Error::other("DynamoDB")).or_refuse(Refusal::UpstreamUnavailable)?,
                    false => json(&1),
                }
            };
            respond("Lacre", handler).await
        }
    }

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Changes the sample event, and returns the response, the log lines and the metrics.
    async fn answer_to(change: impl Fn(&mut Value)) -> (Response<Body>, Vec<Value>, Measures) {
        let mut event: Value = serde_json::from_str(include_str!("../../../events/image.json")).unwrap();
        change(&mut event);
        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        let log = Log::default();
        let writer = log.clone();
        let _log = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines(move || writer.clone())));
        let (response, measures) = lacre_metrics::collect(run_deferred(answer(&Logs, request))).await;
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (response, lines, measures)
    }

    #[tokio::test]
    async fn response_log_and_metrics_carry_gateway_id() {
        for (body, status) in [("", 200), ("fail", 503)] {
            let (response, lines, measured) = answer_to(|event| {
                event["headers"]["x-request-id"] = "forged".into();
                event["headers"]["apigw-requestid"] = "forged".into();
                event["body"] = body.into();
            })
            .await;
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()["x-request-id"], ID);
            assert_eq!(measured.subjects, [("request_id", ID.to_owned()), ("capture", "01234567".to_owned())]);
            let errors = measured.sums.iter().filter(|(metric, _)| *metric == lacre_metrics::SERVER_ERRORS).count();
            assert_eq!(errors, usize::from(status == 503));
            let [other, refused @ ..] = &lines[..] else { panic!("{lines:?}") };
            assert_eq!(other["aws"], ID);
            let statuses: Vec<_> = refused.iter().map(|line| line["status"].as_u64()).collect();
            assert_eq!(statuses, if status == 503 { vec![Some(503)] } else { Vec::new() });
            for line in &lines {
                let span = serde_json::json!({ "name": "request", "request_id": ID, "capture": "01234567" });
                assert_eq!(line["span"], span);
                assert_eq!(line.to_string().matches(ID).count(), if line == other { 2 } else { 1 });
                assert!(!line.to_string().contains("forged"), "{line}");
            }
        }
    }

    #[tokio::test]
    async fn forged_request_ids_are_ignored() {
        let (response, lines, measured) = answer_to(|event| {
            event["requestContext"]["requestId"] = Value::Null;
            event["headers"]["x-request-id"] = "forged".into();
        })
        .await;
        assert_eq!(response.headers().get("x-request-id"), None);
        assert_eq!(measured.subjects, [("capture", "01234567".to_owned())]);
        assert!(lines.iter().all(|line| line["span"]["request_id"].is_null()), "{lines:?}");
    }

    #[tokio::test]
    async fn refuses_requests_that_bypass_the_firewall() {
        let asked = async |sent: Option<&str>| {
            let (response, lines, _) = answer_to(|event| {
                event["stageVariables"]["edge_key"] = "key-of-the-edge".into();
                if let Some(sent) = sent {
                    event["headers"]["x-edge-key"] = sent.into();
                }
            })
            .await;
            assert_eq!(response.headers()["x-request-id"], ID);
            (response.status().as_u16(), lines.is_empty())
        };
        for sent in [None, Some(""), Some("another")] {
            assert_eq!(asked(sent).await, (403, true), "{sent:?}: the endpoint is not asked");
        }
        assert_eq!(asked(Some("key-of-the-edge")).await, (200, false));
    }

    #[tokio::test]
    async fn failed_invocations_log_cause_and_id() {
        let log = Log::default();
        let writer = log.clone();
        let _log = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines(move || writer.clone())));
        let mut invocation = Context::default();
        invocation.request_id = "8476a536".to_owned();
        invocation.xray_trace_id =
            Some("Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1".to_owned());
        let failed = in_invocation(&invocation, async { Err::<(), _>(io::Error::other("DynamoDB")) }).await;
        assert_eq!(failed.unwrap_err().to_string(), "DynamoDB");
        let line: Value = serde_json::from_slice(&log.0.lock().unwrap()).unwrap();
        assert_eq!(line["cause"], "DynamoDB");
        assert_eq!(line["span"]["request_id"], "8476a536");
        assert_eq!(line["span"]["trace_id"], "1-5759e988-bd862e3fe1be46a994272793");
    }
}
