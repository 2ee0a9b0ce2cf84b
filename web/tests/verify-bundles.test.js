// Revocation on the verification page, by the OCSP response in a photo and by evidence bundles: it says what `verify` says.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { LARGEST, group } from "../verify/grouping.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { ARTIFACTS, PROGRAMS } from "./harness/places.js";
import { runVerify, temporary, timeless } from "./harness/proofs.js";
import { VERIFY_PAGE, accessFaults, choose, download, giveRoots, openVerifyPage, unfold } from "./harness/verify-page.js";
import { UTC, buildPage, word } from "./harness/verify-seed.js";

const browser = await launch();
const work = await temporary({ after });
after(() => browser.close());
const folder = join(work, "evidence");
await promisify(execFile)(join(PROGRAMS, "examples/evidence"), [folder]);
/** @type {{ log_key: string, at: string }} */
const facts = JSON.parse(await readFile(join(folder, "facts.json"), "utf8"));

const read = async (/** @type {string} */ name) => ({ name, buffer: await readFile(join(folder, name)) });
const photo = await read("photo.jpg");
const logged = [photo, await read("photo.tlog-proof")];
const renewed = [...logged, await read("photo.ers")];

/** Opens the page with requirements under which it accepts the photo. @param {import("./harness/service.js").Scope} scope */
async function open(scope, options = {}) {
  const opened = await openVerifyPage(scope, browser, { ...options, context: { ...UTC, .../** @type {any} */ (options).context } });
  const { page } = opened;
  await giveRoots(page, [await read("roots.pem")]);
  await page.locator("#roots-list li").waitFor();
  await page.locator("#environment").selectOption("sandbox");
  await page.locator("#log_key").fill(facts.log_key);
  await page.locator("#at").fill(facts.at.replace("Z", ""));
  await page.locator("#at").blur();
  return opened;
}

/** The arguments of `verify` for the same. @param {readonly string[]} records @param {readonly string[]} bundles */
function argumentsOf(records, bundles) {
  const path = (/** @type {string} */ name) => join(folder, name);
  return [
    "--add-trust", path("roots.pem"), "--environment", "sandbox", "--at", facts.at,
    "--log-proof", path("photo.tlog-proof"), "--log-key", facts.log_key,
    ...records.flatMap((name) => ["--evidence-record", path(name)]),
    ...bundles.flatMap((name) => ["--evidence-bundle", path(name)]),
  ];
}

/**
 * Checks that page and `verify` report the same on the photo, and returns the report.
 * @param {import("playwright-core").Page} page @param {readonly string[]} records @param {readonly string[]} bundles
 */
async function agree(page, records, bundles) {
  await choose(page, [...logged, ...(await Promise.all([...records, ...bundles].map(read)))]);
  const { report, html } = await runVerify(work, photo.name, photo.buffer, argumentsOf(records, bundles));
  assert.equal(await page.locator("article").count(), 1);
  const saved = await download(page, page.getByRole("button", { name: TEXTS.report.en }));
  assert.ok(timeless(saved.bytes.toString()) === timeless(html), "the reports differ");
  return report;
}

/** @param {{ checks: { name: string, fault?: string }[] }} report @returns {Record<string, string>} */
const faultsOf = ({ checks }) => Object.fromEntries(checks.flatMap(({ name, fault }) => (fault ? [[name, fault]] : [])));
/** @param {{ checks: { name: string }[] }} report */
const names = ({ checks }) => checks.map(({ name }) => name);

describe("revocation on the page", () => {
  test("a stapled response is judged", async (t) => {
    const { page, problems } = await open(t);
    const report = await agree(page, [], []);
    assert.ok(names(report).includes("claim staple"));
    assert.equal(report.outcome, "not_pinned");
    assert.ok(report.claim.staple.this_update);
    await unfold(page);
    assert.match(await page.locator("article").innerText(), /OCSP/);
    assert.deepEqual(problems, []);
  });

  test("bundles say that nothing is revoked", async (t) => {
    const { page, problems } = await open(t, { context: { viewport: { width: 390, height: 844 } } });
    const without = await agree(page, ["photo.ers"], []);
    assert.ok(!names(without).includes("renewals revocation"));
    const report = await agree(page, ["photo.ers"], ["dated.p7b", "renewals-1.p7b"]);
    assert.deepEqual(faultsOf(report), {});
    for (const name of ["evidence bundles", "log timestamp revocation", "renewals revocation", "claim revocation"]) {
      assert.ok(names(report).includes(name), name);
    }
    assert.ok(report.not_checked.length < without.not_checked.length);
    await page.getByRole("button", { name: "Português" }).click();
    await mkdir(join(ARTIFACTS, "screenshots"), { recursive: true });
    await page.screenshot({ path: join(ARTIFACTS, "screenshots/verify-bundles.png"), fullPage: true });
    await unfold(page);
    assert.deepEqual(await accessFaults(page), []);
    assert.deepEqual(problems, []);
  });

  test("a second record has its bundle", async (t) => {
    const { page } = await open(t);
    const report = await agree(page, ["photo.ers", "photo-second.ers"], ["dated.p7b", "dated-second.p7b", "renewals-1.p7b"]);
    assert.deepEqual(faultsOf(report), {});
    const alone = await agree(page, ["photo.ers"], ["dated-second.p7b"]);
    assert.match(faultsOf(alone)["evidence bundles"] ?? "", /belongs to another timestamp/);
  });

  test("bad bundles fail as in verify", async (t) => {
    const { page } = await open(t);
    for (const [name, check, fault] of /** @type {const} */ ([
      ["revoked.p7b", "renewals revocation", /was revoked on/],
      ["another-timestamp.p7b", "evidence bundles", /belongs to another timestamp/],
      ["another-list.p7b", "evidence bundles", /not the one that renewal 1 covers/],
    ])) {
      const report = await agree(page, ["photo.ers"], [name]);
      assert.equal(report.outcome, "refused");
      assert.deepEqual(Object.keys(faultsOf(report)), [check]);
      assert.match(faultsOf(report)[check] ?? "", fault);
      assert.match(await word(page).innerText(), /Not valid/);
    }
  });

  test("garbage is named, and nothing judged", async (t) => {
    const { page, problems } = await open(t);
    const { buffer } = await read("dated.p7b");
    for (const damaged of [Buffer.from("garbage"), buffer.subarray(0, -1), Buffer.concat([buffer, Buffer.of(0)])]) {
      await choose(page, [...renewed, await read("renewals-1.p7b"), { name: "b\u202e.p7b", buffer: damaged }]);
      const shown = await page.locator("article").innerText();
      assert.ok(shown.includes(TEXTS.badBundle.en), shown);
      assert.match(shown, /b\\u\{202e\}\.p7b: not an evidence bundle/);
    }
    await choose(page, [...renewed, { name: "b.p7b", buffer }]);
    assert.match(await word(page).innerText(), /test environment|not pinned/i);
    assert.deepEqual(problems, []);
  });

  test("works in one file from disk", async (t) => {
    const file = join(work, "page.html");
    await buildPage(work, await readFile(join(VERIFY_PAGE, "verify.wasm")), "--single-file", file);
    const { page } = await open(t, { url: pathToFileURL(file).href });
    assert.deepEqual(faultsOf(await agree(page, ["photo.ers"], ["dated.p7b", "renewals-1.p7b"])), {});
  });
});

test("bundles go with the only record", () => {
  const file = (/** @type {string} */ name, size = 1) => /** @type {File} */ ({ name, size });
  const of = (/** @type {File[]} */ ...files) =>
    group(files).map(({ name, bundles, problem }) => [name, bundles?.map((bundle) => bundle.name), problem]);
  const [a, b] = ["a", "b"].map((name) => ["jpg", "tlog-proof", "ers"].map((ending) => file(`${name}.${ending}`)));
  assert.ok(a && b);
  const bundles = [file("dated-2026-11-30.p7b"), file("RENEWALS-1.P7B"), file("dated-2026-11-30-second.p7b")];
  const all = bundles.map(({ name }) => name);
  assert.deepEqual(of(...a, ...bundles), [["a.jpg", all, undefined]]);
  assert.deepEqual(of(...a, file("copy.jpg"), ...bundles), [["a.jpg", all, undefined], ["copy.jpg", undefined, undefined]]);
  assert.deepEqual(of(file("a.jpg"), file("a.tlog-proof"), file("a-second.ers"), file("1.p7b")), [["a.jpg", ["1.p7b"], undefined]]);
  assert.deepEqual(of(...a, ...b, file("1.p7b")), [
    ["a.jpg", undefined, undefined], ["b.jpg", undefined, undefined], ["1.p7b", undefined, "severalRecords"],
  ]);
  assert.deepEqual(of(file("a.jpg"), file("a.tlog-proof"), file("1.p7b")), [
    ["a.jpg", undefined, undefined], ["1.p7b", undefined, "noRecord"],
  ]);
  assert.deepEqual(of(file("1.p7b")), [["1.p7b", undefined, "noRecord"]]);
  assert.deepEqual(of(...a, file("1.p7b", 0)), [["a.jpg", undefined, "empty"]]);
  assert.deepEqual(of(...a, file("1.p7b", LARGEST / 2), file("2.p7b", LARGEST / 2 + 1)), [["a.jpg", undefined, "bundlesTooBig"]]);
});
