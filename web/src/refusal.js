// Checks that `open` makes before it shows or requests anything.

import { isDesktopSite, isUserAgentSupported } from "./browser.js";
import { BrowserError, ErrorCode, IngestError, LicenseError, SessionError, StreamError } from "./errors.js";
import { LABEL_BYTES } from "./limits.js";

/** Characters that the service refuses in a label: invisible characters, and those of markup. */
const NO_LABEL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>&"'`]/u;

/**
 * @param {string} token
 * @param {string} licenseKey
 * @param {boolean} hosted whether the session is hosted, so that its license comes from the service
 * @param {string} label
 * @param {import("./texts.js").Texts} texts
 * @returns {import("./errors.js").SvcCameraError | undefined}
 */
export function refusal(token, licenseKey, hosted, label, texts) {
  // The browser is checked before the token, so that a page can learn what to tell the person without a session.
  if (!isUserAgentSupported()) {
    return new BrowserError(ErrorCode.BROWSER_NOT_SUPPORTED, isDesktopSite() ? texts.desktopSite : texts.otherBrowser);
  }
  if (!token) return new SessionError(ErrorCode.TOKEN_REQUIRED, "open() precisa do token da sessão");
  if (!isSecureContext) {
    // Outside a secure context browsers offer neither camera nor WebCrypto.
    return new StreamError(ErrorCode.STREAM_OPEN_FAILED, "A página precisa de HTTPS", { name: "SecurityError" });
  }
  if (!licenseKey && !hosted) return new LicenseError(ErrorCode.LICENSE_KEY_MISSING, "Falta a license key");
  if (NO_LABEL.test(label) || new TextEncoder().encode(label).length > LABEL_BYTES) {
    return new IngestError(ErrorCode.INGEST_FAILED, "Rótulo inválido", { name: "DataError" });
  }
  return undefined;
}

/**
 * The error for an element that is outside the document or below an element that the page does not render: its
 * dialog cannot be shown.
 */
export function notShown() {
  const message = "O elemento não está no documento, ou a página não o mostra";
  return new StreamError(ErrorCode.STREAM_OPEN_FAILED, message, { name: "InvalidStateError" });
}
