// Serves the built verification page and records the requests.

import { access, readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

import { faults } from "./axe.js";
import { ROOT } from "./places.js";

/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ name: string, mimeType?: string, buffer: Buffer }} GivenFile */

/** The page that `scripts/build-verify-page` made. */
export const VERIFY_PAGE = process.env["VERIFY_PAGE"] ?? join(ROOT, "target/verify-page");
/** The paths of the files that it loads when a comparison is asked for. */
export const COMPARE_FILES = ["/compare-worker.js", "/compare.wasm"];
/** The paths of all its files. */
export const OWN_FILES = ["/", ...COMPARE_FILES, "/icon.svg", "/page.css", "/page.js", "/sw.js", "/verify.wasm", "/worker.js"];

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".pem": "application/x-pem-file",
};

/** The headers of the stack (`VerifyPageHeaders` in infra/edge.yaml). */
const HEADERS = {
  "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; " +
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/** @typedef {Record<string, Buffer | string>} Changes replacements of the page's files, by name */

/**
 * Serves a page until the scope ends.
 * @param {Scope} scope
 * @param {{ folder?: string, changes?: Changes, delays?: Record<string, Promise<void>> }} [options] `delays` hold a
 *   file back until its promise resolves
 * @returns {Promise<{ url: string, asked: string[] }>} its address, and the path of each request so far
 */
export async function serveVerifyPage(scope, { folder = VERIFY_PAGE, changes = {}, delays = {} } = {}) {
  await access(join(folder, "verify.wasm")).catch(() => {
    throw new Error(`${folder} has no page: run scripts/build-verify-page`);
  });
  const names = [...(await readdir(folder)), ...Object.keys(changes)];
  /** @type {string[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://page").pathname;
    asked.push(path);
    const name = path === "/" ? "index.html" : path.slice(1);
    await delays[name];
    if (!names.includes(name)) return response.writeHead(404).end();
    const body = changes[name] ?? (await readFile(join(folder, name)));
    const headers = { ...HEADERS, "content-type": TYPES[extname(name)] ?? "", "cache-control": "no-cache" };
    return response.writeHead(200, headers).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://localhost:${port}/`, asked };
}

/**
 * @typedef {object} OpenOptions
 * @property {string} [url] of a page that is served already
 * @property {Changes} [changes]
 * @property {import("playwright-core").BrowserContextOptions} [context]
 */

/**
 * Opens the page in a new browser context, and waits until it is ready for files.
 * @param {Scope} scope
 * @param {Browser} browser
 * @param {OpenOptions} [options]
 */
export async function openVerifyPage(scope, browser, { url, changes, context: settings } = {}) {
  const address = url ?? (await serveVerifyPage(scope, changes ? { changes } : {})).url;
  const context = await browser.newContext({ locale: "en-US", ...settings });
  scope.after(() => context.close());
  const page = await context.newPage();
  /** @type {string[]} */
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(address);
  await ready(page);
  return { page, context, problems, url: address };
}

/** @param {Page} page */
export async function ready(page) {
  await page.locator("html[data-ready]").waitFor();
}

/** Chooses files, and waits until they are checked. @param {Page} page @param {GivenFile[]} files */
export async function choose(page, files) {
  await page.locator("#choose").setInputFiles(files.map((file) => ({ mimeType: "", ...file })));
  await finished(page);
}

/** Expands all details of the results. @param {Page} page */
export async function unfold(page) {
  await page.locator("article details").evaluateAll((all) => {
    for (const folded of all) folded.setAttribute("open", "");
  });
}

/** Waits until all pending checks have ended. @param {Page} page */
export async function finished(page) {
  await page.locator('#results[aria-busy="false"]').waitFor({ state: "attached" });
}

/** Adds root files through their field. @param {Page} page @param {GivenFile[]} files */
export async function giveRoots(page, files) {
  await page.locator("#options").evaluate((details) => details.setAttribute("open", ""));
  await page.locator("#add_trust").setInputFiles(files.map((file) => ({ mimeType: "", ...file })));
}

/** Clicks a button, and returns the downloaded file. @param {Page} page @param {import("playwright-core").Locator} button */
export async function download(page, button) {
  const [saved] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const bytes = Buffer.concat(await (await saved.createReadStream()).toArray());
  return { name: saved.suggestedFilename(), bytes };
}

/** Accessibility faults: axe violations, and a page that is too wide. @param {Page} page */
export async function accessFaults(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  return [...(await faults(page)), ...(wide > 0 ? [`${wide} pixels too wide`] : [])];
}
