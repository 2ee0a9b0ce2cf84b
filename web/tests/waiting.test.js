// Photos that wait: an upload URL is valid for five minutes, and people may take longer.
//
// Only the page's clock is moved, not the service's, so photos are sent only at the real time.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

const MINUTE = 60_000;
const browser = await startBrowser({ after });

/** @param {import("node:test").TestContext} t */
async function openCamera(t) {
  const { service, phone } = await scene(t, browser);
  const token = await service.createSession();
  const loads = phone.requests(`/web/sessions/${token}`);
  await phone.openCamera({ token });
  await phone.event("opened");
  /** Takes a photo, and waits for the new load of the session. */
  const takeUnderFreshLoad = async () => {
    const loaded = phone.page.waitForResponse((response) => response.url().endsWith(`/web/sessions/${token}`));
    await phone.tap("shutter");
    assert.equal((await loaded).status(), 200);
    await phone.waitForState("review");
  };
  const later = (/** @type {number} */ minutes) => phone.page.clock.setSystemTime(Date.now() + minutes * MINUTE);
  return { phone, token, loads, later, takeUnderFreshLoad };
}

test("an expired URL requires another photo", async (t) => {
  const { phone, loads, later, takeUnderFreshLoad } = await openCamera(t);
  await phone.tap("shutter");
  await phone.waitForState("review");
  await later(6);
  await phone.tap("confirm");
  await phone.waitForState("live");
  assert.equal(await phone.part("message").innerText(), "A foto esperou demais para ser enviada. Tire outra.");
  assert.equal(loads.length, 1);

  await takeUnderFreshLoad();
  await phone.tap("retake");
  await later(0);
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual(await phone.complaints(), []);
});

// The upload URL must stay valid while the person reviews the photo.
test("reloads when little time remains", async (t) => {
  const { phone, loads, later, takeUnderFreshLoad } = await openCamera(t);
  await later(2);
  await phone.tap("shutter");
  await phone.waitForState("review");
  assert.equal(loads.length, 1);
  await phone.tap("retake");
  await later(4);
  await takeUnderFreshLoad();
});

test("a stale photo reopens its camera", async (t) => {
  const { phone, later, takeUnderFreshLoad } = await openCamera(t);
  await phone.tap("shutter");
  await phone.waitForState("review");
  await phone.loseCamera();
  await later(6);
  await phone.tap("confirm");
  await phone.waitForState("live");
  await takeUnderFreshLoad();
  await phone.tap("retake");
  await later(0);
  await phone.capture();
  await phone.event("uploaded");
});

// The dialog closes while the retake waits for its load.
test("closing prevents reopening the camera", async (t) => {
  const { phone, token, later } = await openCamera(t);
  await later(4);
  await phone.page.evaluate(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = (constraints) => {
      window.pageEvents.push({ type: "asked for the camera", detail: {} });
      return open(constraints);
    };
  });
  const unanswered = "**/web/sessions/*";
  await phone.page.route(unanswered, () => {});
  await phone.tap("shutter");
  await phone.waitForState("review");
  await phone.tap("retake");
  await phone.page.evaluate(() => window.camera.close());
  // The next attempt requests the camera once; nothing requested it before.
  await phone.page.unroute(unanswered);
  await phone.openCamera({ token });
  const events = ["opened", "captured", "closed", "asked for the camera", "opened"];
  assert.deepEqual((await phone.events()).map(({ type }) => type), events);
  assert.deepEqual(await phone.complaints(), []);
});
