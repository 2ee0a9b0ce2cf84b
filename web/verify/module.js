// The verifier: a WebAssembly module without imports, with its inputs and outputs.

import { Buffers } from "./buffers.js";

/** @typedef {import("./buffers.js").Exports & { lists: () => void }} Exports */

/**
 * Options of a check. Absent options require nothing.
 * @typedef {object} Options
 * @property {string} name
 * @property {number} now_ms
 * @property {string} environment
 * @property {string} [at]
 * @property {string} [seal_holder]
 * @property {string} [claim_subject]
 * @property {string} [log_key] key of the public log
 * @property {{ title: string, pem: string }[]} [add_trust] lists of root certificates in addition to the built-in ones
 */

/**
 * @typedef {{ option: string, message: string }} OptionError
 *   an invalid option, or the input `manifest` or `bundles`; the message is in English
 */

/**
 * Facts about the module.
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
 * @property {Role[]} [roles] purposes for which the certificates are trusted
 */

/** @typedef {"seal" | "seal_timestamp" | "claim" | "claim_timestamp"} Role */

/**
 * @typedef {object} Conclusion
 * @property {"accepted" | "not_pinned" | "other_environment" | "refused" | "no_proof" | "newer_version"} outcome
 * @property {import("./texts.js").Words} conclusion
 */

/** Files that a result can contain, with their output slots in the module. */
export const FILES = Object.freeze({
  "frame.jpg": 3,
  "signature.p7s": 4,
  "manifest.c2pa": 5,
  "signature.tst": 6,
  "claim.tst": 7,
});

/** @typedef {keyof typeof FILES} FileName */

/**
 * The files that belong to a photo.
 * @typedef {object} Beside
 * @property {Blob} [sidecar] the manifest, if it is a separate file
 * @property {Blob} [logProof] proof that the capture is in a public log
 * @property {Blob} [record] evidence record of the timestamp in that proof
 * @property {Blob} [second] evidence record of a second timestamp
 * @property {File[]} [bundles] evidence bundles of the timestamps in these records
 */

/** Input slots. */
const [PHOTO, SIDECAR, OPTIONS, LOG_PROOF, RECORD, SECOND, BUNDLES] = [0, 1, 2, 3, 4, 5, 6];
/** Output slots. */
const [ANSWER, SECTIONS, REPORT] = [0, 1, 2];

export class Module {
  #exports;
  #buffers;

  /** @param {Exports} exports */
  constructor(exports) {
    this.#exports = exports;
    this.#buffers = new Buffers(exports);
  }

  /** Creates an instance with its own memory. @param {WebAssembly.Module} compiled */
  static async of(compiled) {
    const instance = await WebAssembly.instantiate(compiled, {});
    return new Module(/** @type {Exports} */ (/** @type {unknown} */ (instance.exports)));
  }

  /** @returns {Facts} */
  facts() {
    this.#exports.lists();
    const { error, ...facts } = JSON.parse(this.#buffers.text(ANSWER));
    if (error) throw new Error(error.message);
    return facts;
  }

  /**
   * Checks a photo. The outputs are available afterwards.
   * @param {Blob} photo
   * @param {Beside} beside
   * @param {Options} options
   * @returns {Promise<OptionError | undefined>}
   */
  async check(photo, { sidecar, logProof, record, second, bundles = [] }, options) {
    await this.#buffers.give(SIDECAR, sidecar ?? new Blob());
    await this.#buffers.give(LOG_PROOF, logProof ?? new Blob());
    await this.#buffers.give(RECORD, record ?? new Blob());
    await this.#buffers.give(SECOND, second ?? new Blob());
    await this.#buffers.give(BUNDLES, new Blob(bundles));
    const given = { ...options, bundles: bundles.map(({ name, size }) => ({ name, size })) };
    await this.#buffers.give(OPTIONS, new Blob([JSON.stringify(given)]));
    await this.#buffers.give(PHOTO, photo);
    return this.#exports.run() === 0 ? undefined : JSON.parse(this.#buffers.text(ANSWER)).error;
  }

  /** @returns {Conclusion} */
  conclusion() {
    return JSON.parse(this.#buffers.text(ANSWER));
  }

  sections() {
    return this.#buffers.text(SECTIONS);
  }

  report() {
    return this.#file(REPORT, "text/html;charset=utf-8");
  }

  /** The files of the result that the photo contains. @returns {Partial<Record<FileName, Blob>>} */
  files() {
    const present = Object.entries(FILES).filter(([, slot]) => this.#exports.output_length(slot) > 0);
    return Object.fromEntries(present.map(([name, slot]) => [name, this.#file(slot, typeOf(name))]));
  }

  /**
   * @param {number} slot
   * @param {string} type
   */
  #file(slot, type) {
    return new Blob([this.#buffers.bytes(slot)], { type });
  }
}

/** @param {string} name */
function typeOf(name) {
  return name.endsWith(".jpg") ? "image/jpeg" : "application/octet-stream";
}
