// Calls from within event listeners, and rendering without a browser.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";

import { startBrowser } from "./harness/browser.js";
import { PACKAGE } from "./harness/places.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

test("a listener starts the next photo", async (t) => {
  const { service, phone } = await scene(t, browser);
  const [token, next] = [await service.createSession(), await service.createSession()];
  await phone.page.evaluate((next) => {
    window.camera.addEventListener("uploaded", () => window.camera.open({ token: next }), { once: true });
  }, next);
  await phone.openCamera({ token });
  await phone.capture();
  await phone.page.waitForFunction(() => window.pageEvents.filter(({ type }) => type === "opened").length === 2);
  const ends = (await phone.events()).filter(({ type }) => type !== "uploading");
  assert.deepEqual(ends.map(({ type, detail }) => detail.reason ?? type), ["opened", "captured", "uploaded", "uploaded", "opened"]);
  assert.equal(await phone.part("dialog").count(), 1);
  assert.equal(await phone.liveTracks(), 1);
  assert.deepEqual(await phone.complaints(), []);
});

test("refuses to close while signing", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.openCamera({ token: await service.createSession() });
  await phone.page.evaluate(() => {
    // Presses Escape and taps, as soon as the service was asked.
    const dialog = window.camera.shadowRoot?.querySelector("dialog");
    const close = /** @type {HTMLElement | null | undefined} */ (dialog?.querySelector("[part=close]"));
    new MutationObserver(() => {
      if (close?.getAttribute("aria-disabled") !== "true") return;
      window.pageEvents.push({ type: "tapped", detail: {} });
      close?.click();
      dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
    }).observe(/** @type {Element} */ (close), { attributeFilter: ["aria-disabled"] });
  });
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual(await phone.event("closed"), { reason: "uploaded" });
  const events = (await phone.events()).map(({ type }) => type).filter((type) => type !== "uploading");
  assert.deepEqual(events, ["opened", "captured", "tapped", "uploaded", "closed"]);
});

test("reports a detached element", async (t) => {
  const { service, phone } = await scene(t, browser);
  const token = await service.createSession();
  await phone.page.evaluate(async (token) => {
    window.camera.remove();
    await window.camera.open({ token });
  }, token);
  const { code, details } = await phone.error();
  assert.deepEqual({ code, details }, { code: 3001, details: { name: "InvalidStateError" } });
});

test("servers can import the component", async () => {
  const script = `const { isUserAgentSupported } = await import("./src/index.js"); await import("./src/react.js"); console.log(isUserAgentSupported());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { cwd: PACKAGE });
  assert.equal(stdout, "false\n");
});
