use std::{error::Error, sync::Arc, time::Duration};

use ureq::Agent;

use crate::supplied::{Response, Transport, TransportError};

/// Maximum bytes of a response that are read. A verdict has fewer than 1,000.
const MAX_BODY: u64 = 64 * 1024;

/// HTTP with `ureq`, and TLS with `rustls` and Mozilla's root certificates. Follows no redirects, and uses the proxy
/// from the environment variables.
#[derive(Debug, uniffi::Object)]
pub struct HttpTransport {
    agent: Agent,
}

#[uniffi::export]
impl HttpTransport {
    /// Creates a transport, without opening a connection.
    #[uniffi::constructor]
    #[must_use]
    pub fn new() -> Arc<Self> {
        let config =
            Agent::config_builder().http_status_as_error(false).max_redirects(0).max_redirects_will_error(false);
        Arc::new(Self { agent: config.build().into() })
    }
}

#[uniffi::export]
impl Transport for HttpTransport {
    fn post(&self, url: String, body: Vec<u8>, timeout_ms: u64) -> Result<Response, TransportError> {
        let answer = self
            .agent
            .post(url)
            .config()
            .timeout_global(Some(Duration::from_millis(timeout_ms)))
            .build()
            .content_type("application/json")
            .send(&body)
            .map_err(|error| failed(&error))?;
        let status = answer.status().as_u16();
        let body =
            answer.into_body().into_with_config().limit(MAX_BODY).read_to_vec().map_err(|error| failed(&error))?;
        Ok(Response { status, body })
    }
}

fn failed(error: &dyn Error) -> TransportError {
    TransportError::Failed { detail: error.to_string() }
}
