// The session token. It arrives in the address after `#`, and is stored for the page's origin, which includes the
// port.

const KEY = "lacre-console:session";

/** Holds the token if the browser's storage is blocked. */
let kept = "";

/** Removes the token from the address, so that neither the history nor a copied address contains it. */
export function takeSession() {
  const [, token] = /^#session=([\w-]+)$/.exec(location.hash) ?? [];
  if (!token) return;
  kept = token;
  try {
    localStorage.setItem(KEY, token);
  } catch {
    // Storage is blocked.
  }
  history.replaceState(null, "", location.pathname);
}

/** The token. It is read on each use, because another tab may have opened a newer session. */
export function sessionToken() {
  try {
    return localStorage.getItem(KEY) ?? kept;
  } catch {
    return kept;
  }
}

/** Calls `act` when another tab opens a newer session. @param {() => void} act */
export function onNewSession(act) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && newValue) act();
  });
}
