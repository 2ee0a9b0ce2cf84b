// Addresses: the link, and the redirect. The link's token and license key leave the address bar at once, and stay in this tab's storage for a reload.

/**
 * @typedef {object} Link
 * @property {string} token
 * @property {string} licenseKey empty without one
 */

const KEY = "hosted:link";

/**
 * The session that this tab is for: the link's, or that of the page before a reload.
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
 * The same link again, for another device.
 * @param {Link} link
 */
export function addressOf({ token, licenseKey }) {
  const address = new URL("/", location.origin);
  address.searchParams.set("token", token);
  if (licenseKey) address.searchParams.set("license_key", licenseKey);
  return address.href;
}

/**
 * The redirect with its two parameters. The rest of it stays as it is, byte for byte; it has no fragment.
 * @param {string} uri
 * @param {string} token
 * @param {string} sessionId
 */
export function withResult(uri, token, sessionId) {
  const separator = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return `${uri}${separator}svc_session_token=${token}&svc_session_id=${sessionId}`;
}

/** Nothing of the session stays in this tab. */
export function forget() {
  try {
    sessionStorage.clear();
  } catch {
    // Storage that is forbidden holds nothing.
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
    // As above: a reload then asks for the link.
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
