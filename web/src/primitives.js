// The functions that the element is built from, for pages with a camera of their own. Importing them neither
// registers the element nor shows anything.

export { assemble } from "./assemble.js";
export { isUserAgentSupported } from "./browser.js";
export { BrowserError, ErrorCode, IngestError, LicenseError, SessionError, StreamError, SvcCameraError } from "./errors.js";
export { captureFrames } from "./frames.js";
export { hashBuffer } from "./hash.js";
export { validateLicense } from "./license.js";
export { loadSession, postIngest, uploadImage } from "./service.js";
