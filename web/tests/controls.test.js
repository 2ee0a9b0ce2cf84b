// The controls of a live camera, according to its capabilities. The choice of the lens is tested in phones.test.js.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { ANDROID, withCameras } from "./harness/cameras.js";
import { faults } from "./harness/axe.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/** A phone whose main lens is open. @param {import("node:test").TestContext} t */
async function openPhone(t) {
  const { phone } = await scene(t, browser, { service, before: withCameras(ANDROID) });
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  const asked = () => phone.page.evaluate(() => window.mocks.asked);
  return { phone, asked };
}

describe("the controls", () => {
  test("match the lens's capabilities", async (t) => {
    const { phone } = await openPhone(t);
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

  test("keep their settings after reopening", async (t) => {
    const { phone } = await openPhone(t);
    await phone.tap("torch");
    await phone.loseCamera();
    await phone.page.waitForFunction(() => window.mocks.applied.filter((set) => "torch" in set && set.torch).length === 2);
  });

  test("switch to another lens", async (t) => {
    const { phone, asked } = await openPhone(t);
    await phone.tap("lens");
    await phone.page.waitForFunction(() => window.mocks.asked.length === 2);
    // The wide lens has neither light nor zoom.
    await phone.part("lens").waitFor();
    assert.equal(await phone.part("torch").isVisible(), false);
    assert.equal(await phone.part("zoom").isVisible(), false);
    await phone.tap("lens");
    await phone.part("torch").waitFor();
    assert.deepEqual(await asked(), ["environment", "wide", "main"]);
  });

  test("switch back if another lens fails", async (t) => {
    const { phone, asked } = await openPhone(t);
    await phone.page.evaluate(() => window.mocks.failures.push("NotReadableError"));
    await phone.tap("lens");
    await phone.part("torch").waitFor();
    assert.deepEqual(await asked(), ["environment", "wide", "environment"]);
  });
});
