// The verification page in Chromium: downloads, printing, keyboard use, and use without color vision.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { PLAIN, SEED, runVerify, seedArguments, tampered, temporary, timeless } from "./harness/proofs.js";
import { accessFaults, choose, download, finished, openVerifyPage, unfold } from "./harness/verify-page.js";
import { openForSeed, plain, seed } from "./harness/verify-seed.js";

const browser = await launch();
after(() => browser.close());

describe("downloads and prints", () => {
  test("downloads equal those of `verify`", async (t) => {
    const { page } = await openForSeed(t, browser);
    const folder = await temporary(t);
    const arguments_ = await seedArguments(folder);
    for (const [name, photo] of /** @type {const} */ ([["seed.jpg", SEED.photo], ["changed.jpg", tampered()], ["plain.jpg", PLAIN]])) {
      await choose(page, [{ name, buffer: photo }]);
      const { files, html } = await runVerify(folder, name, photo, arguments_);
      const links = page.locator("article .actions a");
      assert.deepEqual((await links.allInnerTexts()).sort(), Object.keys(files).sort(), name);
      for (const link of await links.all()) {
        const saved = await download(page, link);
        assert.ok(files[saved.name]?.equals(saved.bytes), `${name}: ${saved.name}`);
      }
      const report = await download(page, page.getByRole("button", { name: TEXTS.report.en }));
      assert.equal(report.name, name.replace(".jpg", "-report.html"));
      assert.ok(!report.bytes.includes('src="photo:"'), name);
      assert.equal(timeless(report.bytes.toString()), timeless(html), name);
    }
  });

  test("prints only results, on separate pages", async (t) => {
    const { page } = await openForSeed(t, browser, { context: { colorScheme: "dark" } });
    await choose(page, [seed, plain]);
    const checks = page.locator("#result-1 .checks td").first();
    assert.ok(await checks.isHidden(), "folded on a screen");
    await page.emulateMedia({ media: "print" });
    assert.ok(await checks.isVisible(), "and not on paper");
    for (const hidden of [".bar", ".ask", "#summary", "footer", ".actions >> nth=0"]) assert.ok(await page.locator(hidden).isHidden(), hidden);
    const styles = await page.locator("article").evaluateAll((all) => all.map((each) => getComputedStyle(each).breakBefore));
    assert.deepEqual(styles, ["auto", "page"]);
    const colors = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
    assert.deepEqual(colors, ["rgb(255, 255, 255)", "rgb(20, 32, 29)"]);
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute("data-asked", "");
    });
    await page.emulateMedia({ media: null });
    await page.locator("#result-2").getByRole("button", { name: TEXTS.print.en }).click();
    await page.locator("body[data-asked]").waitFor();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await page.locator("#result-1").isVisible(), await page.locator("#result-2").isVisible()], [false, true]);
    // This print never ends; the next one is of the other result.
    await page.emulateMedia({ media: null });
    await page.locator("#result-1").getByRole("button", { name: TEXTS.print.en }).click();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await page.locator("#result-1").isVisible(), await page.locator("#result-2").isVisible()], [true, false]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok(await page.locator("#result-2").isVisible());
  });
});

describe("every reader can use it", () => {
  test("the keyboard alone suffices", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const tab = async (/** @type {string} */ selector) => {
      for (let steps = 0; steps < 30; steps += 1) {
        await page.keyboard.press("Tab");
        if (await page.locator(selector).evaluate((element) => element === document.activeElement)) return;
      }
      assert.fail(`${selector} is not reached`);
    };
    await tab("button[value=pt]");
    await page.keyboard.press("Enter");
    await page.locator("html[lang=pt-BR]").waitFor();
    // The browser intercepts file choosers only if there is a listener.
    page.on("filechooser", () => {});
    await tab("#choose");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
    await chooser.setFiles({ name: "seed.jpg", mimeType: "", buffer: SEED.photo });
    await finished(page);
    const [saved] = await Promise.all([page.waitForEvent("download"), tab("article .actions button:first-child").then(() => page.keyboard.press("Enter"))]);
    assert.equal(saved.suggestedFilename(), "seed-relatorio.html");
    await page.locator("#choose").focus();
    await tab("#options > summary");
    await page.keyboard.press("Enter");
    await tab("#environment");
    await page.keyboard.press("ArrowDown");
    await tab("#seal_holder");
    await page.keyboard.type("1");
    await tab("#claim_subject");
    await page.locator("#seal_holder[aria-invalid]").waitFor();
  });

  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    test(`is accessible at 320 pixels: ${colorScheme}`, async (t) => {
      const { page } = await openForSeed(t, browser, { context: { colorScheme, viewport: { width: 320, height: 700 } } });
      assert.deepEqual(await accessFaults(page), [], "empty");
      for (const language of ["Português", "English"]) {
        await page.getByRole("button", { name: language }).click();
        await choose(page, [seed]);
        assert.deepEqual(await accessFaults(page), [], `valid, ${language}`);
        await unfold(page);
        assert.deepEqual(await accessFaults(page), [], `valid and unfolded, ${language}`);
        await choose(page, [{ name: "changed.jpg", buffer: tampered() }]);
        assert.deepEqual(await accessFaults(page), [], `refused, ${language}`);
      }
      await choose(page, [seed, plain, { name: `${"long".repeat(40)}.jpg`, buffer: Buffer.alloc(0) }]);
      assert.deepEqual(await accessFaults(page), [], "several");
      await page.locator("#seal_holder").fill("1");
      await page.locator("#seal_holder").blur();
      await page.getByText(TEXTS.correctOption.en).waitFor();
      assert.deepEqual(await accessFaults(page), [], "wrong option");
    });
  }

  test("forced colors keep the outlines", async (t) => {
    const { page } = await openForSeed(t, browser, { context: { forcedColors: "active" } });
    await choose(page, [seed]);
    const width = await page.locator("article > .verdict").evaluate((verdict) => getComputedStyle(verdict).borderLeftWidth);
    assert.equal(width, "12px");
  });
});
