// Which lens of a phone takes the photo, and what can be set on it: by what the cameras say of themselves.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { ANDROID, withCameras } from "./harness/cameras.js";
import { faults } from "./harness/axe.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("./harness/cameras.js").MockCamera} MockCamera */

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/**
 * A phone with these cameras, one of which shows.
 * @param {import("node:test").TestContext} t
 * @param {MockCamera[]} cameras
 * @param {import("./harness/phone.js").PhoneOptions} [options]
 */
async function openPhone(t, cameras, options = {}) {
  const { phone } = await scene(t, browser, { service, ...options, before: withCameras(cameras) });
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  const asked = () => phone.page.evaluate(() => window.mocks.asked);
  return { phone, asked };
}

/** The same cameras, another of which the browser prefers. @param {string} deviceId @param {MockCamera[]} [cameras] */
function preferring(deviceId, cameras = ANDROID) {
  return cameras.map((camera) => ({ ...camera, preferred: camera.deviceId === deviceId }));
}

/** Lenses of Android that do not focus by themselves. @param {number[]} numbers */
function fixed(...numbers) {
  return numbers.map((number) => /** @type {MockCamera} */ (
    { deviceId: `fixed ${number}`, label: `camera2 ${number}, facing back`, facing: "environment", capabilities: { focusMode: ["manual"] } }));
}

describe("the lens that opens", () => {
  test("is the browser's, and is opened once, where it is the main one", async (t) => {
    const { asked } = await openPhone(t, ANDROID);
    assert.deepEqual(await asked(), ["environment"]);
  });

  test("is the main one, where the browser opened another", async (t) => {
    const { phone, asked } = await openPhone(t, preferring("wide"));
    assert.deepEqual(await asked(), ["environment", "main"]);
    const live = await phone.page.evaluate(() => window.mocks.tracks.filter(({ readyState }) => readyState === "live").length);
    assert.equal(live, 1);
  });

  test("is the next one that focuses, where the first does not", async (t) => {
    const infrared = { ...fixed(1)[0], deviceId: "infrared", label: "camera2 1, facing back, infrared" };
    const focusing = { ...fixed(3)[0], deviceId: "focusing", label: "camera2 3, facing back", capabilities: { focusMode: ["continuous"] } };
    const cameras = /** @type {MockCamera[]} */ ([focusing, infrared, ...fixed(0)]);
    const { asked } = await openPhone(t, preferring("fixed 0", cameras));
    assert.deepEqual(await asked(), ["environment", "focusing"]);
  });

  test("is the first, where none of two others focuses", async (t) => {
    const { asked } = await openPhone(t, preferring("fixed 0", fixed(3, 0, 1, 2)));
    assert.deepEqual(await asked(), ["environment", "fixed 1", "fixed 2", "fixed 0"]);
  });

  test("on an iPhone is the browser's, whatever the cameras are called", async (t) => {
    const cameras = /** @type {MockCamera[]} */ (["Ultra Wide", "Wide", "Triple"].map((name) => (
      { deviceId: name, label: `Back ${name} Camera`, facing: "environment" })));
    const { asked } = await openPhone(t, preferring("Triple", cameras), { agent: "Safari on iPhone" });
    assert.deepEqual(await asked(), ["environment"]);
  });

  test("is the same one, when the camera is opened again", async (t) => {
    const { phone, asked } = await openPhone(t, preferring("wide"));
    await phone.loseCamera();
    await phone.page.waitForFunction(() => window.mocks.asked.length === 3);
    assert.deepEqual(await asked(), ["environment", "main", "main"]);
  });
});

describe("the controls", () => {
  test("are those that the lens has, and are set by capability", async (t) => {
    const { phone } = await openPhone(t, ANDROID);
    const applied = () => phone.page.evaluate(() => window.mocks.applied);
    assert.deepEqual(await applied(), [{ focusMode: "continuous" }]);
    await phone.tap("torch");
    await phone.tap("zoom");
    assert.deepEqual(await applied(), [{ focusMode: "continuous" }, { torch: true }, { zoom: 2 }]);
    assert.equal(await phone.part("torch").getAttribute("aria-pressed"), "true");
    assert.deepEqual(await faults(phone.page), []);
    await phone.tap("torch");
    assert.deepEqual((await applied()).at(-1), { torch: false });
    assert.equal(await phone.part("torch").getAttribute("aria-pressed"), "false");
    await phone.capture();
    await phone.event("uploaded");
  });

  test("stay as they were set, when the camera is opened again", async (t) => {
    const { phone } = await openPhone(t, ANDROID);
    await phone.tap("torch");
    await phone.loseCamera();
    await phone.page.waitForFunction(() => window.mocks.applied.filter((set) => "torch" in set && set.torch).length === 2);
  });

  test("lead to another lens", async (t) => {
    const { phone, asked } = await openPhone(t, ANDROID);
    await phone.tap("lens");
    await phone.page.waitForFunction(() => window.mocks.asked.length === 2);
    // The wide one has neither light nor zoom.
    await phone.part("lens").waitFor();
    assert.equal(await phone.part("torch").isVisible(), false);
    assert.equal(await phone.part("zoom").isVisible(), false);
    await phone.tap("lens");
    await phone.part("torch").waitFor();
    assert.deepEqual(await asked(), ["environment", "wide", "main"]);
  });

  test("lead back, where another lens does not open", async (t) => {
    const { phone, asked } = await openPhone(t, ANDROID);
    await phone.page.evaluate(() => window.mocks.failures.push("NotReadableError"));
    await phone.tap("lens");
    await phone.part("torch").waitFor();
    assert.deepEqual(await asked(), ["environment", "wide", "environment"]);
  });

  test("are none, where the browser knows of none", async (t) => {
    const { phone } = await openPhone(t, [{ deviceId: "only", label: "Back Camera", facing: "environment", preferred: true }]);
    for (const control of ["torch", "zoom", "lens", "reopen"]) assert.equal(await phone.part(control).isVisible(), false);
  });
});

for (const width of [320, 390, 844]) {
  test(`the controls fit a screen of ${width} pixels`, async (t) => {
    const viewport = { width, height: width === 844 ? 390 : 640 };
    const { phone } = await openPhone(t, ANDROID, { viewport });
    await phone.tap("torch");
    await phone.screenshot(`controls-${width}`);
    for (const part of ["shutter", "torch", "zoom", "lens"]) {
      const box = await phone.part(part).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= viewport.height, `${part} ${JSON.stringify(box)}`);
    }
  });
}
