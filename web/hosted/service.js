// Requests of the page outside the component: the session's progress and its results. They do not count as loads.

/** @typedef {import("../api/hosted.js").components["schemas"]["SessionProgress"]} Progress */

const TIMEOUT = 15_000;

/**
 * @param {string} token
 * @returns {Promise<Progress | null | undefined>} null if the session is unknown, undefined if no response came
 */
export function progressOf(token) {
  return read(`/web/session-status/${encodeURIComponent(token)}`);
}

/**
 * The `session_id` of the last photo.
 * @param {string} token
 * @returns {Promise<string | undefined>}
 */
export async function lastPhotoOf(token) {
  const results = await read(`/web/session-results/${encodeURIComponent(token)}`);
  return results?.photos?.at(-1)?.session_id;
}

/** @param {string} path */
async function read(path) {
  // Safari before 16 does not support AbortSignal.timeout().
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), TIMEOUT);
  try {
    const response = await fetch(path, { signal: aborter.signal });
    if (response.status === 404) return null;
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
