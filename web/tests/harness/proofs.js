// Photos with proofs, and the reports of `verify` about them.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import { PROGRAMS, ROOT } from "./places.js";

/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("playwright-core").Page} Page */

/** A sandbox photo and its root certificates. */
export const SEED = Object.freeze({
  photo: await readFile(join(ROOT, "tests/proof-fixtures/seed/delivered.jpg")),
  roots: await readFile(join(ROOT, "tests/proof-fixtures/seed/anchors.pem")),
  /** A time at which the certificates are valid. */
  at: "2026-12-01T00:00:00",
  holder: "11.222.333/0001-81",
});

/** A photo without a proof. */
export const PLAIN = await readFile(join(ROOT, "events/frame.jpg"));

/** The photo with one changed bit at the end of its image data. */
export function tampered() {
  const photo = Buffer.from(SEED.photo);
  const at = photo.length - 20;
  photo.writeUInt8(photo.readUInt8(at) ^ 1, at);
  return photo;
}

/**
 * Sets the page's requirements so that it accepts the seed photo. The browser's time zone must be UTC.
 * @param {Page} page
 */
export async function requireSeed(page) {
  await page.locator("#options").evaluate((details) => details.setAttribute("open", ""));
  await page.locator("#add_trust").setInputFiles({ name: "PEM", mimeType: "", buffer: SEED.roots });
  await page.locator("#roots-list li").waitFor();
  await page.locator("#environment").selectOption("sandbox");
  await page.locator("#seal_holder").fill(SEED.holder);
  await page.locator("#at").fill(SEED.at);
  await page.locator("#at").blur();
}

/**
 * Arguments with which `verify` accepts the photo. The file is named `PEM`, as the page names pasted roots.
 * @param {string} folder
 */
export async function seedArguments(folder) {
  const roots = join(folder, "PEM");
  await writeFile(roots, SEED.roots);
  return ["--add-trust", roots, "--environment", "sandbox", "--seal-holder", SEED.holder, "--at", `${SEED.at}Z`];
}

/** A folder that is removed when the scope ends. @param {Scope} scope */
export async function temporary(scope) {
  const folder = await mkdtemp(join(tmpdir(), "lacre-web-"));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The output of `verify` for a photo: JSON, text, HTML report, and extracted files.
 * @param {string} folder
 * @param {string} name of the photo's file
 * @param {Buffer} photo
 * @param {string[]} options
 */
export async function runVerify(folder, name, photo, options) {
  const place = await mkdtemp(join(folder, "run-"));
  const [file, page, parts] = [join(place, name), join(place, "report.html"), join(place, "parts")];
  await writeFile(file, photo);
  await mkdir(parts);
  const text = await printed([file, ...options, "--report", page, "--extract", parts]);
  const json = await printed([file, ...options, "--json"]);
  const names = await readdir(parts);
  const files = await Promise.all(names.map(async (part) => [part, await readFile(join(parts, part))]));
  return {
    text,
    report: JSON.parse(json),
    html: await readFile(page, "utf8"),
    /** @type {Record<string, Buffer>} */
    files: Object.fromEntries(files),
  };
}

/**
 * The JSON reports of `verify` for many photos, with some processes running concurrently.
 * @param {string} folder
 * @param {readonly { name: string, buffer: Buffer }[]} photos
 * @param {string[]} options
 * @returns {Promise<{ outcome: string, checks: { name: string, holds: boolean }[] }[]>}
 */
export async function reports(folder, photos, options) {
  const place = await mkdtemp(join(folder, "run-"));
  const remaining = [...photos.entries()];
  /** @type {any[]} */
  const found = [];
  const work = async () => {
    for (let next = remaining.shift(); next; next = remaining.shift()) {
      const [index, { name, buffer }] = next;
      await writeFile(join(place, name), buffer);
      found[index] = JSON.parse(await printed([join(place, name), ...options, "--json"]));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return found;
}

/** @param {string[]} command @returns {Promise<string>} */
function printed(command) {
  return new Promise((resolve, reject) => {
    execFile(join(PROGRAMS, "verify"), command, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      // Exit status 2 is bad usage; others are conclusions.
      if (error && (typeof error.code !== "number" || error.code === 2)) reject(new Error(`verify: ${stderr || error.message}`));
      else resolve(stdout);
    });
  });
}

/** A report without its creation time. @param {string} html */
export function timeless(html) {
  return html.replace(/(Made at, by the computer's clock.*?<dd>).*?<\/dd>/s, "$1</dd>");
}
