// Slow networks: slow transfers are waited for, silent ones are not.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

const SECOND = 1000;
const browser = await startBrowser({ after });

/**
 * The primitives as `window.svc`, and `window.parts`, which counts body parts read by scripts, and upload progress
 * events.
 */
const PRIMITIVES = `
  import * as svc from "/src/primitives.js";
  const { read } = ReadableStreamDefaultReader.prototype;
  window.parts = 0;
  ReadableStreamDefaultReader.prototype.read = function () {
    const part = read.call(this);
    part.then(() => { window.parts += 1; });
    return part;
  };
  window.svc = svc;
  window.ready = true;
`;

/** A service worker that handles every request of its pages, as in progressive web apps. */
const WORKER = `
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
`;

/**
 * A server whose first response the test controls, and a page that uses it, whose clock the test controls.
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} [headers] of the answer
 */
async function slowServer(t, headers = {}) {
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-allow-methods": "*" };
  /** @type {(exchange: { request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse }) => void} */
  let arrived;
  const exchange = /** @type {Promise<Parameters<typeof arrived>[0]>} */ (new Promise((resolve) => { arrived = resolve; }));
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(200, cors).end();
    response.writeHead(200, { ...cors, ...headers });
    return arrived({ request, response });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  const scripts = { "/primitives.js": PRIMITIVES, "/worker.js": WORKER };
  const { phone } = await scene(t, browser, { attributes: { "base-url": url }, scripts });
  await phone.page.clock.install();
  return { url, exchange, page: phone.page };
}

/** @param {import("playwright-core").Page} page @param {string} url */
function ingest(page, url) {
  return page.evaluate((url) => window.svc.postIngest(url, /** @type {any} */ ({})).then(
    ({ session_id }) => session_id,
    (/** @type {import("../src/errors.js").IngestError} */ error) => error.message,
  ), url);
}

/** @param {import("playwright-core").Page} page @param {string} url @param {number} megabytes */
function upload(page, url, megabytes) {
  const session = /** @type {any} */ ({ upload_method: "PUT", upload_url: url, upload_headers: {} });
  return page.evaluate(({ session, megabytes }) => {
    const image = new Blob([new Uint8Array(megabytes * 1_000_000)]);
    return window.svc.uploadImage(session, image, { onProgress: () => { window.parts += 1; } }).then(
      () => "uploaded",
      (/** @type {import("../src/errors.js").IngestError} */ error) => error.message,
    );
  }, { session, megabytes });
}

test("reads slow answers to the end", async (t) => {
  const { url, exchange, page } = await slowServer(t);
  const outcome = ingest(page, url);
  const { response } = await exchange;
  const parts = ['{"session_id":', '"late"', "}"];
  for (const [index, part] of parts.entries()) {
    response.write(part);
    await page.waitForFunction((read) => window.parts > read, index);
    await page.clock.fastForward(25 * SECOND);
  }
  response.end();
  assert.equal(await outcome, "late");
});

test("gives up an answer that stops", async (t) => {
  const { url, exchange, page } = await slowServer(t);
  const outcome = ingest(page, url);
  (await exchange).response.write('{"session_id":');
  await page.waitForFunction(() => window.parts > 0);
  await page.clock.fastForward(31 * SECOND);
  assert.equal(await outcome, "Falha de rede no envio da captura");
});

test("waits a minute for the headers", async (t) => {
  const { url, exchange, page } = await slowServer(t);
  const outcome = ingest(page, url);
  await exchange;
  await page.clock.fastForward(61 * SECOND);
  assert.equal(await outcome, "Falha de rede no envio da captura");
});

test("reports the progress of an answer", async (t) => {
  const { url, exchange, page } = await slowServer(t, { "content-length": "25" });
  const reported = page.evaluate(async (url) => {
    /** @type {number[][]} */
    const parts = [];
    await window.svc.postIngest(url, /** @type {any} */ ({}), { onProgress: (...part) => parts.push(part) });
    return parts;
  }, url);
  const { response } = await exchange;
  response.write('{"session_id":');
  await page.waitForFunction(() => window.parts > 0);
  response.end('"in parts"}');
  assert.deepEqual((await reported).at(-1), [25, 25]);
});

test("gives up an upload without progress", async (t) => {
  const { url, exchange, page } = await slowServer(t);
  const outcome = upload(page, url, 64);
  (await exchange).request.pause();
  await page.waitForFunction(() => window.parts > 0);
  // Data in transit may still count as progress.
  await page.clock.fastForward(31 * SECOND);
  await page.clock.fastForward(31 * SECOND);
  assert.equal(await outcome, "Falha de rede no upload da imagem");
});

// A service worker hides the progress of an upload from the page.
test("waits for uploads through service workers", async (t) => {
  const { url, exchange, page } = await slowServer(t);
  await page.evaluate(async () => {
    const controlled = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
    const scripts = window.trustedTypes.createPolicy("worker", { createScriptURL: (/** @type {string} */ url) => url });
    await navigator.serviceWorker.register(scripts.createScriptURL("/worker.js"));
    await controlled;
  });
  const outcome = upload(page, url, 3);
  const { request, response } = await exchange;
  request.pause();
  await page.clock.fastForward(31 * SECOND);
  await page.clock.fastForward(31 * SECOND);
  request.resume().once("end", () => response.end());
  assert.equal(await outcome, "uploaded");
});
