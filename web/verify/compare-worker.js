// The worker of the comparison: it compares one copy with one original.

import { hashBuffer } from "../src/hash.js";
import { Buffers, Unreadable } from "./buffers.js";

/**
 * The request to the worker.
 * @typedef {object} Question
 * @property {ArrayBuffer} module
 * @property {string} wanted the module's expected SHA-256
 * @property {Blob} copy
 * @property {Blob} original
 */

/** @typedef {{ left: number, top: number, width: number, height: number }} Region in pixels of the original */
/** @typedef {"unknownFormat" | "tooLarge" | "cmyk" | "animation" | "malformed"} FaultKind */

/**
 * The answer for two pictures that were compared.
 * @typedef {object} Compared
 * @property {"compared"} kind
 * @property {"SAME" | "SAME_WITH_DIFFERENCES" | "NOT_CONFIRMED"} verdict
 * @property {Region[]} differs the largest first
 * @property {Region} shown the part of the original that the copy shows
 * @property {{ width: number, height: number }} original
 * @property {[original: ImageData, copy: ImageData]} panels at the same scale
 */

/** @typedef {{ kind: "fault", fault: { file: "copy" | "original", kind: FaultKind } }} Fault a file is no picture */
/** @typedef {{ kind: "otherModule", found: string }} OtherModule the module has another SHA-256 */
/** @typedef {Compared | Fault | OtherModule | { kind: "unreadable" } | { kind: "crashed", message: string }} Answer */

/** Input slots. */
const [COPY, ORIGINAL] = [0, 1];
/** Output slots. */
const [RESULT, PANELS] = [0, [1, 2]];

addEventListener("message", async ({ data }) => postMessage(await compare(/** @type {Question} */ (data))));

/**
 * @param {Question} question
 * @returns {Promise<Answer>}
 */
async function compare({ module, wanted, copy, original }) {
  try {
    // Outside a secure context the browser computes no hash.
    const found = globalThis.isSecureContext ? await hashBuffer(module) : wanted;
    if (found !== wanted) return { kind: "otherModule", found };
    const { instance } = await WebAssembly.instantiate(module, {});
    const exports = /** @type {import("./buffers.js").Exports} */ (/** @type {unknown} */ (instance.exports));
    const buffers = new Buffers(exports);
    await buffers.give(COPY, copy);
    await buffers.give(ORIGINAL, original);
    const isCompared = exports.run() === 0;
    const result = JSON.parse(buffers.text(RESULT));
    if (!isCompared) return { kind: "fault", ...result };
    const panels = PANELS.map((slot, index) => {
      const [width, height] = result.panels[index];
      return new ImageData(new Uint8ClampedArray(buffers.bytes(slot)), width, height);
    });
    return { kind: "compared", ...result, panels };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: "unreadable" };
    return { kind: "crashed", message: String(error) };
  }
}
