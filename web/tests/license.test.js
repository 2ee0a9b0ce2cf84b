// The license is validated once an hour for a key and page.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/**
 * Opens a page, and counts its validations.
 * @param {import("node:test").TestContext} t
 */
async function openPage(t) {
  const { phone } = await scene(t, browser, { service });
  const asked = phone.requests("/validate");
  /** @param {string} [license] the name of its variable */
  const openAndClose = async (license = "LICENSE_KEY") => {
    await phone.openCamera({ token: await service.createSession(license), licenseKey: service.get(license) });
    await phone.page.evaluate(() => window.camera.close());
  };
  return { phone, asked, openAndClose };
}

test("validates once per hour across reloads", async (t) => {
  const { phone, asked, openAndClose } = await openPage(t);
  await openAndClose();
  await openAndClose();
  await phone.visit(phone.page.url());
  await openAndClose();
  assert.equal(asked.length, 1);
});

test("validates each key once", async (t) => {
  const { asked, openAndClose } = await openPage(t);
  await openAndClose();
  await openAndClose("LICENSE_KEY_ALWAYS");
  await openAndClose();
  assert.equal(asked.length, 2);
});

test("validates again after an hour", async (t) => {
  const { phone, asked, openAndClose } = await openPage(t);
  await openAndClose();
  await phone.page.clock.install({ time: Date.now() + 3_600_001 });
  await openAndClose();
  assert.equal(asked.length, 2);
});

test("stores no license key", async (t) => {
  const { phone, openAndClose } = await openPage(t);
  await openAndClose();
  const stored = await phone.page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
  assert.match(stored, /svc-camera:license:/);
  assert.equal(stored.includes(service.get("LICENSE_KEY")), false);
});

test("validates again after corrupt storage", async (t) => {
  const { phone, asked, openAndClose } = await openPage(t);
  await openAndClose();
  await phone.page.evaluate(() => {
    for (const name of Object.keys(localStorage)) localStorage.setItem(name, "{\"at\":");
  });
  await openAndClose();
  assert.equal(asked.length, 2);
});
