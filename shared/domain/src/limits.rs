//! The constants of the rules. Limits that clients can observe are defined in `lacre_api::limits`.

pub use lacre_api::limits::*;
use time::Duration;

/// Number of DynamoDB items over which a license's monthly volume count is spread, so that concurrent captures do not
/// contend.
pub const VOLUME_SHARDS: u8 = 16;
/// Number of partitions in which each record that every capture reads is replicated, because one DynamoDB partition
/// serves 3,000 read units per second.
pub const RECORD_REPLICAS: u8 = 4;
/// How long a webhook message is kept: as long as the URLs in it are valid.
pub const WEBHOOK_RETENTION: Duration = RESULT_URL_VALIDITY;
/// Time limit of a webhook attempt, counted from its claim. An attempt without an outcome after this time was
/// interrupted.
pub const WEBHOOK_ATTEMPT: Duration = Duration::seconds(60);
/// Maximum number of bytes that are read of a webhook receiver's response.
pub const WEBHOOK_RESPONSE_BYTES: usize = 64 * 1024;
/// Maximum number of characters of an error response that are stored.
pub const WEBHOOK_EXCERPT_CHARS: usize = 200;
/// Number of refused photos of a session that are recorded.
pub const REFUSALS_PER_SESSION: usize = 8;
/// Number of refused photos of a reference that are recorded, over all of its sessions.
pub const REFUSALS_PER_REFERENCE: usize = lacre_api::dossier::MAX_REFUSED;
/// How long the refused photos of a reference are kept after the last of them. It spans the year in which a policyholder
/// may sue after a denial (Lei 15.040/2024, art. 126), and the month in which the insurer decides (art. 86).
pub const REFUSALS_KEPT: Duration = Duration::days(400);
