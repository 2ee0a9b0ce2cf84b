//! Time budgets of a call to AWS, and of all calls of one request.
//!
//! API Gateway gives up on a function after 30 seconds, and Lambda ends it at its timeout. Both would send a response
//! that the API does not document, and leave unfinished work behind. So a request has a deadline well before, and a
//! call that is still running then counts as timed out. Work that must happen after the deadline (the commit of a
//! signed capture, releasing the reservation of a refused one, recording the refusal) has budgets of its own; the sum of all stays below the
//! function's timeout.

use std::{future::Future, time::Duration};

use aws_smithy_runtime_api::client::result::SdkError;
use tokio::time::Instant;

/// The timeout of a function in `template.yaml`.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(29);
/// The time that must remain for computation and the runtime after a request's deadline.
const ROOM: Duration = Duration::from_secs(2);

tokio::task_local! {
    static DEADLINE: Instant;
}

/// The time budgets of a request: limits for calls to AWS, for each of their attempts, and for the steps that contain
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudgets {
    /// One attempt of a call to DynamoDB, KMS or Secrets Manager, which respond within milliseconds.
    pub attempt: Duration,
    /// All attempts of such a call together.
    pub call: Duration,
    /// One attempt to read or write an S3 object, which takes longer because of its size.
    pub object_attempt: Duration,
    /// All attempts on an S3 object, including the transfer of its bytes.
    pub object_call: Duration,
    /// The warm-up during a cold start, before the first request. Lambda limits initialization to 10 seconds.
    pub warm_up: Duration,
    /// One request to a timestamp authority.
    pub timestamp_attempt: Duration,
    /// Both timestamps of a capture, with all authorities that are tried, if the license requires timestamps.
    pub timestamps: Duration,
    /// Both timestamps of a capture if the license does not require them.
    pub timestamps_if_quick: Duration,
    /// All steps before the commit.
    pub request: Duration,
    /// The commit of a capture, including its retries after conflicts.
    pub commit: Duration,
    /// Determining the outcome of a commit whose response was lost.
    pub settle: Duration,
    /// Releasing the reservation of a refused request.
    pub cleanup: Duration,
    /// Recording a refusal.
    pub refusal: Duration,
}

impl TimeBudgets {
    /// The budgets in production.
    pub const PRODUCTION: Self = Self {
        attempt: Duration::from_millis(1500),
        call: Duration::from_secs(5),
        object_attempt: Duration::from_secs(4),
        object_call: Duration::from_secs(8),
        warm_up: Duration::from_secs(4),
        timestamp_attempt: Duration::from_secs(3),
        timestamps: Duration::from_secs(8),
        timestamps_if_quick: Duration::from_secs(2),
        request: Duration::from_secs(16),
        commit: Duration::from_secs(4),
        settle: Duration::from_secs(3),
        cleanup: Duration::from_secs(3),
        refusal: Duration::from_secs(1),
    };

    /// Generous budgets for operators' commands, which no gateway limits, and for tests on a busy machine. The budgets
    /// for timestamp authorities are those of production, because they do not concern AWS.
    pub const RELAXED: Self = {
        let (attempt, call) = (Duration::from_secs(30), Duration::from_secs(60));
        Self {
            attempt,
            call,
            object_attempt: attempt,
            object_call: call,
            warm_up: call,
            request: call,
            commit: call,
            settle: call,
            cleanup: call,
            refusal: call,
            ..Self::PRODUCTION
        }
    };

    /// The longest time that a request can wait for AWS.
    #[must_use]
    pub const fn worst_case(&self) -> Duration {
        let first = self.request.as_millis() + self.commit.as_millis() + self.settle.as_millis();
        Duration::from_millis((first + self.cleanup.as_millis() + self.refusal.as_millis()) as u64)
    }

    /// Every budget divided by `n`, for tests in which AWS does not respond.
    #[must_use]
    pub fn divided_by(self, n: u32) -> Self {
        Self {
            attempt: self.attempt / n,
            call: self.call / n,
            object_attempt: self.object_attempt / n,
            object_call: self.object_call / n,
            warm_up: self.warm_up / n,
            timestamp_attempt: self.timestamp_attempt / n,
            timestamps: self.timestamps / n,
            timestamps_if_quick: self.timestamps_if_quick / n,
            request: self.request / n,
            commit: self.commit / n,
            settle: self.settle / n,
            cleanup: self.cleanup / n,
            refusal: self.refusal / n,
        }
    }
}

// Ensures that the function responds before Lambda ends it.
const _: () = {
    let longest = TimeBudgets::PRODUCTION.worst_case().as_millis() + ROOM.as_millis();
    assert!(longest <= FUNCTION_TIMEOUT.as_millis());
};

/// Runs work in which calls to AWS end when the budget is over. An inner budget replaces the outer one.
pub fn within<F: Future>(budget: Duration, work: F) -> impl Future<Output = F::Output> {
    // On the heap: a handler's future contains those of its calls, tens of kilobytes each.
    DEADLINE.scope(Instant::now() + budget, Box::pin(work))
}

/// The request's deadline has passed.
#[derive(Debug, thiserror::Error)]
#[error("the request's deadline passed")]
pub struct DeadlineExceeded;

/// Waits for work, but no longer than the deadline of the request that it belongs to.
///
/// # Errors
/// [`DeadlineExceeded`].
pub fn until_deadline<F: Future>(work: F) -> impl Future<Output = Result<F::Output, DeadlineExceeded>> {
    let work = Box::pin(work);
    async move {
        match DEADLINE.try_with(|deadline| *deadline) {
            Ok(deadline) => tokio::time::timeout_at(deadline, work).await.map_err(|_| DeadlineExceeded),
            Err(_) => Ok(work.await),
        }
    }
}

/// A call to AWS that ends at the deadline of its request.
pub(crate) trait InTime<T, E, R> {
    /// The call's result, or a timeout error if the request's deadline passes first.
    fn in_time(self) -> impl Future<Output = Result<T, SdkError<E, R>>>;
}

impl<T, E, R, F: Future<Output = Result<T, SdkError<E, R>>>> InTime<T, E, R> for F {
    fn in_time(self) -> impl Future<Output = Result<T, SdkError<E, R>>> {
        let outcome = until_deadline(self);
        async move { outcome.await.unwrap_or_else(|up| Err(SdkError::timeout_error(up))) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::future::{pending, ready};

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_call_ends_with_its_request() {
        assert!(within(SHORT, until_deadline(pending::<()>())).await.is_err());
        assert!(within(SHORT, until_deadline(ready(()))).await.is_ok());
    }

    #[tokio::test]
    async fn an_inner_budget_replaces_the_outer_one() {
        let start = Instant::now();
        let work = async {
            let _ = until_deadline(pending::<()>()).await;
            within(2 * SHORT, until_deadline(pending::<()>())).await
        };
        assert!(within(SHORT, work).await.is_err());
        assert!(start.elapsed() >= 3 * SHORT);
    }

    #[tokio::test]
    async fn no_deadline_outside_of_a_request() {
        assert!(until_deadline(tokio::time::sleep(SHORT)).await.is_ok());
    }
}
