use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use lacre_license::Moment;

use crate::supplied::Clock;

/// The clocks of the operating system.
#[derive(Debug, uniffi::Object)]
pub struct SystemClock;

#[uniffi::export]
impl SystemClock {
    /// Creates the clocks, which need no configuration.
    #[uniffi::constructor]
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self)
    }
}

#[uniffi::export]
impl Clock for SystemClock {
    fn now(&self) -> Moment {
        let wall_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or_else(
            |before| i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
            |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        );
        Moment { wall_ms, monotonic_ms: monotonic_ms() }
    }
}

/// Milliseconds since boot, including time asleep.
#[cfg(target_os = "linux")]
fn monotonic_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1000 + u64::try_from(now.tv_nsec).unwrap_or(0) / 1_000_000
}

/// Milliseconds since the first call. Time asleep may be missing.
#[cfg(not(target_os = "linux"))]
fn monotonic_ms() -> u64 {
    use std::{sync::LazyLock, time::Instant};
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_millis()).unwrap_or(u64::MAX)
}
