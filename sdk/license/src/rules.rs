//! What differs between the platforms, as data. The comments name the clauses of `docs/reference/sdk.md` that set the values.

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
    // docs/reference/sdk.md#cached-for-an-hour
    cache_ms: HOUR,
    // docs/reference/sdk.md#end-of-an-attempt
    attempt_ms: 15 * SECOND,
    // docs/reference/sdk.md#after-the-hour
    captures_ask: true,
    // docs/reference/sdk.md#tolerance
    tolerance: Tolerance::FromFailure(HOUR),
    // docs/reference/sdk.md#clocks. A correction by NTP stays below a minute.
    back_ms: MINUTE,
    forward_ms: 24 * HOUR,
};

/// iOS.
pub const RULES_IOS: Rules = Rules {
    // docs/reference/sdk.md#configure-on-ios
    cache_ms: HOUR,
    // docs/reference/sdk.md#end-of-an-attempt
    attempt_ms: 15 * SECOND,
    // docs/reference/sdk.md#the-policy-on-ios
    captures_ask: false,
    // docs/reference/sdk.md#tolerance-on-ios
    tolerance: Tolerance::FromSuccess(24 * HOUR),
    // docs/reference/sdk.md#clocks
    back_ms: MINUTE,
    forward_ms: 24 * HOUR,
};
