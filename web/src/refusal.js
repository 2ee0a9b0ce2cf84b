// What open() refuses before anything is shown or asked.

import { isDesktopSite, isUserAgentSupported } from "./browser.js";
import { BrowserError, ErrorCode, LicenseError, SessionError, StreamError } from "./errors.js";
import { textsOf } from "./texts.js";

/**
 * @param {string} token
 * @param {string} licenseKey
 * @param {boolean} hosted whether the license is the session's
 * @param {boolean} connected whether the element is in the document
 * @param {import("./texts.js").Texts} [texts] in the browser's language unless they are given
 * @returns {import("./errors.js").SvcCameraError | undefined}
 */
export function refusal(token, licenseKey, hosted, connected, texts = textsOf(navigator.language, {})) {
  // Before the token: a page learns what to say without a session.
  if (!isUserAgentSupported()) {
    return new BrowserError(ErrorCode.BROWSER_NOT_SUPPORTED, isDesktopSite() ? texts.desktopSite : texts.otherBrowser);
  }
  if (!token) return new SessionError(ErrorCode.TOKEN_REQUIRED, "open() precisa do token da sessão");
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
