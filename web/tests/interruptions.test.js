// Interruptions of an open camera: it reopens by itself, then the person can reopen it, and finally the attempt
// fails. Phone calls are tested in phones.test.js.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { ANDROID, withCameras } from "./harness/cameras.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/** @param {import("node:test").TestContext} t */
async function openPhone(t) {
  const { phone } = await scene(t, browser, { service, before: withCameras(ANDROID) });
  const opened = phone.openCamera({ token: await service.createSession() });
  const message = (/** @type {string} */ text) => phone.part("message").getByText(text, { exact: true }).waitFor();
  const isAskedFor = (/** @type {number} */ times) =>
    phone.page.waitForFunction((times) => window.mocks.asked.length === times, times);
  /** Checks that the camera shows again and takes the photo. */
  const works = async () => {
    await message(PORTUGUESE.live);
    await phone.capture();
    await phone.event("uploaded");
    assert.deepEqual((await phone.events()).filter(({ type }) => type === "error"), []);
    assert.deepEqual(await phone.complaints(), []);
  };
  return { phone, opened, message, isAskedFor, works };
}

describe("the camera is lost", () => {
  test("reopens when its track ends", async (t) => {
    const { phone, opened, isAskedFor, works } = await openPhone(t);
    await opened;
    await phone.loseCamera();
    await isAskedFor(2);
    await works();
  });

  test("reopens when no frames arrive", async (t) => {
    const { phone, opened, isAskedFor, works } = await openPhone(t);
    await opened;
    await phone.page.evaluate(() => { window.mocks.frozen = true; });
    await isAskedFor(2);
    await phone.page.evaluate(() => { window.mocks.frozen = false; });
    await works();
  });

  test("reopens at the third try", async (t) => {
    const { phone, opened, message, isAskedFor, works } = await openPhone(t);
    await opened;
    await phone.page.evaluate(() => window.mocks.failures.push("NotReadableError", "NotReadableError"));
    await phone.loseCamera();
    await message(PORTUGUESE.cameraLost);
    assert.equal(await phone.part("shutter").getAttribute("aria-disabled"), "true");
    assert.equal(await phone.part("torch").isVisible(), false);
    assert.deepEqual(await faults(phone.page), []);
    await isAskedFor(4);
    await works();
  });

  test("reopens by tap after three failures", async (t) => {
    const { phone, opened, message, works } = await openPhone(t);
    await opened;
    await phone.page.evaluate(() => window.mocks.failures.push(...Array(3).fill("NotReadableError")));
    await phone.loseCamera();
    await message(PORTUGUESE.cameraStuck);
    assert.deepEqual(await faults(phone.page), []);
    await phone.screenshot("camera-stuck");
    await phone.tap("reopen");
    await works();
  });

  test("reopens only by tap if refused", async (t) => {
    const { phone, opened, message, isAskedFor, works } = await openPhone(t);
    await opened;
    await phone.page.evaluate(() => window.mocks.failures.push("NotAllowedError"));
    await phone.loseCamera();
    await message(PORTUGUESE.cameraStuck);
    await isAskedFor(2);
    await phone.tap("reopen");
    await works();
  });

  test("reopens only for a retake", async (t) => {
    const { phone, opened, isAskedFor, works } = await openPhone(t);
    await opened;
    await phone.tap("shutter");
    await phone.waitForState("review");
    await phone.loseCamera();
    await isAskedFor(1);
    await phone.tap("retake");
    await isAskedFor(2);
    await works();
  });
});

test("3001 reports a failed manual reopening", async (t) => {
  const { phone, opened, message } = await openPhone(t);
  await opened;
  await phone.page.evaluate(() => window.mocks.failures.push(...Array(4).fill("NotReadableError")));
  await phone.loseCamera();
  await message(PORTUGUESE.cameraStuck);
  assert.equal((await phone.events()).some(({ type }) => type === "error"), false);
  await phone.tap("reopen");
  const { code, details } = await phone.error();
  assert.deepEqual({ code, details }, { code: 3001, details: { name: "NotReadableError" } });
  await phone.waitForState("failed");
});

// The explanation shows after 3 seconds, and the button to reopen the camera after 10.
test("explains a missing first frame", async (t) => {
  const { phone } = await scene(t, browser, { service, before: withCameras(ANDROID) });
  await phone.page.evaluate(() => {
    // The camera never delivers a frame.
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia;
    mediaDevices.getUserMedia = async () => {
      mediaDevices.getUserMedia = open;
      return new MediaStream();
    };
  });
  await phone.page.clock.install();
  await phone.page.evaluate((token) => { window.camera.open({ token }); }, await service.createSession());
  await phone.page.waitForFunction(() => window.camera.shadowRoot?.querySelector("video")?.srcObject);
  await phone.page.clock.fastForward(3100);
  await phone.part("message").getByText(PORTUGUESE.cameraLate).waitFor();
  assert.equal(await phone.part("reopen").isVisible(), false);
  await phone.page.clock.fastForward(7000);
  await phone.part("reopen").waitFor();
  assert.deepEqual(await faults(phone.page), []);
  await phone.screenshot("camera-late");
  assert.deepEqual(await phone.events(), []);
  await phone.tap("reopen");
  await phone.event("opened");
});
