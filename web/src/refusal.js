// What open() refuses before anything is shown or asked.

import { isUserAgentSupported } from "./browser.js";
import { BrowserError, ErrorCode, LicenseError, SessionError, StreamError } from "./errors.js";

/**
 * @param {string} token
 * @param {string} licenseKey
 * @param {boolean} hosted whether the license is the session's
 * @param {boolean} connected whether the element is in the document
 * @returns {import("./errors.js").SvcCameraError | undefined}
 */
export function refusal(token, licenseKey, hosted, connected) {
  if (!token) return new SessionError(ErrorCode.TOKEN_REQUIRED, "open() precisa do token da sessão");
  if (!isUserAgentSupported()) {
    return new BrowserError(ErrorCode.BROWSER_NOT_SUPPORTED, "Use o Safari no iPhone ou iPad, ou o Chrome no Android");
  }
  if (!isSecureContext) {
    // There, browsers have neither cameras nor hashes.
    return new StreamError(ErrorCode.STREAM_OPEN_FAILED, "A página precisa de HTTPS", { name: "SecurityError" });
  }
  if (!licenseKey && !hosted) return new LicenseError(ErrorCode.LICENSE_KEY_MISSING, "Falta a license key");
  return connected ? undefined : notInDocument();
}

/** Without its element in the document nothing can open. */
export function notInDocument() {
  const details = { name: "InvalidStateError" };
  return new StreamError(ErrorCode.STREAM_OPEN_FAILED, "O elemento não está no documento", details);
}
