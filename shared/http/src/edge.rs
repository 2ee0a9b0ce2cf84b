//! The edge of a function: where time, log lines and events come from.

use std::sync::Arc;

use domain::Clock;
use lambda_http::{Request, service_fn};
use time::OffsetDateTime;
use tracing_subscriber::EnvFilter;

use crate::Endpoint;

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}

/// Starts the log: JSON lines on standard output, from `info` on unless `RUST_LOG` tells otherwise. A second start in
/// one process changes nothing.
pub fn start_log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().json().flatten_event(true).with_current_span(true).with_env_filter(filter);
    let _ = log.try_init();
}

/// Takes events from Lambda and answers them, for as long as the process lives.
///
/// # Errors
/// When the Lambda runtime cannot be reached.
pub async fn run(endpoint: impl Endpoint) -> Result<(), lambda_http::Error> {
    let endpoint = Arc::new(endpoint);
    lambda_http::run(service_fn(move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, std::convert::Infallible>(endpoint.handle(request).await) }
    }))
    .await
}
