// Hints for a better photo: one at a time, and never preventing the photo. Their appearance is tested in
// looks.test.js.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { ANDROID, withCameras } from "./harness/cameras.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/** A phone without a light, with a picture of this size. @param {[number, number]} size */
function plain(size) {
  return [{ deviceId: "only", label: "Back Camera", facing: /** @type {const} */ ("environment"), preferred: true, size }];
}

/**
 * @param {import("node:test").TestContext} t
 * @param {import("./harness/cameras.js").MockCamera[]} cameras
 * @param {{ framing?: string }} [options]
 */
async function openPhone(t, cameras, { framing = "" } = {}) {
  const { phone } = await scene(t, browser, { service, attributes: { framing }, before: withCameras(cameras) });
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  return phone;
}

/** @param {Phone} phone @param {string} text */
async function hints(phone, text) {
  await phone.part("hint").filter({ hasText: text }).waitFor();
  assert.equal(await phone.part("hint").innerText(), text);
  assert.equal(await phone.part("hint").getAttribute("role"), "status");
}

/** Checks that the photo can be taken nevertheless. @param {Phone} phone */
async function sends(phone) {
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual(await phone.complaints(), []);
}

describe("a dark picture", () => {
  test("suggests a light that is off", async (t) => {
    const phone = await openPhone(t, ANDROID);
    await phone.page.evaluate(() => { window.mocks.dark = true; });
    await hints(phone, PORTUGUESE.darkTorch);
    await phone.tap("torch");
    await hints(phone, PORTUGUESE.dark);
    await phone.page.evaluate(() => { window.mocks.dark = false; });
    await phone.part("hint").filter({ hasNotText: /./ }).waitFor({ state: "attached" });
    await sends(phone);
  });

  test("suggests a brighter place otherwise", async (t) => {
    const phone = await openPhone(t, plain([640, 480]));
    await phone.page.evaluate(() => { window.mocks.dark = true; });
    await hints(phone, PORTUGUESE.dark);
    await sends(phone);
  });
});

describe("picture and photo differ in shape", () => {
  for (const [framing, size, hint] of /** @type {[string, [number, number], string][]} */ ([
    ["landscape", [480, 640], PORTUGUESE.turnSideways],
    ["portrait", [640, 480], PORTUGUESE.turnUpright],
  ])) {
    // The picture is also dark, but only one hint shows at a time.
    test(`asks to turn the phone: ${framing}`, async (t) => {
      const phone = await openPhone(t, plain(size), { framing });
      await phone.page.evaluate(() => { window.mocks.dark = true; });
      await hints(phone, hint);
      await sends(phone);
    });
  }
});

describe("a photo under review", () => {
  test("gets a warning if blurred", async (t) => {
    const phone = await openPhone(t, ANDROID);
    // What is drawn now is visible one frame later.
    await phone.page.evaluate(async () => {
      window.mocks.blurred = true;
      const video = window.camera.shadowRoot?.querySelector("video");
      for (let frame = 0; frame < 4; frame += 1) await new Promise((resolve) => video?.requestVideoFrameCallback(resolve));
    });
    await phone.tap("shutter");
    await phone.waitForState("review");
    await hints(phone, PORTUGUESE.blurred);
    await phone.page.evaluate(() => { window.mocks.blurred = false; });
    await phone.tap("retake");
    assert.equal(await phone.part("hint").innerText(), "");
    await sends(phone);
  });

  test("gets no hint if sharp", async (t) => {
    const phone = await openPhone(t, ANDROID);
    await phone.tap("shutter");
    await phone.waitForState("review");
    const blurred = await phone.page.evaluate(async () => {
      const image = /** @type {HTMLImageElement} */ (window.camera.shadowRoot?.querySelector("img"));
      await image.decode();
      const { isBlurred } = await import(/** @type {string} */ ("/src/hints.js"));
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
      return isBlurred({ image: blob, width: canvas.width, height: canvas.height });
    });
    assert.equal(blurred, false);
    assert.equal(await phone.part("hint").innerText(), "");
  });
});

test("works without the hints module", async (t) => {
  const { phone } = await scene(t, browser, { service, before: withCameras(ANDROID) });
  await phone.page.route("**/hints.js", (route) => route.abort());
  await phone.openCamera({ token: await service.createSession() });
  await sends(phone);
});
