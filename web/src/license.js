// Validates the license for this page with the service. A positive answer is cached for an hour.

import { ErrorCode, LicenseError } from "./errors.js";
import { hashBuffer } from "./hash.js";
import { detailsOf, named, postJson } from "./http.js";

/** Lifetime of a cached validation, in milliseconds. */
const CACHE = 60 * 60 * 1000;
/** Request timeout, in milliseconds. */
const TIMEOUT = 15_000;

/** @typedef {import("../api/web.js").components["schemas"]} Schemas */
/** @typedef {Schemas["Policy"]} Policy what a license allows, as `POST /validate` returns it */

/**
 * Validates a license, or returns the cached validation of the same key and page from the last hour.
 * @param {{ licenseUrl: string, licenseKey: string, signal?: AbortSignal }} options
 * @returns {Promise<Policy>}
 * @throws {LicenseError} 8002 with `details.reason` if refused; 8003 if no verdict came, with `details.status` if a
 *   response came
 */
export async function validateLicense({ licenseUrl, licenseKey, signal }) {
  // `sessionStorage` is already separate for each origin. The name contains the origin as well, because the
  // validation holds for one origin only.
  const subject = new TextEncoder().encode([location.origin, licenseUrl, licenseKey].join("\n"));
  const name = `svc-camera:license:${await hashBuffer(subject)}`;
  const remembered = recall(name);
  if (remembered) return remembered;

  const policy = await ask(licenseUrl, { license_key: licenseKey }, signal);
  remember(name, policy);
  return policy;
}

/**
 * Validates the license of a hosted session, or the license key from its link. The result is not cached, because
 * the session may end.
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
    // A blocked storage or damaged content counts as an empty cache.
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
    // A blocked storage caches nothing.
  }
}
