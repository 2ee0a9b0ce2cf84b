//! Times for people: first in the time of Brasília, formatted for each language, then in UTC.

use maud::{Markup, html};
use time::{
    OffsetDateTime, UtcOffset,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::{datetime, format_description, offset},
};

use crate::{both, visible::visible};

const SECONDS: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
const MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]");
const PORTUGUESE: &[BorrowedFormatItem<'_>] = format_description!("[day]/[month]/[year], [hour]:[minute]:[second]");
const ENGLISH: &[BorrowedFormatItem<'_>] =
    format_description!("[day padding:none] [month repr:long] [year], [hour]:[minute]:[second]");

const BRASILIA: UtcOffset = offset!(-3);
/// The end of Brazil's last summer time (Decreto 9.772/2019). Before, the offset from UTC changed twice a year.
const WITHOUT_SUMMER_TIME: OffsetDateTime = datetime!(2019-02-17 02:00 UTC);

/// A time (RFC 3339), in Brasília's time and in UTC. Text that is not a time is shown as it is.
#[must_use]
pub fn moment(text: &str) -> Markup {
    let Some(at) = in_range(text) else { return visible(text) };
    let local = |format| at.to_offset(BRASILIA).format(format).unwrap_or_default();
    html! {
        @if at < WITHOUT_SUMMER_TIME {
            (in_utc(text)) " UTC"
        } @else {
            (both(&local(PORTUGUESE), &local(ENGLISH))) " (Brasília) "
            span.utc { (in_utc(text)) " UTC" }
        }
    }
}

/// A time (RFC 3339) in UTC without the word UTC, for a table whose header has it.
#[must_use]
pub fn in_utc(text: &str) -> Markup {
    let Some(at) = in_range(text) else { return visible(text) };
    // Milliseconds are shown only if they are not zero: certificates have whole seconds.
    let format = if at.millisecond() == 0 { SECONDS } else { MILLISECONDS };
    html! { time datetime=(text) { (at.format(format).unwrap_or_default()) } }
}

/// A time in UTC that also has a valid year in Brasília's time.
fn in_range(text: &str) -> Option<OffsetDateTime> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?.checked_to_offset(UtcOffset::UTC)?;
    at.checked_to_offset(BRASILIA).map(|_| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brasilia_is_three_hours_behind() {
        assert_eq!(
            moment("2026-11-21T01:30:00.250Z").into_string(),
            "<span class=\"pt\" lang=\"pt-BR\">20/11/2026, 22:30:00</span> \
             <span class=\"en\" lang=\"en\">20 November 2026, 22:30:00</span> (Brasília) \
             <span class=\"utc\"><time datetime=\"2026-11-21T01:30:00.250Z\">2026-11-21 01:30:00.250</time> UTC</span>"
        );
    }

    #[test]
    fn summer_time_years_show_only_utc() {
        let text = moment("2018-12-01T00:00:00Z").into_string();
        assert_eq!(text, "<time datetime=\"2018-12-01T00:00:00Z\">2018-12-01 00:00:00</time> UTC");
    }

    #[test]
    fn shows_invalid_times_as_text() {
        for text in ["", "<i>ontem</i>", "2026-13-01T00:00:00Z", "10000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00"] {
            assert_eq!(moment(text).into_string(), visible(text).into_string());
            assert_eq!(in_utc(text).into_string(), visible(text).into_string());
        }
    }
}
