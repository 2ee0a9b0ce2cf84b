// Requests to the console's server, and the error type of their failures.

import { sessionToken } from "./session.js";

/**
 * The kinds of failure:
 * - `session`: the console's session ended; `credentials`: the AWS credentials expired; `denied`: IAM denied the
 *   request
 * - `throttled`, `unreachable`: nothing was done; `undone`: nothing was done, and no attempt will still take effect
 * - `unknown`: the response was lost, so the change may have been made
 * - `stale`: another revision is current; `repeated`: an earlier request with this key was carried out
 * - `conflict`: the state does not allow the change; `missing`, `refused`: the service refused; `broken`: the
 *   service failed
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
   * @param {string} [carriedOutAt] when an earlier request with the same key was carried out
   */
  constructor(kind, detail = "", carriedOutAt = "") {
    super(detail || kind);
    this.kind = kind;
    this.detail = detail;
    this.carriedOutAt = carriedOutAt;
  }
}

/**
 * A path of the admin API. Segments may come from an address that anyone can write, so a segment without the form
 * of an id fails as missing.
 * @param {...string} segments
 */
export function at(...segments) {
  if (!segments.every((segment) => /^[\w-]+$/.test(segment))) throw new Failure("missing");
  return `admin/${segments.join("/")}`;
}

/**
 * @param {string} path below `/api`
 * @param {AbortSignal} [signal]
 * @param {Record<string, string | undefined>} [query] empty parameters are left out
 * @returns {Promise<any>}
 */
export function read(path, signal, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = new URLSearchParams(given).toString();
  return send(`${path}${search && "?"}${search}`, { ...(signal ? { signal } : {}) });
}

/**
 * Sends a change.
 * @param {"POST" | "PATCH"} method
 * @param {string} path below `/api`
 * @param {{ key: string, revision?: number | undefined, body?: unknown }} intent `key` is the idempotency key, the same
 *   in all attempts
 * @returns {Promise<any>}
 */
export function change(method, path, { key, revision, body = {} }) {
  const condition = revision === undefined ? {} : { "if-match": `"${revision}"` };
  const headers = { "content-type": "application/json", "idempotency-key": key, ...condition };
  return send(path, { method, headers, body: JSON.stringify(body) });
}

/**
 * Sends a photo whose response is read only.
 * @param {string} path below `/api`
 * @param {Blob} photo
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
export function sendPhoto(path, photo, signal) {
  return send(path, { method: "POST", headers: { "content-type": photo.type }, body: photo, signal });
}

/**
 * Interprets a refusal that follows an attempt with a lost response: that attempt may itself have changed the
 * revision. The audit log has every request that was carried out, by its key.
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
    // Without a response it is unknown whether the request arrived.
    throw new Failure("unknown");
  }
  if (response.ok) return answer;
  throw failureOf(response.status, answer);
}

/**
 * @param {number} status
 * @param {Partial<import("./records.js").CarriedOut> & { reason?: string }} answer `reason` is set by the console's server
 */
function failureOf(status, { error, reason, carried_out_at }) {
  if (carried_out_at) return new Failure("repeated", error, carried_out_at);
  const kind = REASONS[reason ?? ""] ?? STATUSES[status] ?? "broken";
  // Some 503 responses state that nothing was changed.
  if (kind === "unknown" && /nothing was changed/i.test(error ?? "")) return new Failure("undone", error);
  if (kind === "session") dispatchEvent(new Event("session-ended"));
  return new Failure(kind, error);
}
