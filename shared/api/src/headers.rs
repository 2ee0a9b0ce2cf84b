//! Names of HTTP headers, in lower case as in HTTP/2.

/// The value of [`PHOTO`].
pub const MANIFEST: &str = "manifest";

/// Defines a constant for each row, and a list of all for other languages.
macro_rules! headers {
    ($( $(#[doc = $doc:literal])+ $name:ident = $text:literal; )*) => {
        $( $(#[doc = $doc])+ pub const $name: &str = $text; )*

        /// The name of each constant, its value, and its documentation.
        #[cfg(feature = "openapi")]
        pub(crate) const ALL: &[(&str, &str, &str)] = &[$( (stringify!($name), $text, concat!($($doc),+).trim_ascii()), )*];
    };
}

headers! {
    /// The API key of an integrator's backend.
    API_KEY = "x-api-key";
    /// The number of simultaneous touch points of the screen. More than one identifies an iPad that presents itself as
    /// a Macintosh.
    TOUCH_POINTS = "x-svc-touch-points";
    /// Asks an ingest for the manifest instead of the signed photo, with the value [`MANIFEST`]. Other values have no
    /// effect.
    PHOTO = "x-svc-photo";
    /// The license key in a hosted page's address, which replaces the session's own license.
    LICENSE_KEY = "x-svc-license-key";
    /// The request id of API Gateway, which is also in the service's logs.
    REQUEST_ID = "x-request-id";
    /// The id of a request of the admin API: a new UUID for each intended change, and the same UUID for each retry of
    /// it.
    IDEMPOTENCY_KEY = "idempotency-key";
    /// The expected revision of the license that is to be changed, in quotes.
    IF_MATCH = "if-match";
    /// The id of a webhook message, which each attempt repeats.
    WEBHOOK_ID = "webhook-id";
    /// When the attempt at a webhook was started, in seconds of the Unix epoch.
    WEBHOOK_TIMESTAMP = "webhook-timestamp";
    /// The signatures of a webhook, one for each secret in force, separated by spaces: HMAC-SHA256 over
    /// `id.timestamp.body`.
    WEBHOOK_SIGNATURE = "webhook-signature";
}
