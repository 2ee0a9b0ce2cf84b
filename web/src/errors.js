// Errors of the component's `error` event: a code of web/README.md#errors, a class, and details for programs.

/**
 * Error codes. The last seven are reserved and never raised.
 * @enum {number}
 */
export const ErrorCode = Object.freeze({
  BROWSER_NOT_SUPPORTED: 2002,
  STREAM_OPEN_FAILED: 3001,
  SESSION_FETCH_FAILED: 4001,
  INGEST_FAILED: 4002,
  TOKEN_REQUIRED: 5002,
  LICENSE_KEY_MISSING: 8001,
  LICENSE_INVALID: 8002,
  LICENSE_NETWORK_ERROR: 8003,
  RESERVED_1000: 1000,
  RESERVED_3002: 3002,
  RESERVED_5001: 5001,
  RESERVED_6001: 6001,
  RESERVED_6002: 6002,
  RESERVED_6003: 6003,
  RESERVED_7001: 7001,
});

/**
 * Details of an error for programs. `status` is the HTTP status, absent if no response came; `requestId` identifies
 * the request in the service's logs; `gateway` is true if a gateway or firewall answered instead of the service;
 * `blockReason` is the response's `block_reason`; `reason` says why a license was refused; `name` is the browser's
 * name of a camera failure, or the name of an unexpected exception; `kept` is true if the photo was kept and the
 * dialog offers to send it again; `altered` is true if the service signed the photo, but the received photo has a
 * different hash than the service states; `recaptureRisk` is `HIGH` if the service took the photo for one of a screen.
 * @typedef {{ status?: number, requestId?: string, gateway?: boolean, blockReason?: string, reason?: string, name?: string, kept?: boolean, altered?: boolean, recaptureRisk?: string }} ErrorDetails
 */

/** Base class of all errors of the component. Check the class first, then the code. */
export class SvcCameraError extends Error {
  // The name is a literal because minifiers rename classes.
  name = "SvcCameraError";
  /** @type {number} */
  code;
  /** @type {ErrorDetails} */
  details;

  /**
   * @param {number} code one of `ErrorCode`
   * @param {string} message the service's own text, if it sent one
   * @param {ErrorDetails} [details]
   * @param {unknown} [cause]
   */
  constructor(code, message, details = {}, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  /**
   * The JSON form for logs and messages, without stack and cause.
   * @returns {{ name: string, code: number, message: string, details: ErrorDetails }}
   */
  toJSON() {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** The service does not accept this browser (2002). */
export class BrowserError extends SvcCameraError {
  name = "BrowserError";
}

/** The license key is missing or was refused, or the validation failed (8001, 8002, 8003). */
export class LicenseError extends SvcCameraError {
  name = "LicenseError";
}

/** The camera could not be opened (3001). */
export class StreamError extends SvcCameraError {
  name = "StreamError";
}

/** `open` was called without a token, or the session could not be loaded (5002, 4001). */
export class SessionError extends SvcCameraError {
  name = "SessionError";
}

/** The photo could not be uploaded, or the service refused it (4002). */
export class IngestError extends SvcCameraError {
  name = "IngestError";
}
