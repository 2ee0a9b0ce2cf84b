// The verification page in Chromium: files in, conclusions out, in both languages, by mouse and by keyboard, also without a
// network, and when the verifier stops.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, open, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";

import { LARGEST, group } from "../verify/grouping.js";
import { languageFor } from "../verify/language.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { PACKAGE } from "./harness/places.js";
import { PLAIN, SEED, requireSeed, runVerify, seedArguments, tampered, temporary, timeless } from "./harness/proofs.js";
import { standIn } from "./harness/stand-in.js";
import {
  VERIFY_PAGE, accessFaults, choose, download, finished, giveRoots, openVerifyPage, ready, serveVerifyPage,
} from "./harness/verify-page.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("node:test").TestContext} TestContext */
/** @typedef {import("./harness/verify-page.js").OpenOptions} OpenOptions */

const browser = await launch();
after(() => browser.close());

const UTC = { timezoneId: "UTC" };
const seed = { name: "seed.jpg", buffer: SEED.photo };
const plain = { name: "plain.jpg", buffer: PLAIN };
const word = (/** @type {Page} */ page) => page.locator("article .word");

/** The page that accepts the seed. @param {TestContext} t @param {OpenOptions} [options] */
async function openForSeed(t, options = {}) {
  const opened = await openVerifyPage(t, browser, { ...options, context: { ...UTC, ...options.context } });
  await requireSeed(opened.page);
  return opened;
}

/** Drops files of the disk onto the page, as a person does. @param {Page} page @param {string[]} files */
async function drop(page, files) {
  const protocol = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) {
    await protocol.send("Input.dispatchDragEvent", { type, x: 100, y: 100, data });
  }
}

/** Builds a page around another module. @param {string} folder @param {Buffer} module @param {string[]} more options */
async function buildPage(folder, module, ...more) {
  const [file, output] = [join(folder, "module.wasm"), join(folder, "page")];
  await writeFile(file, module);
  await promisify(execFile)(process.execPath, [join(PACKAGE, "build-verify.mjs"), "--module", file, "--output", output, ...more]);
  return output;
}

describe("files come in", () => {
  test("chosen: the conclusion is shown first, and the reader is led to it", async (t) => {
    const { page, problems } = await openForSeed(t);
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

  test("dropped: photos, and a folder, which is not read", async (t) => {
    const { page } = await openForSeed(t);
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

  test("pasted; a text that is pasted is no file", async (t) => {
    const { page } = await openForSeed(t);
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

  test("several: each has its result, under a list of the conclusions", async (t) => {
    const { page, problems } = await openForSeed(t);
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

  test("with a sidecar manifest, by themselves or by their names", async (t) => {
    const { page } = await openForSeed(t);
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

  test("that cannot be read, or are too large", async (t) => {
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

  test("are grouped: one pair by itself, more by their names", () => {
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

  test("what cannot be seen is escaped, and a name is said to be one", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    // A file chooser of the test cannot give this name.
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

  test("of roots, too", async (t) => {
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

describe("what is required", () => {
  test("roots are added, shown and removed, and each change checks again", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await choose(page, [seed]);
    await giveRoots(page, [{ name: "development.pem", buffer: SEED.roots }]);
    await word(page).filter({ hasText: "Valid, but of another environment" }).waitFor();
    assert.match(await page.locator("#roots").innerText(), /File: development\.pem\s+certificates: \d/);
    await page.getByRole("button", { name: "Remove development.pem" }).click();
    await word(page).filter({ hasText: "Not valid" }).waitFor();
    assert.ok(await page.locator("#roots").isHidden());
    const lines = SEED.roots.toString().split("-----BEGIN CERTIFICATE-----")[1]?.split("-----END")[0] ?? "";
    await giveRoots(page, [{ name: "root.crt", buffer: Buffer.from(lines, "base64") }]);
    await page.locator("#roots", { hasText: /root\.crt\s+certificates: 1/ }).waitFor();
    const error = page.locator("#add_trust-error");
    // `0` is the first byte of DER, too.
    for (const [name, buffer, fault] of /** @type {const} */ ([
      ["wrong.pem", Buffer.from("0 certificates"), /^wrong\.pem: ./], ["large.pem", Buffer.alloc((1 << 20) + 1, "A"), /^large\.pem: .*1 MiB/],
    ])) {
      await giveRoots(page, [{ name, buffer }]);
      await error.filter({ hasText: fault }).waitFor();
      assert.equal(await page.locator("#add_trust").getAttribute("aria-invalid"), "true");
      assert.equal(await page.locator("#roots-list li").count(), 1);
    }
    await giveRoots(page, [{ name: "root.crt", buffer: Buffer.from(lines, "base64") }]);
    await page.locator("#add_trust:not([aria-invalid])").waitFor({ state: "attached" });
  });

  test("certificates that come with photos are not trusted", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const root = { name: "lacre.pem", buffer: SEED.roots };
    const isNotTrusted = async () => {
      assert.ok(await page.locator("#roots").isHidden());
      assert.equal(await page.locator("#roots-list li").count(), 0);
    };
    await choose(page, [seed, root]);
    assert.match(await page.locator("#result-1 .word").innerText(), /Not valid/);
    assert.match(await page.locator("#result-2").innerText(), /File: lacre\.pem\s+Not checked[^]*under “Requirements”, and only if you know/);
    await isNotTrusted();
    const folder = await temporary(t);
    const files = ["lacre.crt", "lacre.cer", "seed.jpg"].map((name) => join(folder, name));
    await Promise.all(files.map((file) => writeFile(file, file.endsWith("jpg") ? SEED.photo : SEED.roots)));
    await drop(page, files);
    await page.getByText(TEXTS.done.en.replace("{total}", "3")).waitFor();
    assert.match(await page.locator("#result-1 .word").innerText(), /Not valid/);
    assert.equal(await page.getByText(TEXTS.certificate.en).count(), 4);
    await isNotTrusted();
    await page.evaluate((pem) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([pem], "pasted.pem"));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, SEED.roots.toString());
    await page.locator("article .file", { hasText: "pasted.pem" }).waitFor();
    await finished(page);
    await isNotTrusted();
  });

  test("a wrong option is shown at its field, and nothing is concluded until it is right", async (t) => {
    const { page } = await openForSeed(t);
    await choose(page, [seed]);
    const field = page.locator("#seal_holder");
    await field.fill("11.222.333/0001-80");
    await field.blur();
    await page.getByText(TEXTS.correctOption.en).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const described = (await field.getAttribute("aria-describedby"))?.split(" ") ?? [];
    assert.ok(described.includes("seal_holder-error"));
    assert.notEqual(await page.locator("#seal_holder-error").innerText(), "");
    assert.match(await page.locator("article").innerText(), /Not checked[^]*A requirement is wrong/);
    await field.fill("06.990.590/0001-23");
    await field.blur();
    await word(page).filter({ hasText: "Not valid" }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), null);
    await field.fill("");
    await field.blur();
    await word(page).filter({ hasText: "signer not pinned" }).waitFor();
    await page.locator("#claim_subject").fill("Somebody else");
    await page.locator("#claim_subject").blur();
    await word(page).filter({ hasText: "Not valid" }).waitFor();
    await page.locator("#claim_subject").fill("Lacre Development Claim Signer");
    await page.locator("#at").fill("2010-01-01T00:00:00");
    await page.locator("#at").blur();
    await word(page).filter({ hasText: "Not valid" }).waitFor();
  });

  test("without a photo an option is tried, too", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await page.locator("summary").click();
    await page.locator("#seal_holder").fill("1");
    await page.locator("#seal_holder").blur();
    await page.locator("#seal_holder[aria-invalid]").waitFor();
    await page.locator("#seal_holder").fill(SEED.holder);
    await page.locator("#seal_holder").blur();
    await page.locator("#seal_holder:not([aria-invalid])").waitFor();
  });

  test("an answer to what is not required any more is not shown", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const field = page.locator("#seal_holder");
    await field.evaluate(async (input, holders) => {
      const observer = new MutationObserver(() => input.hasAttribute("aria-invalid") && document.body.setAttribute("data-faulty", ""));
      observer.observe(input, { attributeFilter: ["aria-invalid"] });
      for (const holder of holders) {
        /** @type {HTMLInputElement} */ (input).value = holder;
        input.dispatchEvent(new Event("change", { bubbles: true }));
        // The page reads the form before any answer can come.
        for (let turns = 0; turns < 10; turns += 1) await undefined;
      }
    }, ["1", SEED.holder]);
    // The verifier answers one question after the other: these roots are its last.
    await giveRoots(page, [{ name: "roots.pem", buffer: SEED.roots }]);
    await page.locator("#roots-list li").waitFor();
    assert.equal(await page.locator("body").getAttribute("data-faulty"), null);
  });

  test("the local service's page has its roots, under their name", async (t) => {
    const index = await readFile(join(VERIFY_PAGE, "index.html"), "utf8");
    const link = '<link rel="lacre-roots" href="roots.pem" data-environment="sandbox">';
    const changes = { "index.html": index.replace("</head>", `${link}</head>`), "roots.pem": SEED.roots };
    const { page } = await openVerifyPage(t, browser, { changes });
    assert.match(await page.locator("#roots").innerText(), /Development roots of this machine/);
    assert.equal(await page.locator("#environment").inputValue(), "sandbox");
    await page.locator("#at").evaluate((at, value) => Object.assign(at, { value }), SEED.at);
    await choose(page, [seed]);
    assert.match(await word(page).innerText(), /signer not pinned/);
    const report = await download(page, page.getByRole("button", { name: TEXTS.report.en }));
    assert.ok(report.bytes.includes("roots.pem"));
    assert.ok(!report.bytes.includes(TEXTS.developmentRoots.en));
    const without = await openVerifyPage(t, browser, { changes: { "index.html": changes["index.html"] } });
    assert.equal(await without.page.locator("#status").innerText(), TEXTS.developmentMissing.en);
  });
});

describe("languages", () => {
  test("the page speaks the first of its languages that the reader lists", async (t) => {
    for (const [wanted, language] of /** @type {const} */ ([
      [["pt-BR", "en"], "pt"], [["en-GB", "pt-BR"], "en"], [["fr", "pt-PT"], "pt"], [["de"], "en"], [[], "en"],
    ])) assert.equal(languageFor(wanted), language, wanted.join());
    const { page } = await openVerifyPage(t, browser, { context: { locale: "pt-BR" } });
    assert.equal(await page.locator("html").getAttribute("lang"), "pt-BR");
    assert.equal(await page.title(), TEXTS.title.pt);
  });

  test("the buttons switch everything, also what is shown already, and the choice is kept", async (t) => {
    const { page } = await openForSeed(t);
    await choose(page, [seed, plain]);
    await page.getByRole("button", { name: "Português" }).click();
    assert.equal(await page.getByRole("button", { name: "Português" }).getAttribute("aria-pressed"), "true");
    assert.equal(await page.getByRole("button", { name: "English" }).getAttribute("aria-pressed"), "false");
    const shown = await page.locator("body").innerText();
    assert.match(shown, /Válida, mas feita em ambiente de testes/);
    assert.match(shown, /Verificação concluída: 2 arquivos/);
    for (const { en, pt } of Object.values(TEXTS)) if (en !== pt && en.length > 20) assert.ok(!shown.includes(en), en);
    assert.doesNotMatch(shown, /What is proved/);
    await page.reload();
    await ready(page);
    assert.equal(await page.locator("h1").innerText(), TEXTS.title.pt);
  });

  test("the texts are complete, and have the same values", () => {
    for (const [name, { pt, en }] of Object.entries(TEXTS)) {
      assert.ok(pt.trim() && en.trim(), name);
      const values = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).sort();
      assert.deepEqual(values(pt), values(en), name);
    }
  });
});

describe("what can be taken away", () => {
  test("the files and the report are those of `verify`", async (t) => {
    const { page } = await openForSeed(t);
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

  test("on paper there are the results alone, each on pages of its own", async (t) => {
    const { page } = await openForSeed(t, { context: { colorScheme: "dark" } });
    await choose(page, [seed, plain]);
    await page.emulateMedia({ media: "print" });
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

describe("for every reader", () => {
  test("by keyboard alone", async (t) => {
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
    // The browser begins to intercept file choosers when there is a listener.
    page.on("filechooser", () => {});
    await tab("#choose");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
    await chooser.setFiles({ name: "seed.jpg", mimeType: "", buffer: SEED.photo });
    await finished(page);
    const [saved] = await Promise.all([page.waitForEvent("download"), tab("article .actions button:first-child").then(() => page.keyboard.press("Enter"))]);
    assert.equal(saved.suggestedFilename(), "seed-relatorio.html");
    await page.locator("#choose").focus();
    await tab("summary");
    await page.keyboard.press("Enter");
    await tab("#environment");
    await page.keyboard.press("ArrowDown");
    await tab("#seal_holder");
    await page.keyboard.type("1");
    await tab("#claim_subject");
    await page.locator("#seal_holder[aria-invalid]").waitFor();
  });

  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    test(`axe finds nothing, and 320 pixels are wide enough: ${colorScheme}`, async (t) => {
      const { page } = await openForSeed(t, { context: { colorScheme, viewport: { width: 320, height: 700 } } });
      assert.deepEqual(await accessFaults(page), [], "empty");
      for (const language of ["Português", "English"]) {
        await page.getByRole("button", { name: language }).click();
        await choose(page, [seed]);
        assert.deepEqual(await accessFaults(page), [], `valid, ${language}`);
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
    const { page } = await openForSeed(t, { context: { forcedColors: "active" } });
    await choose(page, [seed]);
    const width = await page.locator("article > .verdict").evaluate((verdict) => getComputedStyle(verdict).borderLeftWidth);
    assert.equal(width, "12px");
  });
});

describe("when something fails", () => {
  const outputs = {
    facts: { version: "0.0.0", lists: [] },
    result: { outcome: "no_proof", conclusion: { pt: "Nada {name}", en: "Nothing {name}" } },
    sections: '<section class="verdict doubtful"><h2>Conclusion</h2><p class="word">Nothing</p></section><script>window.ran = true</script>' +
      '<section><h2>More</h2><img src="photo:" alt=""><p onclick="window.ran = true">Text</p></section>',
    report: "<!doctype html>",
  };

  test("a photo on which the verifier traps says so, and the next one is checked without a request", async (t) => {
    const folder = await buildPage(await temporary(t), standIn(outputs));
    const served = await serveVerifyPage(t, { folder });
    const { page } = await openVerifyPage(t, browser, { url: served.url });
    let workers = 0;
    page.on("worker", () => (workers += 1));
    await page.evaluate(() => navigator.serviceWorker.ready);
    const asked = served.asked.length;
    await choose(page, [{ name: "good.jpg", buffer: Buffer.from("A") }, { name: "trap.jpg", buffer: Buffer.from("Trap") },
      { name: "trap-again.jpg", buffer: Buffer.from("Trap") }, { name: "next.jpg", buffer: Buffer.from("B") }]);
    const lines = await page.locator("#summary-list li").allInnerTexts();
    assert.match(lines[0] ?? "", /Nothing \{name\}/);
    assert.match(lines[1] ?? "", /trap\.jpg\s+Not checked\s+The verifier stopped/);
    assert.match(lines[2] ?? "", /Not checked/);
    assert.match(lines[3] ?? "", /Nothing/);
    assert.equal(workers, 0);
    assert.deepEqual(served.asked.slice(asked), []);
    assert.equal(await page.evaluate(() => Reflect.get(window, "ran")), undefined);
    assert.equal(await page.locator("article script, article img").count(), 0);
  });

  test("a worker that dies is replaced", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const [worker] = page.workers();
    let workers = 0;
    page.on("worker", () => (workers += 1));
    // What a worker throws outside of an answer is an error of the worker.
    await worker?.evaluate(() => {
      globalThis.postMessage = () => {
        throw new Error("gone");
      };
      addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
    });
    await choose(page, [plain, { ...plain, name: "next.jpg" }]);
    assert.match(await page.locator("#result-1").innerText(), /Not checked\s+The verifier stopped[^]*gone/);
    assert.match(await page.locator("#result-2 .word").innerText(), /Photo without a proof/);
    assert.equal(workers, 1);
  });

  test("a module that is not the page's checks nothing", async (t) => {
    const module = await readFile(join(VERIFY_PAGE, "verify.wasm"));
    // A custom section without a meaning.
    const other = Buffer.concat([module, Buffer.from([0, 2, 1, 0x78])]);
    const { url } = await serveVerifyPage(t, { changes: { "verify.wasm": other } });
    const page = await (await browser.newContext({ locale: "en-US" })).newPage();
    t.after(() => page.context().close());
    await page.goto(url);
    const failure = page.getByRole("alert");
    await failure.waitFor();
    const shown = await failure.innerText();
    for (const bytes of [module, other]) assert.ok(shown.includes(createHash("sha256").update(bytes).digest("hex")));
    assert.ok(await page.locator("#choose").isDisabled());
    assert.deepEqual(await accessFaults(page), []);
  });

  test("a module that does not load is named, and checks nothing", async (t) => {
    const { url } = await serveVerifyPage(t, { changes: { "verify.wasm": "no module" } });
    const page = await (await browser.newContext({ locale: "en-US" })).newPage();
    t.after(() => page.context().close());
    await page.goto(url);
    assert.match(await page.getByRole("alert").innerText(), /could not be loaded/);
    assert.ok(await page.locator("#choose").isDisabled());
    const photo = join(await temporary(t), "photo.jpg");
    await writeFile(photo, SEED.photo);
    await drop(page, [photo]);
    await page.getByText(TEXTS.notLoaded.en).waitFor();
    assert.equal(page.url(), url);
    assert.equal(await page.locator("article").count(), 0);
  });

  test("what comes in while the verifier loads is checked when it is there", async (t) => {
    let load = () => {};
    /** @type {Promise<void>} */
    const loaded = new Promise((resolve) => (load = resolve));
    const { url } = await serveVerifyPage(t, { delays: { "verify.wasm": loaded } });
    const page = await (await browser.newContext({ locale: "en-US" })).newPage();
    t.after(() => page.context().close());
    t.after(load);
    await page.goto(url);
    await page.locator("#status", { hasText: TEXTS.loading.en }).waitFor();
    const photo = join(await temporary(t), "photo.jpg");
    await writeFile(photo, PLAIN);
    await page.locator("#choose").setInputFiles([{ name: "seed.jpg", mimeType: "", buffer: SEED.photo }]);
    await drop(page, [photo]);
    await giveRoots(page, [{ name: "early.pem", buffer: SEED.roots }]);
    assert.equal(page.url(), url);
    assert.equal(await page.locator("#status").innerText(), TEXTS.loading.en);
    assert.equal(await page.locator("article").count(), 0);
    load();
    await ready(page);
    await page.locator("#roots", { hasText: "early.pem" }).waitFor();
    await page.getByText(TEXTS.doneOne.en).waitFor();
    assert.match(await page.locator("article").innerText(), /^File: photo\.jpg[^]*Photo without a proof/);
  });
});

describe("as it is built", () => {
  test("without a network the page opens and checks", async (t) => {
    const { page, context } = await openForSeed(t);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await requireSeed(page);
    await choose(page, [seed]);
    assert.match(await word(page).innerText(), /test environment/);
  });

  test("the service worker keeps exactly the page's own files", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await (await caches.open(names[0] ?? "")).keys();
      return { names, paths: requests.map(({ url }) => new URL(url).pathname).sort() };
    });
    assert.equal(kept.names.length, 1);
    assert.match(kept.names[0] ?? "", /^lacre-verify-[0-9a-f]{16}$/);
    assert.deepEqual(kept.paths, ["/", "/icon.svg", "/page.css", "/page.js", "/verify.wasm", "/worker.js"]);
  });

  test("a page in a folder has a service worker of its own, beside that of the folder above", async (t) => {
    const names = await readdir(VERIFY_PAGE);
    const files = await Promise.all(names.map(async (name) => [`below/${name}`, await readFile(join(VERIFY_PAGE, name))]));
    const changes = { ...Object.fromEntries(files), "below/": await readFile(join(VERIFY_PAGE, "index.html")) };
    const { page, url } = await openVerifyPage(t, browser, { changes });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.goto(`${url}below/index.html`);
    await ready(page);
    const scopes = await page.evaluate(async () => {
      const start = performance.now();
      for (;;) {
        const active = (await navigator.serviceWorker.getRegistrations()).filter((registration) => registration.active);
        if (active.length === 2 || performance.now() - start > 5000) return active.map(({ scope }) => new URL(scope).pathname);
        await new Promise(requestAnimationFrame);
      }
    });
    assert.deepEqual(scopes.sort(), ["/", "/below/"]);
  });

  test("the page names the module that it loaded, and the lists", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const module = await readFile(join(VERIFY_PAGE, "verify.wasm"));
    assert.equal(await page.locator("#module-hash").innerText(), createHash("sha256").update(module).digest("hex"));
    assert.match(await page.locator("#version").innerText(), /^\d+\.\d+\.\d+$/);
    assert.match(await page.locator("#lists").innerText(), /ICP-Brasil[^]*C2PA/);
    const titles = await page.locator("#lists strong").evaluateAll((all) => all.map((title) => title.getAttribute("lang")));
    assert.deepEqual(titles, titles.map(() => "en"));
    const first = await page.locator("#lists li >> nth=0").innerText();
    assert.match(first, /^ICP-Brasil [^]*, of 20\d\d-\d\d-\d\d, certificates: \d+, source: [^]*\sFor: Seal, Timestamp of the seal, Timestamp of the C2PA signature\./);
    assert.equal(await page.locator("footer a").count(), 0);
  });

  test("a build removes what it did not write, from a folder of the page alone", async (t) => {
    const folder = await temporary(t);
    const module = standIn({ facts: {}, result: {}, sections: "", report: "" });
    const page = join(folder, "page");
    await mkdir(join(page, "more"), { recursive: true });
    await writeFile(join(page, "notes.txt"), "");
    const written = ["icon.svg", "index.html", "page.css", "page.js", "sw.js", "verify.wasm", "worker.js"];
    await buildPage(folder, module);
    assert.deepEqual((await readdir(page)).sort(), [...written, "more", "notes.txt"].sort());
    await buildPage(folder, module);
    assert.deepEqual((await readdir(page)).sort(), [...written, "more"].sort());
  });

  test("one file holds everything and works from disk; two builds give the same bytes", async (t) => {
    const module = await readFile(join(VERIFY_PAGE, "verify.wasm"));
    const built = await Promise.all([1, 2].map(async () => {
      const folder = await temporary(t);
      await buildPage(folder, module, "--single-file", join(folder, "verify.html"));
      return join(folder, "verify.html");
    }));
    const [one, two] = await Promise.all(built.map((file) => readFile(file)));
    assert.ok(one && two?.equals(one));
    for (const name of ["index.html", "page.js", "worker.js", "sw.js"]) {
      const [left, right] = await Promise.all(built.map((file) => readFile(join(file, "../page", name))));
      assert.ok(left && right?.equals(left), name);
    }
    const { page, problems } = await openVerifyPage(t, browser, { url: `file://${built[0]}`, context: UTC });
    await requireSeed(page);
    await choose(page, [seed]);
    assert.match(await word(page).innerText(), /test environment/);
    assert.equal(await page.locator("#module-hash").innerText(), createHash("sha256").update(module).digest("hex"));
    assert.deepEqual(problems, []);
  });
});
