// From the confirmed photo to the signed one: failures on the way, and reopening with the same token.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { captureByHttp } from "./harness/http-capture.js";
import { PLACE } from "./harness/phone.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */

const browser = await startBrowser({ after });

/**
 * Checks that sending failed like this and that the camera is off.
 * @param {Phone} phone
 * @param {string} message
 * @param {object} [details] beside the request's id
 */
async function failed(phone, message, details = {}) {
  const error = await phone.error();
  const { requestId, ...others } = error.details;
  assert.deepEqual({ ...error, details: others }, { name: "IngestError", code: 4002, message, details });
  const { status, kept } = /** @type {{ status?: number, kept?: boolean }} */ (details);
  if (requestId) assert.equal(requestId, phone.answerId());
  const advice = !kept ? message : status ? PORTUGUESE.keptByService : PORTUGUESE.kept;
  assert.equal(await phone.part("detail").innerText(), advice);
  assert.equal(await phone.part("again").isVisible(), Boolean(kept));
  assert.equal(await phone.liveTracks(), 0);
  assert.equal((await phone.events()).some(({ type }) => type === "uploaded"), false);
}

/**
 * Checks that reopening with the same token takes the photo.
 * @param {Phone} phone
 * @param {LocalService} service
 * @param {string} token
 */
async function reopened(phone, service, token) {
  const loads = phone.requests(`/web/sessions/${token}`);
  await phone.openCamera({ token });
  await phone.capture();
  await phone.event("uploaded");
  assert.equal(loads.length, 1);
  assert.equal((await service.results(token)).status, "captured");
}

/** @param {Phone} phone @param {string} token @param {object} [options] of open() */
async function takePhoto(phone, token, options) {
  await phone.openCamera({ token, ...options });
  await phone.tap("shutter");
  await phone.waitForState("review");
}

describe("4002: the service refuses the photo", () => {
  test("422 reports an inaccurate position", async (t) => {
    const { service, phone } = await scene(t, browser);
    await phone.page.context().setGeolocation({ ...PLACE, accuracy: 200 });
    const token = await service.createSession("LICENSE_KEY_GPS_REQUIRED");
    await takePhoto(phone, token, { licenseKey: service.get("LICENSE_KEY_GPS_REQUIRED") });
    await phone.tap("confirm");
    await failed(phone, "Não foi possível validar a localização da captura.", { status: 422 });
    await phone.part("retake").waitFor();
  });

  test("409 reports a photo taken elsewhere", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await takePhoto(phone, token);
    await captureByHttp(service, token);
    await phone.tap("confirm");
    await failed(phone, "Sessão já utilizada", { status: 409 });
    assert.equal(await phone.part("retake").isVisible(), false);
  });

  test("403 reports a wrong phone clock", async (t) => {
    const { service, phone } = await scene(t, browser, {
      before: () => {
        const now = Date.now;
        Date.now = () => now() - 3_600_000;
      },
    });
    await takePhoto(phone, await service.createSession());
    await phone.tap("confirm");
    await failed(phone, "Relógio do dispositivo fora de sincronia — verifique data e hora", { status: 403 });
  });
});

/**
 * Responds to the first matching request instead of the service.
 * @param {Phone} phone
 * @param {string} path
 * @param {(route: import("playwright-core").Route) => Promise<unknown>} answer
 */
async function answerOnce(phone, path, answer) {
  let isAnswered = false;
  await phone.page.route(path, async (route) => {
    if (isAnswered || route.request().method() === "OPTIONS") return route.continue();
    isAnswered = true;
    return answer(route);
  });
}

/** @param {number} status @param {string} block_reason */
function refusal(status, block_reason) {
  const refused = { status, headers: { "access-control-allow-origin": "*" }, json: { error: "Recusada", block_reason } };
  return (/** @type {import("playwright-core").Route} */ route) => route.fulfill(refused);
}

describe("a tap sends the kept photo", () => {
  /** @param {import("node:test").TestContext} t */
  async function confirmable(t) {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    const loads = phone.requests(`/web/sessions/${token}`);
    const ingests = phone.requests("/web/ingest");
    /** @type {string[]} */
    const uploads = [];
    phone.page.on("request", (request) => { if (request.method() === "PUT") uploads.push(request.url()); });
    await takePhoto(phone, token);
    /** Checks that the photo arrives and is the one that was taken. */
    const arrives = async () => {
      await phone.tap("again");
      const { session_id } = await phone.event("uploaded");
      const { status, photos: [photo] } = await service.results(token);
      assert.deepEqual([status, photo.session_id], ["captured", session_id]);
      assert.deepEqual(await phone.event("closed"), { reason: "uploaded" });
      assert.equal((await phone.events()).filter(({ type }) => type === "captured").length, 1);
      assert.deepEqual(await phone.complaints(), []);
    };
    return { service, phone, token, loads, ingests, uploads, arrives };
  }

  test("reuses the URL after storage failures", async (t) => {
    const { service, phone, loads, uploads, arrives } = await confirmable(t);
    const repair = await service.breakUploads();
    await phone.tap("confirm");
    await failed(phone, "Upload da imagem falhou (500)", { status: 500, kept: true });
    await repair();
    await arrives();
    assert.deepEqual([loads.length, new Set(uploads).size], [1, 1]);
  });

  // The service could not read the nonce, so the same body is still valid.
  test("repeats the ingest after a 503", async (t) => {
    const { phone, ingests, uploads, arrives } = await confirmable(t);
    await answerOnce(phone, "**/web/ingest", refusal(503, "web_nonce_store_unavailable"));
    await phone.tap("confirm");
    await failed(phone, "Recusada", { status: 503, blockReason: "web_nonce_store_unavailable", kept: true });
    await arrives();
    const [first, second] = ingests.map((request) => request.postData());
    assert.equal(uploads.length, 1);
    assert.ok(first && first === second);
  });

  for (const reason of ["web_nonce_replay", "web_signer_rejected", "web_raw_read_failed"]) {
    test(`reloads the session after ${reason}`, async (t) => {
      const { phone, loads, uploads, arrives } = await confirmable(t);
      await answerOnce(phone, "**/web/ingest", refusal(403, reason));
      await phone.tap("confirm");
      await failed(phone, "Recusada", { status: 403, blockReason: reason, kept: true });
      await arrives();
      assert.deepEqual([loads.length, new Set(uploads).size], [2, 2]);
    });
  }

  // A photo that is not delivered after 100 seconds gets another load in reserve, because it would soon be too old for one.
  test("falls back to a reserve load", async (t) => {
    const { phone, loads, uploads, arrives } = await confirmable(t);
    await phone.page.clock.install();
    await answerOnce(phone, "**/*X-Amz*", (route) => route.fulfill({ status: 403, headers: { "access-control-allow-origin": "*" } }));
    await phone.tap("confirm");
    await failed(phone, "Upload da imagem falhou (403)", { status: 403, kept: true });
    const reserve = phone.page.waitForResponse((response) => response.url().includes("/web/sessions/"));
    await phone.page.clock.fastForward(101_000);
    assert.equal((await reserve).status(), 200);
    await phone.page.clock.fastForward(60_000);
    await arrives();
    assert.deepEqual([loads.length, new Set(uploads).size], [2, 2]);
  });
});

test("retakes a photo that was refused", async (t) => {
  const { service, phone } = await scene(t, browser);
  const token = await service.createSession();
  await takePhoto(phone, token);
  await answerOnce(phone, "**/web/ingest", refusal(422, "web_recapture"));
  await phone.tap("confirm");
  await failed(phone, "Recusada", { status: 422, blockReason: "web_recapture" });
  await phone.tap("retake");
  await phone.capture();
  await phone.event("uploaded");
  assert.equal((await service.results(token)).status, "captured");
});

test("reopening discards the kept photo", async (t) => {
  const { service, phone } = await scene(t, browser);
  const token = await service.createSession();
  await takePhoto(phone, token);
  await answerOnce(phone, "**/web/ingest", (route) => route.abort());
  await phone.tap("confirm");
  await failed(phone, "Falha de rede no envio da captura", { kept: true });
  await reopened(phone, service, token);
  assert.deepEqual((await phone.events()).filter(({ type }) => type === "closed").map(({ detail }) => detail.reason), ["error", "uploaded"]);
});

describe("the upload is given up", () => {
  /** @type {[string, string, () => void][]} */
  const ways = [
    ["the element is removed", "disconnected", () => window.camera.remove()],
    ["close()", "cancelled", () => window.camera.close()],
  ];
  for (const [name, reason, giveUp] of ways) {
    test(`delivers nothing: ${name}`, async (t) => {
      const { service, phone } = await scene(t, browser);
      const token = await service.createSession();
      await takePhoto(phone, token);
      await phone.holdTrack();
      const ingests = phone.requests("/web/ingest");
      const upload = phone.page.waitForEvent("requestfailed");
      await phone.limitNetwork();
      await phone.tap("confirm");
      await phone.event("uploading");
      await phone.page.evaluate(giveUp);

      assert.equal((await upload).method(), "PUT");
      const events = await phone.events();
      assert.deepEqual(events.at(-1), { type: "closed", detail: { reason } });
      assert.equal(events.some(({ type }) => type === "error" || type === "uploaded"), false);
      assert.equal(await phone.heldTrack(), "ended");
      assert.equal(ingests.length, 0);
      assert.equal((await service.results(token)).status, "pending");
      assert.deepEqual(await phone.complaints(), []);
    });
  }
});
