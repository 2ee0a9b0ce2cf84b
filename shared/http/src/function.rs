//! The common parts of the functions behind API Gateway, and the start of their binaries.

use std::sync::Arc;

use aws::{Config, Connection, TimeBudgets, within};
use domain::Clock;
use lacre_metrics::Initialization;
use lambda_http::{Body, Response};
use time::OffsetDateTime;

use crate::{Endpoint, Rejection, SystemClock, respond, run, start_log};

/// The parts that every endpoint of `docs/reference/api.md#routes` has beside its ports.
pub struct Context {
    clock: Arc<dyn Clock>,
    /// The time budgets of a request and its steps.
    pub budgets: TimeBudgets,
    /// The operator's name in message texts.
    pub service_name: String,
}

impl Context {
    /// The context of a function, by its configuration.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let config = connection.config();
        Self { clock, budgets: config.budgets, service_name: config.service_name.clone() }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Runs a handler within the request's budget, and turns its outcome into a response.
    pub async fn respond(&self, handler: impl Future<Output = Result<Response<Body>, Rejection>>) -> Response<Body> {
        respond(&self.service_name, within(self.budgets.request, handler)).await
    }
}

/// The `main` of a function behind API Gateway: log, connection, endpoint, warm-up, then the runtime's loop. `name` is the
/// function's, which its metrics carry.
///
/// # Errors
/// When a variable of the configuration is missing, or the Lambda runtime cannot be reached.
pub async fn start<E: Endpoint>(
    name: &'static str,
    new: fn(&Connection, Arc<dyn Clock>) -> E,
) -> Result<(), lambda_http::Error> {
    let mut start = Initialization::of(name);
    start_log();
    let connection = Connection::new(Config::from_env()?)?;
    let endpoint = new(&connection, Arc::new(SystemClock));
    start.connect(within(connection.config().budgets.warm_up, endpoint.warm_up())).await;
    run(endpoint, start.done(&connection.config().stack_name)).await
}
