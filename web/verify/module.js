// The verifier: a WebAssembly module without imports, and its inputs and outputs.

/**
 * What the module exports.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(slot: number, length: number) => number} input reserves room, and answers where
 * @property {() => number} run 1 where the options are wrong
 * @property {(slot: number) => number} output where it is, until the next `run` or `input(0, …)`
 * @property {(slot: number) => number} output_length
 * @property {() => void} lists
 */

/**
 * What the module is asked for. What is not set is not required.
 * @typedef {object} Options
 * @property {string} name
 * @property {number} now_ms
 * @property {string} environment
 * @property {string} [at]
 * @property {string} [seal_holder]
 * @property {string} [claim_subject]
 * @property {string} [log_key] of the public log
 * @property {{ title: string, pem: string }[]} [add_trust] lists of root certificates beside the built-in ones
 */

/** @typedef {{ option: string, message: string }} OptionError of the option, or of the input `manifest`; in English */

/**
 * What the module knows of itself.
 * @typedef {object} Facts
 * @property {string} version
 * @property {TrustList[]} lists
 */

/**
 * @typedef {object} TrustList
 * @property {string} title
 * @property {string} [date]
 * @property {string} [source]
 * @property {string} [unchecked] what could not be checked when the list was compiled
 * @property {number} certificates
 * @property {Role[]} [roles] what they are trusted for
 */

/** @typedef {"seal" | "seal_timestamp" | "claim" | "claim_timestamp"} Role */

/**
 * @typedef {object} Conclusion
 * @property {"accepted" | "not_pinned" | "other_environment" | "refused" | "no_proof" | "newer_version"} outcome
 * @property {import("./texts.js").Words} conclusion
 */

/** Files that a result can have, and where the module puts them. */
export const FILES = Object.freeze({
  "frame.jpg": 3,
  "signature.p7s": 4,
  "manifest.c2pa": 5,
  "signature.tst": 6,
  "claim.tst": 7,
});

/** @typedef {keyof typeof FILES} FileName */

/** Inputs. */
const [PHOTO, SIDECAR, OPTIONS, LOG_PROOF] = [0, 1, 2, 3];
/** Outputs. */
const [ANSWER, SECTIONS, REPORT] = [0, 1, 2];

/** A file that the browser does not read. */
export class Unreadable extends Error {}

export class Module {
  #exports;

  /** @param {Exports} exports */
  constructor(exports) {
    this.#exports = exports;
  }

  /** With a memory of its own. @param {WebAssembly.Module} compiled */
  static async of(compiled) {
    const instance = await WebAssembly.instantiate(compiled, {});
    return new Module(/** @type {Exports} */ (/** @type {unknown} */ (instance.exports)));
  }

  /** @returns {Facts} */
  facts() {
    this.#exports.lists();
    const { error, ...facts } = JSON.parse(this.#text(ANSWER));
    if (error) throw new Error(error.message);
    return facts;
  }

  /**
   * Checks a photo. The outputs are there afterwards.
   * @param {Blob} photo
   * @param {{ sidecar: Blob | undefined, logProof: Blob | undefined }} beside
   * @param {Options} options
   * @returns {Promise<OptionError | undefined>}
   */
  async check(photo, { sidecar, logProof }, options) {
    await this.#give(SIDECAR, sidecar ?? new Blob());
    await this.#give(LOG_PROOF, logProof ?? new Blob());
    await this.#give(OPTIONS, new Blob([JSON.stringify(options)]));
    await this.#give(PHOTO, photo);
    return this.#exports.run() === 0 ? undefined : JSON.parse(this.#text(ANSWER)).error;
  }

  /** @returns {Conclusion} */
  conclusion() {
    return JSON.parse(this.#text(ANSWER));
  }

  sections() {
    return this.#text(SECTIONS);
  }

  report() {
    return this.#file(REPORT, "text/html;charset=utf-8");
  }

  /** The files of the result: those that the photo has. @returns {Partial<Record<FileName, Blob>>} */
  files() {
    const present = Object.entries(FILES).filter(([, slot]) => this.#exports.output_length(slot) > 0);
    return Object.fromEntries(present.map(([name, slot]) => [name, this.#file(slot, typeOf(name))]));
  }

  /**
   * Writes an input piece by piece: the page never holds a whole photo.
   * @param {number} slot
   * @param {Blob} blob
   */
  async #give(slot, blob) {
    const start = this.#exports.input(slot, blob.size);
    const reader = blob.stream().getReader();
    // Browsers name the fault of a file that is gone or changed in different ways.
    const read = () => reader.read().catch((cause) => Promise.reject(new Unreadable(String(cause))));
    let written = 0;
    for (let part = await read(); !part.done; part = await read()) {
      // A file that grew since it was chosen must not be written over what follows.
      if (written + part.value.length > blob.size) throw new Unreadable("it has grown");
      new Uint8Array(this.#exports.memory.buffer, (start >>> 0) + written, part.value.length).set(part.value);
      written += part.value.length;
    }
    if (written !== blob.size) throw new Unreadable("it has shrunk");
  }

  /** @param {number} slot */
  #bytes(slot) {
    const [start, length] = [this.#exports.output(slot), this.#exports.output_length(slot)];
    // `>>> 0`: an address is unsigned, and a number of JavaScript here is signed.
    return new Uint8Array(this.#exports.memory.buffer, start >>> 0, length);
  }

  /** @param {number} slot */
  #text(slot) {
    return new TextDecoder().decode(this.#bytes(slot));
  }

  /**
   * @param {number} slot
   * @param {string} type
   */
  #file(slot, type) {
    return new Blob([this.#bytes(slot)], { type });
  }
}

/** @param {string} name */
function typeOf(name) {
  return name.endsWith(".jpg") ? "image/jpeg" : "application/octet-stream";
}
