// What a page tells the person above and in the camera's picture: the attributes `instruction` and `outline`.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { LANDSCAPE, PORTRAIT } from "./harness/phone.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });
const OUTLINE = [{ d: "M100 100H900V650H100Z" }, { d: "M 200,200 L 300,300" }];

/** The lines as they are drawn. @param {import("./harness/phone.js").Phone} phone */
function lines(phone) {
  return phone.part("outline").locator(".line").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
}

test("the outline lies over the picture", async (t) => {
  const attributes = { framing: "landscape", instruction: "Enquadre o <b>para-choque</b>.", outline: JSON.stringify(OUTLINE).replaceAll('"', "&quot;") };
  const { service, phone } = await scene(t, browser, { attributes });
  await phone.openCamera({ token: await service.createSession(), overlay: { label: "Frente" } });
  await phone.part("outline").waitFor();
  assert.equal(await phone.part("instruction").innerText(), "Enquadre o <b>para-choque</b>.");
  assert.deepEqual(await lines(phone), ["M100 100H900V650H100Z", "M200 200L300 300"]);
  for (const viewport of [PORTRAIT, LANDSCAPE]) {
    await phone.page.setViewportSize(viewport);
    const [instruction, video, outline] = await Promise.all(["instruction", "video", "outline"].map((part) => phone.part(part).boundingBox()));
    assert.ok(instruction && video && outline);
    assert.deepEqual(outline, video);
    const isApart = instruction.y + instruction.height <= video.y || instruction.x >= video.x + video.width;
    assert.ok(isApart, JSON.stringify({ instruction, video }));
  }
  assert.deepEqual(await faults(phone.page), []);
  await phone.tap("shutter");
  await phone.waitForState("review");
  assert.equal(await phone.part("outline").isVisible(), false);
  assert.equal(await phone.part("instruction").isVisible(), true);
  await phone.tap("retake");
  await phone.waitForState("live");
  assert.equal(await phone.part("outline").isVisible(), true);
  assert.deepEqual(await phone.complaints(), []);
});

test("properties set the attributes", async (t) => {
  const { service, phone } = await scene(t, browser, { attributes: { framing: "square" } });
  await phone.page.evaluate((outline) => Object.assign(window.camera, { outline, instruction: "Mostre a etiqueta." }), OUTLINE.slice(1));
  assert.deepEqual(await phone.page.evaluate(() => window.camera.outline), OUTLINE.slice(1));
  await phone.openCamera({ token: await service.createSession() });
  await phone.part("outline").waitFor();
  assert.deepEqual(await lines(phone), ["M200 200L300 300"]);
  assert.equal(await phone.part("instruction").innerText(), "Mostre a etiqueta.");
});

test("draws no invalid outline", async (t) => {
  const { service, phone } = await scene(t, browser, { attributes: { framing: "square" } });
  const bad = [
    "no JSON", "{}", "null", "[1]", '[{"d":1}]', '[{"d":"M0 0l1 1"}]', '[{"d":"M0 0H5000"}]', '[{"d":"<script>"}]',
    JSON.stringify(Array.from({ length: 9 }, () => ({ d: "M0 0H1" }))),
  ];
  for (const outline of bad) {
    await phone.page.evaluate((outline) => window.camera.setAttribute("outline", outline), outline);
    await phone.openCamera({ token: await service.createSession() });
    await phone.waitForState("live");
    // Once the module is there, it has drawn what it draws.
    await phone.page.evaluate('import("/src/outline.js").then(() => true)');
    assert.deepEqual(await lines(phone), [], outline);
    await phone.page.evaluate(() => window.camera.close());
  }
  await phone.openCamera({ token: await service.createSession() });
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual(await phone.complaints(), []);
});

test("draws no outline without a framing", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.page.evaluate((outline) => { window.camera.outline = outline; }, OUTLINE);
  await phone.openCamera({ token: await service.createSession() });
  await phone.waitForState("live");
  assert.equal(await phone.part("outline").count(), 0);
});
