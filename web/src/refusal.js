// What open() refuses before anything is shown or asked.

import { isUserAgentSupported } from "./browser.js";
import { BrowserError, ErrorCode, LicenseError, SessionError, StreamError } from "./errors.js";

/**
 * @param {string} token
 * @param {string} licenseKey
 * @param {boolean} hosted whether the license is the session's
 * @returns {import("./errors.js").SvcCameraError | undefined}
 */
export function refusal(token, licenseKey, hosted) {
  if (!token) return new SessionError(ErrorCode.TOKEN_REQUIRED, "open() precisa do token da sessão");
  if (!isUserAgentSupported()) {
    return new BrowserError(ErrorCode.BROWSER_NOT_SUPPORTED, "Use o Safari no iPhone ou iPad, ou o Chrome no Android");
  }
  if (!isSecureContext) {
    // There, browsers have neither cameras nor hashes.
    return new StreamError(ErrorCode.STREAM_OPEN_FAILED, "A página precisa de HTTPS", { name: "SecurityError" });
  }
  if (!licenseKey && !hosted) return new LicenseError(ErrorCode.LICENSE_KEY_MISSING, "Falta a license key");
  return undefined;
}

/** An element that is not in the document, or below one that the page does not render, shows no dialog. */
export function notShown() {
  const message = "O elemento não está no documento, ou a página não o mostra";
  return new StreamError(ErrorCode.STREAM_OPEN_FAILED, message, { name: "InvalidStateError" });
}
