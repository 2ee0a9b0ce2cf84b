//! Names of headers, in lower case as HTTP/2 writes them.

/// Makes a constant of each row, and a list of all for other languages.
macro_rules! headers {
    ($( $(#[doc = $doc:literal])+ $name:ident = $text:literal; )*) => {
        $( $(#[doc = $doc])+ pub const $name: &str = $text; )*

        /// The name of each constant, its value, and what the header is.
        #[cfg(feature = "openapi")]
        pub(crate) const ALL: &[(&str, &str, &str)] = &[$( (stringify!($name), $text, concat!($($doc),+).trim_ascii()), )*];
    };
}

headers! {
    /// The API key of an integrator's backend.
    API_KEY = "x-api-key";
    /// The number of touch points of the screen. More than one identifies an iPad that presents itself as a Macintosh.
    TOUCH_POINTS = "x-svc-touch-points";
    /// The license key that a hosted page's address names instead of the session's own license.
    LICENSE_KEY = "x-svc-license-key";
    /// The gateway's identifier of the request, which log lines have too.
    REQUEST_ID = "x-request-id";
    /// The id of a request of the admin API: a UUID, new for each intent, and the same for each retry of it.
    IDEMPOTENCY_KEY = "idempotency-key";
    /// The revision of the license that a change is for, in quotes.
    IF_MATCH = "if-match";
    /// The id of a webhook's message, which each attempt repeats.
    WEBHOOK_ID = "webhook-id";
    /// When the attempt at a webhook began, in seconds of the Unix epoch.
    WEBHOOK_TIMESTAMP = "webhook-timestamp";
    /// The signatures of a webhook, one for each live secret, separated by spaces: HMAC-SHA256 over `id.timestamp.body`.
    WEBHOOK_SIGNATURE = "webhook-signature";
}
