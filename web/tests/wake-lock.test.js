// The screen stays on only while the camera is open.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

/** Mocks wake locks and counts them, because headless Chromium has no screen. Runs in the page before its scripts. */
function countLocks() {
  window.locks = { taken: 0, held: 0 };
  const request = async () => {
    window.locks.taken += 1;
    window.locks.held += 1;
    return { release: async () => { window.locks.held -= 1; } };
  };
  Object.defineProperty(navigator, "wakeLock", { value: { request }, configurable: true });
}

test("holds a lock while open", async (t) => {
  const { service, phone } = await scene(t, browser, { before: countLocks });
  const locks = () => phone.page.evaluate(() => window.locks);
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  assert.deepEqual(await locks(), { taken: 1, held: 1 });
  await phone.page.evaluate(() => window.camera.close());
  assert.deepEqual(await locks(), { taken: 1, held: 0 });
});

test("releases a lock that comes late", async (t) => {
  const { service, phone } = await scene(t, browser, { before: countLocks });
  await phone.page.evaluate(async (token) => {
    const { request } = navigator.wakeLock;
    Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
      window.camera.close();
      return request("screen");
    } } });
    await window.camera.open({ token });
  }, await service.createSession());
  await phone.page.waitForFunction(() => window.locks.taken === 1 && window.locks.held === 0);
});
