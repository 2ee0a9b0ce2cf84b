//! A gateway that behaves like API Gateway's HTTP APIs: it turns a request into an event of payload format 2.0, passes
//! it to a handler through the Lambda runtime's own conversion, and returns the handler's response.
//!
//! Its own errors are worded as API Gateway words them: 400 for a malformed request or a missing host, 404 for an
//! unknown route or method, 413 for a body over 10 MB or an event over Lambda's 6 MB, 500 for a handler that failed or
//! returned more than Lambda allows, 503 for a handler that timed out. A gateway is either open to pages, with CORS
//! headers also on errors, or requires IAM signatures and answers 403 to all other callers.

mod authorizer;
mod cors;
mod event;
mod lambda;
mod routes;

use std::{error::Error, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use http_body_util::LengthLimitError;
use lacre_domain::Origin;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

use crate::{cloud_watch::CloudWatch, server::Server};
use event::Found;

pub(crate) use authorizer::Authorizer;
pub(crate) use lambda::{Function, Lambda};
pub(crate) use routes::Route;

const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;
/// Lambda's limit for the event of a synchronous invocation, in bytes.
const MAX_EVENT_BYTES: usize = 6 * 1024 * 1024;
const INTEGRATION_TIMEOUT: Duration = Duration::from_secs(30);

/// Who may call a gateway.
pub(crate) enum Access {
    /// Everyone; pages of every origin may read the responses.
    Pages,
    /// Everyone, but only the hosted page may read the responses: this is the hosted flow's API. The origin is that of
    /// the hosted page, if it differs from the request's host.
    Hosted(Option<Origin>),
    /// Everyone, but no page of another origin may read the responses: backends authenticate with an API key.
    Backends,
    /// Callers that sign their requests (SigV4).
    Signed(Authorizer),
}

impl Access {
    /// The stage variables of the hosted flow's API.
    fn stage_variables(&self) -> Option<Value> {
        match self {
            Self::Pages | Self::Backends | Self::Signed(_) => None,
            Self::Hosted(None) => Some(json!({ "flow": "hosted" })),
            Self::Hosted(Some(page)) => Some(json!({ "flow": "hosted", "page_origin": page })),
        }
    }
}

struct Gateway {
    routes: Vec<Route>,
    access: Access,
    /// The gateway's logical name in the template.
    api: &'static str,
    watch: CloudWatch,
}

/// Starts a server for the routes.
pub(crate) fn start(
    listener: TcpListener,
    routes: Vec<Route>,
    access: Access,
    named: (&'static str, &CloudWatch),
) -> std::io::Result<Server> {
    Server::start(listener, router(routes, access, named))
}

/// A router that passes every request to the function of its route, or answers with the gateway's own error.
pub(crate) fn router(routes: Vec<Route>, access: Access, (api, watch): (&'static str, &CloudWatch)) -> Router {
    let gateway = Gateway { routes, access, api, watch: watch.clone() };
    Router::new().fallback(handle).with_state(Arc::new(gateway))
}

async fn handle(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let request_id = uuid::Uuid::new_v4().simple().to_string();
    let is_open = matches!(gateway.access, Access::Pages);
    let has_origin = request.headers().contains_key(header::ORIGIN);
    let mut response = match *request.method() {
        Method::OPTIONS if is_open => cors::preflight(request.headers()),
        _ => gateway.integrate(client, request, &request_id).await,
    };
    gateway.watch.answered(gateway.api, response.status().as_u16());
    if has_origin && is_open {
        cors::allow(response.headers_mut());
    }
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert("apigw-requestid", id);
    }
    response
}

impl Gateway {
    async fn integrate(&self, client: SocketAddr, request: Request, request_id: &str) -> Response {
        if !names_a_host(request.headers()) {
            return message(StatusCode::BAD_REQUEST, "Bad Request");
        }
        let (method, path) = (request.method(), request.uri().path());
        let found = self.routes.iter().find_map(|route| Some((route, route.matches(method, path)?)));
        let Some((route, path_parameters)) = found else { return message(StatusCode::NOT_FOUND, "Not Found") };
        let (head, body) = request.into_parts();
        let body = match to_bytes(body, MAX_BODY_BYTES).await {
            Ok(body) => body,
            Err(error) if error.source().is_some_and(|cause| cause.is::<LengthLimitError>()) => return too_large(),
            Err(_) => return message(StatusCode::BAD_REQUEST, "Bad Request"),
        };
        let authorizer = match &self.access {
            Access::Pages | Access::Backends | Access::Hosted(_) => None,
            Access::Signed(authorizer) => match authorizer.caller(&head, &body) {
                Some(caller) => Some(caller),
                None => return message(StatusCode::FORBIDDEN, "Forbidden"),
            },
        };
        let route_key = &route.key();
        let stage_variables = self.access.stage_variables();
        let found = Found { route_key, path_parameters, client, authorizer, stage_variables, request_id };
        let event = event::event(found, &head, &body);
        let response = invoke(route, event.to_string()).await;
        // Logs the route instead of the path, because paths contain session tokens and ids.
        tracing::info!(route = route_key, status = response.status().as_u16(), request_id, "answered");
        response
    }
}

async fn invoke(route: &Route, event: String) -> Response {
    if event.len() > MAX_EVENT_BYTES {
        return too_large();
    }
    match tokio::time::timeout(INTEGRATION_TIMEOUT, route.function.invoke(event)).await {
        Ok(Ok(response)) => response,
        Ok(Err(cause)) => {
            tracing::error!(route = route.key(), cause, "the function failed");
            message(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")
        }
        Err(_) => message(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
    }
}

/// Whether the request has exactly one valid `Host`. The URL in the event is built from it.
fn names_a_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).into_iter();
    let (host, another) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
    another.is_none() && host.is_some_and(|host| Url::parse(&format!("http://{host}/")).is_ok())
}

fn too_large() -> Response {
    message(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large")
}

fn message(status: StatusCode, text: &str) -> Response {
    let body = json!({ "message": text }).to_string();
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(body)).into_response()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;
    use crate::server::listen;
    use lacre_domain::Clock;
    use lacre_http::Endpoint;
    use lambda_http::{Body as LambdaBody, RequestExt};
    use std::net::Ipv4Addr;

    /// Test endpoint that behaves as the last segment of the path says.
    struct Obedient;

    impl Endpoint for Obedient {
        async fn handle(&self, request: lambda_http::Request) -> lambda_http::Response<LambdaBody> {
            let response = lambda_http::Response::builder();
            match request.path_parameters().first("what").unwrap() {
                "echo" => response
                    .status(201)
                    .header("content-type", "application/octet-stream")
                    .header("x-method", request.method().as_str())
                    .header("x-path", request.raw_http_path())
                    .header("x-query", request.query_string_parameters().first("q").unwrap_or_default())
                    .header("x-agent", request.headers().get("user-agent").unwrap())
                    .header("set-cookie", "a=1")
                    .header("set-cookie", "b=2")
                    .body(LambdaBody::Binary(request.body().to_vec()))
                    .unwrap(),
                "largest" => response.body(LambdaBody::Text("x".repeat(6_291_000))).unwrap(),
                "too-large" => response.body(LambdaBody::Text("x".repeat(6_291_556))).unwrap(),
                other => panic!("{other}"),
            }
        }
    }

    async fn post(what: &str) -> reqwest::Response {
        let clock: Arc<dyn Clock> = Arc::new(lacre_http::SystemClock);
        let watch = CloudWatch::new(&clock);
        let function = Function::of(
            Obedient,
            ("ObedientFunction", "obedient"),
            &Lambda { watch: watch.clone(), concurrency: None, timeout: None },
        );
        let route = Route::new(Method::POST, "/do/{what}", function);
        let listener = listen(Ipv4Addr::LOCALHOST.into(), 0).await.unwrap();
        let server = start(listener, vec![route], Access::Pages, ("ObedientApi", &watch)).unwrap();
        let post = reqwest::Client::new().post(format!("{}/do/{what}?q=1", server.url())).header("user-agent", "test");
        post.body(vec![0xFF, 0x00]).send().await.unwrap()
    }

    #[tokio::test]
    async fn passes_request_and_response_whole() {
        let response = post("echo").await;
        assert_eq!(response.status(), 201);
        let headers = response.headers();
        assert_eq!(
            [&headers["x-method"], &headers["x-path"], &headers["x-query"], &headers["x-agent"]],
            ["POST", "/do/echo", "1", "test"]
        );
        assert_eq!(headers.get_all("set-cookie").into_iter().collect::<Vec<_>>(), ["a=1", "b=2"]);
        assert_eq!(response.bytes().await.unwrap().as_ref(), [0xFF, 0x00]);
    }

    #[tokio::test]
    async fn failed_functions_are_the_gateways_500() {
        for what in ["panic", "too-large"] {
            let response = post(what).await;
            assert_eq!(response.status(), 500);
            assert_eq!(response.text().await.unwrap(), r#"{"message":"Internal Server Error"}"#);
        }
        assert_eq!(post("largest").await.text().await.unwrap().len(), 6_291_000);
    }
}
