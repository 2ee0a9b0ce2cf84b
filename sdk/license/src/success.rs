//! The last successful validation, and for how long it is used.

use crate::{
    policy::Policy,
    record::Record,
    rules::{Rules, Tolerance},
};

/// A moment by two clocks, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The wall clock, since 1970 in UTC. A person can set it.
    pub wall_ms: i64,
    /// A clock that never goes back while the process lives, and goes on while the device sleeps. Its start is arbitrary.
    pub monotonic_ms: u64,
}

impl Moment {
    /// Milliseconds of the monotonic clock.
    pub(crate) fn elapsed(self) -> i64 {
        i64::try_from(self.monotonic_ms).unwrap_or(i64::MAX)
    }

    /// When something happened by the monotonic clock that happened at a time of the wall clock.
    fn instant_of(self, wall_ms: i64) -> i64 {
        self.elapsed().saturating_sub(self.wall_ms.saturating_sub(wall_ms))
    }
}

/// A success, its age by the monotonic clock, and what happened since.
#[derive(Debug)]
pub(crate) struct Success {
    /// What is stored of it.
    record: Record,
    /// When it was validated, by the monotonic clock; below zero for before the process.
    validated: i64,
    /// The first failed attempt since.
    failed: Option<i64>,
    /// From where the clocks are compared.
    baseline: Moment,
}

impl Success {
    /// A validation that ended now.
    pub(crate) fn new(binding: &str, policy: Policy, now: Moment) -> Self {
        Self {
            record: Record::new(binding, policy, now.wall_ms, None, now.wall_ms, false),
            validated: now.elapsed(),
            failed: None,
            baseline: now,
        }
    }

    /// What a process before this one stored under the same binding. `None` if there is nothing, or if the wall clock is behind
    /// a time that was stored: the age is then unknown.
    pub(crate) fn restore(stored: &[u8], binding: &str, now: Moment) -> Option<Self> {
        let record = Record::read(stored, binding).filter(|record| now.wall_ms >= record.seen_ms)?;
        Some(Self {
            validated: now.instant_of(record.validated_ms),
            failed: record.failed_ms.map(|failed_ms| now.instant_of(failed_ms)),
            baseline: now,
            record,
        })
    }

    /// Whether it is a validation of these settings.
    pub(crate) fn is_of(&self, binding: &str) -> bool {
        self.record.is_of(binding)
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.record.policy
    }

    /// Notes whether the clocks have parted. It does not matter whether they meet again.
    pub(crate) fn compare_clocks(&mut self, now: Moment, rules: &Rules) {
        let wall = now.wall_ms.saturating_sub(self.baseline.wall_ms);
        let ahead = wall.saturating_sub(now.elapsed().saturating_sub(self.baseline.elapsed()));
        let limit = if ahead < 0 { rules.back_ms } else { rules.forward_ms };
        self.record.clock_moved |= ahead.unsigned_abs() > limit;
    }

    /// Whether the network need not be asked.
    pub(crate) fn is_cached(&self, now: Moment, rules: &Rules) -> bool {
        is_within(self.validated, now, rules.cache_ms)
    }

    /// Notes that an attempt failed.
    pub(crate) fn note_failure(&mut self, now: Moment) {
        self.failed.get_or_insert(now.elapsed());
        self.record.failed_ms.get_or_insert(now.wall_ms);
    }

    /// Whether an attempt failed, and the success is used all the same.
    pub(crate) fn tolerates(&self, now: Moment, rules: &Rules) -> bool {
        !self.record.clock_moved
            && self.failed.is_some_and(|failed| match rules.tolerance {
                Tolerance::FromFailure(for_ms) => is_within(failed, now, for_ms),
                Tolerance::FromSuccess(for_ms) => is_within(self.validated, now, for_ms),
            })
    }

    /// What to store now, with this moment as the latest.
    pub(crate) fn record_now(&mut self, now: Moment) -> Vec<u8> {
        self.record.seen_ms = self.record.seen_ms.max(now.wall_ms);
        self.record.to_bytes()
    }
}

/// Whether less than `for_ms` passed since an instant of the monotonic clock.
fn is_within(instant: i64, now: Moment, for_ms: u64) -> bool {
    u64::try_from(now.elapsed().saturating_sub(instant)).is_ok_and(|age| age < for_ms)
}
