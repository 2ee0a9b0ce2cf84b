// Calls to the demo's server, which plays the integrator's backend: it creates sessions, reads results and verifies
// photos. Paths are relative to the page, because on a phone the page is not at the root of its origin.

/** @typedef {"ALWAYS" | "NEVER"} Policy */

/**
 * @typedef {object} Config
 * @property {string} base_url
 * @property {string} license_url
 * @property {string} upload_url
 * @property {string} [verify_url] address of the verification page; on this machine only
 * @property {{ base_url: string, user_agent: string, touch_points: number }} [phone] the simulated phone; on this machine only
 */

/** @typedef {{ token: string, expires_at: string, license_key: string }} Session */

/**
 * A photo in the session's results. Before it is taken, only the first three fields are set.
 * @typedef {object} Photo
 * @property {number} order
 * @property {string} label
 * @property {string} status
 * @property {string} session_id
 * @property {number} [heading]
 * @property {number} gps_lat
 * @property {number} gps_lon
 * @property {number} gps_accuracy
 * @property {number} captured_at_ms
 * @property {string} frame_hash_hex
 * @property {string | null} authenticated_jpeg_url
 * @property {string} manifest_url
 */

/**
 * The report of `verify --json`. Parts that could not be read are null.
 * @typedef {object} Report
 * @property {"accepted" | "not_pinned" | "other_environment" | "refused" | "no_proof" | "newer_version"} outcome
 * @property {boolean} valid
 * @property {string} required_environment
 * @property {string | null} environment
 * @property {{ name: string, holds: boolean, fault?: string }[]} checks
 * @property {string | null} frame_hash
 * @property {{ claim_trusted: string | null } | null} times
 * @property {{ time: string } | null} holds_until
 * @property {{ holder: { name: string, cnpj: string | null }, signer: string, signing_time: string, policy: string,
 *   policy_name: string | null } | null} seal
 * @property {{ signer: string } | null} claim
 * @property {{ capture_id: string, ingested_at: string, gps_result: string, recapture_risk: string,
 *   icp_brasil: boolean, assurance_level: string } | null} capture
 * @property {{ captured_at_ms: number, gps_lat: number, gps_lon: number, gps_accuracy: number, heading?: number,
 *   photo_label?: string, user_agent?: string, extra_frame_hashes: string[] } | null} browser
 */

/** @typedef {{ results: { status: string, photos: Photo[] }, report: Report | null }} Outcome */

/** @returns {Promise<Config>} */
export async function readConfig() {
  return (await answered(fetch("config.json"))).json();
}

/**
 * @param {Policy} policy
 * @returns {Promise<Session>}
 */
export async function createSession(policy) {
  return (await post("sessions", { policy })).json();
}

/**
 * Creates a hosted session.
 * @param {string} profile
 * @returns {Promise<string>} the session's link
 */
export async function createLink(profile) {
  const { link } = await (await post("hosted-sessions", { profile })).json();
  return link;
}

/**
 * @param {string} token of a hosted session
 * @returns {Promise<{ status: string, captured_count: number, total_photos: number, photos: Photo[] }>}
 */
export async function readHostedResults(token) {
  return (await post("hosted-results", { token })).json();
}

/**
 * The webhook message about a session's result, once the demo's server has received it and verified its signature.
 * @param {string} token
 * @returns {Promise<{ id: string, message: { reference_id: string, recapture_risk: string, photos: object[] } } | null>}
 */
export async function readWebhook(token) {
  return (await post("hosted-webhook", { token })).json();
}

/**
 * @param {string} token
 * @returns {Promise<Outcome>} the report is null if the service did not retain the photo
 */
export async function readOutcome(token) {
  return (await post("result", { token })).json();
}

/**
 * Has a photo verified that the service did not retain.
 * @param {string} token
 * @param {Blob} photo
 * @returns {Promise<Outcome>}
 */
export async function verifyPhoto(token, photo) {
  const headers = { "content-type": photo.type, "x-session-token": token };
  return (await answered(fetch("verify", { method: "POST", headers, body: photo }))).json();
}

/**
 * The authenticated photo, if the service retained it.
 * @param {string} token
 */
export async function readPhoto(token) {
  return (await post("photo", { token })).blob();
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function post(path, value) {
  const headers = { "content-type": "application/json" };
  return answered(fetch(path, { method: "POST", headers, body: JSON.stringify(value) }));
}

/** @param {Promise<Response>} asked */
async function answered(asked) {
  const response = await asked;
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Error(body.error ?? `HTTP ${response.status}`);
}
