// The page's access to the verifier: sends it one check at a time, and starts a new worker if one has crashed.

import { moduleBytes, newWorker, wantedHash } from "./sources.js";

/** @typedef {import("./worker.js").Answer} Answer */
/** @typedef {import("./worker.js").Check} Check */
/** @typedef {import("./worker.js").Started} Started */
/** @typedef {{ kind: "crashed", message: string }} Crashed */

/** The loaded module has a different hash than the page states. */
export class OtherModule extends Error {
  /** @param {string} found */
  constructor(found) {
    super(`the module's SHA-256 is ${found}`);
    this.found = found;
  }
}

export class Checker {
  /** The module's bytes, kept for further workers. @type {Promise<ArrayBuffer> | undefined} */
  #bytes;
  /** @type {Worker | undefined} */
  #worker;
  /** The last check; the next one waits for its result. @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** Starts a worker. @returns {Promise<Started>} */
  async start() {
    this.#bytes ??= moduleBytes("verify");
    const bytes = await this.#bytes;
    this.#worker = newWorker("verify");
    const answer = /** @type {Started | Crashed} */ (await ask(this.#worker, { start: bytes }));
    if ("kind" in answer) {
      this.#stop();
      throw new Error(answer.message);
    }
    if (answer.sha256 && answer.sha256 !== wantedHash("verify")) {
      this.#stop();
      throw new OtherModule(answer.sha256);
    }
    return answer;
  }

  /**
   * Checks a photo, after all earlier checks have finished.
   * @param {Check} question
   * @returns {Promise<Answer>}
   */
  check(question) {
    const answer = this.#last.catch(() => {}).then(() => this.#check(question));
    this.#last = answer;
    return answer;
  }

  /** @param {Check} question @returns {Promise<Answer>} */
  async #check(question) {
    try {
      if (!this.#worker) await this.start();
      return /** @type {Answer} */ (await ask(/** @type {Worker} */ (/** @type {unknown} */ (this.#worker)), question));
    } catch (error) {
      this.#stop();
      return { kind: "crashed", message: String(error) };
    }
  }

  #stop() {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/**
 * Sends a request to a worker and returns its answer; rejects if the worker crashes.
 * @param {Worker} worker
 * @param {import("./worker.js").Question | import("./compare-worker.js").Question} question
 * @returns {Promise<unknown>}
 */
export function ask(worker, question) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onmessageerror = () => reject(new Error("the answer cannot be read"));
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message ?? "the worker cannot be started"));
    };
    worker.postMessage(question);
  });
}
