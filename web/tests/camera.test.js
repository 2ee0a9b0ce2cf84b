// The camera's stream: opened once, lost, paused while the page is hidden, and stopped whenever the dialog closes.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { servePage } from "./harness/pages.js";
import { Phone } from "./harness/phone.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";
import { startTabs } from "./harness/tabs.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/** @param {import("node:test").TestContext} t */
async function openCamera(t) {
  const { phone } = await scene(t, browser, { service });
  const token = await service.createSession();
  await phone.openCamera({ token });
  await phone.event("opened");
  assert.equal(await phone.liveTracks(), 1);
  await phone.holdTrack();
  return { phone, token };
}

/**
 * Waits until the dialog closed for this reason, and checks that the camera is off.
 * @param {Phone} phone
 * @param {string} reason
 */
async function closed(phone, reason) {
  assert.deepEqual(await phone.event("closed"), { reason });
  assert.equal(await phone.part("dialog").count(), 0);
  assert.equal(await phone.heldTrack(), "ended");
  assert.deepEqual(await phone.complaints(), []);
}

describe("3001: the camera fails to open", () => {
  test("opens once the person allows it", async (t) => {
    const { phone } = await scene(t, browser, { service, granted: ["geolocation"] });
    const token = await service.createSession();
    await phone.openCamera({ token });
    const { code, name, details } = await phone.error();
    assert.deepEqual({ code, name, details }, { code: 3001, name: "StreamError", details: { name: "NotAllowedError" } });
    assert.equal(await phone.part("detail").innerText(), PORTUGUESE.noCamera);
    await phone.tap("dismiss");
    assert.deepEqual(await phone.event("closed"), { reason: "error" });

    await phone.grant(["camera", "geolocation"]);
    await phone.openCamera({ token });
    await phone.event("opened");
    assert.equal(await phone.liveTracks(), 1);
  });

  test("reports a phone without a camera", async (t) => {
    const { phone } = await scene(t, await startBrowser(t, { camera: false }), { service });
    await phone.openCamera({ token: await service.createSession() });
    const { code, name, details } = await phone.error();
    assert.deepEqual({ code, name, details }, { code: 3001, name: "StreamError", details: { name: "NotFoundError" } });
  });

  test("reports a page without https", async (t) => {
    const { phone } = await scene(t, browser, { service });
    await phone.visit(phone.page.url().replace("localhost", "insecure.test"));
    await phone.openCamera({ token: await service.createSession() });
    const { code, name, details } = await phone.error();
    assert.deepEqual({ code, name, details }, { code: 3001, name: "StreamError", details: { name: "SecurityError" } });
  });

  test("reports a revoked camera permission", async (t) => {
    const { phone } = await openCamera(t);
    await phone.page.context().clearPermissions();
    await phone.tap("reopen");
    const { code, name } = await phone.error();
    assert.deepEqual({ code, name }, { code: 3001, name: "StreamError" });
    await phone.waitForState("failed");
    assert.equal(await phone.heldTrack(), "ended");
  });
});

describe("open() while the camera is open", () => {
  test("the same token continues the attempt", async (t) => {
    const { phone } = await scene(t, browser, { service });
    const token = await service.createSession();
    const loads = phone.requests(`/web/sessions/${token}`);
    await phone.page.evaluate(async (token) => {
      await Promise.all([window.camera.open({ token }), window.camera.open({ token })]);
      await window.camera.open({ token });
    }, token);
    assert.deepEqual((await phone.events()).map(({ type }) => type), ["opened"]);
    assert.equal(loads.length, 1);
    assert.equal(await phone.part("dialog").count(), 1);
    assert.equal(await phone.liveTracks(), 1);
  });

  test("another token replaces the attempt", async (t) => {
    const { phone } = await openCamera(t);
    await phone.openCamera({ token: await service.createSession() });
    const events = (await phone.events()).map(({ type, detail }) => detail.reason ?? type);
    assert.deepEqual(events, ["opened", "replaced", "opened"]);
    assert.equal(await phone.heldTrack(), "ended");
    assert.equal(await phone.liveTracks(), 1);
    assert.equal(await phone.part("dialog").count(), 1);
  });

  // The replaced attempt dispatches `closed`, and open() in its listener overrides the open() that replaced it.
  test("open() in a listener wins", async (t) => {
    const { phone, token } = await openCamera(t);
    const loads = phone.requests("/web/sessions/");
    await phone.page.evaluate((token) => {
      window.camera.addEventListener("closed", () => window.camera.open({ token }), { once: true });
    }, token);
    await phone.openCamera({ token: await service.createSession() });
    assert.deepEqual((await phone.events()).map(({ type }) => type), ["opened", "closed", "opened"]);
    assert.deepEqual(loads.map((load) => load.url().endsWith(token)), [true]);
    assert.equal(await phone.part("dialog").count(), 1);
  });

  test("a missing token closes the camera", async (t) => {
    const { phone } = await openCamera(t);
    await phone.openCamera({ token: "" });
    assert.equal((await phone.error()).code, 5002);
    await closed(phone, "replaced");
  });
});

describe("the camera closes", () => {
  test("close() stops the camera", async (t) => {
    const { phone } = await openCamera(t);
    await phone.page.evaluate(() => window.camera.close());
    await closed(phone, "cancelled");
  });

  test("the button stops the camera", async (t) => {
    const { phone } = await openCamera(t);
    await phone.tap("close");
    await closed(phone, "cancelled");
  });

  test("Escape stops it during the review", async (t) => {
    const { phone } = await openCamera(t);
    await phone.tap("shutter");
    await phone.waitForState("review");
    await phone.page.keyboard.press("Escape");
    await closed(phone, "cancelled");
  });

  test("removing the element stops the camera", async (t) => {
    const { phone } = await openCamera(t);
    await phone.page.evaluate(() => window.camera.remove());
    await closed(phone, "disconnected");
  });

  test("repeated calls close it once", async (t) => {
    const { phone } = await openCamera(t);
    await phone.page.evaluate(() => {
      window.camera.close();
      window.camera.close();
      window.camera.remove();
    });
    await closed(phone, "cancelled");
    assert.equal((await phone.events()).filter(({ type }) => type === "closed").length, 1);
  });

  test("closing at once opens nothing", async (t) => {
    const { phone } = await scene(t, browser, { service });
    const token = await service.createSession();
    await phone.page.evaluate(async (token) => {
      const opened = window.camera.open({ token });
      window.camera.close();
      await opened;
    }, token);
    assert.deepEqual(await phone.events(), [{ type: "closed", detail: { reason: "cancelled" } }]);
    assert.equal(await phone.part("dialog").count(), 0);
    assert.deepEqual(await phone.complaints(), []);
    // The element works as before.
    await phone.openCamera({ token });
    await phone.event("opened");
  });
});

describe("a photo under review", () => {
  for (const choice of ["confirm", "retake"]) {
    test(`outlives its camera: ${choice}`, async (t) => {
      const { service, phone } = await scene(t, browser);
      await phone.openCamera({ token: await service.createSession() });
      await phone.tap("shutter");
      await phone.waitForState("review");
      await phone.loseCamera();
      await phone.tap(choice);
      if (choice === "retake") await phone.capture();
      await phone.event("uploaded");
      assert.deepEqual(await phone.complaints(), []);
    });
  }
});

// The page is hidden while the camera opens, so that the opening is abandoned.
test("ignores failures of an abandoned opening", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.openCamera({ token: await service.createSession() });
  await phone.page.evaluate(async () => {
    const show = (/** @type {boolean} */ hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia;
    /** @type {(error: Error) => void} */
    let refuse = () => {};
    mediaDevices.getUserMedia = () => new Promise((_, reject) => { refuse = reject; });
    show(true);
    show(false);
    show(true);
    refuse(new DOMException("", "AbortError"));
    mediaDevices.getUserMedia = open;
    await new Promise((resolve) => setTimeout(resolve));
    show(false);
  });
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual((await phone.events()).filter(({ type }) => type === "error"), []);
  assert.deepEqual(await phone.complaints(), []);
});

test("a moved element stays open", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.openCamera({ token: await service.createSession() });
  await phone.page.evaluate(() => document.body.append(window.camera));
  assert.ok(await phone.part("dialog").evaluate((dialog) => dialog.matches(":modal")));
  assert.ok(await phone.part("video").evaluate((video) => !(/** @type {HTMLVideoElement} */ (video).paused)));
  await phone.capture();
  await phone.event("uploaded");
});

test("stops the camera on hidden pages", async (t) => {
  const service = await LocalService.start(t);
  const port = await servePage(t, service, { attributes: { "license-key": service.get("LICENSE_KEY") } });
  const tabs = await startTabs(t);
  const phone = new Phone(await tabs.newPage());
  await phone.visit(`http://localhost:${port}/`);
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  await phone.holdTrack();

  const other = await tabs.newPage();
  await phone.page.waitForFunction(() => document.hidden);
  assert.equal(await phone.heldTrack(), "ended");
  assert.equal(await phone.liveTracks(), 0);

  await other.close();
  await phone.page.bringToFront();
  await phone.page.waitForFunction(() => window.camera.shadowRoot?.querySelector("video")?.srcObject);
  assert.equal(await phone.liveTracks(), 1);
  await phone.capture();
  await phone.event("uploaded");
  assert.deepEqual(await phone.complaints(), []);
});

test("opens no camera on hidden pages", async (t) => {
  const service = await LocalService.start(t);
  const port = await servePage(t, service, { attributes: { "license-key": service.get("LICENSE_KEY") } });
  const tabs = await startTabs(t);
  const phone = new Phone(await tabs.newPage());
  await phone.visit(`http://localhost:${port}/`);
  const other = await tabs.newPage();
  await phone.page.waitForFunction(() => document.hidden);
  await phone.page.evaluate(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = (constraints) => {
      window.pageEvents.push({ type: "asked for the camera", detail: { hidden: document.hidden } });
      return open(constraints);
    };
  });
  await phone.page.evaluate((token) => { window.camera.open({ token }); }, await service.createSession());
  // Polls the page's own record, because the browser does not always report the end of a response that a page reads
  // in parts; by a timer, because a hidden page draws no frames.
  const loaded = () => performance.getEntriesByType("resource").some(({ name }) => name.includes("/web/sessions/"));
  await phone.page.waitForFunction(loaded, undefined, { polling: 100 });

  await other.close();
  await phone.page.bringToFront();
  await phone.event("opened");
  const events = [{ type: "asked for the camera", detail: { hidden: false } }, { type: "opened", detail: {} }];
  assert.deepEqual(await phone.events(), events);
});
