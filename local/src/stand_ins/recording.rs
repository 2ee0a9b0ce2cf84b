//! A proxy that records requests and forwards them byte for byte, including their signatures.

use std::{io, net::Ipv4Addr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, uri::InvalidUri},
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{self, Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::net::TcpListener;

use crate::server::{Server, listen};

/// Starts a server, behind a recording proxy if calls are to be recorded.
pub(super) async fn recorded<E: From<io::Error>>(
    listener: TcpListener,
    start: impl FnOnce(TcpListener) -> Result<Server, E>,
) -> Result<Server, E> {
    if !lacre_permissions::is_recording() {
        return start(listener);
    }
    let upstream = start(listen(Ipv4Addr::LOCALHOST.into(), 0).await?)?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let router = Router::new().fallback(pass).with_state(Arc::new(Proxy { upstream, client }));
    Ok(Server::start(listener, router)?)
}

struct Proxy {
    upstream: Server,
    client: Client<HttpConnector, Body>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Body(#[from] axum::Error),
    #[error(transparent)]
    Uri(#[from] InvalidUri),
    #[error(transparent)]
    Upstream(#[from] legacy::Error),
}

async fn pass(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    proxy.forward(request).await.unwrap_or_else(|cause| {
        tracing::error!(%cause, "a stand-in did not respond");
        StatusCode::BAD_GATEWAY.into_response()
    })
}

impl Proxy {
    async fn forward(&self, request: Request) -> Result<Response, Error> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        lacre_permissions::record(&head, &body);
        let requested = head.clone();
        // `Host` stays unchanged because the signature covers it.
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        head.uri = format!("{}{path}", self.upstream.url()).parse()?;
        let answer = self.client.request(Request::from_parts(head, Body::from(body))).await?;
        if answer.status().is_success() {
            lacre_permissions::record_presigned(&requested);
        }
        Ok(answer.map(Body::new))
    }
}
