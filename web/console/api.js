// Requests to the console's server, and the one type of their failures.

import { sessionToken } from "./session.js";

/**
 * What a failure means:
 * - `session`: the console ended; `credentials`: the AWS credentials expired; `denied`: IAM refuses
 * - `throttled`, `unreachable`: nothing was done; `undone`: nor will it be, whatever is on its way
 * - `unknown`: the answer was lost, the change may have been made
 * - `stale`: another revision is current; `repeated`: the first request with this key was carried out
 * - `conflict`: the state does not allow it; `missing`, `refused`: the service refuses; `broken`: the service failed
 * @typedef {"session" | "credentials" | "denied" | "throttled" | "unreachable" | "undone" | "unknown" | "stale" |
 *   "repeated" | "conflict" | "missing" | "refused" | "broken"} FailureKind
 */

/** @type {Record<string, FailureKind>} */
const REASONS = {
  session: "session",
  credentials: "credentials",
  denied: "denied",
  throttled: "throttled",
  unreachable: "unreachable",
  unknown: "unknown",
  unavailable: "unknown",
};

/** @type {Record<number, FailureKind>} */
const STATUSES = {
  400: "refused", 404: "missing", 409: "conflict", 412: "stale", 413: "refused", 429: "throttled", 503: "unknown",
};

export class Failure extends Error {
  /**
   * @param {FailureKind} kind
   * @param {string} [detail] the API's text, in English
   * @param {string} [carriedOutAt] when the first request with the same key was carried out
   */
  constructor(kind, detail = "", carriedOutAt = "") {
    super(detail || kind);
    this.kind = kind;
    this.detail = detail;
    this.carriedOutAt = carriedOutAt;
  }
}

/**
 * A path of the admin API. Segments come from addresses that anyone can write: another form than that of an id is no resource.
 * @param {...string} segments
 */
export function at(...segments) {
  if (!segments.every((segment) => /^[\w-]+$/.test(segment))) throw new Failure("missing");
  return `admin/${segments.join("/")}`;
}

/**
 * @param {string} path below `/api`
 * @param {AbortSignal} [signal]
 * @param {Record<string, string | undefined>} [query] what is empty is left out
 * @returns {Promise<any>}
 */
export function read(path, signal, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = new URLSearchParams(given).toString();
  return send(`${path}${search && "?"}${search}`, { ...(signal ? { signal } : {}) });
}

/**
 * A change.
 * @param {"POST" | "PATCH"} method
 * @param {string} path below `/api`
 * @param {{ key: string, revision?: number | undefined, body?: unknown }} intent the key is the same in all its attempts
 * @returns {Promise<any>}
 */
export function change(method, path, { key, revision, body = {} }) {
  const condition = revision === undefined ? {} : { "if-match": `"${revision}"` };
  const headers = { "content-type": "application/json", "idempotency-key": key, ...condition };
  return send(path, { method, headers, body: JSON.stringify(body) });
}

/**
 * What a refusal means after an attempt whose answer was lost: that attempt itself may have made the revision old. The audit
 * log knows every request that was carried out, by its key.
 * @param {Failure} refusal
 * @param {string} key
 */
export async function settle(refusal, key) {
  try {
    const { outcome, at: carriedOutAt } = await read(at("audit", key));
    return outcome === "done" ? new Failure("repeated", "", carriedOutAt) : refusal;
  } catch (error) {
    return error instanceof Failure && error.kind === "missing" ? refusal : new Failure("unknown");
  }
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function send(path, options) {
  const headers = { accept: "application/json", ...options.headers, "x-console-session": sessionToken() };
  /** @type {Response} */
  let response;
  /** @type {any} */
  let answer;
  try {
    response = await fetch(`/api/${path}`, { ...options, headers, cache: "no-store" });
    answer = await response.json();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    // Without an answer nobody knows whether the request arrived.
    throw new Failure("unknown");
  }
  if (response.ok) return answer;
  throw failureOf(response.status, answer);
}

/**
 * @param {number} status
 * @param {Partial<import("./records.js").CarriedOut> & { reason?: string }} answer `reason` is of the console's server
 */
function failureOf(status, { error, reason, carried_out_at }) {
  if (carried_out_at) return new Failure("repeated", error, carried_out_at);
  const kind = REASONS[reason ?? ""] ?? STATUSES[status] ?? "broken";
  // Some answers of 503 say that nothing was done.
  if (kind === "unknown" && /nothing was changed/i.test(error ?? "")) return new Failure("undone", error);
  if (kind === "session") dispatchEvent(new Event("session-ended"));
  return new Failure(kind, error);
}
