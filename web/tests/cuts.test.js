// Cuts the network at each step between the tap on "use this photo" and the signed photo in the page: another tap
// delivers it, or the person learns why not.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { cuttingProxy } from "./harness/cutting-proxy.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";
import { readPhoto } from "./harness/signed-photo.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */
/** @typedef {import("./harness/cutting-proxy.js").Cut} Cut */

const service = await LocalService.start({ after });
const browser = await startBrowser({ after });
const SECOND = 1000;

/**
 * Each cut with its error message, and the number of uploads (to one URL) and ingests after the tap, including
 * earlier ones.
 * @type {{ step: string, cut?: Cut, message: string, uploads: number, ingests: number }[]}
 */
const CUTS = [
  { step: "in the upload", message: "Falha de rede no upload da imagem", uploads: 2, ingests: 1 },
  { step: "in the ingest, before the service has it", cut: "before", message: "Falha de rede no envio da captura", uploads: 1, ingests: 2 },
  { step: "after the commit, before the answer's headers", cut: "after", message: "Falha de rede no envio da captura", uploads: 1, ingests: 1 },
  { step: "within the answer's body", cut: "within", message: "Falha de rede no envio da captura", uploads: 1, ingests: 1 },
  { step: "within the answer's body, unnoticed by the browser", cut: "shortened", message: "Falha de rede no envio da captura", uploads: 1, ingests: 1 },
];
/** Under `NEVER`, the lost response was the only copy of the photo. */
const POLICIES = { NEVER: "LICENSE_KEY", ALWAYS: "LICENSE_KEY_ALWAYS" };
/** Age of the photo at the tap, in seconds. The service accepts photos up to 120 seconds older than the load. */
const AGES = [109, 121];

/**
 * A phone whose confirmed photo fails to be sent.
 * @param {import("node:test").TestContext} t
 * @param {string} license
 * @param {Cut} [cut] how the ingest is cut; without it the first upload fails
 * @param {Parameters<import("playwright-core").Route["fulfill"]>[0]} [refused] response of the storage instead
 */
async function failing(t, license, cut, refused) {
  const proxy = await cuttingProxy(t, service.get("BASE_URL"), cut);
  const attributes = { "base-url": proxy.url, "license-key": service.get(license) };
  const { phone } = await scene(t, browser, { service, attributes });
  const token = await service.createSession(license);
  const loads = phone.requests(`/web/sessions/${token}`);
  const ingests = phone.requests("/web/ingest");
  /** @type {string[]} */
  const uploads = [];
  let isFirst = !cut;
  await phone.page.route("**/*X-Amz-*", async (route) => {
    const isUpload = route.request().method() === "PUT";
    if (isUpload) uploads.push(route.request().url());
    if (!isFirst || !isUpload) return route.continue();
    isFirst = false;
    return refused ? route.fulfill({ headers: { "access-control-allow-origin": "*" }, ...refused }) : route.abort();
  });
  await phone.openCamera({ token });
  await phone.capture();
  const { message, details } = await phone.error();
  assert.equal(details.kept, true);
  const { detail: { error } } = /** @type {import("./harness/phone.js").PageEvent} */ ((await phone.events()).at(-1));
  assert.equal(error.message, message);
  const takenAt = JSON.parse(ingests[0]?.postData() ?? "{}").captured_at_ms ?? Date.now();
  /** Moves the page's clock so that the photo has this age, without running timers. @param {number} seconds */
  const age = (seconds) => phone.page.clock.setSystemTime(takenAt + seconds * SECOND);
  return { phone, token, message, loads, ingests, uploads, age };
}

/**
 * Checks that the photo was captured once, and that the page has it as the service signed it.
 * @param {Phone} phone @param {string} token
 */
async function delivered(phone, token) {
  const { session_id, authenticated_jpeg_url } = await phone.event("uploaded");
  const { status, photos: [photo] } = await service.results(token);
  assert.deepEqual([status, photo.session_id], ["captured", session_id]);
  const signed = await phone.page.evaluate(readPhoto);
  assert.ok(signed);
  const bytes = Buffer.from(signed.base64, "base64");
  assert.equal((await service.verify(bytes)).valid, true);
  if (authenticated_jpeg_url) {
    const stored = Buffer.from(await (await fetch(authenticated_jpeg_url)).arrayBuffer());
    assert.ok(stored.equals(bytes), "the same bytes are stored");
  }
  assert.equal((await phone.events()).filter(({ type }) => type === "captured").length, 1);
  assert.deepEqual(await phone.complaints(), []);
}

for (const [policy, license] of Object.entries(POLICIES)) {
  for (const { step, cut, ...expected } of CUTS) {
    for (const seconds of AGES) {
      test(`one tap delivers the photo: ${policy}, cut ${step}, after ${seconds} seconds`, async (t) => {
        const { phone, token, message, loads, ingests, uploads, age } = await failing(t, license, cut);
        assert.equal(message, expected.message);
        // After a lost response the photo may be signed, so no other photo is offered.
        assert.equal(await phone.part("retake").isVisible(), cut === undefined);
        await age(seconds);
        await phone.tap("again");
        await delivered(phone, token);
        assert.deepEqual([uploads.length, ingests.length], [expected.uploads, expected.ingests]);
        assert.deepEqual([new Set(uploads).size, loads.length], [1, 1]);
      });
    }
  }
}

describe("the upload URL is refused", () => {
  const expired = { status: 403 };

  test("one tap delivers after 109 seconds", async (t) => {
    const { phone, token, loads, age } = await failing(t, "LICENSE_KEY", undefined, expired);
    await age(109);
    await phone.tap("again");
    await delivered(phone, token);
    assert.equal(loads.length, 2);
  });

  test("requires another photo after 121 seconds", async (t) => {
    const { phone, token, loads, age } = await failing(t, "LICENSE_KEY", undefined, expired);
    await age(121);
    await phone.tap("again");
    await phone.part("detail").getByText(PORTUGUESE.stale).waitFor();
    assert.equal(await phone.part("again").isVisible(), false);
    assert.equal(loads.length, 1);
    await phone.page.clock.setSystemTime(Date.now());
    await phone.tap("retake");
    await phone.capture();
    await phone.event("uploaded");
    assert.equal((await service.results(token)).status, "captured");
  });
});

// After a lost response, the page fetches the manifest and inserts it into the frame that it uploaded.
describe("the photo cannot be reassembled", () => {
  /**
   * @param {import("node:test").TestContext} t
   * @param {(route: import("playwright-core").Route) => Promise<unknown>} answer responds to the first requests for the
   *   manifest
   * @param {number} [times] how many requests
   */
  async function found(t, answer, times = 1) {
    const { phone, token } = await failing(t, "LICENSE_KEY", "after");
    await phone.page.route("**/manifest.c2pa*", answer, { times });
    await phone.page.evaluate(() => { window.pageEvents = []; });
    await phone.tap("again");
    const { message, details } = await phone.error();
    assert.equal(details.kept, true);
    assert.equal(await phone.page.evaluate(readPhoto), null);
    assert.equal((await phone.events()).some(({ type }) => type === "uploaded"), false);
    return { phone, token, message, details };
  }

  test("a tap refetches an altered manifest", async (t) => {
    const { phone, token, message, details } = await found(t, async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      body[body.length - 100] = (body[body.length - 100] ?? 0) ^ 1;
      await route.fulfill({ response, body });
    });
    assert.deepEqual([message, details], ["A foto recebida não é a que o serviço assinou", { altered: true, kept: true }]);
    assert.equal(await phone.part("detail").innerText(), PORTUGUESE.altered);
    assert.equal(await phone.part("retake").isVisible(), false);
    await phone.page.evaluate(() => { window.pageEvents = window.pageEvents.filter(({ type }) => type !== "error"); });
    await phone.tap("again");
    await phone.event("uploaded");
    assert.equal((await service.results(token)).status, "captured");
    const signed = await phone.page.evaluate(readPhoto);
    assert.equal((await service.verify(Buffer.from(signed?.base64 ?? "", "base64"))).valid, true);
  });

  // The capture then counts although the page does not have the signed photo.
  test("succeeds after two failed manifest fetches", async (t) => {
    const { phone, token, message } = await found(t, (route) => route.abort(), 2);
    assert.equal(message, "Falha de rede ao buscar o manifesto");
    await phone.tap("again");
    await phone.event("uploaded");
    assert.equal((await service.results(token)).status, "captured");
    assert.equal(await phone.page.evaluate(readPhoto), null);
  });
});
