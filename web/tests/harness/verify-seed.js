// The verification page with the seed photo, which it accepts, and other ways to pass files to it.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { PACKAGE } from "./places.js";
import { PLAIN, SEED, requireSeed } from "./proofs.js";
import { VERIFY_PAGE, openVerifyPage } from "./verify-page.js";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("./verify-page.js").OpenOptions} OpenOptions */

export const UTC = Object.freeze({ timezoneId: "UTC" });
export const seed = { name: "seed.jpg", buffer: SEED.photo };
export const plain = { name: "plain.jpg", buffer: PLAIN };

/** The short conclusion. @param {Page} page */
export const word = (page) => page.locator("article .word");

/**
 * Opens the page with requirements under which it accepts the seed photo.
 * @param {Scope} scope @param {Browser} browser @param {OpenOptions} [options]
 */
export async function openForSeed(scope, browser, options = {}) {
  const opened = await openVerifyPage(scope, browser, { ...options, context: { ...UTC, ...options.context } });
  await requireSeed(opened.page);
  return opened;
}

/** Compares the chosen copy with the chosen original, and returns the conclusion. @param {Page} page */
export async function compare(page) {
  await page.locator("#compare button").click();
  return page.locator("#comparison-status .word").innerText();
}

/** Drops files from disk onto the page. @param {Page} page @param {string[]} files */
export async function drop(page, files) {
  const protocol = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) {
    await protocol.send("Input.dispatchDragEvent", { type, x: 100, y: 100, data });
  }
}

/** Builds a page with another verifier. @param {string} folder @param {Buffer} module @param {string[]} more options */
export async function buildPage(folder, module, ...more) {
  const [file, output, compare] = [join(folder, "module.wasm"), join(folder, "page"), join(VERIFY_PAGE, "compare.wasm")];
  await writeFile(file, module);
  const options = ["--module", file, "--compare", compare, "--output", output, ...more];
  await promisify(execFile)(process.execPath, [join(PACKAGE, "build-verify.mjs"), ...options]);
  return output;
}
