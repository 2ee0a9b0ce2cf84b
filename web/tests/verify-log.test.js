// The verification page in Chromium: proofs that a capture is in a public log.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { group } from "../verify/grouping.js";
import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { tampered } from "./harness/proofs.js";
import { publicLog } from "./harness/public-log.js";
import { accessFaults, choose, download, unfold } from "./harness/verify-page.js";
import { openForSeed, plain, seed, word } from "./harness/verify-seed.js";

const browser = await launch();
after(() => browser.close());

const INCLUDED = "The capture is in the public log";

/**
 * Opens the page with a log key; also returns the seed's manifest.
 * @param {import("./harness/service.js").Scope} scope @param {string} key
 */
async function openWithKey(scope, key) {
  const { page, problems } = await openForSeed(scope, browser);
  await choose(page, [seed]);
  const { bytes: manifest } = await download(page, page.getByRole("link", { name: "manifest.c2pa" }));
  await page.locator("#log_key").fill(key);
  await page.locator("#log_key").blur();
  return { page, problems, manifest };
}

describe("a public log", () => {
  test("a valid proof names its leaf", async (t) => {
    const log = publicLog();
    const { page, problems, manifest } = await openWithKey(t, log.key);
    await choose(page, [seed, { name: "any.tlog-proof", buffer: log.prove(manifest) }]);
    await unfold(page);
    assert.match(await word(page).innerText(), /Valid, but made in a test environment/);
    const shown = await page.locator("article").innerText();
    assert.match(shown, new RegExp(`${INCLUDED}\\s+log\\.example/sandbox, leaf 1 of 2\\s+Since when\\s+Only the operator says since when`));
    assert.doesNotMatch(shown, /no proof of it was given/);
    assert.deepEqual(await accessFaults(page), []);
    assert.deepEqual(problems, []);
    await page.getByRole("button", { name: "Português" }).click();
    assert.match(await page.locator("article").innerText(), /A captura está no registro público\s+log\.example\/sandbox, folha 1 de 2/);
    const report = await download(page, page.getByRole("button", { name: TEXTS.report.pt }));
    assert.ok(report.bytes.includes(INCLUDED));
  });

  test("foreign log proofs fail", async (t) => {
    const log = publicLog();
    const { page, manifest } = await openWithKey(t, log.key);
    for (const [buffer, fault] of /** @type {const} */ ([
      [log.prove(Buffer.from("another manifest")), /transparency log: the proof belongs to another photo or was altered/],
      [publicLog().prove(manifest), /transparency log: the checkpoint is not signed by this key/],
    ])) {
      await choose(page, [seed, { name: "seed.tlog-proof", buffer }]);
      await unfold(page);
      assert.match(await word(page).innerText(), /Not valid/);
      const shown = await page.locator("article").innerText();
      assert.match(shown, fault);
      assert.ok(!shown.includes(`${INCLUDED}\n`));
    }
    assert.deepEqual(await accessFaults(page), []);
  });

  test("reads damaged proofs, reports other files", async (t) => {
    const log = publicLog();
    const { page, problems, manifest } = await openWithKey(t, log.key);
    const proof = log.prove(manifest).toString();
    for (const damaged of [proof.replaceAll("\n", "\r\n"), `\uFEFF${proof}`, proof.trimEnd()]) {
      await choose(page, [seed, { name: "seed.tlog-proof", buffer: Buffer.from(damaged) }]);
      await unfold(page);
      assert.ok((await page.locator("article").innerText()).includes(INCLUDED));
    }
    for (const buffer of [Buffer.from("not a proof"), Buffer.alloc(70_000, "A")]) {
      await choose(page, [seed, { name: "seed.tlog-proof", buffer }]);
      await unfold(page);
      assert.match(await word(page).innerText(), /Valid, but made in a test environment/);
      assert.match(await page.locator("article .verdict").innerText(), /is not a proof of a public log, and was not used/);
      assert.match(await page.locator("table.gaps").innerText(), /Public log\s+Whether the capture is in a public log: the file that was given is not a proof/);
    }
    assert.deepEqual(await accessFaults(page), []);
    assert.deepEqual(problems, []);
  });

  test("without proof the log is unchecked", async (t) => {
    const { page } = await openForSeed(t, browser);
    for (const key of ["", publicLog().key]) {
      await page.locator("#log_key").fill(key);
      await choose(page, [seed]);
      await unfold(page);
      assert.match(await word(page).innerText(), /test environment/);
      assert.match(await page.locator("table.gaps").innerText(), /Public log\s+Whether the capture is in a public log: no proof of it was given/);
    }
  });

  test("shows wrong keys at the field", async (t) => {
    const log = publicLog();
    const { page, manifest } = await openWithKey(t, "");
    const files = [seed, { name: "seed.tlog-proof", buffer: log.prove(manifest) }];
    await choose(page, files);
    await page.getByText(TEXTS.correctOption.en).waitFor();
    assert.equal(await page.locator("#log_key-error").innerText(), "a proof of a public log needs the log's key");
    assert.deepEqual(await accessFaults(page), []);
    await page.locator("#log_key").fill("log.example");
    await page.locator("#log_key").blur();
    await page.locator("#log_key-error", { hasText: "not a verifier key" }).waitFor();
    await page.locator("#log_key").fill(log.key);
    await page.locator("#log_key").blur();
    await word(page).filter({ hasText: "test environment" }).waitFor();
  });

  test("pairs proofs and photos by name", async (t) => {
    const log = publicLog();
    const { page, manifest } = await openWithKey(t, log.key);
    const proof = (/** @type {string} */ name) => ({ name, buffer: log.prove(manifest) });
    await choose(page, [seed, { name: "changed.jpg", buffer: tampered() }, plain, proof("seed.jpg.tlog-proof"), proof("changed.tlog-proof"), proof("x.tlog-proof")]);
    await unfold(page);
    assert.ok((await page.locator("#result-1").innerText()).includes(INCLUDED));
    assert.match(await page.locator("#result-2 .word").innerText(), /Not valid/);
    assert.match(await page.locator("#result-4").innerText(), /x\.tlog-proof\s+Not checked[^]*The photo to which it belongs is missing/);
    const file = (/** @type {string} */ name, size = 1) => new File([new Uint8Array(size)], name);
    const of = (/** @type {File[]} */ ...files) =>
      group(files).map(({ name, sidecar, logProof, problem }) => [name, sidecar?.name, logProof?.name, problem]);
    assert.deepEqual(of(file("a.jpg"), file("b.c2pa"), file("c.TLOG-PROOF")), [["a.jpg + b.c2pa", "b.c2pa", "c.TLOG-PROOF", undefined]]);
    assert.deepEqual(of(file("a.jpg"), file("b.jpg"), file("b.tlog-proof"), file("c.tlog-proof")), [
      ["a.jpg", undefined, undefined, undefined], ["b.jpg", undefined, "b.tlog-proof", undefined],
      ["c.tlog-proof", undefined, undefined, "noPhoto"],
    ]);
    assert.deepEqual(of(file("a.jpg"), file("a.tlog-proof", 0)), [["a.jpg", undefined, undefined, "empty"]]);
  });

  test("a record needs its log proof", async (t) => {
    const log = publicLog();
    const { page, manifest } = await openWithKey(t, log.key);
    const proof = { name: "seed.tlog-proof", buffer: log.prove(manifest) };
    await choose(page, [seed, proof, { name: "seed.ers", buffer: Buffer.from("no record") }]);
    await unfold(page);
    assert.match(await page.locator("#result-1 .word").innerText(), /Not valid/);
    assert.match(await page.locator("#result-1").innerText(), /not an evidence record \(RFC 4998\)/);
    const file = (/** @type {string} */ name) => new File([new Uint8Array(1)], name);
    const of = (/** @type {File[]} */ ...files) => group(files).map((item) => [item.name, item.record?.name, item.problem]);
    assert.deepEqual(of(file("a.jpg"), file("a.tlog-proof"), file("a.ers")), [["a.jpg", "a.ers", undefined]]);
    assert.deepEqual(of(file("a.jpg"), file("a.ers")), [["a.jpg", undefined, undefined], ["a.ers", undefined, "noLogProof"]]);
    assert.deepEqual(of(file("a.jpg"), file("b.jpg"), file("b.tlog-proof"), file("b.ers")), [
      ["a.jpg", undefined, undefined], ["b.jpg", "b.ers", undefined],
    ]);
    assert.deepEqual(of(file("a.jpg"), file("b.jpg"), file("b.tlog-proof"), file("a.ers")), [
      ["a.jpg", undefined, undefined], ["b.jpg", undefined, undefined], ["a.ers", undefined, "noLogProof"],
    ]);
  });
});
