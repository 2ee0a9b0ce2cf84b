//! Serves the transparency log as its bucket does: checkpoints, daily checkpoints, tiles and entry bundles.

use std::sync::Arc;

use aws_sdk_s3::Client;
use axum::{
    Router,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use lacre_domain::Environment;
use tokio::net::TcpListener;

use crate::server::Server;

/// The bucket that is served.
struct Log {
    s3: Client,
    bucket: String,
}

/// Starts the server and returns it with the log's address, without a trailing slash.
pub(crate) fn start(listener: TcpListener, s3: Client, bucket: String) -> std::io::Result<(Server, String)> {
    let url = format!("http://{}", listener.local_addr()?);
    let router = Router::new().route("/{environment}/{*path}", get(file)).with_state(Arc::new(Log { s3, bucket }));
    Ok((Server::start(listener, router)?, url))
}

/// Serves a file of the log. As on AWS, the bucket policy makes no other objects public.
async fn file(State(log): State<Arc<Log>>, Path((environment, path)): Path<(String, String)>) -> Response {
    let is_public = path == "checkpoint" || path.starts_with("tile/") || path.starts_with("dated/");
    match is_public && Environment::ALL.iter().any(|known| known.path() == environment) {
        true => log.serve(&format!("{environment}/{path}")).await,
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Log {
    async fn serve(&self, key: &str) -> Response {
        let found = self.s3.get_object().bucket(&self.bucket).key(key).send().await;
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
