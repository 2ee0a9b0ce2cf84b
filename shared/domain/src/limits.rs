//! Every figure of the contract, once.

use std::ops::RangeInclusive;

use time::Duration;

/// A session's token works this long.
pub const SESSION_VALIDITY: Duration = Duration::minutes(30);
/// A session's record stays readable this long after the token's expiry.
pub const SESSION_RETENTION: Duration = Duration::hours(24);
/// Successful creations per API key and clock hour.
pub const CREATIONS_PER_HOUR: u32 = 100;
/// Loads of one session, the first included.
pub const LOADS_PER_SESSION: u32 = 20;
/// The presigned upload URL works this long.
pub const UPLOAD_URL_VALIDITY: Duration = Duration::minutes(5);
/// The presigned URLs of a result work this long.
pub const RESULT_URL_VALIDITY: Duration = Duration::days(7);
/// A reservation of a frame that was never signed blocks the frame this long.
pub const RESERVATION_VALIDITY: Duration = Duration::minutes(10);
/// The device's clock may be this far off.
pub const CLOCK_TOLERANCE: Duration = Duration::seconds(120);
/// `reference_id`: at most so many bytes.
pub const REFERENCE_ID_BYTES: usize = 512;
/// `redirect_uri` and `webhook_url`: at most so many bytes.
pub const URL_BYTES: usize = 2048;
/// `label`: at most so many bytes.
pub const LABEL_BYTES: usize = 64;
/// `user_agent`: cut at so many bytes.
pub const USER_AGENT_BYTES: usize = 512;
/// `extra_frame_hashes`: at least so many.
pub const EXTRA_FRAMES_MIN: usize = 2;
/// `extra_frame_hashes`: at most so many.
pub const EXTRA_FRAMES_MAX: usize = 8;
/// Bytes of one uploaded photo unless the operator sets another limit, so that the response fits the 6 MB of a Lambda answer.
pub const MAX_ASSET_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes of the whole ingest response: AWS Lambda's limit for a synchronous answer, less room for the envelope that
/// carries status and headers.
pub const MAX_RESPONSE_BYTES: usize = 6_291_556 - 8 * 1024;
/// `gps_mode` `REQUIRE` without a figure of its own accepts positions at least so accurate, in metres.
pub const GPS_MAX_ACCURACY_M: f64 = 150.0;
/// The evidence from which on a photo is a likely recapture, unless the license has a threshold of its own: the natural logarithm
/// of a likelihood ratio.
pub const RECAPTURE_THRESHOLD: f64 = 2.5;
/// The thresholds that a license may have. At the lowest, one in a hundred of the simulated photos of the world is refused, nearly all of
/// fine textures; at the highest, a third of the displays in focus passes.
pub const RECAPTURE_THRESHOLDS: RangeInclusive<f64> = 1.0..=4.0;
/// The volume limit that is returned for an environment without one: the largest integer that JavaScript holds exactly.
pub const UNLIMITED_VOLUME: u64 = 9_007_199_254_740_991;
/// The volume count of a license and month is spread over so many items, so that captures do not wait for each other.
pub const VOLUME_SHARDS: u8 = 16;
/// A record that every capture reads lies in so many partitions, because DynamoDB reads 3,000 units a second in one.
pub const RECORD_REPLICAS: u8 = 4;
/// Seconds in the `Retry-After` of an response to a temporary failure.
pub const RETRY_AFTER_SECONDS: u32 = 2;
/// A webhook message is kept so long: its URLs work no longer.
pub const WEBHOOK_RETENTION: Duration = RESULT_URL_VALIDITY;
/// A webhook's receiver has so long to respond.
pub const WEBHOOK_TIMEOUT: Duration = Duration::seconds(30);
/// An attempt at a webhook ends within this time of its claim, or it was interrupted.
pub const WEBHOOK_ATTEMPT: Duration = Duration::seconds(60);
/// The body of a webhook: at most so many bytes.
pub const WEBHOOK_BODY_BYTES: usize = 20_000;
/// So much of a receiver's response is read.
pub const WEBHOOK_RESPONSE_BYTES: usize = 64 * 1024;
/// So much of it is kept, where it is an error.
pub const WEBHOOK_EXCERPT_CHARS: usize = 200;
/// The secret before a rotation signs beside the new one for so long, unless another time is asked for.
pub const WEBHOOK_SECRET_OVERLAP: Duration = Duration::hours(24);
