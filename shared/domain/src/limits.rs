//! The figures of the rules. Those that a client can observe are the API's.

pub use lacre_api::limits::*;
use time::Duration;

/// The volume count of a license and month is spread over so many items, so that captures do not wait for each other.
pub const VOLUME_SHARDS: u8 = 16;
/// A record that every capture reads lies in so many partitions, because DynamoDB reads 3,000 units a second in one.
pub const RECORD_REPLICAS: u8 = 4;
/// A webhook message is kept so long: its URLs work no longer.
pub const WEBHOOK_RETENTION: Duration = RESULT_URL_VALIDITY;
/// An attempt at a webhook ends within this time of its claim, or it was interrupted.
pub const WEBHOOK_ATTEMPT: Duration = Duration::seconds(60);
/// So much of a receiver's response is read.
pub const WEBHOOK_RESPONSE_BYTES: usize = 64 * 1024;
/// So much of it is kept, where it is an error.
pub const WEBHOOK_EXCERPT_CHARS: usize = 200;
