// Where the module and the worker come from: files beside the page, or, in the page of one file, the page itself.

/** The SHA-256 that the module must have: the build writes it into the page. */
export function wantedHash() {
  return document.querySelector("meta[name=lacre-module]")?.getAttribute("content") ?? "";
}

/** Whether the page is one file. */
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

/** A new worker. @returns {Worker} */
export function newWorker() {
  const inside = document.getElementById("lacre-worker");
  if (!inside) return new Worker("worker.js", { type: "module" });
  const url = URL.createObjectURL(new Blob([inside.textContent], { type: "text/javascript" }));
  try {
    // From a disk a browser starts no module in a worker; what is bundled is a script as well.
    return new Worker(url);
  } finally {
    // By then the worker has loaded it.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
