// What the component's `error` event carries: a code of web/README.md#errors, a class to catch by, and details for programs.

/**
 * The codes of errors. The last seven are reserved: defined, and never raised.
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
 * What programs may ask of an error. `status` is the HTTP status of an answer, absent where none came; `requestId` is the
 * request's name in the service's logs; `gateway` is true where the answer is not the service's own, but a gateway's or a
 * firewall's; `blockReason` is the answer's `block_reason`; `reason` says why a license was refused; `name` is the browser's
 * name for a failure of the camera, or the name of an unexpected exception; `kept` is true where the photo is not lost: the
 * dialog stays open, and offers to send it again; `altered` is true where the service signed the photo, and what arrived of it
 * has another hash than the service states.
 * @typedef {{ status?: number, requestId?: string, gateway?: boolean, blockReason?: string, reason?: string, name?: string, kept?: boolean, altered?: boolean }} ErrorDetails
 */

/** Every failure of the component. Ask the class first, then the code. */
export class SvcCameraError extends Error {
  // Names are written out, because minifiers rename classes.
  name = "SvcCameraError";
  /** @type {number} */
  code;
  /** @type {ErrorDetails} */
  details;

  /**
   * @param {number} code one of `ErrorCode`
   * @param {string} message the service's text where it gave one
   * @param {ErrorDetails} [details]
   * @param {unknown} [cause]
   */
  constructor(code, message, details = {}, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  /**
   * For logs and messages: without the stack, and without the cause.
   * @returns {{ name: string, code: number, message: string, details: ErrorDetails }}
   */
  toJSON() {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** The browser is not one that the service accepts (2002). */
export class BrowserError extends SvcCameraError {
  name = "BrowserError";
}

/** The license key is missing, was refused, or could not be asked about (8001, 8002, 8003). */
export class LicenseError extends SvcCameraError {
  name = "LicenseError";
}

/** The camera did not open (3001). */
export class StreamError extends SvcCameraError {
  name = "StreamError";
}

/** `open` had no token, or its session could not be loaded (5002, 4001). */
export class SessionError extends SvcCameraError {
  name = "SessionError";
}

/** The photo could not be uploaded, or the service refused it (4002). */
export class IngestError extends SvcCameraError {
  name = "IngestError";
}
