//! The transparency log, as its bucket serves it: checkpoints, and tiles and entries that never change.

use std::sync::Arc;

use aws_sdk_s3::Client;
use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::Environment;
use tokio::net::TcpListener;

use crate::server::Server;

/// What is served.
struct Log {
    s3: Client,
    bucket: String,
}

/// The server, and the log's address without a slash at the end.
pub(crate) fn start(listener: TcpListener, s3: Client, bucket: String) -> std::io::Result<(Server, String)> {
    let url = format!("http://localhost:{}", listener.local_addr()?.port());
    let router = Router::new()
        .route("/{environment}/checkpoint", get(checkpoint))
        .route("/{environment}/tile/{*path}", get(tile))
        .with_state(Arc::new(Log { s3, bucket }));
    Ok((Server::start(listener, router)?, url))
}

async fn checkpoint(State(log): State<Arc<Log>>, Path(environment): Path<String>) -> Response {
    log.serve(&environment, "checkpoint").await
}

async fn tile(State(log): State<Arc<Log>>, Path((environment, path)): Path<(String, String)>) -> Response {
    log.serve(&environment, &format!("tile/{path}")).await
}

impl Log {
    async fn serve(&self, environment: &str, path: &str) -> Response {
        if !Environment::ALL.iter().any(|known| known.path() == environment) {
            return StatusCode::NOT_FOUND.into_response();
        }
        let found = self.s3.get_object().bucket(&self.bucket).key(format!("{environment}/{path}")).send().await;
        let found = match found {
            Ok(found) => found,
            Err(error) if error.as_service_error().is_some_and(|refused| refused.is_no_such_key()) => {
                return StatusCode::NOT_FOUND.into_response();
            }
            Err(_) => return StatusCode::BAD_GATEWAY.into_response(),
        };
        let text = |header: Option<String>| header.unwrap_or_default();
        let headers =
            [(header::CONTENT_TYPE, text(found.content_type)), (header::CACHE_CONTROL, text(found.cache_control))];
        match found.body.collect().await {
            Ok(body) => (headers, body.into_bytes()).into_response(),
            Err(_) => StatusCode::BAD_GATEWAY.into_response(),
        }
    }
}
