// What open() refuses before anything is shown or asked.

import { isDesktopSite, isUserAgentSupported } from "./browser.js";
import { BrowserError, ErrorCode, IngestError, LicenseError, SessionError, StreamError } from "./errors.js";
import { LABEL_BYTES } from "./limits.js";

/** What the service refuses in a label: characters that are not seen, and those of markup. */
const NO_LABEL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>&"'`]/u;

/**
 * @param {string} token
 * @param {string} licenseKey
 * @param {boolean} hosted whether the license is the session's
 * @param {string} label
 * @param {import("./texts.js").Texts} texts
 * @returns {import("./errors.js").SvcCameraError | undefined}
 */
export function refusal(token, licenseKey, hosted, label, texts) {
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
  if (NO_LABEL.test(label) || new TextEncoder().encode(label).length > LABEL_BYTES) {
    return new IngestError(ErrorCode.INGEST_FAILED, "Rótulo inválido", { name: "DataError" });
  }
  return undefined;
}

/** An element that is not in the document, or below one that the page does not render, shows no dialog. */
export function notShown() {
  const message = "O elemento não está no documento, ou a página não o mostra";
  return new StreamError(ErrorCode.STREAM_OPEN_FAILED, message, { name: "InvalidStateError" });
}
