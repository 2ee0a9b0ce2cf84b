// The records of the admin API, as far as the page reads them.

/** @typedef {"PRODUCTION" | "STAGING" | "SANDBOX"} Environment */
/** @typedef {{ id: string, name: string, status: string }} Client */
/** @typedef {{ key_prefix: string, key_suffix: string | null, id: string }} Key */

/**
 * @typedef {Key & {
 *   name: string, client_id: string, environment: Environment, status: string, client_status: string, issued_at: string,
 * }} ApiKey
 */

/**
 * @typedef {object} Terms
 * @property {string} expires_at
 * @property {number} volume_limit
 * @property {string[]} authorized_origins
 * @property {string[]} redirect_origins
 * @property {string} store_asset_policy
 * @property {string} gps_mode
 * @property {number} gps_max_accuracy_m
 * @property {string} recapture_gate
 * @property {number} recapture_threshold
 * @property {string} capture_resolution
 * @property {boolean} tsa_required
 * @property {number | null} max_captures_per_session
 */

/**
 * @typedef {Key & Terms & {
 *   client_id: string, client_name?: string, environment: Environment, status: string, refusal?: string, issued_at: string,
 *   key_id: string,
 *   integrity_enforcement: string | boolean, revision: number, usage?: { month: string, captures_used: number },
 * }} License
 */

/**
 * @typedef {object} Alert
 * @property {string} alert
 * @property {string} license_id
 * @property {string} client_id
 * @property {Environment} environment
 * @property {string} month
 * @property {string} raised_at
 * @property {string | null} published_at
 * @property {string | null} acknowledged_at
 * @property {string | null} acknowledged_by
 * @property {number} [captures_used]
 * @property {number} [volume_limit]
 */

/**
 * @typedef {object} Attempt
 * @property {string} message_id
 * @property {number} attempt
 * @property {string} client_id
 * @property {Environment} environment
 * @property {string} receiver
 * @property {string} state
 * @property {string | null} result
 * @property {number | null} status
 * @property {number | null} duration_ms
 * @property {string | null} detail
 * @property {string} requested_at
 */

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} at
 * @property {string} operation
 * @property {string} outcome
 * @property {string} principal
 * @property {string} via
 * @property {string} source
 * @property {string | null} client_id
 * @property {string | null} subject
 * @property {string | null} detail
 */

/** What is shown of a key after it was issued. @param {Key} key */
export function shortKey({ key_prefix, key_suffix }) {
  return `${key_prefix}…${key_suffix ?? ""}`;
}

/** What the operator types before the key is replaced or revoked: old keys have no known end. @param {Key} key */
export function confirmationOf({ key_suffix, id }) {
  return key_suffix ?? id.slice(-4);
}

/** The common name of a certificate's holder; the whole subject where it has none. @param {string} subject RFC 4514 */
export function holderOf(subject) {
  const names = (subject.match(/(?:\\.|[^\\,+])+/g) ?? []).map((name) => name.trimStart());
  const common = names.find((name) => /^CN=/i.test(name));
  return common ? common.slice(3).replace(/\\([^0-9a-f])/gi, "$1") : subject;
}

/** The sandbox has no limit; the API writes a huge number. @param {{ environment: string }} license */
export const isUnlimited = ({ environment }) => environment === "SANDBOX";
