//! A clock that tests move.

use std::sync::atomic::{AtomicI64, Ordering};

use lacre_domain::Clock;
use time::{Duration, OffsetDateTime};

/// The machine's clock plus an offset.
#[derive(Debug, Default)]
pub struct TestClock {
    offset_ms: AtomicI64,
}

impl TestClock {
    /// Moves the clock forward, or back.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.whole_milliseconds()).unwrap();
        self.offset_ms.fetch_add(by, Ordering::SeqCst);
    }

    /// The current time in milliseconds since the Unix epoch.
    pub fn millis(&self) -> i64 {
        lacre_domain::clock::epoch_millis(self.now())
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc() + Duration::milliseconds(self.offset_ms.load(Ordering::SeqCst))
    }
}
