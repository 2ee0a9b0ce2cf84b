//! The edge of a function: where time, log lines and events come from.

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

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}

/// Starts the log: JSON lines on standard output, from `info` on unless `RUST_LOG` sets others, as a level or as levels
/// of modules (`warn,ingest=info`); release builds hold nothing below `info`. A line has the span that it was written in, which
/// is its request's. A second start in one process changes nothing.
pub fn start_log() {
    let configured = std::env::var("RUST_LOG").ok().and_then(|levels| levels.parse().ok());
    let levels = configured.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let _ = tracing_subscriber::registry().with(lines(stdout)).with(levels).try_init();
}

/// Writes the lines of the log.
pub(crate) fn lines<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + 'static,
{
    fmt::layer().json().flatten_event(true).with_span_list(false).with_writer(writer)
}

/// Takes events from Lambda and answers them, for as long as the process lives. What was answered and what a request measured
/// is emitted once Lambda has the response, and before the next event is asked for: no request waits for a line of the log, and none
/// is lost.
///
/// # Errors
/// When the Lambda runtime cannot be reached.
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
