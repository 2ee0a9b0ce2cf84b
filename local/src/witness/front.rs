//! Where the witness stands: requests pass it byte for byte, signatures included.

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

use super::{note, note_link, notes};
use crate::server::{Server, listen};

/// Starts a server: alone, or with the witness before it where calls are noted.
pub(crate) async fn before<E: From<io::Error>>(
    listener: TcpListener,
    start: impl FnOnce(TcpListener) -> Result<Server, E>,
) -> Result<Server, E> {
    if notes::of_this_process().is_none() {
        return start(listener);
    }
    let behind = start(listen(Ipv4Addr::LOCALHOST.into(), 0).await?)?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let router = Router::new().fallback(pass).with_state(Arc::new(Front { behind, client }));
    Ok(Server::start(listener, router)?)
}

struct Front {
    behind: Server,
    client: Client<HttpConnector, Body>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Body(#[from] axum::Error),
    #[error(transparent)]
    Uri(#[from] InvalidUri),
    #[error(transparent)]
    Behind(#[from] legacy::Error),
}

async fn pass(State(front): State<Arc<Front>>, request: Request) -> Response {
    front.forward(request).await.unwrap_or_else(|cause| {
        tracing::error!(%cause, "a stand-in did not answer the witness");
        StatusCode::BAD_GATEWAY.into_response()
    })
}

impl Front {
    async fn forward(&self, request: Request) -> Result<Response, Error> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        note(&head, &body);
        let asked = head.clone();
        // The signature covers the host that the client named: the header stays as it is.
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        head.uri = format!("{}{path}", self.behind.url()).parse()?;
        let answer = self.client.request(Request::from_parts(head, Body::from(body))).await?;
        if answer.status().is_success() {
            note_link(&asked);
        }
        Ok(answer.map(Body::new))
    }
}
