//! A stand-in for SNS: topics and the messages that were published to them.
//!
//! Messages are not delivered, because there are no subscriptions. `GET /published` returns all published messages as
//! JSON, oldest first. Requests use the query protocol; their signatures are not verified.

mod requests;
mod topics;

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    response::Response,
    routing::{get, post},
};
use tokio::net::TcpListener;

use super::{Error, Storage};
use crate::server::Server;
use topics::{Message, Topics};

type Shared = Arc<Mutex<Topics>>;

/// Starts the stand-in.
pub(crate) fn start(listener: TcpListener, storage: &Storage) -> Result<Server, Error> {
    let topics: Shared = Arc::new(Mutex::new(Topics::open(storage)?));
    let router = Router::new().route("/", post(handle)).route("/published", get(published)).with_state(topics);
    Ok(Server::start(listener, router)?)
}

async fn handle(State(topics): State<Shared>, body: Bytes) -> Response {
    requests::call(&mut topics.lock().unwrap_or_else(PoisonError::into_inner), &body)
}

async fn published(State(topics): State<Shared>) -> Json<Vec<Message>> {
    Json(topics.lock().unwrap_or_else(PoisonError::into_inner).published().to_vec())
}
