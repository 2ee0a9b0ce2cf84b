// The verification page in Chromium: a copy is compared with its original, by a module that is loaded when it is asked for.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { LONGEST } from "../verify/comparer.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { ROOT } from "./harness/places.js";
import {
  COMPARE_FILES, VERIFY_PAGE, accessFaults, choose, finished, giveRoots, openVerifyPage, ready, serveVerifyPage,
} from "./harness/verify-page.js";
import { UTC, compare, plain } from "./harness/verify-seed.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ left: number, top: number, side: number }} Square */

const browser = await launch();
after(() => browser.close());
const drawing = await browser.newPage();

const vector = (/** @type {string} */ name) => readFile(join(ROOT, "docs/vectors", name));
/** A photo with a valid proof, of 320 × 240 pixels, and one whose proof does not hold. */
const original = { name: "photo.jpg", buffer: await vector("01-valid.jpg") };
const changed = { name: "changed.jpg", buffer: await vector("25-a-changed-byte-of-the-photo.jpg") };
const roots = { name: "roots.pem", buffer: await vector("roots.pem") };
const [{ options: required }] = JSON.parse((await vector("cases.json")).toString());
/** A square of the photo. */
const SQUARE = Object.freeze({ left: 160, top: 96, side: 64 });

/**
 * Opens the page with requirements under which it accepts the photo.
 * @param {import("./harness/service.js").Scope} scope
 * @param {import("./harness/verify-page.js").OpenOptions} [options]
 */
async function open(scope, options = {}) {
  const opened = await openVerifyPage(scope, browser, { ...options, context: { ...UTC, ...options.context } });
  await fillRequirements(opened.page);
  return opened;
}

/** @param {Page} page */
async function fillRequirements(page) {
  await giveRoots(page, [roots]);
  await page.locator("#roots-list li").waitFor();
  await page.locator("#environment").selectOption(required.environment);
  await page.locator("#seal_holder").fill(required.seal_holder);
  await page.locator("#at").fill(required.at.replace("Z", ""));
  await page.locator("#at").blur();
}

/**
 * What a messenger makes of the photo: larger, compressed again, and without its proof.
 * @param {{ square?: Square, turned?: boolean }} [changes] a square that is made grey; pixels stored in another orientation
 */
async function copied({ square, turned = false } = {}) {
  const base64 = await drawing.evaluate(redraw, { base64: original.buffer.toString("base64"), square, turned });
  const copy = Buffer.from(base64, "base64");
  return turned ? Buffer.concat([copy.subarray(0, 2), ORIENTED, copy.subarray(2)]) : copy;
}

/** An APP1 segment with EXIF of one tag: a viewer turns the picture clockwise by 90 degrees. */
const ORIENTED = Buffer.from("ffe10022" + "457869660000" + "4d4d002a00000008" + "0001" + "0112000300000001" + "00060000" + "00000000", "hex");

/** Runs in a page. @param {{ base64: string, square: Square | undefined, turned: boolean }} options */
async function redraw({ base64, square, turned }) {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1.5 * image.width, 1.5 * image.height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (turned) context.transform(0, -1, 1, 0, 0, canvas.height);
  context.scale(1.5, 1.5);
  context.drawImage(image, 0, 0);
  context.fillStyle = "#888";
  if (square) context.fillRect(square.left, square.top, square.side, square.side);
  return canvas.toDataURL("image/jpeg", 0.7).split(",")[1] ?? "";
}

/** A JPEG whose header states the most pixels that fit there. */
function immense() {
  const file = Buffer.from(plain.buffer);
  const start = file.indexOf(Buffer.from([0xff, 0xc0]));
  file.fill(0xff, start + 5, start + 9);
  return file;
}

/** The accessible names of both pictures. @param {Page} page */
const names = (page) => page.locator("#comparison canvas").evaluateAll((all) => all.map((canvas) => canvas.getAttribute("aria-label")));

/** @param {"copy" | "original"} role @param {string} name @param {number} count */
const pictureName = (role, name, count) => TEXTS[`${role}Picture`].en.replace("{name}", name).replace("{count}", String(count));

describe("conclusions", () => {
  test("a recompressed copy is the same", async (t) => {
    const { page, problems } = await open(t);
    for (const turned of [false, true]) {
      await choose(page, [original, { name: "copy.jpg", buffer: await copied({ turned }) }]);
      assert.equal(await compare(page), TEXTS.same.en);
      assert.match(await page.locator("#comparison-status").innerText(), /The original: Valid, but made in a test environment/);
      assert.deepEqual(await names(page), [pictureName("original", "photo.jpg", 0), pictureName("copy", "copy.jpg", 0)]);
      assert.equal(await page.locator("#comparison :is(rect, li)").count(), 0);
    }
    assert.deepEqual(problems, []);
  });

  test("outlines the region that differs", async (t) => {
    const { page } = await open(t);
    await choose(page, [original, { name: "copy.jpg", buffer: await copied({ square: SQUARE }) }]);
    assert.equal(await compare(page), TEXTS.differs.en.replace("{count}", "1"));
    assert.deepEqual(await names(page), [pictureName("original", "photo.jpg", 1), pictureName("copy", "copy.jpg", 1)]);
    const outlines = page.locator("#comparison rect.outline");
    const found = await outlines.evaluateAll((all) => all.map((each) => ["x", "y", "width", "height"].map((side) => Number(each.getAttribute(side)))));
    assert.equal(found.length, 2);
    for (const region of found) {
      const expected = [SQUARE.left, SQUARE.top, SQUARE.side, SQUARE.side];
      for (const [index, value] of region.entries()) assert.ok(Math.abs(value - (expected[index] ?? 0)) <= 8, `${region}`);
    }
    const [left, top, width, height] = found[0] ?? [];
    assert.equal(await page.locator("#comparison li").innerText(), `${width} × ${height} pixels of the original, ${left} from the left and ${top} from the top`);
    // The middle of the square is grey in the copy only, and the outline lies where the square is drawn.
    const colors = await page.locator("#comparison canvas").evaluateAll((all, { left, top, side }) => all.map((canvas) => {
      const context = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d");
      return [...(context?.getImageData(left + side / 2, top + side / 2, 1, 1).data ?? [])];
    }), SQUARE);
    const isGrey = (/** @type {number[]} */ [red = 0]) => Math.abs(red - 0x88) <= 4;
    assert.deepEqual(colors.map(isGrey), [false, true], JSON.stringify(colors));
    const [outline, picture] = await Promise.all([outlines.last().boundingBox(), page.locator("#comparison canvas").last().boundingBox()]);
    const share = ((outline?.x ?? 0) - (picture?.x ?? 0)) / (picture?.width ?? 1);
    assert.ok(Math.abs(share - (left ?? 0) / 320) < 0.02, String(share));
  });

  test("another photo is not confirmed", async (t) => {
    const { page } = await open(t);
    await choose(page, [original, plain]);
    assert.equal(await compare(page), TEXTS.notConfirmed.en);
    assert.equal(await page.locator("#comparison canvas").count(), 2);
    assert.equal(await page.locator("#comparison rect").count(), 0);
  });

  test("names files that are no pictures", async (t) => {
    const { page } = await open(t);
    const copy = await copied();
    await choose(page, [
      original, { name: "notes.txt", buffer: Buffer.from("notes") }, { name: "half.png", buffer: Buffer.from("89504e470d0a1a0a", "hex") },
      { name: "immense.jpg", buffer: immense() }, { name: "copy.jpg", buffer: copy },
    ]);
    for (const [name, words] of /** @type {const} */ ([
      ["notes.txt", TEXTS.unknownFormat], ["half.png", TEXTS.malformed], ["immense.jpg", TEXTS.tooLarge],
    ])) {
      await page.locator("#copy").selectOption({ label: name });
      assert.equal(await compare(page), TEXTS.notCompared.en);
      assert.equal(await page.locator("#comparison-status p").last().innerText(), words.en.replace("{name}", name));
    }
    await page.locator("#copy").selectOption({ label: "copy.jpg" });
    await page.locator("#compare button").click();
    await page.locator("#comparison-status .word", { hasText: TEXTS.same.en }).waitFor();
  });
});

describe("the offer", () => {
  test("needs a copy and an original", async (t) => {
    const { page } = await open(t);
    const isOffered = () => page.locator("#comparison").isVisible();
    const options = (/** @type {string} */ name) => page.locator(`#${name} option`).allInnerTexts();
    await choose(page, [plain]);
    assert.deepEqual([await isOffered(), await page.getByText(TEXTS.isCopy.en).isVisible()], [false, true]);
    await choose(page, [original, { ...original, name: "again.jpg" }]);
    assert.equal(await isOffered(), false);
    await choose(page, [
      plain, original, changed, { ...original, name: "again.jpg" }, { name: "empty.jpg", buffer: Buffer.alloc(0) },
    ]);
    assert.deepEqual([await isOffered(), await page.getByText(TEXTS.isCopy.en).isVisible()], [true, false]);
    assert.deepEqual([await options("copy"), await options("original")], [["plain.jpg", "changed.jpg"], ["photo.jpg", "again.jpg"]]);
    await page.locator("#copy").selectOption({ label: "changed.jpg" });
    assert.equal(await compare(page), TEXTS.same.en);

    // Under another requirement the proof may not hold any more.
    await page.locator("#seal_holder").fill("11.222.333/0002-62");
    await page.locator("#seal_holder").blur();
    await page.locator("#result-2", { hasText: "Not valid" }).waitFor();
    await finished(page);
    assert.equal(await isOffered(), false);
    assert.equal(await page.locator("#comparison-status").innerText(), "");
  });

  test("the keyboard suffices, and pictures print", async (t) => {
    const { page } = await open(t);
    await choose(page, [original, { name: "copy.jpg", buffer: await copied({ square: SQUARE }) }]);
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#comparison").isHidden());
    await page.emulateMedia({ media: null });
    await page.locator("#copy").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: TEXTS.differs.en.replace("{count}", "1") }).waitFor();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await page.locator("#comparison canvas").first().isVisible(), await page.locator("#compare").isVisible()], [true, false]);
  });

  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    test(`is accessible at 390 pixels: ${colorScheme}`, async (t) => {
      const { page } = await open(t, { context: { colorScheme, viewport: { width: 390, height: 844 } } });
      await choose(page, [
        original, { name: "same.jpg", buffer: await copied() }, { name: `${"long".repeat(40)}.jpg`, buffer: await copied({ square: SQUARE }) }, plain,
        { name: "notes.txt", buffer: Buffer.from("notes") },
      ]);
      for (const language of ["Português", "English"]) {
        await page.getByRole("button", { name: language }).click();
        for (const value of ["0", "1", "2", "3"]) {
          await page.locator("#copy").selectOption(value);
          await page.locator("#compare button").click();
          await page.locator("#comparison-status .word").waitFor();
          assert.deepEqual(await accessFaults(page), [], `${language}, ${value}`);
        }
      }
    });
  }
});

describe("the module", () => {
  test("is loaded when asked for", async (t) => {
    const { url, asked } = await serveVerifyPage(t);
    const { page } = await open(t, { url, context: { serviceWorkers: "block" } });
    await choose(page, [original, plain]);
    const before = asked.length;
    assert.deepEqual(asked.filter((path) => COMPARE_FILES.includes(path)), []);
    await compare(page);
    assert.deepEqual(asked.slice(before).sort(), COMPARE_FILES);
    // The worker is ended, so that its memory is released.
    assert.equal(page.workers().length, 1);
  });

  test("works without a network", async (t) => {
    const { page, context } = await open(t);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await fillRequirements(page);
    await choose(page, [original, plain]);
    assert.equal(await compare(page), TEXTS.notConfirmed.en);
  });

  test("is refused if altered", async (t) => {
    const module = await readFile(join(VERIFY_PAGE, "compare.wasm"));
    // A custom section without meaning.
    const other = Buffer.concat([module, Buffer.from([0, 2, 1, 0x78])]);
    const { page } = await open(t, { changes: { "compare.wasm": other } });
    await choose(page, [original, plain]);
    assert.equal(await compare(page), TEXTS.notCompared.en);
    const shown = await page.locator("#comparison-status").innerText();
    for (const bytes of [module, other]) assert.ok(shown.includes(createHash("sha256").update(bytes).digest("hex")));
  });

  test("may crash or hang", async (t) => {
    const reasonOf = async (/** @type {import("./harness/verify-page.js").Changes} */ changes, advance = 0) => {
      const { page } = await open(t, { changes, context: { serviceWorkers: "block" } });
      await choose(page, [original, plain]);
      await page.clock.install();
      // The limit of time counts from the worker's start, which is after the module has been loaded.
      const started = page.waitForEvent("worker");
      await page.locator("#compare button").click();
      await started;
      await page.clock.runFor(advance);
      assert.equal(await page.locator("#comparison-status .word").innerText(), TEXTS.notCompared.en);
      const reason = await page.locator("#comparison-status p").last().innerText();
      await choose(page, [original]);
      assert.equal(await page.locator("article").count(), 1);
      return reason;
    };
    assert.equal(await reasonOf({ "compare-worker.js": "addEventListener('message', () => { for (;;); });" }, LONGEST), TEXTS.compareLate.en);
    assert.equal(await reasonOf({ "compare-worker.js": "addEventListener('message', () => { throw new Error('gone'); });" }), TEXTS.compareCrashed.en);
  });

  test("is loaded again after a failure", async (t) => {
    const { page } = await open(t, { context: { serviceWorkers: "block" } });
    await choose(page, [original, plain]);
    await page.route("**/compare.wasm", (route) => route.fulfill({ status: 503 }));
    assert.equal(await compare(page), TEXTS.notCompared.en);
    assert.match(await page.locator("#comparison-status").innerText(), /could not be loaded \(HTTP 503\)/);
    await page.unroute("**/compare.wasm");
    await page.locator("#compare button").click();
    await page.locator("#comparison-status .word", { hasText: TEXTS.notConfirmed.en }).waitFor();
  });
});
