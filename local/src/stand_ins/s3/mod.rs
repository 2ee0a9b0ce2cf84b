//! A stand-in for S3: the `s3s` crate in front of a small store.
//!
//! `s3s` verifies signatures in headers and presigned URLs, including their expiry. Permissions, CORS and the objects
//! are implemented here. Buckets use path-style addressing.

mod access;
mod bucket;
mod checksums;
mod configuration;
mod content;
mod cors;
mod cors_rule;
mod description;
mod listing;
mod operations;
mod refusal;
mod settings;
mod store;
mod versions;

use std::sync::Arc;

use axum::{Router, middleware, response::IntoResponse};
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;

use super::{Error, Storage};
use crate::server::Server;
use access::Policies;
use operations::Objects;
use store::Store;

pub use access::{Identity, KeyPair};

/// Starts the stand-in.
pub(crate) fn start(listener: TcpListener, storage: &Storage, key_pairs: Vec<KeyPair>) -> Result<Server, Error> {
    let store = Arc::new(Store::open(storage)?);
    let policies = Policies::new(key_pairs);
    let mut builder = S3ServiceBuilder::new(Objects::new(Arc::clone(&store)));
    builder.set_auth(policies.clone());
    builder.set_access(policies);
    let service = builder.build();
    let handler = move |request: axum::extract::Request| {
        let service = service.clone();
        async move {
            match service.call(request.map(s3s::Body::http_body_unsync)).await {
                Ok(response) => response.map(axum::body::Body::new).into_response(),
                // `s3s` answers every refusal itself; an error here means that the connection was closed early.
                Err(_) => axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        }
    };
    let router = Router::new().fallback(handler).layer(middleware::from_fn_with_state(store, cors::apply));
    Ok(Server::start(listener, router)?)
}
