// Sends one request without cookies and caches, and reads its response. Timeouts limit the silence between parts,
// not the whole transfer: on a slow network a signed photo takes minutes.

/** Maximum time between two parts of a body, in milliseconds. */
const SILENCE = 30_000;

/**
 * @typedef {object} Head
 * @property {boolean} ok
 * @property {number} status
 * @property {string | null} requestId the service's request id, or the gateway's if the gateway answered itself
 */
/**
 * @typedef {Head & { body: Record<string, unknown> | null }} Answer
 *   `body` is the parsed JSON object; null if the body of an error is not one
 */
/** @typedef {(loaded: number, total: number) => void} OnProgress in bytes */
/** @typedef {{ signal?: AbortSignal | undefined, timeout?: number, onProgress?: OnProgress | undefined, headers?: Record<string, string>, method?: string, body?: string }} Init */

/**
 * Sends a request and parses the response as JSON.
 * @param {string} url
 * @param {Init} init
 * @param {(cause: unknown) => Error} onNetworkFailure also called for a success without a JSON object: WebKit does not
 *   report that a body was cut, and the sign-in page of a public Wi-Fi is a success
 * @returns {Promise<Answer>}
 */
export async function request(url, init, onNetworkFailure) {
  const { bytes, ...head } = await transfer(url, init, onNetworkFailure);
  const body = parse(await bytes.text());
  if (head.ok && !body) throw onNetworkFailure(new TypeError(`HTTP ${head.status} without a JSON object`));
  return { ...head, body };
}

/**
 * @param {string} url a relative URL is resolved against the page's origin, whatever its `<base>` says, so that license key and
 *   token go to no other host
 * @param {Init} init `timeout` is the time to the response headers in milliseconds; default 30 s. `onProgress` reports
 *   only bodies whose length is known
 * @param {(cause: unknown) => Error} onNetworkFailure maps a network failure to the error that is thrown; an abort is
 *   rethrown unchanged
 * @returns {Promise<Head & { bytes: Blob }>} the completely read response
 */
export async function transfer(url, { signal, timeout = SILENCE, onProgress, ...init }, onNetworkFailure) {
  const deadline = new AbortController();
  const abort = () => deadline.abort(signal?.reason);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = (/** @type {number} */ limit) => {
    clearTimeout(timer);
    timer = setTimeout(() => deadline.abort(), limit);
  };
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    wait(timeout);
    const { origin } = globalThis;
    const address = new URL(url, origin === "null" ? undefined : origin);
    const response = await fetch(address, { ...init, signal: deadline.signal, credentials: "omit", cache: "no-store" });
    const { ok, status, headers } = response;
    const requestId = headers.get("x-request-id") ?? headers.get("apigw-requestid");
    return { ok, status, requestId, bytes: await read(response, () => wait(SILENCE), onProgress) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw onNetworkFailure(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Reads the bytes of a body.
 * @param {Response} response
 * @param {() => void} onWait called before waiting for each part
 * @param {OnProgress} [onProgress]
 */
async function read({ body, headers }, onWait, onProgress) {
  const parts = [];
  const reader = body?.getReader();
  const total = Number(headers.get("content-length"));
  for (let loaded = 0; reader; ) {
    onWait();
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    // `Content-Length` of a compressed body counts compressed bytes, so it may be less than what is loaded.
    if (loaded <= total) onProgress?.(loaded, total);
  }
  return new Blob(parts);
}

/**
 * @param {string} url
 * @param {unknown} value
 * @param {Init} init
 * @param {(cause: unknown) => Error} onNetworkFailure
 */
export function postJson(url, value, init, onNetworkFailure) {
  const headers = { ...init.headers, "content-type": "application/json" };
  return request(url, { ...init, method: "POST", headers, body: JSON.stringify(value) }, onNetworkFailure);
}

/** @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/**
 * Details of an error response. Refusals of the service itself have an `error` field.
 * @param {Answer} answer
 * @returns {import("./errors.js").ErrorDetails}
 */
export function detailsOf({ status, requestId, body }) {
  const [blockReason, recaptureRisk] = [body?.["block_reason"], body?.["recapture_risk"]];
  return {
    status,
    ...named(requestId),
    ...(typeof blockReason === "string" ? { blockReason } : {}),
    ...(typeof recaptureRisk === "string" ? { recaptureRisk } : {}),
    ...(typeof body?.["error"] === "string" ? {} : { gateway: true }),
  };
}

/** The request id as details of an error. @param {string | null} requestId */
export function named(requestId) {
  return requestId ? { requestId } : {};
}

/**
 * The text of an error response: the service's, or the gateway's, or else the status.
 * @param {Answer} answer
 * @returns {string}
 */
export function textOf({ status, body }) {
  const text = body?.["error"] ?? body?.["message"];
  return typeof text === "string" ? text : `HTTP ${status}`;
}
