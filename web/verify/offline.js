// The page without a network: a service worker keeps its files. Where there is none, the page works as long as it is open.

import { isSingleFile } from "./sources.js";

/** Registers the service worker once, after the page was loaded. */
export async function keepForOffline() {
  if (isSingleFile() || !("serviceWorker" in navigator)) return;
  try {
    // Registering again would look for a new version, which the browser itself does when the page is opened.
    const registration = await navigator.serviceWorker.getRegistration();
    // A worker of a folder above does not keep this page.
    if (registration?.scope === new URL("./", location.href).href) return;
    await navigator.serviceWorker.register("sw.js", { updateViaCache: "all" });
  } catch {
    // Some browsers forbid it in private windows: the page then needs the network to be loaded, and nothing else.
  }
}
