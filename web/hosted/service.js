// Requests of the page outside the component: the session's progress and its results. They do not count as loads.

/** @typedef {import("../api/hosted.js").components["schemas"]} Schemas */
/** @typedef {Schemas["SessionProgress"] & { endsAt: number }} Progress `endsAt` is `expires_at` by this device's clock */
/** @typedef {Schemas["SessionResults"]} Results */

const TIMEOUT = 15_000;

/**
 * @param {string} token
 * @param {boolean} [introduces] whether to ask for the sender and the titles of the photos, too
 * @returns {Promise<Progress | null | undefined>} null if the session is unknown, undefined if no response came
 */
export async function progressOf(token, introduces = false) {
  const read = await get(`/web/session-status/${encodeURIComponent(token)}${introduces ? "?introduction=true" : ""}`);
  return read && { ...read.body, endsAt: Date.parse(read.body.expires_at) - read.ahead };
}

/**
 * @param {string} token
 * @returns {Promise<Results | null | undefined>} as above
 */
export async function resultsOf(token) {
  return (await get(`/web/session-results/${encodeURIComponent(token)}`))?.body;
}

/**
 * @param {string} path
 * @returns {Promise<{ body: any, ahead: number } | null | undefined>} `ahead` is by how much the service's clock is ahead of
 *   this device's, in milliseconds
 */
async function get(path) {
  // Safari before 16 does not support AbortSignal.timeout().
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), TIMEOUT);
  try {
    const response = await fetch(path, { signal: aborter.signal });
    if (response.status === 404) return null;
    if (!response.ok) return undefined;
    const date = Date.parse(response.headers.get("date") ?? "");
    return { body: await response.json(), ahead: Number.isNaN(date) ? 0 : date - Date.now() };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
