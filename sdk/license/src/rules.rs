//! The differences between the platforms, as data. Comments cite the headings of `docs/reference/sdk.md` that set the
//! values.

/// The rules of one platform. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long a successful validation is used without a request.
    pub cache_ms: u64,
    /// The time after which an attempt counts as a network failure.
    pub attempt_ms: u64,
    /// Whether captures send a request, at their begin and end, when the cached result has expired. Otherwise only
    /// `configure` does.
    pub captures_ask: bool,
    /// How long the last success is used while the network fails.
    pub tolerance: Tolerance,
    /// How far the wall clock may go back relative to the monotonic clock before failures are no longer tolerated.
    pub back_ms: u64,
    /// How far the wall clock may go forward relative to the monotonic clock before failures are no longer tolerated.
    pub forward_ms: u64,
}

/// The start of the period in which network failures are tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Milliseconds from the first failed attempt after the last success, whatever the age of that success.
    FromFailure(u64),
    /// Milliseconds from the last success.
    FromSuccess(u64),
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// The rules of Android.
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

/// The rules of iOS.
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
