// One request without cookies and caches, and its JSON answer. Deadlines bound silence and not the whole transfer: a signed
// photo takes minutes on a slow network.

/**
 * @typedef {object} Answer
 * @property {boolean} ok
 * @property {number} status
 * @property {string | null} requestId the service's, or the gateway's own where only that answered
 * @property {Record<string, unknown> | null} body its JSON object, null where it is none
 */
/** @typedef {{ signal?: AbortSignal | undefined, timeout?: number, headers?: Record<string, string>, method?: string, body?: string }} Init */

/**
 * @param {string} url where it is relative, the page's origin completes it, whatever the page's `<base>` says: license key and
 *   token go nowhere else
 * @param {Init} init `timeout` is in milliseconds: to the headers, and from one part of the body to the next; default 30 s
 * @param {(cause: unknown) => Error} onNetworkFailure what a failure of the network becomes; an abort stays an abort
 * @returns {Promise<Answer>} read whole
 */
export async function request(url, { signal, timeout = 30_000, ...init }, onNetworkFailure) {
  const deadline = new AbortController();
  const abort = () => deadline.abort(signal?.reason);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => deadline.abort(), timeout);
  };
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    wait();
    const { origin } = globalThis;
    const address = new URL(url, origin === "null" ? undefined : origin);
    const response = await fetch(address, { ...init, signal: deadline.signal, credentials: "omit", cache: "no-store" });
    const { ok, status, headers } = response;
    const requestId = headers.get("x-request-id") ?? headers.get("apigw-requestid");
    return { ok, status, requestId, body: parse(await read(response, wait)) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw onNetworkFailure(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * The text of a body.
 * @param {Response} response
 * @param {() => void} onPart called before each part is waited for
 */
async function read({ body }, onPart) {
  const parts = [];
  const reader = body?.getReader();
  while (reader) {
    onPart();
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
  }
  return new Blob(parts).text();
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
 * What an error says of an answer. The service's own refusals have an `error`.
 * @param {Answer} answer
 * @returns {import("./errors.js").ErrorDetails}
 */
export function detailsOf({ status, requestId, body }) {
  return { status, ...named(requestId), ...(typeof body?.["error"] === "string" ? {} : { gateway: true }) };
}

/** The request's id among the details of an error. @param {string | null} requestId */
export function named(requestId) {
  return requestId ? { requestId } : {};
}

/**
 * The text of a refusal: the service's, or the gateway's, or the status where neither said one.
 * @param {Answer} answer
 * @returns {string}
 */
export function textOf({ status, body }) {
  const text = body?.["error"] ?? body?.["message"];
  return typeof text === "string" ? text : `HTTP ${status}`;
}
