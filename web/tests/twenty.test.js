// A kit of twenty photos on a phone on which much goes wrong: reloads, a lost answer, a second device, skipped photos, and a
// second session for three of them. Webhook, results and proofs name what was asked for.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Webhook } from "standardwebhooks";

import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, arrival, openLink, press, shows, take } from "./harness/hosted.js";
import { equipped, fileOf, says } from "./harness/hosting.js";
import { receive } from "./harness/receiver.js";

const browser = await startBrowser({ after });

/** The third and the seventh step are optional. */
const STEPS = Array.from({ length: 20 }, (_, index) => ({
  id: `foto-${index + 1}`,
  title: says(`Vista ${index + 1}`),
  instruction: says(`Fotografe a vista ${index + 1} do veículo, inteira e de perto.`),
  framing: "landscape",
  optional: index === 2 || index === 6,
}));
const KIT = { name: "vistoria", steps: STEPS };

test("twenty photos survive trouble", async (t) => {
  const service = await equipped(t, KIT);
  const receiver = await receive(t);
  const token = await service.createHosted("vistoria", undefined, receiver.url);
  const phone = await openLink(t, browser, service, `?token=${token}`);
  const { page } = phone;
  let bytes = { sent: 0, received: 0 };
  page.on("requestfinished", async (request) => {
    const sizes = await request.sizes().catch(() => undefined);
    if (sizes) bytes = { sent: bytes.sent + sizes.requestBodySize, received: bytes.received + sizes.responseBodySize };
  });
  const [loads, begun] = [phone.requests("/web/sessions/"), Date.now()];
  const arrived = await arrival(page);
  const pending = (/** @type {number} */ number, /** @type {number} */ total) => (
    phone.part("label").getByText(`Vista ${number} · Foto ${number - (number > 3 ? 1 : 0) - (number > 7 ? 1 : 0)} de ${total}`, { exact: true }).waitFor()
  );
  const skip = async () => {
    await phone.tap("pass");
    await phone.tap("leave");
  };
  await press(page, PORTUGUESE.begin);
  for (const number of [1, 2]) {
    await pending(number, 20);
    await take(phone);
  }
  await pending(3, 20);
  await skip();
  await pending(4, 19);
  await take(phone);

  // The answer to the fifth photo is lost after the service has signed it.
  await pending(5, 19);
  await page.route("**/web/ingest", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await take(phone);
  await phone.tap("again");
  await pending(6, 19);

  await page.reload();
  await press(page, PORTUGUESE.goOn);
  await pending(6, 19);
  await take(phone);
  await pending(7, 19);
  await skip();
  for (const number of [8, 9, 10]) {
    await pending(number, 18);
    await take(phone);
  }
  await pending(11, 18);

  // A second device takes two photos meanwhile.
  const second = await openLink(t, browser, service, `?token=${token}`);
  await press(second.page, PORTUGUESE.goOn);
  for (let number = 11; number <= 12; number += 1) await take(second);
  await second.part("label").getByText("Vista 13", { exact: false }).waitFor();
  await second.page.close();
  await take(phone);
  await shows(page, PORTUGUESE.elsewhere.title);
  await press(page, PORTUGUESE.goOn);
  for (let number = 13; number <= 20; number += 1) {
    await pending(number, 18);
    await take(phone);
  }
  await shows(page, PORTUGUESE.redirecting.title);
  t.diagnostic(`18 photos in ${Math.round((Date.now() - begun) / 1000)} s, ${bytes.sent} bytes sent, ${bytes.received} received`);
  t.diagnostic(`loads on the phone: ${loads.length}`);
  await arrived();

  // The results, the webhook and each proof name the steps.
  const results = await service.hostedResults(token);
  assert.deepEqual([results.status, results.kit, results.total_photos], ["captured", "vistoria@1", 18]);
  const asked = STEPS.filter(({ optional }) => !optional).map(({ id }) => id);
  assert.deepEqual(results.photos.map((/** @type {any} */ { step }) => step), asked);
  const { headers, body } = await receiver.message(1);
  const message = /** @type {any} */ (new Webhook(service.get("WEBHOOK_SECRET")).verify(body, headers));
  assert.deepEqual(message.photos.map((/** @type {any} */ { step }) => step), asked);
  assert.equal(message.kit, "vistoria@1");
  const signed = async (/** @type {string} */ url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
  const kit = await fileOf("vistoria", KIT);
  for (const { step, authenticated_jpeg_url } of [results.photos[0], results.photos[17]]) {
    const report = await service.verify(await signed(authenticated_jpeg_url), "--kit", kit);
    assert.equal(report.outcome, "accepted");
    assert.equal(report.capture.asked_for.step, step);
  }
  const changed = await fileOf("vistoria-changed", { ...KIT, steps: [{ ...STEPS[0], title: says("Vista 2") }, ...STEPS.slice(1)] });
  const refused = service.verify(await signed(results.photos[0].authenticated_jpeg_url), "--kit", changed);
  await assert.rejects(refused, { code: 1 });

  // Three photos are asked for again.
  const again = await service.createHosted("vistoria@1", undefined, receiver.url,
    ["foto-3", "foto-7", "foto-9"].map((id) => ({ id, note: "Falta esta vista." })));
  const retake = await openLink(t, browser, service, `?token=${again}`);
  await arrival(retake.page);
  await press(retake.page, PORTUGUESE.begin);
  for (const number of [3, 7, 9]) {
    await retake.part("label").getByText(`Vista ${number}`, { exact: false }).waitFor();
    await take(retake);
  }
  await shows(retake.page, PORTUGUESE.redirecting.title);
  const { photos } = JSON.parse((await receiver.message(2)).body);
  assert.deepEqual(photos.map((/** @type {any} */ { step }) => step), ["foto-3", "foto-7", "foto-9"]);
});
