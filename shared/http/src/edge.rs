//! The runtime environment of a function: the system clock, the log, and the event loop of Lambda.

use std::{convert::Infallible, io::stdout, sync::Arc};

use lacre_domain::Clock;
use lacre_metrics::Program;
use lambda_http::{
    Request,
    lambda_runtime::LambdaInvocation,
    service_fn,
    tower::{ServiceExt, layer::layer_fn},
};
use time::OffsetDateTime;
use tracing::Subscriber;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    fmt::{self, MakeWriter},
    layer::SubscriberExt,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

use crate::{Endpoint, answer, defer::run_deferred};

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}

/// Starts the log: JSON lines on standard output, of level `info` and above unless `RUST_LOG` sets a level or levels of
/// modules (`warn,ingest=info`). Release builds contain no events below `info`. Each line includes the span in which it
/// was written, that is, its request. Calling this again in the same process has no effect.
pub fn start_log() {
    let configured = std::env::var("RUST_LOG").ok().and_then(|levels| levels.parse().ok());
    let levels = configured.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let _ = tracing_subscriber::registry().with(lines(stdout)).with(levels).try_init();
}

/// The layer that writes the log's lines.
pub(crate) fn lines<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    fmt::layer().json().flatten_event(true).with_span_list(false).with_writer(writer)
}

/// Receives events from Lambda and responds to them until the process ends. Log lines and metrics of a request are
/// written after Lambda has the response and before the next event is requested. So no request waits for them, and none
/// are lost when the process is frozen.
///
/// # Errors
/// Fails if the Lambda runtime API cannot be reached.
pub(crate) async fn run(endpoint: impl Endpoint, program: Program) -> Result<(), lambda_http::Error> {
    let (endpoint, program) = (Arc::new(endpoint), Arc::new(program));
    let handler = service_fn(move |request: Request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(answer(&*endpoint, request).await) }
    });
    let measured = layer_fn(|invocations| {
        let program = Arc::clone(&program);
        ServiceExt::<LambdaInvocation>::map_future(invocations, move |answered| {
            let program = Arc::clone(&program);
            async move { program.measured(run_deferred(answered)).await }
        })
    });
    lambda_http::runtime(handler).layer(measured).run().await
}
