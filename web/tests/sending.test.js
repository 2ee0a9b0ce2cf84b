// From the confirmed photo to the signed one: what may fail on the way, and that the same token opens again.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { captureByHttp } from "./harness/http-capture.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";
import { tunnel } from "./harness/tunnel.js";

/** @typedef {import("./harness/phone.js").Phone} Phone */

const browser = await startBrowser({ after });

/**
 * Sending failed so, and the camera is off.
 * @param {Phone} phone
 * @param {string} message
 * @param {number} [status] none where no answer came
 * @param {boolean} [isService] whether the service answered, which names its request
 */
async function failed(phone, message, status, isService = status !== undefined) {
  const error = await phone.error();
  const details = { ...(status === undefined ? {} : { status }), ...(isService ? { requestId: phone.answerId() } : {}) };
  assert.deepEqual(error, { name: "IngestError", code: 4002, message, details });
  const { noNetwork, noService } = PORTUGUESE;
  const advice = status === undefined ? noNetwork : status >= 500 ? noService : message;
  assert.equal(await phone.part("detail").innerText(), advice);
  assert.equal(await phone.liveTracks(), 0);
  assert.equal((await phone.events()).some(({ type }) => type === "uploaded"), false);
}

/**
 * Opening the same token again takes the photo.
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

describe("4002", () => {
  test("the network fails in the upload", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await takePhoto(phone, token);
    await phone.page.context().setOffline(true);
    await phone.tap("confirm");
    await failed(phone, "Falha de rede no upload da imagem");
    await phone.page.context().setOffline(false);
    await reopened(phone, service, token);
  });

  test("the storage fails in the upload", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await takePhoto(phone, token);
    const repair = await service.breakUploads();
    await phone.tap("confirm");
    await failed(phone, "Upload da imagem falhou (500)", 500, false);
    await repair();
    await reopened(phone, service, token);
  });

  test("the network fails after the upload", async (t) => {
    const service = await LocalService.start(t);
    const way = await tunnel(t, service.get("BASE_URL"));
    const { phone } = await scene(t, browser, { service, attributes: { "base-url": way.url } });
    await takePhoto(phone, await service.createSession());
    way.cut();
    await phone.tap("confirm");
    await failed(phone, "Falha de rede no envio da captura");
  });

  test("422: the license requires a position, and the person refuses it", async (t) => {
    const { service, phone } = await scene(t, browser, { granted: ["camera"] });
    const token = await service.createSession("LICENSE_KEY_GPS_REQUIRED");
    await takePhoto(phone, token, { licenseKey: service.get("LICENSE_KEY_GPS_REQUIRED") });
    await phone.tap("confirm");
    await failed(phone, "Não foi possível validar a localização da captura.", 422);
  });

  test("409: the photo was taken elsewhere meanwhile", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await takePhoto(phone, token);
    await captureByHttp(service, token);
    await phone.tap("confirm");
    await failed(phone, "Sessão já utilizada", 409);
  });

  test("403: the phone's clock is an hour behind", async (t) => {
    const { service, phone } = await scene(t, browser, {
      before: () => {
        const now = Date.now;
        Date.now = () => now() - 3_600_000;
      },
    });
    await takePhoto(phone, await service.createSession());
    await phone.tap("confirm");
    await failed(phone, "Relógio do dispositivo fora de sincronia — verifique data e hora", 403);
  });

  test("400: a hostile label is shown as the text that it is, and refused", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    const label = "<img src=x onerror='window.failures.push(1)'><b>&amp;";
    await takePhoto(phone, token, { overlay: { label } });
    assert.equal(await phone.part("label").textContent(), label);
    assert.equal(await phone.part("label").locator("*").count(), 0);
    assert.equal(await phone.part("dialog").getAttribute("aria-label"), label);
    await phone.tap("confirm");
    await failed(phone, "Rótulo inválido", 400);
    assert.deepEqual(await phone.complaints(), []);
    await reopened(phone, service, token);
  });
});

describe("given up in mid-upload", () => {
  /** @type {[string, string, () => void][]} */
  const ways = [
    ["the element is removed", "disconnected", () => window.camera.remove()],
    ["close()", "cancelled", () => window.camera.close()],
  ];
  for (const [name, reason, giveUp] of ways) {
    test(`${name}: nothing is delivered, and nothing goes on`, async (t) => {
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
