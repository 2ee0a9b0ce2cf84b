// The signed photo in the page: the bytes that the service returned, from `uploaded` until the next open().

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { makeFramesUnique } from "./harness/clip.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";
import { readPhoto } from "./harness/signed-photo.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */

const browser = await startBrowser({ after });

/** Runs in the page: records what the element holds at each event. */
function watchPhoto() {
  for (const type of ["opened", "captured", "uploading", "uploaded", "closed"]) {
    window.camera.addEventListener(type, () =>
      window.pageEvents.push({ type: `photo at ${type}`, detail: { bytes: window.camera.signedPhoto?.size ?? null } }));
  }
}

/**
 * Captures, and returns the service's response.
 * @param {Phone} phone
 * @param {LocalService} service
 */
async function capture(phone, service) {
  const receipts = await phone.receipts();
  await phone.openCamera({ token: await service.createSession() });
  await phone.capture();
  await phone.event("closed");
  return receipts[0];
}

test("holds the bytes that were signed", async (t) => {
  const { service, phone } = await scene(t, browser);
  assert.equal(await phone.page.evaluate(readPhoto), null);
  await phone.page.evaluate(watchPhoto);
  const receipt = await capture(phone, service);
  assert.equal(receipt.authenticated_jpeg_url, null, "the license does not retain photos");
  const photo = await phone.page.evaluate(readPhoto);
  assert.ok(photo);
  assert.equal(photo.type, "image/jpeg");
  assert.equal(receipt.signed_image_base64, undefined, "the photo did not travel back");
  const bytes = Buffer.from(photo.base64, "base64");
  assert.equal(createHash("sha256").update(bytes).digest("hex"), receipt.authenticated_jpeg_sha256);
  assert.deepEqual([bytes.subarray(0, 3).toString("hex"), bytes.subarray(-2).toString("hex")], ["ffd8ff", "ffd9"]);
  assert.equal((await service.verify(bytes)).valid, true);

  const events = await phone.events();
  const seen = (/** @type {string} */ type) =>
    [...new Set(events.filter((event) => event.type === `photo at ${type}`).map(({ detail }) => detail.bytes))];
  for (const type of ["opened", "captured", "uploading"]) assert.deepEqual(seen(type), [null], type);
  for (const type of ["uploaded", "closed"]) assert.deepEqual(seen(type), [bytes.length], type);
  assert.deepEqual(events.find(({ type }) => type === "uploaded")?.detail, {
    session_id: receipt.session_id, authenticated_jpeg_url: null,
  });
  assert.deepEqual(await phone.complaints(), []);
});

describe("the next open() releases it", () => {
  for (const [name, next] of /** @type {[string, string][]} */ ([["another token", "another"], ["no token", ""]])) {
    test(`releases the photo: ${name}`, async (t) => {
      const { service, phone } = await scene(t, browser);
      await capture(phone, service);
      const held = await phone.page.evaluate((token) => {
        const before = window.camera.signedPhoto?.size ?? 0;
        window.camera.open({ token });
        return { before, after: window.camera.signedPhoto };
      }, next);
      assert.ok(held.before > 0);
      assert.equal(held.after, null);
    });
  }

  test("the next photo replaces it", async (t) => {
    const { service, phone } = await scene(t, browser, { before: makeFramesUnique });
    const first = await capture(phone, service);
    await phone.page.evaluate(() => { window.pageEvents = []; });
    const second = await capture(phone, service);
    assert.notEqual(first.authenticated_jpeg_sha256, second.authenticated_jpeg_sha256);
    const bytes = Buffer.from((await phone.page.evaluate(readPhoto))?.base64 ?? "", "base64");
    assert.equal(createHash("sha256").update(bytes).digest("hex"), second.authenticated_jpeg_sha256);
  });
});

describe("any answer counts as uploaded", () => {
  /**
   * @param {import("node:test").TestContext} t
   * @param {object} carried
   */
  async function captured(t, carried) {
    const { service, phone } = await scene(t, browser);
    const receipt = {
      session_id: "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b", photo_order: 1, authenticated_jpeg_url: null,
      manifest_url: "https://example.com/manifest", complete: true, ...carried,
    };
    await phone.page.route("**/web/ingest", (route) => route.fulfill({
      headers: { "access-control-allow-origin": "*" }, json: receipt,
    }));
    await phone.openCamera({ token: await service.createSession() });
    await phone.capture();
    assert.equal((await phone.event("uploaded")).session_id, receipt.session_id);
    assert.deepEqual(await phone.complaints(), []);
    return phone.page.evaluate(readPhoto);
  }

  // An older function may answer while a new version is being deployed.
  test("holds the photo of an older function", async (t) => {
    const base64 = randomBytes(4_700_000).toString("base64");
    assert.equal((await captured(t, { signed_image_base64: base64 }))?.base64, base64);
  });

  for (const [name, carried] of Object.entries({ "no manifest": {}, "invalid base64": { manifest_base64: "%%%" } })) {
    test(`holds nothing: ${name}`, async (t) => assert.equal(await captured(t, carried), null));
  }
});
