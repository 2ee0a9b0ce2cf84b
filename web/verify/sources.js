// Locates the page's programs: in files beside the page, or embedded in the single-file page.

/**
 * A module with its worker: the verifier, or the comparison, which is loaded when it is first asked for.
 * @typedef {"verify" | "compare"} Program
 */

/** The files of each program; in the single-file page, the elements whose identifiers begin like this. */
const PROGRAMS = Object.freeze({
  verify: { id: "lacre", module: "verify.wasm", worker: "worker.js" },
  compare: { id: "lacre-compare", module: "compare.wasm", worker: "compare-worker.js" },
});

/** The expected SHA-256 of a module, which the build writes into the page. @param {Program} program */
export function wantedHash(program) {
  return document.querySelector(`meta[name=${PROGRAMS[program].id}-module]`)?.getAttribute("content") ?? "";
}

/** Whether this is the single-file page. */
export function isSingleFile() {
  return inside("verify", "module") !== undefined;
}

/** A module's bytes. @param {Program} program @returns {Promise<ArrayBuffer>} */
export async function moduleBytes(program) {
  const base64 = inside(program, "module");
  if (base64 !== undefined) return Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0)).buffer;
  const response = await fetch(PROGRAMS[program].module);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.arrayBuffer();
}

/** Creates a worker. @param {Program} program @returns {Worker} */
export function newWorker(program) {
  const script = inside(program, "worker");
  if (script === undefined) return new Worker(PROGRAMS[program].worker, { type: "module" });
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    // Pages opened from disk cannot start module workers; the embedded bundle is a classic script.
    return new Worker(url);
  } finally {
    // The worker has loaded the URL by then.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}

/** What the single-file page embeds. @param {Program} program @param {"module" | "worker"} part */
function inside(program, part) {
  return document.getElementById(`${PROGRAMS[program].id}-${part}`)?.textContent;
}
