// An unexpected exception is reported as the failure of its step; 4002 only occurs while sending.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */

const browser = await startBrowser({ after });

/** Parts of the browser that break. */
const broken = {
  dialog: () => {
    HTMLDialogElement.prototype.showModal = () => { throw new RangeError("broken"); };
  },
  hash: () => {
    crypto.subtle.digest = () => Promise.reject(new RangeError("broken"));
  },
  canvas: () => {
    HTMLCanvasElement.prototype.toBlob = () => { throw new RangeError("broken"); };
  },
  upload: () => {
    XMLHttpRequest.prototype.setRequestHeader = () => { throw new RangeError("broken"); };
  },
};

/**
 * @typedef {object} Case
 * @property {string} where
 * @property {() => void} breaks what breaks, before the page's scripts
 * @property {(phone: Phone) => Promise<void>} [act] until it occurs
 * @property {{ code: number, name: string, message: string }} error
 */

/** @type {Case[]} */
const CASES = [
  {
    where: "before the license",
    breaks: broken.dialog,
    error: { code: 3001, name: "StreamError", message: "A câmera não pôde ser usada" },
  },
  {
    where: "in the license",
    breaks: broken.hash,
    error: { code: 8003, name: "LicenseError", message: "A licença não pôde ser validada" },
  },
  {
    where: "in the frame",
    breaks: broken.canvas,
    act: (phone) => phone.tap("shutter"),
    error: { code: 3001, name: "StreamError", message: "A câmera não pôde ser usada" },
  },
  {
    where: "in the upload",
    breaks: broken.upload,
    act: (phone) => phone.capture(),
    error: { code: 4002, name: "IngestError", message: "A foto não pôde ser enviada" },
  },
];

for (const { where, breaks, act, error } of CASES) {
  test(`reports ${error.code} for exceptions ${where}`, async (t) => {
    const { service, phone } = await scene(t, browser, { before: breaks });
    await phone.openCamera({ token: await service.createSession() });
    await act?.(phone);
    assert.deepEqual(await phone.error(), { ...error, details: { name: "RangeError" } });
    assert.equal(await phone.part("detail").textContent(), PORTUGUESE.unforeseen);
    assert.equal(await phone.liveTracks(), 0);
  });
}

test("reports 4001 for an unencodable token", async (t) => {
  const { phone } = await scene(t, browser);
  // Half of a surrogate pair, which no URL can contain.
  await phone.page.evaluate(() => window.camera.open({ token: String.fromCharCode(0xd800) }));
  const message = "A sessão não pôde ser carregada";
  assert.deepEqual(await phone.error(), { code: 4001, name: "SessionError", message, details: { name: "URIError" } });
  assert.equal(await phone.part("detail").textContent(), PORTUGUESE.unforeseen);
});
