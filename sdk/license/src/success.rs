//! The last successful validation, and how long it may be used.

use crate::{
    policy::Policy,
    record::Record,
    rules::{Rules, Tolerance},
};

/// A point in time on two clocks, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The wall clock, since 1970 in UTC. The user can change it.
    pub wall_ms: i64,
    /// A monotonic clock, which never goes back while the process lives, and continues while the device sleeps. Its
    /// start is arbitrary.
    pub monotonic_ms: u64,
}

impl Moment {
    /// The time on the monotonic clock, in milliseconds.
    pub(crate) fn elapsed(self) -> i64 {
        i64::try_from(self.monotonic_ms).unwrap_or(i64::MAX)
    }

    /// Converts a time on the wall clock to the monotonic clock.
    fn instant_of(self, wall_ms: i64) -> i64 {
        self.elapsed().saturating_sub(self.wall_ms.saturating_sub(wall_ms))
    }
}

/// A success, its age on the monotonic clock, and what happened since.
#[derive(Debug)]
pub(crate) struct Success {
    /// The stored form of the success.
    record: Record,
    /// The time of validation on the monotonic clock; negative if it was before the process started.
    validated: i64,
    /// The time of the first failed attempt after the success.
    failed: Option<i64>,
    /// The point in time from which the two clocks are compared.
    baseline: Moment,
}

impl Success {
    /// Creates a success that was validated now.
    pub(crate) fn new(binding: &str, policy: Policy, now: Moment) -> Self {
        Self {
            record: Record::new(binding, policy, now.wall_ms, None, now.wall_ms, false),
            validated: now.elapsed(),
            failed: None,
            baseline: now,
        }
    }

    /// Restores what an earlier process stored for the same binding. `None` if there is nothing, or if the wall clock
    /// is behind a stored time, because the success's age is then unknown.
    pub(crate) fn restore(stored: &[u8], binding: &str, now: Moment) -> Option<Self> {
        let record = Record::read(stored, binding).filter(|record| now.wall_ms >= record.seen_ms)?;
        Some(Self {
            validated: now.instant_of(record.validated_ms),
            failed: record.failed_ms.map(|failed_ms| now.instant_of(failed_ms)),
            baseline: now,
            record,
        })
    }

    /// Whether the success belongs to the given settings.
    pub(crate) fn is_of(&self, binding: &str) -> bool {
        self.record.is_of(binding)
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.record.policy
    }

    /// Records whether the clocks have diverged. This is permanent, even if they converge again.
    pub(crate) fn compare_clocks(&mut self, now: Moment, rules: &Rules) {
        let wall = now.wall_ms.saturating_sub(self.baseline.wall_ms);
        let ahead = wall.saturating_sub(now.elapsed().saturating_sub(self.baseline.elapsed()));
        let limit = if ahead < 0 { rules.back_ms } else { rules.forward_ms };
        self.record.clock_moved |= ahead.unsigned_abs() > limit;
    }

    /// Whether the success is recent enough to need no request.
    pub(crate) fn is_cached(&self, now: Moment, rules: &Rules) -> bool {
        is_within(self.validated, now, rules.cache_ms)
    }

    /// Records a failed attempt.
    pub(crate) fn note_failure(&mut self, now: Moment) {
        self.failed.get_or_insert(now.elapsed());
        self.record.failed_ms.get_or_insert(now.wall_ms);
    }

    /// Whether an attempt failed and the success may be used nevertheless.
    pub(crate) fn tolerates(&self, now: Moment, rules: &Rules) -> bool {
        !self.record.clock_moved
            && self.failed.is_some_and(|failed| match rules.tolerance {
                Tolerance::FromFailure(for_ms) => is_within(failed, now, for_ms),
                Tolerance::FromSuccess(for_ms) => is_within(self.validated, now, for_ms),
            })
    }

    /// The bytes to store now, with this moment as the latest time.
    pub(crate) fn record_now(&mut self, now: Moment) -> Vec<u8> {
        self.record.seen_ms = self.record.seen_ms.max(now.wall_ms);
        self.record.to_bytes()
    }
}

/// Whether less than `for_ms` milliseconds have passed since a time on the monotonic clock.
fn is_within(instant: i64, now: Moment, for_ms: u64) -> bool {
    u64::try_from(now.elapsed().saturating_sub(instant)).is_ok_and(|age| age < for_ms)
}
