//! Names of headers, in lower case as HTTP/2 writes them.

/// The API key of an integrator's backend.
pub const API_KEY: &str = "x-api-key";
/// The number of touch points of the screen. More than one identifies an iPad that presents itself as a Macintosh.
pub const TOUCH_POINTS: &str = "x-svc-touch-points";
/// The license key that a hosted page's address names instead of the session's own license.
pub const LICENSE_KEY: &str = "x-svc-license-key";
/// The gateway's identifier of the request, which log lines have too.
pub const REQUEST_ID: &str = "x-request-id";
