// Compares the page with the `verify` command on the same files: outcome, failed checks, sentences and report must be
// equal. CORPUS names a folder of files; by default the verifier's example `corpus` creates them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";

import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { ARTIFACTS, PROGRAMS } from "./harness/places.js";
import { reports, runVerify, temporary, timeless } from "./harness/proofs.js";
import { choose, download, finished, openVerifyPage } from "./harness/verify-page.js";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} photo
 * @property {string} [manifest] beside it
 * @property {string} outcome
 * @property {{ environment: string, seal_holder: string | null, claim_subject?: string, at: string }} options
 */

/** The CSS classes of each conclusion. @type {Record<string, string[]>} */
const LOOKS = {
  accepted: ["holds", "doubtful"],
  not_pinned: ["doubtful"],
  other_environment: ["doubtful"],
  refused: ["fails"],
  no_proof: ["doubtful"],
  newer_version: ["doubtful"],
};

/** Number of cases in the verifier's own corpus. */
const CASES = 58;
/** Cases of which screenshots are taken, with their names. @type {Record<string, string>} */
const PICTURES = {
  "valid in production": "verify-valid-in-production",
  valid: "verify-valid-in-a-test-environment",
  "a changed byte of the photo": "verify-a-changed-byte",
  expired: "verify-expired",
  "a manifest of another product": "verify-another-product",
  "not pinned": "verify-not-pinned",
  "times of years ago beside timestamps of now": "verify-times-of-another-year",
};
/** Number of photos that are chosen at a time. */
const BATCH = 50;

const browser = await launch();
const work = await temporary({ after });
after(() => browser.close());
const folder = process.env["CORPUS"] ?? (await makeCorpus());
const roots = await readFile(join(folder, "roots.pem"));
/** @type {Case[]} */
const cases = JSON.parse(await readFile(join(folder, "cases.json"), "utf8"));

const { page } = await openVerifyPage({ after }, browser, { context: { timezoneId: "UTC" } });
await page.locator("#options").evaluate((details) => details.setAttribute("open", ""));
await page.locator("#add_trust").setInputFiles({ name: "roots.pem", mimeType: "", buffer: roots });
await page.locator("#roots-list li").waitFor();

async function makeCorpus() {
  const made = join(work, "corpus");
  await promisify(execFile)(join(PROGRAMS, "examples/corpus"), [made]);
  return made;
}

/** Fills the form. @param {Case["options"]} options */
async function require({ environment, seal_holder, claim_subject, at }) {
  await page.locator("#environment").selectOption(environment);
  await page.locator("#seal_holder").fill(seal_holder ?? "");
  await page.locator("#claim_subject").fill(claim_subject ?? "");
  await page.locator("#at").fill(at.replace("Z", ""));
  await page.locator("#at").blur();
  await finished(page);
}

/** The same as arguments of `verify`. @param {Case} of */
function argumentsOf({ manifest, options: { environment, seal_holder, claim_subject, at } }) {
  return [
    "--add-trust", join(folder, "roots.pem"), "--environment", environment, "--at", at,
    ...(seal_holder ? ["--seal-holder", seal_holder] : []),
    ...(claim_subject ? ["--claim-subject", claim_subject] : []),
    ...(manifest ? ["--manifest", join(folder, manifest)] : []),
  ];
}

/** What a reader sees on the page. */
function shown() {
  return page.evaluate(() => {
    const article = /** @type {HTMLElement} */ (document.querySelector("article"));
    /** The visible text of an element, in one line. @param {Element} element */
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

/** The sections of `verify`'s report and of the page, in a language. @param {string} html @param {"pt" | "en"} language */
function sectionsOf(html, language) {
  return page.evaluate(({ html, language }) => {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    const other = language === "pt" ? ".en" : ".pt";
    const text = (/** @type {Element} */ section) => {
      const copy = /** @type {Element} */ (section.cloneNode(true));
      for (const hidden of copy.querySelectorAll(other)) hidden.remove();
      // The creation time of the report.
      const made = [...copy.querySelectorAll("dt")].find((name) => /^(Feito em|Made at)/.test(name.textContent.trim()));
      made?.nextElementSibling?.remove();
      return copy.textContent.replace(/\s+/g, " ").trim();
    };
    const of = (/** @type {ParentNode} */ root) => [...root.querySelectorAll("section")].map(text);
    return { report: of(parsed), page: of(/** @type {Element} */ (document.querySelector("article"))) };
  }, { html, language });
}

/**
 * Checks that the page shows what `verify` prints and reports.
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
  // Files without a proof or of a newer version have no checks.
  const made = ["no_proof", "newer_version"].includes(outcome) ? [] : report.checks;
  assert.equal(checks.length, made.length);
  assert.equal(checks.some(({ holds }) => !holds), outcome === "refused");
  for (const [index, { name, holds, fault }] of made.entries()) {
    const row = checks[index];
    assert.equal(row?.holds, holds, name);
    assert.ok(lines.includes(`${holds ? "ok" : "FAIL"} ${name}: ${row?.sentence}`), `${name}: ${row?.sentence}`);
    if (!holds) assert.ok(row?.fault.startsWith(`${name}: `) && fault, name);
  }
  for (const language of /** @type {const} */ (["pt", "en"])) {
    const both = await sectionsOf(html, language);
    assert.deepEqual(both.page, both.report, language);
  }
  const picture = PICTURES[tried.name];
  if (picture && tried === cases.find(({ name }) => name === tried.name)) await take(picture);
  const saved = await download(page, page.getByRole("button", { name: TEXTS.report.en }));
  assert.ok(timeless(saved.bytes.toString()) === timeless(html), "the reports differ");
}

/** Takes a screenshot of the whole page. @param {string} name */
async function take(name) {
  const pictures = join(ARTIFACTS, "screenshots");
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/**
 * Variants of a photo: changed bits in each part of its manifest and in its picture, a cut end, an inserted byte.
 * @param {Buffer} photo
 */
function variantsOf(photo) {
  const manifest = manifestOf(photo);
  const outside = [...photo.keys()].filter((at) => at < manifest.start || at >= manifest.end);
  const behind = outside.filter((at) => at >= manifest.end);
  const inManifest = range(manifest.start, manifest.end, 61);
  return [
    ...[...inManifest, ...spread(outside, 40)].map((at) => ({ name: `bit-${at}.jpg`, buffer: withBit(photo, at) })),
    ...spread(behind, 10).map((at) => ({ name: `cut-${at}.jpg`, buffer: photo.subarray(0, at) })),
    ...spread(outside, 10).map((at) => ({ name: `inserted-${at}.jpg`, buffer: withByte(photo, at) })),
  ];
}

/** The range of the consecutive APP11 segments. @param {Buffer} photo */
function manifestOf(photo) {
  let [start, end] = [0, 0];
  for (let at = 2; photo[at + 1] !== 0xda; at += 2 + photo.readUInt16BE(at + 2)) {
    if (photo[at + 1] !== 0xeb) continue;
    start ||= at;
    end = at + 2 + photo.readUInt16BE(at + 2);
  }
  assert.ok(start && start < end);
  return { start, end };
}

/** @param {number} start @param {number} end @param {number} step */
function range(start, end, step) {
  return Array.from({ length: Math.ceil((end - start) / step) }, (_, index) => start + index * step);
}

/** Evenly distributed places, including the first and the last. @param {readonly number[]} places @param {number} count */
function spread(places, count) {
  return Array.from({ length: count }, (_, index) => places[Math.round((index * (places.length - 1)) / (count - 1))] ?? 0);
}

/** Flips one bit, a different one at each place. @param {Buffer} photo @param {number} at */
function withBit(photo, at) {
  const changed = Buffer.from(photo);
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << at % 8), at);
  return changed;
}

/** @param {Buffer} photo @param {number} at */
function withByte(photo, at) {
  return Buffer.concat([photo.subarray(0, at), Buffer.from([at % 256]), photo.subarray(at)]);
}

/** Outcome and failed checks of each result on the page. */
function conclusions() {
  return page.locator("article").evaluateAll((articles) => articles.map((article) => ({
    outcome: /** @type {HTMLElement} */ (article).dataset["outcome"],
    failed: [...article.querySelectorAll(".checks .fault")].map((fault) => fault.textContent.split(":")[0]),
    isValid: [...(article.querySelector(".verdict")?.classList ?? [])].includes("holds"),
  })));
}

test("the corpus is complete", { skip: process.env["CORPUS"] ? "a corpus of the caller" : false }, () => {
  assert.equal(cases.length, CASES);
  const names = cases.map(({ name }) => name);
  for (const name of Object.keys(PICTURES)) assert.ok(names.includes(name), name);
});

for (const [index, tried] of cases.entries()) {
  test(`agrees with \`verify\`, ${index + 1}: ${tried.name}: ${tried.outcome}`, () => compare(tried));
}

test("both refuse a photo changed anywhere", async (t) => {
  const valid = cases.find(({ name }) => name === "valid");
  assert.ok(valid);
  const variants = variantsOf(await readFile(join(folder, valid.photo)));
  t.diagnostic(`${variants.length} variants`);
  const said = await reports(work, variants, argumentsOf(valid));
  await require(valid.options);
  for (const start of range(0, variants.length, BATCH)) {
    const batch = variants.slice(start, start + BATCH);
    await choose(page, batch);
    const shown = await conclusions();
    assert.equal(shown.length, batch.length);
    for (const [index, { name }] of batch.entries()) {
      const { outcome, checks } = said[start + index] ?? { outcome: "", checks: [] };
      const failed = checks.filter(({ holds }) => !holds).map((check) => check.name);
      assert.deepEqual(shown[index], { outcome, failed, isValid: false }, name);
      assert.equal(outcome, "refused", name);
    }
  }
});
