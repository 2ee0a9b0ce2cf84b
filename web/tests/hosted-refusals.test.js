// The hosted page if a link is scanned, changed or refused, and its advice.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { LOADS_PER_SESSION } from "../src/limits.js";
import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, inspect, openLink, press, shows, take } from "./harness/hosted.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after });

test("link scanners use up no load", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted();
  const link = `${service.get("CAPTURE_URL")}/?token=${token}`;
  for (let visit = 0; visit < 50; visit++) assert.equal((await fetch(link)).status, 200);
  // A scanner that runs scripts, too.
  const scanner = await openLink(t, browser, service, `?token=${token}`);
  const loads = scanner.requests("/web/sessions/");
  await shows(scanner.page, PORTUGUESE.start.title);
  await scanner.page.reload();
  assert.deepEqual(loads, []);
  const headers = { origin: service.get("CAPTURE_URL"), "user-agent": await scanner.page.evaluate(() => navigator.userAgent) };
  for (let load = 0; load < LOADS_PER_SESSION; load++) {
    assert.equal((await fetch(`${service.get("CAPTURE_URL")}/web/sessions/${token}`, { headers })).status, 200, `${load}`);
  }
});

test("accepts or refuses the link's key", async (t) => {
  const service = await LocalService.start(t);
  const { license, begin } = PORTUGUESE;
  for (const [name, title] of /** @type {[string, string | undefined][]} */ ([
    ["LICENSE_KEY_HOSTED_OTHER", undefined],
    ["LICENSE_KEY_FOREIGN", license.INVALID_KEY.title],
    ["LICENSE_KEY_LIVE", license.INVALID_KEY.title],
    ["LICENSE_KEY_ALWAYS", license.INVALID_KEY.title],
  ])) {
    const token = await service.createHosted();
    const phone = await openLink(t, browser, service, `?token=${token}&license_key=${service.get(name)}`);
    assert.equal(new URL(phone.page.url()).search, "");
    await press(phone.page, begin);
    await (title ? shows(phone.page, title) : phone.waitForState("live"));
    await phone.page.close();
    // Without the key, the session is unchanged.
    const plain = await openLink(t, browser, service, `?token=${token}`);
    await press(plain.page, begin);
    await plain.waitForState("live");
    await plain.page.close();
  }
});

// The license key in the link may have been rotated after the first photo.
test("sends no key after one photo", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const first = await openLink(t, browser, service, `?token=${token}&license_key=${service.get("LICENSE_KEY_HOSTED_OTHER")}`);
  const loads = first.requests("/web/sessions/");
  await press(first.page, PORTUGUESE.begin);
  await take(first, "Foto 1 de 3");
  await first.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  // A load after the first photo, which the answer to that photo has spared.
  await first.page.reload();
  await press(first.page, PORTUGUESE.goOn);
  await first.waitForState("live");
  const keys = loads.map((request) => request.headers()["x-svc-license-key"]);
  assert.deepEqual(keys, [service.get("LICENSE_KEY_HOSTED_OTHER"), undefined]);
  // A refused key in another tab, and after a reload.
  const second = await openLink(t, browser, service, `?token=${token}&license_key=${service.get("LICENSE_KEY_LIVE")}`);
  await press(second.page, PORTUGUESE.goOn);
  await take(second, "Foto 2 de 3");
  await second.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  await second.page.reload();
  await press(second.page, PORTUGUESE.goOn);
  await second.waitForState("live");
});

test("every refusal page gives advice", async (t) => {
  const service = await LocalService.start(t);
  const { CAPTURE_URL } = service.variables;
  const reasons = /** @type {[keyof typeof PORTUGUESE.license, import("../hosted/texts.js").Words][]} */ (
    Object.entries(PORTUGUESE.license));
  const json = (/** @type {number} */ status, /** @type {object} */ body) => ({
    status, contentType: "application/json", body: JSON.stringify(body),
  });
  const policy = json(200, { valid: true, capture_resolution: "HD", expires_at: "2099-01-01T00:00:00Z" });
  const load = `${CAPTURE_URL}/web/sessions/**`;
  /** @type {[string, string, ReturnType<typeof json>[], import("../hosted/texts.js").Words][]} */
  const cases = [
    ...reasons.map(([reason, words]) => /** @type {any} */ ([reason, "validate", [json(200, { valid: false, reason })], words])),
    ["unknown-reason", "validate", [json(200, { valid: false, reason: "OTHER" })], PORTUGUESE.license.INVALID_KEY],
    ["not-found", "validate", [json(404, { error: "Sessão não encontrada" })], PORTUGUESE.notFound],
    ["expired", "validate", [json(410, { error: "Sessão expirada ou já utilizada" })], PORTUGUESE.expired],
    ["validate-503", "validate", [json(503, { error: "Serviço" })], PORTUGUESE.noService],
    ["too-many-loads", "load", [json(429, { error: "Limite" })], PORTUGUESE.tooManyLoads],
    ["gateway-429", "load", [json(429, { message: "Too Many Requests" })], PORTUGUESE.noService],
    ["firewall-403", "validate", [json(403, { message: "Forbidden" })], PORTUGUESE.noService],
    ["load-403", "load", [json(403, { error: "License inválida" })], PORTUGUESE.refused],
    ["load-410", "load", [json(410, { error: "Sessão expirada ou já utilizada" })], PORTUGUESE.expired],
    ["load-503", "load", [json(503, { error: "Serviço" })], PORTUGUESE.noService],
    ["ingest-422", "ingest", [json(422, { error: "Imagem rejeitada" })], PORTUGUESE.notSent],
  ];
  for (const [name, step, [answer], words] of cases) {
    const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`, { viewport: { width: 320, height: 640 } });
    await phone.page.route(`${CAPTURE_URL}/validate`, (route) => route.fulfill(step === "validate" ? answer : policy));
    if (step === "load") await phone.page.route(load, (route) => route.fulfill(answer));
    await phone.page.route(`${CAPTURE_URL}/web/ingest`, (route) => route.fulfill(answer));
    await press(phone.page, PORTUGUESE.begin);
    if (step === "ingest") await take(phone);
    await shows(phone.page, words.title);
    await inspect(phone.page, name);
    await phone.screenshot(`hosted-refused-${name.toLowerCase()}`);
    await phone.page.context().close();
  }
  const without = await openLink(t, browser, service, "");
  await shows(without.page, PORTUGUESE.noLink.title);
  await inspect(without.page, "no link");
  const empty = await openLink(t, browser, service, "?token=");
  await shows(empty.page, PORTUGUESE.noLink.title);
  const denied = await openLink(t, browser, service, `?token=${await service.createHosted()}`, { granted: [] });
  await press(denied.page, PORTUGUESE.begin);
  await shows(denied.page, PORTUGUESE.noCamera.title);
  await denied.screenshot("hosted-no-camera");
});
