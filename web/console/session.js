// The session's token: it arrives in the address after `#`, and is stored for the page's origin, its port included.

const KEY = "lacre-console:session";

/** Where the browser stores nothing, the token lasts as long as the page. */
let kept = "";

/** Takes the token out of the address, so that neither the history nor a copied address contains it. */
export function takeSession() {
  const [, token] = /^#session=([\w-]+)$/.exec(location.hash) ?? [];
  if (!token) return;
  kept = token;
  try {
    localStorage.setItem(KEY, token);
  } catch {
    // Storage is disabled.
  }
  history.replaceState(null, "", location.pathname);
}

/** The token. It is read each time, because another tab may have opened a newer session. */
export function sessionToken() {
  try {
    return localStorage.getItem(KEY) ?? kept;
  } catch {
    return kept;
  }
}

/** Another tab opened a newer session. @param {() => void} act */
export function onNewSession(act) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && newValue) act();
  });
}
