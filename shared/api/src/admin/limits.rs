//! The limits of the admin API.

use time::Duration;

/// Maximum characters of the name of a client or an API key.
pub const NAME_CHARS: usize = 100;
/// Number of entries on a page, unless the request gives another number.
pub const PAGE_ENTRIES: usize = 50;
/// Maximum number of entries on a page.
pub const PAGE_ENTRIES_MAX: usize = 100;
/// Number of months whose usage is listed, unless the request gives another number.
pub const USAGE_MONTHS: usize = 12;
/// Maximum number of months whose usage is listed.
pub const USAGE_MONTHS_MAX: usize = 24;
/// The maximum of the counts in the overview.
pub const COUNTED: usize = 100;
/// How long earlier webhook secrets continue to sign after a rotation, unless the request gives another time.
pub const WEBHOOK_SECRET_OVERLAP: Duration = Duration::hours(24);
/// Maximum time for which earlier webhook secrets continue to sign after a rotation.
pub const WEBHOOK_SECRET_OVERLAP_MAX: Duration = Duration::days(7);
/// Maximum number of webhook secrets that sign at once. Each adds a signature to the header.
pub const WEBHOOK_SECRETS_MAX: usize = 5;
/// Number of hexadecimal characters of a key's hash that form its id.
pub const KEY_ID_CHARS: usize = 16;
/// Maximum characters of the reason for an operator's act on a capture.
pub const REASON_CHARS: usize = 200;
/// Maximum characters of a cursor.
pub const CURSOR_CHARS: usize = 4096;
/// Maximum number of kits of a client in an environment.
pub const KITS_MAX: usize = 100;
/// Maximum version of a kit.
pub const KIT_VERSION_MAX: u32 = 999_999_999;
/// Maximum version of a signer profile.
pub const SIGNER_VERSION_MAX: u32 = 999_999;
