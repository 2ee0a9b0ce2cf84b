//! A stand-in for KMS with the calls that the service and its provisioning make, on RustCrypto.
//!
//! Its signatures are real: they verify under the public key that it returns. Errors have KMS's exception names. It
//! does not verify the signatures of requests, so anyone who can reach the port can use the keys; import tokens are
//! stored instead of encrypted.

mod envelope;
mod import;
mod input;
mod keys;
mod requests;

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Error, Storage};
use crate::server::Server;
use keys::KeyStore;

/// A KMS exception: its name and a message.
#[derive(Debug)]
pub(crate) struct Exception {
    name: &'static str,
    message: String,
}

impl Exception {
    pub(crate) fn new(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, message: message.into() }
    }

    pub(crate) fn validation(message: impl Into<String>) -> Self {
        Self::new("ValidationException", message)
    }

    pub(crate) fn internal(error: impl std::fmt::Display) -> Self {
        Self::new("KMSInternalException", error.to_string())
    }
}

impl IntoResponse for Exception {
    fn into_response(self) -> Response {
        let status = match self.name {
            "KMSInternalException" => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        answer(status, &json!({ "__type": self.name, "message": self.message }))
    }
}

/// The operation that generates a wrapping key.
const PREPARE_IMPORT: &str = "GetParametersForImport";

type Shared = Arc<Mutex<KeyStore>>;

/// Starts the stand-in.
pub(crate) fn start(listener: TcpListener, storage: &Storage) -> Result<Server, Error> {
    let keys: Shared = Arc::new(Mutex::new(KeyStore::open(storage)?));
    let router = Router::new().route("/", post(handle)).with_state(keys);
    Ok(Server::start(listener, router)?)
}

async fn handle(State(keys): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.strip_prefix("TrentService.").unwrap_or_default().to_owned();
    let Ok(input) = serde_json::from_slice::<Value>(&body) else {
        return Exception::new("SerializationException", "the body is not JSON").into_response();
    };
    // Generating an RSA key takes long, so requests run on blocking threads.
    let called = tokio::task::spawn_blocking(move || {
        // Generating the wrapping key takes longest, so it happens before the key store is locked.
        let import = if operation == PREPARE_IMPORT { Some(requests::prepare_import(&input)?) } else { None };
        let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
        match import {
            Some(import) => requests::get_parameters_for_import(&mut keys, &input, import),
            None => requests::call(&mut keys, &operation, &input),
        }
    });
    match called.await {
        Ok(Ok(output)) => answer(StatusCode::OK, &output),
        Ok(Err(exception)) => exception.into_response(),
        Err(_) => Exception::internal("the call failed").into_response(),
    }
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/x-amz-json-1.1".to_owned()),
        (header::HeaderName::from_static("x-amzn-requestid"), uuid::Uuid::new_v4().to_string()),
    ];
    (status, headers, body.to_string()).into_response()
}
