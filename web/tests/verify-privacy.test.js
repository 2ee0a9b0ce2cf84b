// The network requests of the verification page: its own files while loading, and none to the server afterwards, whatever
// is checked and compared. Both the browser's requests and the server's log are observed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { PLAIN, SEED, requireSeed, tampered } from "./harness/proofs.js";
import { COMPARE_FILES, OWN_FILES, VERIFY_PAGE, choose, download, finished, ready, serveVerifyPage } from "./harness/verify-page.js";
import { compare } from "./harness/verify-seed.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContext} BrowserContext */
/** @typedef {import("./harness/verify-page.js").Changes} Changes */

const browser = await launch();
after(() => browser.close());

/** A C2PA file of another vendor: a manifest store with an unknown box. */
const FOREIGN = foreign();

function foreign() {
  const box = Buffer.from("0000002a6a756d62000000226a756d6463327061001100108000" + "00aa00389b7103" + "6332706100" + "00000000", "hex");
  const content = Buffer.concat([Buffer.from("4a500001" + "00000001", "hex"), box]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([PLAIN.subarray(0, 2), Buffer.from([0xff, 0xeb]), length, content, PLAIN.subarray(2)]);
}

/**
 * Records all requests of a browser's pages, workers and service workers.
 * @param {BrowserContext} context
 * @param {string[]} requests
 */
function watch(context, requests) {
  // Blob URLs are in the page's own memory.
  context.on("request", (request) => {
    if (!request.url().startsWith("blob:")) requests.push(request.url());
  });
}

/** Uses every feature of the page. @param {Page} page */
async function use(page) {
  await requireSeed(page);
  await choose(page, [{ name: "valid.jpg", buffer: SEED.photo }]);
  for (const link of await page.locator("article .actions a").all()) await download(page, link);
  await download(page, page.getByRole("button", { name: TEXTS.report.en }));
  await choose(page, [
    { name: "valid.jpg", buffer: SEED.photo }, { name: "changed.jpg", buffer: tampered() }, { name: "foreign.jpg", buffer: FOREIGN },
    { name: "plain.jpg", buffer: PLAIN }, { name: "alone.c2pa", buffer: Buffer.from("manifest") },
  ]);
  const summary = await page.locator("#summary-list").innerText();
  for (const expected of [
    /valid\.jpg\s+Valid/, /changed\.jpg\s+Not valid/, /foreign\.jpg\s+No proof of Lacre, but C2PA credentials of another origin/, /plain\.jpg\s+Photo without/,
    /alone\.c2pa\s+Not checked\s+.*The photo to which it belongs is missing/,
  ]) assert.match(summary, expected);
  assert.equal(await page.locator("#result-3").getAttribute("data-outcome"), "no_proof");
  await page.locator("#copy").selectOption({ label: "plain.jpg" });
  assert.equal(await compare(page), TEXTS.notConfirmed.en);
  await page.getByRole("button", { name: "Português" }).click();
  await page.getByRole("button", { name: "English" }).click();
  await page.emulateMedia({ media: "print" });
  await page.emulateMedia({ media: null });
  await page.getByRole("button", { name: "Remove PEM" }).click();
  await page.locator("#summary-list li:first-child", { hasText: "Not valid" }).waitFor();
  await finished(page);
  await trap(page);
}

/**
 * Makes the verifier trap on a photo by requesting more memory than exists; it must check the next photo.
 * @param {Page} page
 */
async function trap(page) {
  const [worker] = page.workers();
  await worker?.evaluate(() => {
    const [size, post] = [Object.getOwnPropertyDescriptor(Blob.prototype, "size") ?? {}, globalThis.postMessage];
    Object.defineProperty(Blob.prototype, "size", { configurable: true, get: () => 0xffff_ffff });
    globalThis.postMessage = (/** @type {any} */ answer) => {
      Object.defineProperty(Blob.prototype, "size", size);
      globalThis.postMessage = post;
      post(answer);
    };
  });
  await choose(page, [{ name: "trap.jpg", buffer: PLAIN }, { name: "next.jpg", buffer: PLAIN }]);
  assert.match(await page.locator("#result-1").innerText(), /Not checked\s+The verifier stopped[^]*RuntimeError/);
  assert.match(await page.locator("#result-2 .word").innerText(), /Photo without a proof/);
}

/**
 * The requests until the page is ready, and those during its use, by browser and server.
 * @param {import("node:test").TestContext} t
 * @param {Changes} [changes]
 */
async function observe(t, changes = {}) {
  const { url, asked } = await serveVerifyPage(t, { changes });
  const context = await browser.newContext({ locale: "en-US", timezoneId: "UTC" });
  t.after(() => context.close());
  /** @type {string[]} */
  const requests = [];
  watch(context, requests);
  const page = await context.newPage();
  await page.goto(url);
  await ready(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const loaded = { requests: [...requests], asked: [...asked] };
  await use(page);
  // Waits for late requests.
  await page.waitForTimeout(500);
  // The browser itself may look for a new version of the service worker, at a time of its own. The page's own requests
  // for that script would be among `requests`.
  const askedLater = asked.slice(loaded.asked.length).filter((path) => path !== "/sw.js");
  const requested = requests.slice(loaded.requests.length);
  // The service worker answers those for the comparison from its cache, so that the server is not asked.
  const ofComparison = requested.filter((address) => COMPARE_FILES.includes(new URL(address).pathname));
  const later = [...requested.filter((address) => !ofComparison.includes(address)), ...askedLater];
  return { page, context, url, loaded, later, ofComparison };
}

/** @param {string[]} paths */
const distinct = (paths) => [...new Set(paths)].sort();

test("asks the server nothing once loaded", async (t) => {
  const { page, context, url, loaded, later, ofComparison } = await observe(t);
  assert.deepEqual(later, []);
  assert.deepEqual(ofComparison.map((address) => new URL(address).pathname).sort(), COMPARE_FILES);
  assert.deepEqual(distinct(loaded.asked), OWN_FILES);
  const paths = loaded.requests.map((address) => (address.startsWith(url) ? new URL(address).pathname : address));
  // Some browsers do not report the request for the service worker's script; the server does.
  assert.deepEqual(distinct([...paths, "/sw.js"]), OWN_FILES);

  await context.setOffline(true);
  await page.reload();
  await ready(page);
  await use(page);
});

// Shows that the test above can fail: both observers detect a changed page that sends the photo's size.
for (const file of ["page.js", "worker.js"]) {
  test(`both observers catch a leaking ${file}`, async (t) => {
    const code = await readFile(join(VERIFY_PAGE, file), "utf8");
    const asks = file === "page.js" ? ".postMessage(question);" : "await module.check(";
    assert.equal(code.split(asks).length, 2, asks);
    const size = file === "page.js" ? "question.photo?.size" : "photo.size";
    const spy = file === "page.js" ? `${asks} fetch(\`spy?\${${size}}\`);` : `(await fetch(\`spy?\${${size}}\`)) && ${asks}`;
    const { later } = await observe(t, { [file]: code.replace(asks, () => spy) });
    assert.throws(() => assert.deepEqual(later, []));
    assert.ok(later.some((address) => address.endsWith(`/spy?${SEED.photo.length}`)), later.join());
    assert.ok(later.includes("/spy"), later.join());
  });
}
