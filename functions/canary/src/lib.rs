//! The canary: on a schedule, it makes one sandbox capture from end to end through the public endpoints, acting as
//! backend and phone, and verifies the photo offline as a recipient does.
//!
//! It has an integrator's keys, and no AWS permission except to read them. A failed run reports the step that failed
//! and does not retry; the next run is a new attempt. Its logs contain no secret, whatever the service responds.

mod capture;
mod client;
mod failure;
mod frame;
mod keys;

use std::{sync::Arc, time::Duration};

use lacre_domain::Clock;
use lacre_metrics::{Metric, Unit, add, timed};
use lacre_storage::{Connection, within};
use serde::Serialize;

use capture::Capture;
use client::Client;
use keys::Keys;

pub use failure::{Failure, Step};

/// 1 for a run whose photo was verified, 0 for a failed run.
const CANARY_SUCCEEDED: Metric = Metric::new("CanarySucceeded", Unit::Count);
/// Time from the first request of a run until its photo is verified or the run failed.
const CANARY_DURATION: Metric = Metric::new("CanaryDuration", Unit::Milliseconds);

/// The time limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// The time limit of one request, longer than API Gateway's own timeout.
    pub request: Duration,
    /// The time limit of all requests of a run, ten seconds less than the function's timeout in Lambda.
    pub run: Duration,
}

impl Deadlines {
    /// The time limits in production.
    pub const PRODUCTION: Self = Self { request: Duration::from_secs(31), run: Duration::from_secs(50) };
}

/// The function with its ports.
pub struct Canary {
    connection: Connection,
    /// The ARN of the secret with the keys; empty on a developer's machine.
    secret_arn: String,
    addresses: Addresses,
    clock: Arc<dyn Clock>,
    deadlines: Deadlines,
}

/// The addresses of the service, as clients know them.
struct Addresses {
    base_url: String,
    license_url: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Outcome {
    /// The photo was captured and verified.
    Succeeded,
    /// A step failed.
    Failed(Failure),
    /// The secret contains no keys yet, so no capture was attempted.
    NotSetUp,
}

impl Canary {
    /// The function with its ports on a connection.
    #[must_use]
    pub fn new(connection: &Connection, clock: Arc<dyn Clock>) -> Self {
        let connection = connection.as_program("canary");
        let config = connection.config();
        Self {
            secret_arn: config.canary_secret_arn.read(),
            addresses: Addresses { base_url: config.base_url.read(), license_url: config.license_url.read() },
            clock,
            deadlines: Deadlines::PRODUCTION,
            connection,
        }
    }

    /// A copy with other time limits, for tests.
    #[must_use]
    pub fn with_deadlines(self, deadlines: Deadlines) -> Self {
        Self { deadlines, ..self }
    }

    /// Makes one capture and verifies it; logs the outcome and writes the metrics. The keys are read in every run, so
    /// that new ones take effect at once.
    pub async fn run(&self) -> Outcome {
        let call = self.connection.config().budgets.call;
        let outcome = match within(call, Keys::read(&self.connection, &self.secret_arn)).await {
            Ok(None) => Outcome::NotSetUp,
            Ok(Some(keys)) => match timed(CANARY_DURATION, self.capture(&keys)).await {
                Ok(()) => Outcome::Succeeded,
                Err(failure) => Outcome::Failed(failure),
            },
            Err(failure) => Outcome::Failed(failure),
        };
        match &outcome {
            Outcome::Succeeded => tracing::info!("captured and verified"),
            Outcome::NotSetUp => tracing::info!("not set up: the secret holds no keys"),
            Outcome::Failed(Failure { step, cause, status, request_id: failed_request }) => {
                tracing::error!(step = step.name(), cause, status, failed_request, "failed");
            }
        }
        if outcome != Outcome::NotSetUp {
            add(CANARY_SUCCEEDED, if outcome == Outcome::Succeeded { 1.0 } else { 0.0 });
        }
        outcome
    }

    async fn capture(&self, keys: &Keys) -> Result<(), Failure> {
        let client = Client::new(&self.addresses, self.deadlines)?;
        Capture { client: &client, addresses: &self.addresses, keys, clock: &*self.clock }.make_and_verify().await
    }
}
