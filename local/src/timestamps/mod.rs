//! A timestamp authority (RFC 3161) for development. Its certificate has the profile of a real one, its clock is the
//! service's, and only this machine trusts its root.
//!
//! `POST /tsa` takes an `application/timestamp-query` and returns an `application/timestamp-reply` (RFC 3161, 3.4).

mod answer;
mod kept;
mod oid;
mod token;

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use lacre_domain::{Clock, SignaturePolicy, Timestamping};
use tokio::net::TcpListener;

use self::{answer::Responder, kept::Kept};
use crate::{provision, server::Server, stand_ins::Storage};

const PATH: &str = "/tsa";
const QUERY: &str = "application/timestamp-query";
const REPLY: &str = "application/timestamp-reply";

/// The running authority. It stops when it is dropped.
pub(crate) struct Authority {
    server: Server,
    roots_pem: String,
}

impl Authority {
    /// Starts the authority that the storage contains, or a new one.
    pub(crate) async fn start(
        listener: TcpListener,
        storage: Option<&Storage>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, crate::Error> {
        let kept = Kept::of(storage, clock.now()).await?;
        let step = provision::Error::at("reading the timestamp authority's key");
        let responder = Responder::new(&kept, Arc::clone(clock)).map_err(|error| step(&error))?;
        let router = Router::new().route(PATH, post(reply)).with_state(Arc::new(responder));
        Ok(Self { server: Server::start(listener, router)?, roots_pem: kept.roots_pem })
    }

    /// The authority's URL.
    pub(crate) fn url(&self) -> String {
        self.server.url() + PATH
    }

    /// The timestamp settings for a signer profile that uses this authority.
    pub(crate) fn timestamping(&self) -> Timestamping {
        Timestamping {
            authorities: vec![self.url()],
            roots_pem: self.roots_pem.clone(),
            policy: SignaturePolicy::ad_rt_v2_4(),
        }
    }
}

async fn reply(State(responder): State<Arc<Responder>>, headers: HeaderMap, query: Bytes) -> Response {
    if headers.get(CONTENT_TYPE).is_none_or(|kind| kind != QUERY) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    match responder.answer(&query) {
        Ok(answer) => ([(CONTENT_TYPE, REPLY)], answer).into_response(),
        Err(error) => {
            tracing::error!(%error, "no timestamp could be made");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
