// Limits and names of the API. Generated from shared/api by scripts/generate.

/** Maximum number of loads of one session, the first included. */
export const LOADS_PER_SESSION = 20;

/** Maximum bytes of a `label`. */
export const LABEL_BYTES = 64;

/** Maximum bytes of an uploaded photo, unless the operator sets another limit. It keeps the response within Lambda's 6 MB. */
export const MAX_ASSET_BYTES = 4194304;

/** Maximum pixels of an uploaded photo. */
export const MAX_ASSET_PIXELS = 16777216;

/** The number of simultaneous touch points of the screen. More than one identifies an iPad that presents itself as a Macintosh. */
export const TOUCH_POINTS_HEADER = "x-svc-touch-points";

/** Asks an ingest for the manifest instead of the signed photo, with the value [`MANIFEST`]. Other values have no effect. */
export const PHOTO_HEADER = "x-svc-photo";

/** The license key in a hosted page's address, which replaces the session's own license. */
export const LICENSE_KEY_HEADER = "x-svc-license-key";

/** The longer and the shorter side that a `capture_resolution` means, in pixels. `MAX` is the camera's own. */
export const CAPTURE_RESOLUTIONS = /** @type {const} */ ({ SD: [1280, 720], HD: [1920, 1080], FHD: [2560, 1440] });

/** The ratio of width to height under each `framing`. */
export const FRAMINGS = /** @type {const} */ ({ landscape: [4, 3], portrait: [3, 4], square: [1, 1] });
