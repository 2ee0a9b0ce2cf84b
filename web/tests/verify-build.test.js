// The built verification page in Chromium: offline, as a single file, and when the verifier stops.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { TEXTS } from "../verify/texts.js";
import { launch } from "./harness/browser.js";
import { PLAIN, SEED, requireSeed, temporary } from "./harness/proofs.js";
import { standIn } from "./harness/stand-in.js";
import {
  OWN_FILES, VERIFY_PAGE, accessFaults, choose, giveRoots, openVerifyPage, ready, serveVerifyPage,
} from "./harness/verify-page.js";
import { UTC, buildPage, compare, drop, openForSeed, plain, seed, word } from "./harness/verify-seed.js";

const browser = await launch();
after(() => browser.close());

describe("when something fails", () => {
  const outputs = {
    facts: { version: "0.0.0", lists: [] },
    result: { outcome: "no_proof", conclusion: { pt: "Nada {name}", en: "Nothing {name}" } },
    sections: '<section class="verdict doubtful"><h2>Conclusion</h2><p class="word">Nothing</p></section><script>window.ran = true</script>' +
      '<section><h2>More</h2><img src="photo:" alt=""><p onclick="window.ran = true">Text</p></section>',
    report: "<!doctype html>",
  };

  // The worker makes another instance of the compiled module for the next photo, without a request.
  test("a trap affects only its photo", async (t) => {
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

  test("replaces a worker that dies", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    const [worker] = page.workers();
    let workers = 0;
    page.on("worker", () => (workers += 1));
    // An exception outside of an answer is an error of the worker.
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

  test("refuses an altered module", async (t) => {
    const module = await readFile(join(VERIFY_PAGE, "verify.wasm"));
    // A custom section without meaning.
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

  test("reports an unloadable module", async (t) => {
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

  test("checks files given while loading", async (t) => {
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

describe("the built page", () => {
  test("works without a network", async (t) => {
    const { page, context } = await openForSeed(t, browser);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await requireSeed(page);
    await choose(page, [seed]);
    assert.match(await word(page).innerText(), /test environment/);
  });

  test("caches exactly the page's own files", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await (await caches.open(names[0] ?? "")).keys();
      return { names, paths: requests.map(({ url }) => new URL(url).pathname).sort() };
    });
    assert.equal(kept.names.length, 1);
    assert.match(kept.names[0] ?? "", /^lacre-verify-[0-9a-f]{16}$/);
    assert.deepEqual(kept.paths, OWN_FILES.filter((path) => path !== "/sw.js"));
  });

  test("nested pages have separate service workers", async (t) => {
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

  test("names its module and trust lists", async (t) => {
    const { page } = await openVerifyPage(t, browser);
    for (const [name, place] of /** @type {const} */ ([["verify.wasm", "#module-hash"], ["compare.wasm", "#compare-hash"]])) {
      const module = await readFile(join(VERIFY_PAGE, name));
      assert.equal(await page.locator(place).innerText(), createHash("sha256").update(module).digest("hex"), name);
    }
    assert.match(await page.locator("#version").innerText(), /^\d+\.\d+\.\d+$/);
    assert.match(await page.locator("#lists").innerText(), /ICP-Brasil[^]*C2PA/);
    const titles = await page.locator("#lists strong").evaluateAll((all) => all.map((title) => title.getAttribute("lang")));
    assert.deepEqual(titles, titles.map(() => "en"));
    const first = await page.locator("#lists li >> nth=0").innerText();
    assert.match(first, /^ICP-Brasil [^]*, of 20\d\d-\d\d-\d\d, certificates: \d+, source: [^]*\sFor: Seal, Timestamp of the seal, Timestamp of the C2PA signature\./);
    assert.equal(await page.locator("footer a").count(), 0);
  });

  // The first build keeps other files, because the folder did not hold a page before.
  test("a rebuild removes other files", async (t) => {
    const folder = await temporary(t);
    const module = standIn({ facts: {}, result: {}, sections: "", report: "" });
    const page = join(folder, "page");
    await mkdir(join(page, "more"), { recursive: true });
    await writeFile(join(page, "notes.txt"), "");
    const written = OWN_FILES.map((path) => (path === "/" ? "index.html" : path.slice(1)));
    await buildPage(folder, module);
    assert.deepEqual((await readdir(page)).sort(), [...written, "more", "notes.txt"].sort());
    await buildPage(folder, module);
    assert.deepEqual((await readdir(page)).sort(), [...written, "more"].sort());
  });

  test("a reproducible file works from disk", async (t) => {
    const module = await readFile(join(VERIFY_PAGE, "verify.wasm"));
    const built = await Promise.all([1, 2].map(async () => {
      const folder = await temporary(t);
      await buildPage(folder, module, "--single-file", join(folder, "verify.html"));
      return join(folder, "verify.html");
    }));
    const [one, two] = await Promise.all(built.map((file) => readFile(file)));
    assert.ok(one && two?.equals(one));
    for (const name of ["index.html", "page.js", "worker.js", "compare-worker.js", "sw.js"]) {
      const [left, right] = await Promise.all(built.map((file) => readFile(join(file, "../page", name))));
      assert.ok(left && right?.equals(left), name);
    }
    const { page, problems } = await openVerifyPage(t, browser, { url: `file://${built[0]}`, context: UTC });
    await requireSeed(page);
    await choose(page, [seed, plain]);
    assert.match(await word(page).first().innerText(), /test environment/);
    assert.equal(await page.locator("#module-hash").innerText(), createHash("sha256").update(module).digest("hex"));
    assert.equal(await compare(page), TEXTS.notConfirmed.en);
    assert.deepEqual(problems, []);
  });
});
