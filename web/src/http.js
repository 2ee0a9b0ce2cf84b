// One request without cookies and caches, and its answer. Deadlines bound silence and not the whole transfer: a signed
// photo takes minutes on a slow network.

/** The next part of a body comes within this, in milliseconds. */
const SILENCE = 30_000;

/**
 * @typedef {object} Head
 * @property {boolean} ok
 * @property {number} status
 * @property {string | null} requestId the service's, or the gateway's own where only that answered
 */
/** @typedef {Head & { body: Record<string, unknown> | null }} Answer `body` is its JSON object, null where it is none */
/** @typedef {(loaded: number, total: number) => void} OnProgress in bytes */
/** @typedef {{ signal?: AbortSignal | undefined, timeout?: number, onProgress?: OnProgress | undefined, headers?: Record<string, string>, method?: string, body?: string }} Init */

/**
 * A request whose answer is JSON.
 * @param {string} url
 * @param {Init} init
 * @param {(cause: unknown) => Error} onNetworkFailure
 * @returns {Promise<Answer>}
 */
export async function request(url, init, onNetworkFailure) {
  const { bytes, ...head } = await transfer(url, init, onNetworkFailure);
  return { ...head, body: parse(await bytes.text()) };
}

/**
 * @param {string} url where it is relative, the page's origin completes it, whatever the page's `<base>` says: license key and
 *   token go nowhere else
 * @param {Init} init `timeout` is in milliseconds, to the headers; default 30 s. `onProgress` hears of the parts of a body whose
 *   length is known
 * @param {(cause: unknown) => Error} onNetworkFailure what a failure of the network becomes; an abort stays an abort
 * @returns {Promise<Head & { bytes: Blob }>} read whole
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
 * The bytes of a body.
 * @param {Response} response
 * @param {() => void} onWait called before each part is waited for
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
    // The length of a body that was compressed on the way is not that of its parts.
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
 * What an error says of an answer. The service's own refusals have an `error`.
 * @param {Answer} answer
 * @returns {import("./errors.js").ErrorDetails}
 */
export function detailsOf({ status, requestId, body }) {
  const blockReason = body?.["block_reason"];
  return {
    status,
    ...named(requestId),
    ...(typeof blockReason === "string" ? { blockReason } : {}),
    ...(typeof body?.["error"] === "string" ? {} : { gateway: true }),
  };
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
