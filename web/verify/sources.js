// Locates the module and the worker: in files beside the page, or embedded in the single-file page.

/** The expected SHA-256 of the module, which the build writes into the page. */
export function wantedHash() {
  return document.querySelector("meta[name=lacre-module]")?.getAttribute("content") ?? "";
}

/** Whether this is the single-file page. */
export function isSingleFile() {
  return document.getElementById("lacre-module") !== null;
}

/** @returns {Promise<ArrayBuffer>} the module's bytes */
export async function moduleBytes() {
  const inside = document.getElementById("lacre-module");
  if (inside) return Uint8Array.from(atob(inside.textContent.trim()), (character) => character.charCodeAt(0)).buffer;
  const response = await fetch("verify.wasm");
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.arrayBuffer();
}

/** Creates a worker. @returns {Worker} */
export function newWorker() {
  const inside = document.getElementById("lacre-worker");
  if (!inside) return new Worker("worker.js", { type: "module" });
  const url = URL.createObjectURL(new Blob([inside.textContent], { type: "text/javascript" }));
  try {
    // Pages opened from disk cannot start module workers; the embedded bundle is a classic script.
    return new Worker(url);
  } finally {
    // The worker has loaded the URL by then.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
