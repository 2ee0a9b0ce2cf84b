//! The common parts of the functions behind API Gateway, and the startup of all functions.

use std::sync::Arc;

use lacre_domain::Clock;
use lacre_metrics::{Initialization, Program};
use lacre_storage::{Config, ConfigError, Connection, TimeBudgets, within};
use lambda_http::{Body, Error, Response};
use time::OffsetDateTime;

use crate::{Endpoint, Rejection, SystemClock, respond, run, start_log};

/// What every endpoint of `docs/reference/api.md#routes` needs besides its ports.
pub struct Context {
    clock: Arc<dyn Clock>,
    /// The time budgets of a request and its steps.
    pub budgets: TimeBudgets,
    /// The operator's name in texts for people.
    pub service_name: String,
}

impl Context {
    /// The context of a function, from the connection's configuration.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let config = connection.config();
        Self { clock, budgets: config.budgets, service_name: config.service_name.read() }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Runs a handler within the request's time budget, and converts its result into the response.
    pub async fn respond(&self, handler: impl Future<Output = Result<Response<Body>, Rejection>>) -> Response<Body> {
        respond(&self.service_name, within(self.budgets.request, handler)).await
    }
}

/// The `main` of a function behind API Gateway: cold start with warm-up, then the event loop. `name` is the function's
/// name in its metrics.
///
/// # Errors
/// [`ConfigError`], or an error if the Lambda runtime API cannot be reached.
pub async fn start<E: Endpoint>(name: &'static str, new: fn(&Connection, Arc<dyn Clock>) -> E) -> Result<(), Error> {
    let mut start = Initialization::of(name);
    let (endpoint, config) = open(new)?;
    start.connect(within(config.budgets.warm_up, endpoint.warm_up())).await;
    run(endpoint, start.done(&config.stack_name.read())).await
}

/// The cold start of a function that AWS invokes with events. Returns the function, and the [`Program`] that emits its
/// metrics under `name`.
///
/// # Errors
/// [`ConfigError`].
pub fn begin<F>(name: &'static str, new: fn(&Connection, Arc<dyn Clock>) -> F) -> Result<(F, Program), Error> {
    let start = Initialization::of(name);
    let (function, config) = open(new)?;
    Ok((function, start.done(&config.stack_name.read())))
}

/// Starts the log, and constructs the function with the configuration in the environment variables.
fn open<F>(new: fn(&Connection, Arc<dyn Clock>) -> F) -> Result<(F, Config), Error> {
    start_log();
    let opened = || {
        let connection = Connection::new(Config::from_env()).map_err(|error| format!("AWS_CA_BUNDLE: {error}"))?;
        Ok((make(&connection, new)?, connection.config().clone()))
    };
    opened().inspect_err(|error: &Error| tracing::error!(cause = %error, "did not start"))
}

/// Constructs a function, and checks that the configuration has every variable that the function reads.
///
/// # Errors
/// [`ConfigError`], which names all variables that are missing or malformed.
pub fn make<F>(connection: &Connection, new: fn(&Connection, Arc<dyn Clock>) -> F) -> Result<F, ConfigError> {
    let function = new(connection, Arc::new(SystemClock));
    let config = connection.config();
    // Counts as read by every function, because its metrics need it.
    let _ = config.stack_name.read();
    config.reads.check().map(|()| function)
}
