//! What differs between the platforms, as data. The comments are the interface's sentences.

/// The rules of one platform. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long a successful validation is used without asking.
    pub cache_ms: u64,
    /// When an attempt counts as a network failure.
    pub attempt_ms: u64,
    /// Whether a capture asks, at its begin and at its end, when the cached result is too old. Otherwise only `configure` does.
    pub captures_ask: bool,
    /// How long the last success is used when the network fails.
    pub tolerance: Tolerance,
    /// How far the wall clock may go back against the monotonic clock before tolerance ends.
    pub back_ms: u64,
    /// How far the wall clock may go forward against the monotonic clock before tolerance ends.
    pub forward_ms: u64,
}

/// From when tolerance is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Milliseconds from the first failed attempt since the last success, which may be of any age.
    FromFailure(u64),
    /// Milliseconds from the last success.
    FromSuccess(u64),
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Android.
pub const RULES_ANDROID: Rules = Rules {
    // "Result is cached 1 hour, tied to the key."
    cache_ms: HOUR,
    // "A network attempt gives up after about 15 seconds."
    attempt_ms: 15 * SECOND,
    // "After 1 hour the network is asked before the capture proceeds."
    captures_ask: true,
    // "After a tolerated failure the SDK may proceed for up to 1 hour from the failed attempt."
    tolerance: Tolerance::FromFailure(HOUR),
    // A wall clock that went back ends tolerance; a correction by NTP does not.
    back_ms: MINUTE,
    // So does one that went forward by more than 24 hours while the monotonic clock did not.
    forward_ms: 24 * HOUR,
};

/// iOS.
pub const RULES_IOS: Rules = Rules {
    // "With a 1-hour cache": it serves a `configure` after a restart.
    cache_ms: HOUR,
    // The same time as on Android.
    attempt_ms: 15 * SECOND,
    // "The validated policy holds until the next reset() followed by configure()."
    captures_ask: false,
    // "Its tolerance rules differ from Android's": offline, `configure` accepts a result of at most 24 hours.
    tolerance: Tolerance::FromSuccess(24 * HOUR),
    // As on Android.
    back_ms: MINUTE,
    forward_ms: 24 * HOUR,
};
