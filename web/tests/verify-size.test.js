// The cost of the verification page: bytes to load, and memory for a large photo.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";

import { launch } from "./harness/browser.js";
import { SEED } from "./harness/proofs.js";
import { COMPARE_FILES, VERIFY_PAGE, choose, download, openVerifyPage } from "./harness/verify-page.js";

/** Most bytes, compressed, of what shows the page and of what compares a copy. */
const MOST = { first: 400_000, comparison: 250_000 };
const MEGABYTE = 1 << 20;
/** Memory that the page may use in addition to copies of the photo, in bytes. */
const BASE = 32 * MEGABYTE;
const COPIES = 4;

const browser = await launch();
after(() => browser.close());

test("page and comparison are small", async (t) => {
  const together = { first: 0, comparison: 0 };
  for (const name of await readdir(VERIFY_PAGE)) {
    const size = brotliCompressSync(await readFile(join(VERIFY_PAGE, name))).length;
    t.diagnostic(`${name}: ${size} bytes`);
    together[COMPARE_FILES.includes(`/${name}`) ? "comparison" : "first"] += size;
  }
  t.diagnostic(`${together.first} bytes of ${MOST.first}, ${together.comparison} of ${MOST.comparison}`);
  assert.ok(together.first <= MOST.first);
  assert.ok(together.comparison <= MOST.comparison);
});

/** Runs in a page: creates a 12-megapixel JPEG with sensor noise, in base64. */
async function draw() {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [4000, 3000];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const strip = context.createImageData(canvas.width, 100);
  for (let top = 0; top < canvas.height; top += 100) {
    for (let at = 0; at < strip.data.length; at += 1) strip.data[at] = at % 4 === 3 ? 255 : 128 + 60 * Math.random();
    context.putImageData(strip, 0, top);
  }
  return canvas.toDataURL("image/jpeg", 0.9).split(",")[1] ?? "";
}

test("a large photo's memory is bounded", async (t) => {
  const drawing = await browser.newPage();
  const picture = Buffer.from(await drawing.evaluate(draw), "base64");
  await drawing.close();
  const { page, context } = await openVerifyPage(t, browser);
  const protocol = await context.newCDPSession(page);
  const used = async () => (await usageOf((method, parameters) => protocol.send(/** @type {any} */ (method), parameters))) + (await usageOfWorker(protocol));

  await choose(page, [{ name: "seed.jpg", buffer: SEED.photo }]);
  const { bytes: manifest } = await download(page, page.getByRole("link", { name: "manifest.c2pa" }));
  const before = await used();
  // The file is the picture with a manifest, so that everything is read and the frame is returned.
  const file = picture.length + manifest.length;
  await choose(page, [{ name: "large.jpg", buffer: picture }, { name: "large.c2pa", buffer: manifest }]);
  await page.locator("article figure img").waitFor();
  const held = await used();
  const mebibytes = (/** @type {number} */ bytes) => `${(bytes / MEGABYTE).toFixed(1)} MiB`;
  t.diagnostic(`a file of ${mebibytes(file)}: ${mebibytes(before)} before, ${mebibytes(held)} after, of ${mebibytes(COPIES * file + BASE)}`);
  assert.ok(file > 4 * MEGABYTE);
  assert.ok(held <= COPIES * file + BASE);
});

/** Sends a debugger message to a page or worker. @typedef {(method: string, parameters?: any) => Promise<any>} Send */

/** Memory of a page or worker: JavaScript heap, embedder heap, buffers, and WebAssembly memories. @param {Send} send */
async function usageOf(send) {
  await send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await send("Runtime.getHeapUsage");
  const { result: prototype } = await send("Runtime.evaluate", { expression: "WebAssembly.Memory.prototype" });
  const { objects } = await send("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
  const { result: memories } = await send("Runtime.callFunctionOn", {
    objectId: objects.objectId,
    functionDeclaration: "function () { return this.reduce((sum, { buffer }) => sum + buffer.byteLength, 0); }",
    returnByValue: true,
  });
  return usedSize + embedderHeapUsedSize + backingStorageSize + memories.value;
}

/** @param {import("playwright-core").CDPSession} protocol of the page, which has one worker */
async function usageOfWorker(protocol) {
  /** @type {Promise<{ sessionId: string }>} */
  const attached = new Promise((resolve) => {
    // The other worker is the service worker.
    protocol.on("Target.attachedToTarget", (target) => target.targetInfo.type === "worker" && resolve(target));
  });
  await protocol.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const { sessionId } = await attached;
  let last = 0;
  /** @type {Send} */
  const send = async (method, params = {}) => {
    const id = (last += 1);
    /** @type {Promise<any>} */
    const answered = new Promise((resolve) => {
      protocol.on("Target.receivedMessageFromTarget", ({ message }) => {
        const answer = JSON.parse(message);
        if (answer.id === id) resolve(answer.result);
      });
    });
    await protocol.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) });
    return answered;
  };
  const usage = await usageOf(send);
  assert.ok(usage > MEGABYTE, "the module's memory is found");
  await protocol.send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: false });
  return usage;
}
