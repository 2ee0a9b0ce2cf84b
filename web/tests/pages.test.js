// Pages as frameworks make them: attributes of elements around the camera, and moves of the element.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });

/** @typedef {import("./harness/phone.js").Phone} Phone */

/** Properties that the dialog would inherit from the page. */
const INHERITED = [
  "color", "cursor", "direction", "font-size", "font-style", "font-variant", "font-weight", "hyphens", "letter-spacing", "line-height",
  "pointer-events", "text-align", "text-indent", "text-shadow", "text-transform", "user-select", "visibility", "white-space",
  "word-break", "word-spacing", "writing-mode",
];

/** @param {Phone} phone */
function styles(phone) {
  return phone.part("message").evaluate((element, names) => {
    const style = getComputedStyle(element);
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
  }, INHERITED);
}

/** Checks that the dialog is removed and does not block the page. @param {Phone} phone */
async function isGone(phone) {
  assert.equal(await phone.part("dialog").count(), 0);
  assert.equal(await phone.page.evaluate(() => document.querySelector("svc-camera")?.matches(":has(:modal)") ?? false), false);
  assert.deepEqual(await phone.complaints(), []);
}

describe("a framework's dialog opens the camera", () => {
  test("inherits no styles of the page", async (t) => {
    const { phone } = await scene(t, browser, { service });
    const token = await service.createSession();
    await phone.openCamera({ token });
    const plain = await styles(phone);
    await phone.page.evaluate(() => {
      document.documentElement.style.fontSize = "62.5%";
      Object.assign(document.body.style, {
        color: "red", cursor: "wait", direction: "rtl", font: "italic small-caps 900 40px/3 monospace", hyphens: "auto", letterSpacing: "9px",
        pointerEvents: "none", textAlign: "right", textIndent: "40px", textShadow: "1px 1px red", textTransform: "uppercase",
        userSelect: "none", visibility: "hidden", whiteSpace: "pre", wordBreak: "break-all", wordSpacing: "20px",
        writingMode: "vertical-rl",
      });
    });
    assert.deepEqual(await styles(phone), plain);
    await phone.capture();
    await phone.event("uploaded");
  });

  // A screen reader can read the dialog, too.
  test("works where the page is inert", async (t) => {
    const { phone } = await scene(t, browser, { service });
    const hide = () => {
      for (const element of document.body.children) {
        element.setAttribute("aria-hidden", "true");
        /** @type {HTMLElement} */ (element).inert = true;
      }
      document.body.style.pointerEvents = "none";
    };
    await phone.page.evaluate(hide);
    const hidden = () => phone.page.evaluate(() => document.querySelector("main")?.getAttribute("aria-hidden"));
    await phone.openCamera({ token: await service.createSession() });
    await phone.page.locator("svc-camera").getByRole("button", { name: "Tirar foto" }).waitFor();
    // Uses the browser's own hit test: playwright considers everything below the attribute inert, but a modal dialog
    // is not.
    const tap = async (/** @type {string} */ part) => {
      const box = await phone.part(part).boundingBox();
      assert.ok(box);
      await phone.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    };
    await tap("close");
    assert.deepEqual(await phone.event("closed"), { reason: "cancelled" });
    assert.equal(await hidden(), "true");

    await phone.openCamera({ token: await service.createSession() });
    // The framework closes its dialog and removes the attribute.
    await phone.page.evaluate(() => document.querySelector("main")?.removeAttribute("aria-hidden"));
    await tap("shutter");
    await phone.waitForState("review");
    await tap("confirm");
    await phone.event("uploaded");
    assert.equal(await hidden(), null);
  });
});

describe("an ancestor is hidden", () => {
  const ways = /** @type {const} */ ([["display", "none"], ["contentVisibility", "hidden"]]);
  for (const [property, value] of ways) {
    const hide = (/** @type {Phone} */ phone) =>
      phone.page.evaluate(([property, value]) => {
        const main = /** @type {HTMLElement} */ (document.querySelector("main"));
        main.style[property] = value;
      }, /** @type {const} */ ([property, value]));

    test(`reports why it stays closed: ${property}`, async (t) => {
      const { phone } = await scene(t, browser, { service });
      await hide(phone);
      await phone.openCamera({ token: await service.createSession() });
      const { code, details } = await phone.error();
      assert.deepEqual({ code, details }, { code: 3001, details: { name: "InvalidStateError" } });
      assert.equal((await phone.events()).length, 1);
      await isGone(phone);
    });

    test(`closes if it was open: ${property}`, async (t) => {
      const { phone } = await scene(t, browser, { service });
      await phone.openCamera({ token: await service.createSession() });
      await phone.holdTrack();
      await hide(phone);
      assert.deepEqual(await phone.event("closed"), { reason: "disconnected" });
      assert.equal(await phone.heldTrack(), "ended");
      await isGone(phone);
    });
  }
});

test("applies properties set before loading", async (t) => {
  const early = `
    const camera = document.querySelector("svc-camera");
    camera.texts = { live: "Mostre a placa" };
    camera.baseUrl = camera.getAttribute("base-url") + "/";
    camera.licenseUrl = camera.getAttribute("license-url") + "/";
    camera.framing = "square";
    for (const name of ["base-url", "license-url"]) camera.removeAttribute(name);
  `;
  const late = `
    import "/src/index.js";
    import "/recorder.js";
  `;
  const { phone } = await scene(t, browser, { service, scripts: { "/early.js": early, "/late.js": late } });
  await phone.openCamera({ token: await service.createSession() });
  assert.equal(await phone.part("message").innerText(), "Mostre a placa");
  assert.equal(await phone.part("dialog").getAttribute("data-framing"), "square");
  assert.deepEqual(await phone.page.evaluate(() => Object.keys(window.camera)), []);
  await phone.capture();
  await phone.event("uploaded");
});

test("addresses default to the page's origin", async (t) => {
  const scripts = { "/primitives.js": 'import * as svc from "/src/primitives.js"; window.svc = svc; window.ready = true;' };
  const { phone } = await scene(t, browser, { service, scripts });
  const requests = phone.requests("/web/sessions/abc");
  await phone.page.evaluate(async () => {
    document.head.append(Object.assign(document.createElement("base"), { href: "https://base.test/app/" }));
    await window.svc.loadSession("", "abc").catch(() => {});
  });
  const origin = new URL(await phone.page.evaluate(() => location.href)).origin;
  assert.deepEqual(requests.map((request) => request.url()), [`${origin}/web/sessions/abc`]);
});

test("works after moving between documents", async (t) => {
  const { phone } = await scene(t, browser, { service });
  const move = () => phone.page.evaluate(() => {
    const frame = Object.assign(document.createElement("iframe"), { width: "360", height: "640" });
    document.body.append(frame);
    frame.contentDocument?.body.append(window.camera);
    document.querySelector("iframe + iframe")?.previousElementSibling?.remove();
  });
  const isStyled = () => phone.page.evaluate(() => {
    const dialog = /** @type {Element} */ (window.camera.shadowRoot?.querySelector("dialog"));
    return dialog.matches(":modal") && getComputedStyle(dialog).display;
  });
  await move();
  await phone.openCamera({ token: await service.createSession() });
  await phone.event("opened");
  assert.equal(await isStyled(), "grid");
  await move();
  assert.equal(await isStyled(), "grid");
  const inFrame = (/** @type {string} */ part) => phone.page.frameLocator("iframe").locator(`[part="${part}"]`);
  await inFrame("shutter").click();
  await inFrame("confirm").click();
  await phone.event("uploaded");
  assert.deepEqual(await phone.complaints(), []);
});
