// Whether the license may be used on this page: the service is asked, and its yes is good for an hour.

import { ErrorCode, LicenseError } from "./errors.js";
import { hashBuffer } from "./hash.js";
import { detailsOf, named, postJson } from "./http.js";

/** A yes is remembered so long, in milliseconds. */
const CACHE = 60 * 60 * 1000;
/** In milliseconds. */
const TIMEOUT = 15_000;

/** @typedef {import("../api/web.js").components["schemas"]} Schemas */
/** @typedef {Schemas["Policy"]} Policy what a license allows, as `POST /validate` returns it */

/**
 * Validates a license, over the network or by a yes of the last hour for the same key and page.
 * @param {{ licenseUrl: string, licenseKey: string, signal?: AbortSignal }} options
 * @returns {Promise<Policy>}
 * @throws {LicenseError} 8002 with `details.reason`; 8003 where no verdict came, with `details.status` where an answer did
 */
export async function validateLicense({ licenseUrl, licenseKey, signal }) {
  // The storage belongs to the page's origin already; it is in the name too, because a yes holds for one origin.
  const subject = new TextEncoder().encode([location.origin, licenseUrl, licenseKey].join("\n"));
  const name = `svc-camera:license:${await hashBuffer(subject)}`;
  const remembered = recall(name);
  if (remembered) return remembered;

  const policy = await ask(licenseUrl, { license_key: licenseKey }, signal);
  remember(name, policy);
  return policy;
}

/**
 * Validates the license of a hosted session, or the one that its link names. Nothing is remembered: the session may be over.
 * @param {{ licenseUrl: string, token: string, licenseKey: string, signal?: AbortSignal }} options
 * @returns {Promise<Policy>}
 * @throws {LicenseError} as above
 */
export function validateSession({ licenseUrl, token, licenseKey, signal }) {
  return ask(licenseUrl, { token, ...(licenseKey ? { license_key: licenseKey } : {}) }, signal);
}

/**
 * @param {string} licenseUrl
 * @param {Schemas["ValidateRequest"] | import("../api/hosted.js").components["schemas"]["ValidateSessionRequest"]} subject
 * @param {AbortSignal} [signal]
 * @returns {Promise<Policy>}
 */
async function ask(licenseUrl, subject, signal) {
  const answer = await postJson(
    `${licenseUrl}/validate`,
    subject,
    { signal, timeout: TIMEOUT },
    (cause) => new LicenseError(ErrorCode.LICENSE_NETWORK_ERROR, "Falha de rede ao validar a licença", {}, cause),
  );
  const verdict = answer.body;
  if (!answer.ok || typeof verdict?.["valid"] !== "boolean") {
    const message = `A licença não pôde ser validada (${answer.status})`;
    throw new LicenseError(ErrorCode.LICENSE_NETWORK_ERROR, message, detailsOf(answer));
  }
  if (!verdict["valid"]) {
    const reason = String(verdict["reason"]);
    throw new LicenseError(ErrorCode.LICENSE_INVALID, `Licença recusada (${reason})`, { reason, ...named(answer.requestId) });
  }
  return /** @type {Policy} */ (/** @type {unknown} */ (verdict));
}

/**
 * @param {string} name
 * @returns {Policy | undefined}
 */
function recall(name) {
  try {
    const { at, policy } = JSON.parse(localStorage.getItem(name) ?? "{}");
    const age = Date.now() - at;
    if (age >= 0 && age < CACHE && Date.now() < Date.parse(policy.expires_at)) return policy;
    localStorage.removeItem(name);
  } catch {
    // Storage that is forbidden, or spoiled, remembers nothing.
  }
  return undefined;
}

/**
 * @param {string} name
 * @param {Policy} policy
 */
function remember(name, policy) {
  try {
    localStorage.setItem(name, JSON.stringify({ at: Date.now(), policy }));
  } catch {
    // As above.
  }
}
