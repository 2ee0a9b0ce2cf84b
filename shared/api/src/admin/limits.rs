//! The figures of the admin API.

use time::Duration;

/// Most characters of the name of a client or an API key.
pub const NAME_CHARS: usize = 100;
/// The entries of a page, unless the request names another number.
pub const PAGE_ENTRIES: usize = 50;
/// Most entries of a page.
pub const PAGE_ENTRIES_MAX: usize = 100;
/// The months whose usage is listed, unless the request names another number.
pub const USAGE_MONTHS: usize = 12;
/// Most months whose usage is listed.
pub const USAGE_MONTHS_MAX: usize = 24;
/// The number at which counts of the overview end.
pub const COUNTED: usize = 100;
/// How long the webhook secrets before a rotation sign beside the new one, unless the request names another time.
pub const WEBHOOK_SECRET_OVERLAP: Duration = Duration::hours(24);
/// Longest time for which the webhook secrets before a rotation sign beside the new one.
pub const WEBHOOK_SECRET_OVERLAP_MAX: Duration = Duration::days(7);
/// Most webhook secrets that sign at once: each adds a signature to the header.
pub const WEBHOOK_SECRETS_MAX: usize = 5;
/// The hexadecimal characters of a key's hash that are its id.
pub const KEY_ID_CHARS: usize = 16;
/// Most characters of the reason for an operator's act on a capture.
pub const REASON_CHARS: usize = 200;
/// Most characters of a cursor.
pub const CURSOR_CHARS: usize = 4096;
/// The greatest version of a signer profile.
pub const SIGNER_VERSION_MAX: u32 = 999_999;
