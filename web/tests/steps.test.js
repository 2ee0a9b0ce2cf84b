// The appearance of each step in both orientations: complete, legible and accessible. Screenshots are kept in
// target/web/screenshots, with SCREENSHOTS=1.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { asksForCompass } from "./harness/compass.js";
import { LANDSCAPE, PORTRAIT } from "./harness/phone.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

/** The parts that each step shows. @type {Record<string, string[]>} */
const SHOWN = {
  loading: ["close", "message", "progress"],
  compass: ["close", "detail", "compass-allow", "compass-skip"],
  live: ["label", "close", "video", "message", "shutter"],
  review: ["label", "close", "review", "message", "retake", "confirm"],
  sending: ["label", "close", "review", "message", "progress"],
  kept: ["label", "close", "detail", "again"],
  failed: ["close", "detail", "dismiss"],
};
/** A kept photo is shown in the state of a failure after which the person may continue. @type {Record<string, string>} */
const STATES = { kept: "failed" };

for (const [name, viewport] of Object.entries({ portrait: PORTRAIT, landscape: LANDSCAPE })) {
  describe(`each step fits in ${name}`, () => {
    /**
     * @param {import("./harness/phone.js").Phone} phone
     * @param {string} step
     */
    async function look(phone, step) {
      await phone.waitForState(STATES[step] ?? step);
      await phone.screenshot(`${name}-${step}`);
      for (const part of SHOWN[step] ?? []) {
        const box = await phone.part(part).boundingBox();
        assert.ok(box && box.width > 0 && box.height > 0, `${part} shows`);
        const [right, bottom] = [box.x + box.width, box.y + box.height];
        const inside = box.x >= 0 && box.y >= 0 && right <= viewport.width && bottom <= viewport.height;
        assert.ok(inside, `${part} is on the screen: ${JSON.stringify(box)}`);
      }
      assert.deepEqual(await faults(phone.page), []);
    }

    test("shows the steps of a capture", async (t) => {
      const { service, phone } = await scene(t, browser, { viewport, agent: "Safari on iPhone", before: asksForCompass });
      const opened = phone.openCamera({ token: await service.createSession(), overlay: { label: "Frente do veículo" } });
      await look(phone, "compass");
      await phone.tap("compass-allow");
      await opened;
      await look(phone, "live");
      await phone.tap("shutter");
      await look(phone, "review");
      await phone.limitNetwork();
      await phone.tap("confirm");
      await phone.event("uploading");
      await look(phone, "sending");
      await phone.limitNetwork({ offline: true });
      await look(phone, "kept");
    });

    test("shows a failure", async (t) => {
      const { phone } = await scene(t, browser, { viewport });
      await phone.openCamera({ token: "unknown" });
      await look(phone, "failed");
    });

    test("shows that it is loading", async (t) => {
      const { service, phone } = await scene(t, browser, { viewport });
      // While this lasts, the service's responses do not arrive.
      await phone.limitNetwork({ latency: 600_000 });
      const token = await service.createSession();
      await phone.page.evaluate((token) => void window.camera.open({ token }), token);
      await look(phone, "loading");
    });
  });
}

// The label is one word, which cannot be broken between words.
test("the longest label spares the picture", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.openCamera({ token: await service.createSession(), overlay: { label: "W".repeat(64) } });
  await phone.screenshot("portrait-long-label");
  const [label, close, video] = await Promise.all(["label", "close", "video"].map((part) => phone.part(part).boundingBox()));
  assert.ok(label && close && video);
  assert.ok(label.x + label.width <= close.x && close.x + close.width <= PORTRAIT.width);
  assert.ok(video.height > PORTRAIT.height / 2);
});

test("pages can style the dialog", async (t) => {
  const { service, phone } = await scene(t, browser);
  // Setting the style property of the element's object needs no permission by the Content-Security-Policy, unlike a
  // style sheet or attribute.
  await phone.page.evaluate(() => {
    window.camera.style.setProperty("--svc-camera-background", "rgb(1, 2, 3)");
    window.camera.style.setProperty("--svc-camera-color", "rgb(250, 251, 252)");
    window.camera.style.setProperty("--svc-camera-font", "monospace");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("svc-camera::part(message) { letter-spacing: 3px; }");
    document.adoptedStyleSheets = [sheet];
  });
  await phone.openCamera({ token: await service.createSession() });
  const dialog = await phone.part("dialog").evaluate((dialog) => {
    const { backgroundColor, color, fontFamily } = getComputedStyle(dialog);
    return { backgroundColor, color, fontFamily };
  });
  assert.deepEqual(dialog, { backgroundColor: "rgb(1, 2, 3)", color: "rgb(250, 251, 252)", fontFamily: "monospace" });
  assert.equal(await phone.part("message").evaluate((message) => getComputedStyle(message).letterSpacing), "3px");
});
