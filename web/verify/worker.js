// The worker: holds the module and checks one photo at a time.

import { hashBuffer } from "../src/hash.js";
import { Unreadable } from "./buffers.js";
import { Module } from "./module.js";

/** @typedef {import("./module.js").Options} Options */
/** @typedef {import("./module.js").OptionError} OptionError */

/**
 * Requests to the worker.
 * @typedef {{ start: ArrayBuffer } | Check} Question
 */

/** @typedef {{ photo: Blob, beside: import("./module.js").Beside, options: Options }} Check */

/**
 * The answer to `start`.
 * @typedef {object} Started
 * @property {string | undefined} sha256 hash of the module's bytes; undefined outside a secure context
 * @property {import("./module.js").Facts} facts
 */

/**
 * The answer for a checked photo.
 * @typedef {object} Checked
 * @property {"checked"} kind
 * @property {import("./module.js").Conclusion} conclusion
 * @property {string} sections HTML
 * @property {Blob} report
 * @property {Partial<Record<import("./module.js").FileName, Blob>>} files
 */

/** @typedef {{ kind: "option", error: OptionError }} WrongOption an error in a field of the form */
/** @typedef {{ kind: "beside", file: "manifest" | "bundles", message: string }} WrongBeside a file beside the photo cannot be used */
/** @typedef {Checked | WrongOption | WrongBeside | { kind: "unreadable" } | { kind: "crashed", message: string }} Answer */

/** Options that are fields of the form. Errors of other options are the page's own fault. */
const FIELDS = ["environment", "seal_holder", "claim_subject", "at", "log_key", "add_trust"];

/** The compiled module, kept for further instances. @type {WebAssembly.Module | undefined} */
let compiled;
/** The module's instance; discarded after a fault, because its memory may be inconsistent. @type {Module | undefined} */
let module;

addEventListener("message", async ({ data }) => {
  const question = /** @type {Question} */ (data);
  postMessage("start" in question ? await start(question.start) : await check(question));
});

/**
 * @param {ArrayBuffer} bytes
 * @returns {Promise<Started | { kind: "crashed", message: string }>}
 */
async function start(bytes) {
  try {
    const sha256 = globalThis.isSecureContext ? await hashBuffer(bytes) : undefined;
    compiled = await WebAssembly.compile(bytes);
    module = await Module.of(compiled);
    return { sha256, facts: module.facts() };
  } catch (error) {
    return { kind: "crashed", message: String(error) };
  }
}

/**
 * @param {Check} question
 * @returns {Promise<Answer>}
 */
async function check({ photo, beside, options }) {
  try {
    if (!compiled) throw new Error("the module is not loaded");
    module ??= await Module.of(compiled);
    const error = await module.check(photo, beside, options);
    if (error?.option === "manifest" || error?.option === "bundles") return { kind: "beside", file: error.option, message: error.message };
    if (error && FIELDS.includes(error.option)) return { kind: "option", error };
    if (error) throw new Error(`${error.option}: ${error.message}`);
    return {
      kind: "checked",
      conclusion: module.conclusion(),
      sections: module.sections(),
      report: module.report(),
      files: module.files(),
    };
  } catch (error) {
    // An unreadable file is not a fault of the module.
    if (error instanceof Unreadable) return { kind: "unreadable" };
    module = undefined;
    return { kind: "crashed", message: String(error) };
  }
}
