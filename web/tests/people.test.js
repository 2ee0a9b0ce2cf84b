// Use without a touch screen, without sight, and in other languages.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { ENGLISH, PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { asksForCompass } from "./harness/compass.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });

/** @typedef {import("./harness/phone.js").Phone} Phone */

/** The part with the focus. @param {Phone} phone */
function focused(phone) {
  return phone.page.evaluate(() => window.camera.shadowRoot?.activeElement?.getAttribute("part"));
}

describe("using the keyboard alone", () => {
  test("takes, retakes and sends a photo", async (t) => {
    const { service, phone } = await scene(t, browser, { agent: "Safari on iPhone", before: asksForCompass });
    const { keyboard } = phone.page;
    await phone.page.focus("#before");
    const opened = phone.openCamera({ token: await service.createSession() });
    await phone.waitForState("compass");
    assert.equal(await focused(phone), "compass-allow");
    await keyboard.press("Enter");
    await opened;
    await phone.waitForState("live");
    assert.equal(await focused(phone), "shutter");
    await keyboard.press("Space");
    await phone.waitForState("review");
    assert.equal(await focused(phone), "confirm");
    await keyboard.press("Shift+Tab");
    assert.equal(await focused(phone), "retake");
    await keyboard.press("Enter");
    await phone.waitForState("live");
    await keyboard.press("Enter");
    await phone.waitForState("review");
    await keyboard.press("Enter");
    await phone.event("closed");
    assert.equal((await phone.event("closed")).reason, "uploaded");
    assert.equal(await phone.page.evaluate(() => document.activeElement?.id), "before");
  });

  test("traps the focus until Escape", async (t) => {
    const { service, phone } = await scene(t, browser);
    await phone.page.focus("#before");
    await phone.openCamera({ token: await service.createSession() });
    const reached = new Set();
    for (let press = 0; press < 6; press += 1) {
      await phone.page.keyboard.press("Tab");
      reached.add(await phone.page.evaluate(() => document.activeElement?.id));
      reached.add(await focused(phone));
    }
    assert.ok(reached.has("shutter") && reached.has("close"));
    assert.equal(reached.has("before"), false);
    await phone.page.keyboard.press("Escape");
    assert.deepEqual(await phone.event("closed"), { reason: "cancelled" });
    assert.equal(await phone.page.evaluate(() => document.activeElement?.id), "before");
  });

  test("Enter dismisses a failure", async (t) => {
    const { phone } = await scene(t, browser);
    await phone.openCamera({ token: "unknown" });
    await phone.waitForState("failed");
    assert.equal(await focused(phone), "dismiss");
    await phone.page.keyboard.press("Enter");
    assert.deepEqual(await phone.event("closed"), { reason: "error" });
  });
});

/**
 * The dialog as a screen reader announces it.
 * @param {Phone} phone
 */
function spoken(phone) {
  return phone.part("dialog").ariaSnapshot();
}

describe("the texts", () => {
  /** @type {[string, string, import("../src/texts.js").Texts][]} */
  const languages = [["Portuguese", "", PORTUGUESE], ["English", "en-GB", ENGLISH]];
  for (const [name, lang, texts] of languages) {
    test(`are shown and spoken: ${name}`, async (t) => {
      const { service, phone } = await scene(t, browser, { attributes: { lang } });
      await phone.openCamera({ token: await service.createSession() });
      const live = await spoken(phone);
      for (const text of [texts.camera, texts.close, texts.live, texts.shutter]) assert.ok(live.includes(text), live);
      await phone.tap("shutter");
      await phone.waitForState("review");
      const review = await spoken(phone);
      for (const text of [texts.review, texts.photo, texts.retake, texts.confirm]) assert.ok(review.includes(text), review);
    });
  }

  // Other failures have texts of the component, in the language of the element.
  test("keep the service's reasons in Portuguese", async (t) => {
    const { service, phone } = await scene(t, browser, { attributes: { lang: "en" } });
    const detail = async () => [await phone.part("detail").innerText(), await phone.part("detail").getAttribute("lang")];
    await phone.openCamera({ token: "unknown" });
    await phone.waitForState("failed");
    assert.deepEqual(await detail(), ["Sessão não encontrada", "pt-BR"]);
    await phone.tap("dismiss");

    await phone.page.route("**/web/sessions/*", (route) => route.fulfill({
      status: 503, headers: { "access-control-allow-origin": "*" }, json: { error: "Serviço indisponível" },
    }));
    await phone.openCamera({ token: await service.createSession() });
    await phone.waitForState("failed");
    assert.deepEqual(await detail(), [ENGLISH.noService, "en"]);
  });

  test("can be replaced one by one", async (t) => {
    const { service, phone } = await scene(t, browser);
    await phone.page.evaluate(() => {
      window.camera.texts = { live: "Fotografe o <b>para-choque</b>" };
    });
    await phone.openCamera({ token: await service.createSession() });
    assert.equal(await phone.part("message").innerText(), "Fotografe o <b>para-choque</b>");
    assert.equal(await phone.part("shutter").getAttribute("aria-label"), PORTUGUESE.shutter);
  });

  test("have the same names in English", () => {
    assert.deepEqual(Object.keys(ENGLISH), Object.keys(PORTUGUESE));
  });
});
