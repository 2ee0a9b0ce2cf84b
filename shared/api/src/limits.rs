//! The limits that clients can observe.

use std::ops::RangeInclusive;

use time::Duration;

/// Defines a constant for each row, and a list of all for documents and other languages. A number whose name ends in
/// `BYTES` or `SECONDS` has that unit.
macro_rules! limits {
    ($( $(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr; )*) => {
        $( $(#[doc = $doc])+ pub const $name: $type = $value; )*

        /// The name of each constant, its value, and its documentation.
        #[cfg(feature = "openapi")]
        pub(crate) fn all() -> Vec<(&'static str, crate::openapi::Figure, &'static str)> {
            vec![$( (stringify!($name), $name.into(), concat!($($doc),+).trim_ascii()), )*]
        }
    };
}

pub(crate) use limits;

limits! {
    /// How long a session's token is valid.
    SESSION_VALIDITY: Duration = Duration::minutes(30);
    /// How long a session can be read after its token has expired.
    SESSION_RETENTION: Duration = Duration::hours(24);
    /// Maximum number of sessions that an API key may create in an hour of the UTC clock.
    CREATIONS_PER_HOUR: u32 = 100;
    /// The number of lookups that an API key may make in an hour of the UTC clock, of copies and of evidence together.
    LOOKUPS_PER_HOUR: u32 = 60;
    /// Maximum number of loads of one session, the first included.
    LOADS_PER_SESSION: u32 = 20;
    /// How long an upload URL is valid.
    UPLOAD_URL_VALIDITY: Duration = Duration::minutes(5);
    /// How long the URL of an evidence bundle is valid.
    BUNDLE_URL_VALIDITY: Duration = Duration::minutes(5);
    /// How long the URLs of a photo and its manifest are valid.
    RESULT_URL_VALIDITY: Duration = Duration::days(7);
    /// How long a frame stays reserved if its signing failed with an unknown outcome.
    RESERVATION_VALIDITY: Duration = Duration::minutes(10);
    /// Maximum difference between the device's clock and the service's.
    CLOCK_TOLERANCE: Duration = Duration::seconds(120);
    /// Maximum bytes of a `reference_id`.
    REFERENCE_ID_BYTES: usize = 512;
    /// Maximum bytes of `redirect_uri` and `webhook_url`.
    URL_BYTES: usize = 2048;
    /// Maximum bytes of a `label`.
    LABEL_BYTES: usize = 64;
    /// Number of bytes at which a `user_agent` is cut.
    USER_AGENT_BYTES: usize = 512;
    /// Minimum number of `extra_frame_hashes`.
    EXTRA_FRAMES_MIN: usize = 2;
    /// Maximum number of `extra_frame_hashes`.
    EXTRA_FRAMES_MAX: usize = 8;
    /// Maximum bytes of an uploaded photo, unless the operator sets another limit. It keeps the response within
    /// Lambda's 6 MB.
    MAX_ASSET_BYTES: u64 = 4 * 1024 * 1024;
    /// Maximum pixels of an uploaded photo.
    MAX_ASSET_PIXELS: u32 = 16_777_216;
    /// Maximum bytes of the whole response of an ingest: Lambda's limit for a synchronous response, minus the envelope
    /// with status and headers.
    MAX_RESPONSE_BYTES: usize = 6_291_556 - 8 * 1024;
    /// The largest integer that JavaScript represents exactly.
    MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;
    /// The volume limit that is reported for a license without a limit.
    UNLIMITED_VOLUME: u64 = MAX_SAFE_INTEGER;
    /// The `Retry-After` of a response to a temporary failure, in seconds.
    RETRY_AFTER_SECONDS: u32 = 2;
    /// Maximum bytes of a webhook's body.
    WEBHOOK_BODY_BYTES: usize = 64 * 1024;
    /// How long the receiver of a webhook has to respond.
    WEBHOOK_TIMEOUT: Duration = Duration::seconds(30);
    /// The evidence from which on a photo counts as a likely recapture, unless the license sets a threshold of its own:
    /// the natural logarithm of a likelihood ratio.
    RECAPTURE_THRESHOLD: f64 = 2.5;
    /// The thresholds that a license may set. At the lowest, one in a hundred simulated photos of real scenes is
    /// refused, nearly all of them with fine textures; at the highest, a third of the displays in focus pass.
    RECAPTURE_THRESHOLDS: RangeInclusive<f64> = 1.0..=4.0;
}
