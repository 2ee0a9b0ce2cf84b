// The appearance of each hint and failure: complete, legible and accessible in every language and on small and large
// screens. With SCREENSHOTS=1, pictures are kept in target/web/screenshots/looks.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { handoverTextsFor } from "../hosted/handover-texts.js";
import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { inspect, openLink, shows } from "./harness/hosted.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });
const LOOKS = 'import "/tests/harness/looks.js";';
const LANGUAGES = ["pt-BR", "en", "es"];
const VIEWPORTS = [{ width: 320, height: 640 }, { width: 390, height: 844 }, { width: 844, height: 390 }];

/**
 * Runs in the page: finds layout errors. Texts may cover the picture, but nothing else.
 * @returns {string[]}
 */
function misplaced() {
  const dialog = document.querySelector("svc-camera")?.shadowRoot?.querySelector("dialog");
  const wrong = [];
  const shown = [...dialog?.querySelectorAll("button, progress, .label, .instruction p, .message, .hint:not(:empty), .panel") ?? []]
    .filter((element) => element.checkVisibility() && (element.textContent || element.matches("button, progress")))
    .map((element) => ({ name: element.getAttribute("part"), element, box: element.getBoundingClientRect() }));
  for (const [index, { name, element, box }] of shown.entries()) {
    if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) wrong.push(`${name} is not on the screen`);
    if (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1) wrong.push(`${name} is clipped`);
    if (element.matches("button") && Math.min(box.width, box.height) < 44) wrong.push(`${name} is small`);
    for (const other of shown.slice(index + 1)) {
      const isApart = box.right <= other.box.left || other.box.right <= box.left || box.bottom <= other.box.top || other.box.bottom <= box.top;
      if (!isApart) wrong.push(`${name} and ${other.name} overlap`);
    }
  }
  return wrong;
}

for (const language of LANGUAGES) {
  test(`the dialog fits and is accessible: ${language}`, async (t) => {
    const { phone } = await scene(t, browser, { service, scripts: { "/looks.js": LOOKS } });
    const looks = await phone.page.evaluate(() => window.looks);
    for (const look of looks) {
      await phone.page.evaluate(({ look, language }) => window.look(look, language), { look, language });
      for (const viewport of VIEWPORTS) {
        await phone.page.setViewportSize(viewport);
        await phone.screenshot(`looks/${look}-${language}-${viewport.width}`);
        assert.deepEqual(await phone.page.evaluate(misplaced), [], `${look} ${viewport.width}`);
      }
      // Names, roles and colors do not depend on the screen's size.
      assert.deepEqual(await faults(phone.page), [], look);
    }
  });
}

/**
 * The browsers whose page shows each way to another browser.
 * @type {Record<string, { agent: string, system?: "Android" | "iOS", before?: () => void }>}
 */
const WAYS = {
  app: { agent: "Facebook on Android", system: "Android" },
  browser: { agent: "Samsung Internet", system: "Android" },
  "web-view": { agent: "web view on Android", system: "Android" },
  "app-ios": { agent: "Instagram on iPhone", system: "iOS" },
  "web-view-ios": { agent: "plain web view on iPhone", system: "iOS" },
  "desktop-site": { agent: "Chrome on an Android tablet, desktop site" },
  "old-browser": {
    agent: "Safari on iPhone",
    before: () => { Reflect.deleteProperty(HTMLVideoElement.prototype, "requestVideoFrameCallback"); },
  },
};

for (const locale of LANGUAGES) {
  describe(`leads to another browser: ${locale}`, () => {
    for (const [name, { agent, system, before }] of Object.entries(WAYS)) {
      test(`fits and is accessible: ${agent}`, async (t) => {
        const query = `?token=${await service.createHosted()}`;
        const phone = await openLink(t, browser, service, query, { agent, locale, ...(before ? { before } : {}) });
        const { page } = phone;
        const texts = handoverTextsFor(locale);
        const look = async (/** @type {string} */ step) => {
          for (const viewport of VIEWPORTS) {
            await page.setViewportSize(viewport);
            await inspect(page, `${step} ${viewport.width}`);
            await phone.screenshot(`looks/${step}-${locale}-${viewport.width}`, { fullPage: true });
          }
        };
        if (!system) {
          await shows(page, (name === "old-browser" ? texts.oldBrowser : texts.desktopSite).title);
          return look(`out-${name}`);
        }
        await shows(page, texts[system].title);
        await look(`out-${name}`);
        await page.locator("#actions a").evaluate((link) => link.addEventListener("click", (event) => event.preventDefault()));
        await page.clock.install();
        await page.getByRole("link", { name: texts[system].open }).click();
        await page.clock.runFor(2100);
        await shows(page, texts[system].stays);
        return look(`out-${name}-stays`);
      });
    }
  });
}
