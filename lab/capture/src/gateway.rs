//! An HTTP server in front of the handlers: converts a request to an event of API Gateway's payload format 2.0, handles
//! it as the Lambda runtime would, including metrics, and returns the response. The peer's `gateway.py` does the same.

use std::{collections::BTreeMap, convert::Infallible, future::Future, pin::Pin, sync::Arc};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse, Response},
    serve::ListenerExt,
};
use lacre_http::Endpoint;
use lacre_metrics::{Initialization, Program};
use lambda_http::{Adapter, Context, LambdaEvent, Service, request::LambdaRequest, service_fn};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::Failure;

const MAX_BODY_BYTES: usize = 1024 * 1024;

type Answer = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send>>;

/// A handler with its route. It takes an event's JSON text and returns the response's.
pub(crate) struct Function {
    route_key: &'static str,
    invoke: Box<dyn Fn(String) -> Answer + Send + Sync>,
}

/// The JSON object that a function returns to API Gateway.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    status_code: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Function {
    /// Wraps an endpoint as a function, with API Gateway's key of its route.
    pub(crate) fn new(route_key: &'static str, name: &'static str, stack: &str, endpoint: impl Endpoint) -> Self {
        let shared = Arc::new((endpoint, Initialization::of(name).done(stack)));
        let invoke = move |event| -> Answer { Box::pin(run(Arc::clone(&shared), event)) };
        Self { route_key, invoke: Box::new(invoke) }
    }
}

async fn run<E: Endpoint>(function: Arc<(E, Program)>, event: String) -> Result<String, Failure> {
    let event: LambdaRequest = serde_json::from_str(&event)?;
    let mut adapter = Adapter::from(service_fn(move |request| {
        let function = Arc::clone(&function);
        async move {
            let (endpoint, program) = &*function;
            Ok::<_, Infallible>(program.measured(lacre_http::answer(endpoint, request)).await)
        }
    }));
    let Ok(answer) = adapter.call(LambdaEvent::new(event, Context::default())).await;
    Ok(serde_json::to_string(&answer)?)
}

/// Serves functions on a free port and returns the address.
pub(crate) async fn start(functions: Vec<Function>) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let router = Router::new().fallback(handle).with_state(Arc::new(functions));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(axum::serve(listener, router).into_future());
    Ok(url)
}

async fn handle(State(functions): State<Arc<Vec<Function>>>, request: Request) -> Response {
    pass(&functions, request).await.unwrap_or_else(|failure| {
        eprintln!("the handler failed: {failure}");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

async fn pass(functions: &[Function], request: Request) -> Result<Response, Failure> {
    let (head, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, MAX_BODY_BYTES).await?.to_vec())?;
    let event = event(&head.method, head.uri.path(), &head.headers, body);
    let function = functions.iter().find(|function| event["routeKey"] == function.route_key).ok_or("no such route")?;
    let reply: Reply = serde_json::from_str(&(function.invoke)(event.to_string()).await?)?;
    let mut response = reply.body.into_response();
    *response.status_mut() = StatusCode::from_u16(reply.status_code)?;
    for (name, value) in &reply.headers {
        response.headers_mut().insert(axum::http::HeaderName::try_from(name)?, value.parse()?);
    }
    Ok(response)
}

/// The event of a request. In every route with a path variable, the last segment is a token.
fn event(method: &Method, path: &str, headers: &HeaderMap, body: String) -> Value {
    let headers: BTreeMap<&str, &str> =
        headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect();
    let mut event = json!({
        "version": "2.0",
        "routeKey": format!("{method} {path}"),
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers,
        "requestContext": {
            "http": { "method": method.as_str(), "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1" },
            "requestId": lacre_storage::attempt_id(),
            "stage": "$default",
        },
        "isBase64Encoded": false,
    });
    match path.rsplit_once('/') {
        Some((place, token)) if *method == Method::GET => {
            event["routeKey"] = format!("{method} {place}/{{token}}").into();
            event["pathParameters"] = json!({ "token": token });
        }
        _ => event["body"] = body.into(),
    }
    event
}
