//! Every figure that a client can observe.

use std::ops::RangeInclusive;

use time::Duration;

/// Makes a constant of each row, and a list of all for documents and other languages. A number whose name ends so is one of
/// bytes or seconds.
macro_rules! limits {
    ($( $(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr; )*) => {
        $( $(#[doc = $doc])+ pub const $name: $type = $value; )*

        /// The name of each constant, its value, and what it limits.
        #[cfg(feature = "openapi")]
        pub(crate) fn all() -> Vec<(&'static str, crate::openapi::Figure, &'static str)> {
            vec![$( (stringify!($name), $name.into(), concat!($($doc),+).trim_ascii()), )*]
        }
    };
}

limits! {
    /// How long a session's token works.
    SESSION_VALIDITY: Duration = Duration::minutes(30);
    /// How long a session can be read after its token expired.
    SESSION_RETENTION: Duration = Duration::hours(24);
    /// Sessions that an API key may create in an hour of the UTC clock.
    CREATIONS_PER_HOUR: u32 = 100;
    /// Loads of one session, the first included.
    LOADS_PER_SESSION: u32 = 20;
    /// How long an upload URL works.
    UPLOAD_URL_VALIDITY: Duration = Duration::minutes(5);
    /// How long the URLs of a photo and its manifest work.
    RESULT_URL_VALIDITY: Duration = Duration::days(7);
    /// How long a frame stays reserved when its signing failed and may still have happened.
    RESERVATION_VALIDITY: Duration = Duration::minutes(10);
    /// How far the device's clock may differ.
    CLOCK_TOLERANCE: Duration = Duration::seconds(120);
    /// Most bytes of a `reference_id`.
    REFERENCE_ID_BYTES: usize = 512;
    /// Most bytes of `redirect_uri` and `webhook_url`.
    URL_BYTES: usize = 2048;
    /// Most bytes of a `label`.
    LABEL_BYTES: usize = 64;
    /// Bytes at which a `user_agent` is cut.
    USER_AGENT_BYTES: usize = 512;
    /// Least number of `extra_frame_hashes`.
    EXTRA_FRAMES_MIN: usize = 2;
    /// Greatest number of `extra_frame_hashes`.
    EXTRA_FRAMES_MAX: usize = 8;
    /// Most bytes of an uploaded photo, unless the operator sets another limit. It keeps the response within Lambda's 6 MB.
    MAX_ASSET_BYTES: u64 = 4 * 1024 * 1024;
    /// Most pixels of an uploaded photo.
    MAX_ASSET_PIXELS: u32 = 16_777_216;
    /// Bytes of the whole response of an ingest: Lambda's limit for a synchronous response, less the envelope that carries
    /// status and headers.
    MAX_RESPONSE_BYTES: usize = 6_291_556 - 8 * 1024;
    /// The largest integer that JavaScript represents exactly.
    MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;
    /// The volume limit that is reported for a license without a limit.
    UNLIMITED_VOLUME: u64 = MAX_SAFE_INTEGER;
    /// Seconds in the `Retry-After` of a response to a temporary failure.
    RETRY_AFTER_SECONDS: u32 = 2;
    /// Most bytes of a webhook's body.
    WEBHOOK_BODY_BYTES: usize = 20_000;
    /// How long the receiver of a webhook has to respond.
    WEBHOOK_TIMEOUT: Duration = Duration::seconds(30);
    /// The evidence from which on a photo is a likely recapture, unless the license has a threshold of its own: the natural
    /// logarithm of a likelihood ratio.
    RECAPTURE_THRESHOLD: f64 = 2.5;
    /// The thresholds that a license may have. At the lowest, one in a hundred of the simulated photos of the world is
    /// refused, nearly all of fine textures; at the highest, a third of the displays in focus passes.
    RECAPTURE_THRESHOLDS: RangeInclusive<f64> = 1.0..=4.0;
}
