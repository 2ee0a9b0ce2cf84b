// Makes the page available offline with a service worker. Without one, the page works as long as it stays open.

import { isSingleFile } from "./sources.js";

/** Registers the service worker once, after the page has loaded. */
export async function keepForOffline() {
  if (isSingleFile() || !("serviceWorker" in navigator)) return;
  try {
    // Registering again would check for a new version, which the browser does anyway when the page is opened.
    const registration = await navigator.serviceWorker.getRegistration();
    // A service worker of a parent folder does not cache this page.
    if (registration?.scope === new URL("./", location.href).href) return;
    await navigator.serviceWorker.register("sw.js", { updateViaCache: "all" });
  } catch {
    // Some browsers forbid service workers in private windows. The page then only needs the network for loading.
  }
}
