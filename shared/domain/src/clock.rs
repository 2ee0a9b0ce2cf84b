//! The clock as an argument, the formats in which times are written, and the check of the device's clock.

use lacre_api::Refusal;
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339, macros::format_description};

use crate::limits;

/// A source of the current time: the system clock in production, an adjustable one in tests.
pub trait Clock: Send + Sync {
    /// The current time, in UTC.
    fn now(&self) -> OffsetDateTime;
}

/// Milliseconds since the Unix epoch. Every `OffsetDateTime` fits an `i64` of milliseconds.
#[must_use]
pub fn epoch_millis(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// RFC 3339 in UTC with whole seconds, as the API writes times: `2026-11-20T12:00:00Z`.
#[must_use]
pub fn rfc3339(at: OffsetDateTime) -> String {
    // Formatting fails only for years before 0, which neither the clock nor a license's terms can contain.
    to_seconds(at).format(&Rfc3339).unwrap_or_default()
}

/// A time truncated to whole seconds in UTC, as the API writes it.
#[must_use]
pub fn to_seconds(at: OffsetDateTime) -> OffsetDateTime {
    at.checked_to_offset(UtcOffset::UTC).unwrap_or(at).truncate_to_second()
}

/// RFC 3339 in UTC with milliseconds, as proofs and reports write times: `2026-11-20T12:00:00.000Z`. `None` for a year
/// outside 0 to 9999.
#[must_use]
pub fn rfc3339_millis(at: OffsetDateTime) -> Option<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    at.checked_to_offset(UtcOffset::UTC)?.format(format).ok()
}

/// Checks the device's clock: the claimed time of capture must lie between the issue of the nonce and now, with a
/// tolerance on both sides.
///
/// # Errors
/// [`Refusal::ClockOutOfSync`].
pub fn check_device_clock(
    captured_at_ms: i64,
    nonce_issued_at: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    let earliest = epoch_millis(nonce_issued_at - limits::CLOCK_TOLERANCE);
    let latest = epoch_millis(now + limits::CLOCK_TOLERANCE);
    if (earliest..=latest).contains(&captured_at_ms) { Ok(()) } else { Err(Refusal::ClockOutOfSync) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use time::{Duration, macros::datetime};

    #[test]
    fn tolerates_two_minutes_of_clock_skew() {
        let issued = datetime!(2026-11-20 12:00:00 UTC);
        let now = issued + Duration::minutes(5);
        let check = |at: OffsetDateTime| check_device_clock(epoch_millis(at), issued, now);

        assert_eq!(check(issued - Duration::seconds(120)), Ok(()));
        assert_eq!(check(now + Duration::seconds(120)), Ok(()));
        assert_eq!(check(issued - Duration::milliseconds(120_001)), Err(Refusal::ClockOutOfSync));
        assert_eq!(check(now + Duration::milliseconds(120_001)), Err(Refusal::ClockOutOfSync));
        assert_eq!(check_device_clock(i64::MIN, issued, now), Err(Refusal::ClockOutOfSync));
    }
}
