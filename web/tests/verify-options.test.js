// The verification page in Chromium: the reader's requirements, and the languages.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { languageFor } from "../verify/language.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { SEED, temporary } from "./harness/proofs.js";
import { VERIFY_PAGE, choose, download, finished, giveRoots, openVerifyPage, ready } from "./harness/verify-page.js";
import { drop, openForSeed, plain, seed, word } from "./harness/verify-seed.js";

const browser = await launch();
after(() => browser.close());

describe("the reader sets requirements", () => {
  test("each change of roots checks again", async (t) => {
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
    // `0` is also the first byte of DER.
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

  test("trusts no certificates beside photos", async (t) => {
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

  test("a wrong option prevents any conclusion", async (t) => {
    const { page } = await openForSeed(t, browser);
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

  test("checks options without a photo", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await page.locator("#options > summary").click();
    await page.locator("#seal_holder").fill("1");
    await page.locator("#seal_holder").blur();
    await page.locator("#seal_holder[aria-invalid]").waitFor();
    await page.locator("#seal_holder").fill(SEED.holder);
    await page.locator("#seal_holder").blur();
    await page.locator("#seal_holder:not([aria-invalid])").waitFor();
  });

  test("ignores answers to outdated requirements", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const field = page.locator("#seal_holder");
    await field.evaluate(async (input, holders) => {
      const observer = new MutationObserver(() => input.hasAttribute("aria-invalid") && document.body.setAttribute("data-faulty", ""));
      observer.observe(input, { attributeFilter: ["aria-invalid"] });
      for (const holder of holders) {
        /** @type {HTMLInputElement} */ (input).value = holder;
        input.dispatchEvent(new Event("change", { bubbles: true }));
        // The page reads the form before any answer arrives.
        for (let turns = 0; turns < 10; turns += 1) await undefined;
      }
    }, ["1", SEED.holder]);
    // The verifier processes requests in order, so these roots come last.
    await giveRoots(page, [{ name: "roots.pem", buffer: SEED.roots }]);
    await page.locator("#roots-list li").waitFor();
    assert.equal(await page.locator("body").getAttribute("data-faulty"), null);
  });

  // The page of the local service also fills in the key of its log.
  test("the local page trusts local roots", async (t) => {
    const index = await readFile(join(VERIFY_PAGE, "index.html"), "utf8");
    const link = '<link rel="lacre-roots" href="roots.pem" data-environment="sandbox" data-log-key="log.example+00000000+AQ">';
    const changes = { "index.html": index.replace("</head>", `${link}</head>`), "roots.pem": SEED.roots };
    const { page } = await openVerifyPage(t, browser, { changes });
    assert.match(await page.locator("#roots").innerText(), /Development roots of this machine/);
    assert.equal(await page.locator("#environment").inputValue(), "sandbox");
    assert.equal(await page.locator("#log_key").inputValue(), "log.example+00000000+AQ");
    await page.locator("#log_key").evaluate((field) => Object.assign(field, { value: "" }));
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
  test("speaks the reader's first known language", async (t) => {
    for (const [wanted, language] of /** @type {const} */ ([
      [["pt-BR", "en"], "pt"], [["en-GB", "pt-BR"], "en"], [["fr", "pt-PT"], "pt"], [["de"], "en"], [[], "en"],
    ])) assert.equal(languageFor(wanted), language, wanted.join());
    const { page } = await openVerifyPage(t, browser, { context: { locale: "pt-BR" } });
    assert.equal(await page.locator("html").getAttribute("lang"), "pt-BR");
    assert.equal(await page.title(), TEXTS.title.pt);
  });

  test("buttons switch and keep the language", async (t) => {
    const { page } = await openForSeed(t, browser);
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

  test("texts are complete in both languages", () => {
    for (const [name, { pt, en }] of Object.entries(TEXTS)) {
      assert.ok(pt.trim() && en.trim(), name);
      const values = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).sort();
      assert.deepEqual(values(pt), values(en), name);
    }
  });
});
