// Handles the link and the redirect. The link's token and license key are removed from the address bar at once, and
// kept in this tab's session storage for reloads.

/**
 * @typedef {object} Link
 * @property {string} token
 * @property {string} licenseKey empty if the link has none
 */

const KEY = "hosted:link";

/**
 * The session of this tab: that of the link, or after a reload the stored one.
 * @returns {Link | undefined}
 */
export function takeLink() {
  const parameters = new URLSearchParams(location.search);
  const token = parameters.get("token");
  if (token) {
    const link = { token, licenseKey: parameters.get("license_key") ?? "" };
    if (recall(KEY)?.token !== token) forget();
    remember(KEY, link);
    history.replaceState(null, "", location.pathname);
    return link;
  }
  return recall(KEY);
}

/**
 * The session's link, for use on another device.
 * @param {Link} link
 */
export function addressOf({ token, licenseKey }) {
  const address = new URL("/", location.origin);
  address.searchParams.set("token", token);
  if (licenseKey) address.searchParams.set("license_key", licenseKey);
  return address.href;
}

/**
 * The redirect URI with its two parameters. The rest of it stays unchanged byte for byte; it has no fragment.
 * @param {string} uri
 * @param {string} token
 * @param {string} sessionId
 */
export function withResult(uri, token, sessionId) {
  const separator = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${separator}svc_session_token=${token}&svc_session_id=${sessionId}`;
}

/** Removes everything about the session from this tab. */
export function forget() {
  try {
    sessionStorage.clear();
  } catch {
    // A blocked storage contains nothing.
  }
}

/**
 * @param {string} name
 * @param {object} value
 */
export function remember(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // If storage is blocked, a reload needs the link again.
  }
}

/**
 * @param {string} name
 * @returns {any}
 */
export function recall(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
