// The page and the `verify` command on the same files: one outcome, the same failed checks, the same sentences, the same report.
// CORPUS names a folder of them; by default the example `corpus` of the verifier makes them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";

import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { PROGRAMS } from "./harness/places.js";
import { runVerify, temporary, timeless } from "./harness/proofs.js";
import { choose, download, finished, openVerifyPage } from "./harness/verify-page.js";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} photo
 * @property {string} [manifest] beside it
 * @property {string} outcome
 * @property {{ environment: string, seal_holder: string | null, claim_subject?: string, at?: string }} options
 */

/** The classes of a conclusion. @type {Record<string, string[]>} */
const LOOKS = {
  accepted: ["holds", "doubtful"],
  not_pinned: ["doubtful"],
  other_environment: ["doubtful"],
  refused: ["fails"],
  no_proof: ["doubtful"],
};

const browser = await launch();
const work = await temporary({ after });
after(() => browser.close());
const folder = process.env["CORPUS"] ?? (await makeCorpus());
const roots = await readFile(join(folder, "roots.pem"));
/** @type {Case[]} */
const cases = JSON.parse(await readFile(join(folder, "cases.json"), "utf8"));
/** Both judge as of one moment, where a case names none. */
const NOW = `${new Date().toISOString().slice(0, 19)}Z`;

const { page } = await openVerifyPage({ after }, browser, { context: { timezoneId: "UTC" } });
await page.locator("#options").evaluate((details) => details.setAttribute("open", ""));
await page.locator("#add_trust").setInputFiles({ name: "roots.pem", mimeType: "", buffer: roots });
await page.locator("#roots-list li").waitFor();

async function makeCorpus() {
  const made = join(work, "corpus");
  await promisify(execFile)(join(PROGRAMS, "examples/corpus"), [made]);
  return made;
}

/** What the form is to say. @param {Case["options"]} options */
async function require({ environment, seal_holder, claim_subject, at }) {
  await page.locator("#environment").selectOption(environment);
  await page.locator("#seal_holder").fill(seal_holder ?? "");
  await page.locator("#claim_subject").fill(claim_subject ?? "");
  await page.locator("#at").fill((at ?? NOW).replace("Z", ""));
  await page.locator("#at").blur();
  await finished(page);
}

/** The same for `verify`. @param {Case} of */
function argumentsOf({ manifest, options: { environment, seal_holder, claim_subject, at } }) {
  return [
    "--add-trust", join(folder, "roots.pem"), "--environment", environment, "--at", at ?? NOW,
    ...(seal_holder ? ["--seal-holder", seal_holder] : []),
    ...(claim_subject ? ["--claim-subject", claim_subject] : []),
    ...(manifest ? ["--manifest", join(folder, manifest)] : []),
  ];
}

/** What a reader sees. */
function shown() {
  return page.evaluate(() => {
    const article = /** @type {HTMLElement} */ (document.querySelector("article"));
    /** The text that a reader sees, in one line. @param {Element} element */
    const seen = (element) => /** @type {HTMLElement} */ (element).innerText.replace(/\s+/g, " ").trim();
    const all = (/** @type {string} */ selector) => [...article.querySelectorAll(selector)];
    return {
      outcome: article.dataset["outcome"],
      look: [...(article.querySelector(".verdict")?.classList ?? [])].slice(1),
      word: all(".verdict > .word").map(seen)[0] ?? "",
      sentences: all(".verdict > p:not(.word), .verdict > ul > li").map(seen),
      limits: all("section > ul > li").map(seen),
      checks: all(".checks tbody tr").map((row) => ({
        holds: !row.classList.contains("fails"),
        sentence: [...(row.querySelector("th")?.childNodes ?? [])]
          .filter((node) => !(node instanceof Element) || getComputedStyle(node).display === "inline")
          .map((node) => node.textContent).join("").replace(/\s+/g, " ").trim(),
        fault: row.querySelector(".fault")?.textContent ?? "",
      })),
    };
  });
}

/** The sections of `verify`'s page and the page's own, in a language. @param {string} html @param {"pt" | "en"} language */
function sectionsOf(html, language) {
  return page.evaluate(({ html, language }) => {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    const other = language === "pt" ? ".en" : ".pt";
    const text = (/** @type {Element} */ section) => {
      const copy = /** @type {Element} */ (section.cloneNode(true));
      for (const hidden of copy.querySelectorAll(other)) hidden.remove();
      // The moment when the report was made.
      const made = [...copy.querySelectorAll("dt")].find((name) => /^(Feito em|Made at)/.test(name.textContent.trim()));
      made?.nextElementSibling?.remove();
      return copy.textContent.replace(/\s+/g, " ").trim();
    };
    const of = (/** @type {ParentNode} */ root) => [...root.querySelectorAll("section")].map(text);
    return { report: of(parsed), page: of(/** @type {Element} */ (document.querySelector("article"))) };
  }, { html, language });
}

/**
 * The page shows what `verify` prints and reports.
 * @param {Case} tried
 */
async function compare(tried) {
  const photo = await readFile(join(folder, tried.photo));
  const beside = tried.manifest ? [{ name: tried.manifest, buffer: await readFile(join(folder, tried.manifest)) }] : [];
  await require(tried.options);
  await choose(page, [{ name: tried.photo, buffer: photo }, ...beside]);
  const { text, report, html } = await runVerify(work, tried.photo, photo, argumentsOf(tried));
  const { outcome, look, word, sentences, limits, checks } = await shown();

  assert.equal(report.outcome, tried.outcome);
  assert.equal(outcome, tried.outcome);
  assert.equal(look.length, 1);
  assert.ok(LOOKS[tried.outcome]?.includes(look[0] ?? ""), look[0]);

  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim().replace(/^- /, ""));
  assert.equal(lines[0], word.toUpperCase());
  for (const sentence of [...sentences, ...limits]) assert.ok(lines.includes(sentence), sentence);
  const failed = report.checks.filter((/** @type {any} */ check) => !check.holds);
  assert.deepEqual(checks.filter(({ holds }) => !holds).length, failed.length);
  assert.equal(checks.length, report.checks.length);
  for (const [index, { name, holds, fault }] of report.checks.entries()) {
    const row = checks[index];
    assert.equal(row?.holds, holds, name);
    assert.ok(lines.includes(`${holds ? "ok" : "FAIL"} ${name}: ${row?.sentence}`), `${name}: ${row?.sentence}`);
    if (!holds) assert.ok(row?.fault.startsWith(`${name}: `) && fault, name);
  }
  for (const language of /** @type {const} */ (["pt", "en"])) {
    const both = await sectionsOf(html, language);
    assert.deepEqual(both.page, both.report, language);
  }
  const saved = await download(page, page.getByRole("button", { name: TEXTS.report.en }));
  assert.ok(timeless(saved.bytes.toString()) === timeless(html), "the reports differ");
}

for (const [index, tried] of cases.entries()) {
  test(`the page and \`verify\` agree, ${index + 1}: ${tried.name}: ${tried.outcome}`, () => compare(tried));
}
