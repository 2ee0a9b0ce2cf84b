//! Collects the metrics of a request.
//!
//! The request's task-local storage holds them, so that code that measures needs no argument for it. Code that runs
//! outside [`collect`], or in tasks that a request spawns, is not measured.

use std::{cell::RefCell, time::Instant};

use crate::{Metric, Unit};

tokio::task_local! {
    static MEASURED: RefCell<Measures>;
}

/// The metrics of a request: sums, the reason of a refusal, and what the request was about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// Each metric with the sum of its values, in the order of first use.
    pub sums: Vec<(Metric, f64)>,
    /// The `block_reason`, if the request was refused.
    pub refusal: Option<&'static str>,
    /// Names of what the request is and was about, such as `request_id`, each with its value.
    pub subjects: Vec<(&'static str, String)>,
}

impl Measures {
    fn add(&mut self, metric: Metric, value: f64) {
        match self.sums.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, sum)) => *sum += value,
            None => self.sums.push((metric, value)),
        }
    }
}

/// Runs a request, and returns its result with what it measured.
pub async fn collect<T>(request: impl Future<Output = T>) -> (T, Measures) {
    let collected = async {
        let answer = request.await;
        (answer, MEASURED.with(RefCell::take))
    };
    MEASURED.scope(RefCell::default(), collected).await
}

/// Adds a value to a metric of the current request.
pub fn add(metric: Metric, value: f64) {
    let _ = MEASURED.try_with(|measured| measured.borrow_mut().add(metric, value));
}

/// Records why the current request is refused.
pub fn refused(block_reason: &'static str) {
    let _ = MEASURED.try_with(|measured| measured.borrow_mut().refusal = Some(block_reason));
}

/// Adds to the line of the current request what it is about.
pub fn name_subject(name: &'static str, value: &str) {
    let _ = MEASURED.try_with(|measured| measured.borrow_mut().subjects.push((name, value.to_owned())));
}

/// Runs a part of the request, and adds its duration to a metric in milliseconds. A part that is cancelled counts too.
pub async fn timed<T>(metric: Metric, part: impl Future<Output = T>) -> T {
    debug_assert_eq!(metric.unit, Unit::Milliseconds, "{}", metric.name);
    let _timer = Timer { metric, begun: Instant::now() };
    part.await
}

struct Timer {
    metric: Metric,
    begun: Instant,
}

impl Drop for Timer {
    fn drop(&mut self) {
        add(self.metric, milliseconds(self.begun));
    }
}

/// The milliseconds since an instant.
pub(crate) fn milliseconds(since: Instant) -> f64 {
    // Microseconds are precise enough, and keep the number short.
    since.elapsed().as_micros() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AWS_CALLS, DURATION, REQUEST_BYTES};

    #[tokio::test]
    async fn concurrent_requests_measure_separately() {
        let request = |calls: u32| async move {
            for _ in 0..calls {
                add(AWS_CALLS, 1.0);
                tokio::task::yield_now().await;
            }
            add(REQUEST_BYTES, 10.0);
            calls
        };
        let ((one, of_one), (two, of_two)) = tokio::join!(collect(request(1)), collect(request(2)));
        assert_eq!((one, of_one.sums), (1, vec![(AWS_CALLS, 1.0), (REQUEST_BYTES, 10.0)]));
        assert_eq!((two, of_two.sums), (2, vec![(AWS_CALLS, 2.0), (REQUEST_BYTES, 10.0)]));
    }

    #[tokio::test]
    async fn a_cancelled_future_is_still_timed() {
        let (outcome, measures) = collect(async {
            let endless = timed(DURATION, std::future::pending());
            tokio::select! { biased; () = endless => "ended", () = tokio::task::yield_now() => "broken off" }
        })
        .await;
        assert_eq!(outcome, "broken off");
        assert_eq!(measures.sums.iter().map(|(metric, _)| *metric).collect::<Vec<_>>(), [DURATION]);
    }

    #[tokio::test]
    async fn measures_nothing_outside_of_a_request() {
        add(AWS_CALLS, 1.0);
        refused("web_duplicate");
        assert_eq!(collect(async {}).await.1, Measures::default());
    }

    #[tokio::test]
    async fn a_refusal_is_logged_with_its_metrics() {
        let (_, measures) = collect(async { refused("web_duplicate") }).await;
        assert_eq!(measures.refusal, Some("web_duplicate"));
    }
}
