// The verification page in Chromium: chosen, dropped and pasted photos, and their names.

import assert from "node:assert/strict";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { LARGEST, group } from "../verify/grouping.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { SEED, tampered, temporary } from "./harness/proofs.js";
import { choose, download, finished, openVerifyPage } from "./harness/verify-page.js";
import { drop, openForSeed, plain, seed, word } from "./harness/verify-seed.js";

const browser = await launch();
after(() => browser.close());

describe("files arrive", () => {
  test("focuses the conclusion of chosen files", async (t) => {
    const { page, problems } = await openForSeed(t, browser);
    await choose(page, [seed]);
    assert.match(await word(page).innerText(), /Valid, but made in a test environment/);
    const focused = await page.evaluate(() => document.activeElement?.localName);
    assert.equal(focused, "h2");
    assert.match(await page.locator("article > section").first().innerText(), /Conclusion[^]*LACRE DEVELOPMENT/);
    assert.ok(await page.locator("#summary").isHidden());
    const width = await page.locator("article figure img").evaluate(async (image) => {
      const picture = /** @type {HTMLImageElement} */ (image);
      await picture.decode();
      return picture.naturalWidth;
    });
    assert.ok(width > 0);
    assert.deepEqual(problems, []);
  });

  test("reads dropped photos, not folders", async (t) => {
    const { page } = await openForSeed(t, browser);
    const folder = await temporary(t);
    const photo = join(folder, "photo.jpg");
    await writeFile(photo, SEED.photo);
    await mkdir(join(folder, "album"));
    await drop(page, [photo]);
    await finished(page);
    assert.match(await word(page).innerText(), /test environment/);
    await drop(page, [join(folder, "album"), photo]);
    await page.getByText(TEXTS.done.en.replace("{total}", "2")).waitFor();
    assert.match(await page.locator("#summary").innerText(), /album\s+Not checked\s+It is a folder/);
    assert.equal(page.url().startsWith("http://localhost"), true);
  });

  test("reads pasted files, not text", async (t) => {
    const { page } = await openForSeed(t, browser);
    const paste = (/** @type {string} */ base64) => page.evaluate((base64) => {
      const clipboardData = new DataTransfer();
      if (base64) clipboardData.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], "pasted.jpg"));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, base64);
    await paste("");
    await page.getByText(TEXTS.nothingThere.en).waitFor();
    await paste(SEED.photo.toString("base64"));
    await finished(page);
    assert.match(await word(page).innerText(), /test environment/);
    assert.equal(await page.locator("article .file").innerText(), "File: pasted.jpg");
  });

  test("lists the conclusions of several files", async (t) => {
    const { page, problems } = await openForSeed(t, browser);
    await choose(page, [seed, { name: "changed.jpg", buffer: tampered() }, plain, { name: "empty.jpg", buffer: Buffer.alloc(0) },
      { name: "notes.txt", buffer: Buffer.from("notes") }, { name: "alone.c2pa", buffer: Buffer.from("manifest") }]);
    const lines = await page.locator("#summary-list li").allInnerTexts();
    const expected = [
      /seed\.jpg\s+Valid, but made in a test environment.*LACRE DEVELOPMENT/,
      /changed\.jpg\s+Not valid/,
      /plain\.jpg\s+Photo without a proof/,
      /empty\.jpg\s+Not checked\s+The file is empty/,
      /notes\.txt\s+Not a photo of Lacre/,
      /alone\.c2pa\s+Not checked\s+.*The photo to which it belongs is missing/,
    ];
    assert.equal(lines.length, expected.length);
    for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? "", pattern);
    assert.equal(await page.locator("article").count(), 6);
    const looks = await page.locator("article > section.verdict").evaluateAll((all) => all.map((each) => each.className));
    const kinds = ["doubtful", "fails", "doubtful", "unchecked", "doubtful", "unchecked"];
    assert.deepEqual(looks, kinds.map((kind) => `verdict ${kind}`));
    await page.getByRole("link", { name: "notes.txt" }).click();
    assert.equal(new URL(page.url()).hash, "#result-5");
    assert.deepEqual(problems, []);
    await choose(page, [plain]);
    assert.equal(await page.locator("article").count(), 1);
  });

  test("pairs a photo with its sidecar", async (t) => {
    const { page } = await openForSeed(t, browser);
    await choose(page, [seed]);
    const frame = (await download(page, page.getByRole("link", { name: "frame.jpg" }))).bytes;
    const manifest = (await download(page, page.getByRole("link", { name: "manifest.c2pa" }))).bytes;
    await choose(page, [{ name: "one.jpg", buffer: frame }, { name: "other.c2pa", buffer: manifest }]);
    assert.match(await word(page).innerText(), /test environment/);
    await choose(page, [{ name: "one.c2pa", buffer: manifest }, { name: "one.jpg", buffer: frame }, plain]);
    const lines = await page.locator("#summary-list li").allInnerTexts();
    assert.match(lines[0] ?? "", /one\.jpg \+ one\.c2pa\s+Valid, but made/);
    assert.match(lines[1] ?? "", /plain\.jpg\s+Photo without a proof/);
    await choose(page, [{ name: "one.txt", buffer: Buffer.from("no photo") }, { name: "one.c2pa", buffer: manifest }]);
    assert.match(await page.locator("article").innerText(), /Not checked/);
  });

  test("reports unreadable and too large files", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const folder = await temporary(t);
    const [large, gone] = [join(folder, "large.jpg"), join(folder, "gone.jpg")];
    const file = await open(large, "w");
    await file.truncate(LARGEST + 1);
    await file.close();
    await writeFile(gone, SEED.photo);
    await page.locator("#choose").setInputFiles([large, gone]);
    await finished(page);
    assert.match(await page.locator("#result-1").innerText(), /Not checked[^]*larger than 64 MiB/);
    assert.match(await page.locator("#result-2").innerText(), /Not valid/);
    await rm(gone);
    await page.locator("#options").evaluate((details) => details.setAttribute("open", ""));
    await page.locator("#environment").selectOption("staging");
    await page.locator("#result-2", { hasText: TEXTS.unreadable.en }).waitFor();
  });

  test("groups several pairs by their names", () => {
    const file = (/** @type {string} */ name, size = 1) => new File([new Uint8Array(size)], name);
    const of = (/** @type {File[]} */ ...files) => group(files).map(({ name, sidecar, problem }) => [name, sidecar?.name, problem]);
    assert.deepEqual(of(file("a.jpg"), file("b.c2pa")), [["a.jpg + b.c2pa", "b.c2pa", undefined]]);
    assert.deepEqual(of(file("A.C2PA"), file("a.jpg"), file("b.jpg")), [
      ["a.jpg", undefined, undefined], ["b.jpg", undefined, undefined], ["A.C2PA", undefined, "noFrame"],
    ]);
    assert.deepEqual(of(file("b.jpg.c2pa"), file("a.c2pa"), file("a.jpg"), file("b.jpg")), [
      ["a.jpg + a.c2pa", "a.c2pa", undefined], ["b.jpg + b.jpg.c2pa", "b.jpg.c2pa", undefined],
    ]);
    assert.deepEqual(of(file("a.jpg", 0), file("a.c2pa")), [["a.jpg + a.c2pa", undefined, "empty"]]);
    assert.deepEqual(of(file("x.pem"), file("y.CRT"), file("a.c2pa"), file("z.jpg"), file("w.cer")), [
      ["z.jpg + a.c2pa", "a.c2pa", undefined],
      ...["x.pem", "y.CRT", "w.cer"].map((name) => [name, undefined, "certificate"]),
    ]);
    assert.deepEqual(group([], ["album"]), [{ name: "album", problem: "folder" }]);
  });
});

describe("names of files", () => {
  const NAME = "Valid. Sealed by: Lacre \u202egpj\u0000\u2028.jpg";
  const SEEN = "Valid. Sealed by: Lacre \\u{202e}gpj\\u{0}\\u{2028}.jpg";

  // The name reads like a conclusion, so the page says that it is the name of a file.
  test("invisible characters are escaped", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    // The test's file chooser cannot provide this name.
    const give = (/** @type {string[]} */ names) => page.evaluate((names) => {
      const clipboardData = new DataTransfer();
      for (const name of names) clipboardData.items.add(new File(["text"], name));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, names);
    await give([NAME, "other.jpg"]);
    await page.getByText(TEXTS.done.en.replace("{total}", "2")).waitFor();
    assert.equal(await page.locator("#result-1 .file").innerText(), `File: ${SEEN}`);
    assert.equal(await page.locator("#result-1 .file bdi").innerText(), SEEN);
    assert.equal(await page.locator("#summary-list li >> nth=0 >> a").innerText(), `File: ${SEEN}`);
    assert.equal(await page.locator("#summary-list li >> nth=0 >> bdi").innerText(), SEEN);
    assert.equal(await page.getByRole("group", { name: SEEN }).count(), 1);
    await page.getByRole("button", { name: "Português" }).click();
    assert.equal(await page.locator("#result-1 .file").innerText(), `Arquivo: ${SEEN}`);
    assert.ok(!(await page.content()).includes("\u202e"));
  });

  test("names of roots are escaped", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await page.locator("#add_trust").evaluate((input, [name = "", pem = ""]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([pem], name));
      transfer.items.add(new File(["nothing"], name));
      /** @type {HTMLInputElement} */ (input).files = transfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }, [NAME, SEED.roots.toString()]);
    await page.locator("#add_trust[aria-invalid]").waitFor({ state: "attached" });
    assert.equal(await page.locator("#roots-list bdi").innerText(), SEEN);
    assert.ok((await page.locator("#roots-list li").innerText()).startsWith(`File: ${SEEN}`));
    assert.ok((await page.locator("#add_trust-error").innerText()).startsWith(SEEN));
    await page.getByRole("button", { name: `Remove ${SEEN}` }).click();
    assert.ok(!(await page.content()).includes("\u202e"));
  });
});
