// The page's access to the comparison: each has a worker of its own, which is ended afterwards, so that its memory is
// released.

import { ask } from "./checker.js";
import { moduleBytes, newWorker, wantedHash } from "./sources.js";

/** @typedef {import("./compare-worker.js").Answer | { kind: "notLoaded", message: string } | { kind: "late" }} Answer */

/** Longest time of a comparison, in milliseconds. The largest pictures take seconds on a slow phone. */
export const LONGEST = 60_000;

export class Comparer {
  /** The module's bytes, kept for further comparisons. @type {ArrayBuffer | undefined} */
  #module;
  /** @type {Worker | undefined} */
  #worker;

  /**
   * Compares a copy with its original. The module is loaded first, unless it is here already.
   * @param {Blob} copy
   * @param {Blob} original
   * @returns {Promise<Answer>}
   */
  async compare(copy, original) {
    try {
      this.#module ??= await moduleBytes("compare");
    } catch (error) {
      return { kind: "notLoaded", message: error instanceof Error ? error.message : String(error) };
    }
    this.stop();
    const worker = newWorker("compare");
    this.#worker = worker;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<Answer>} */
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve({ kind: "late" }), LONGEST);
    });
    try {
      const question = { module: this.#module, wanted: wantedHash("compare"), copy, original };
      return await Promise.race([late, /** @type {Promise<Answer>} */ (ask(worker, question))]);
    } catch (error) {
      return { kind: "crashed", message: String(error) };
    } finally {
      clearTimeout(timer);
      worker.terminate();
    }
  }

  /** Ends a comparison under way, whose answer then never comes. */
  stop() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
