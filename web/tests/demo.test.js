// The demo page of the local service: refused on a desk, a capture by the simulated phone, and what it says of the proof.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { PLACE } from "./harness/phone.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after });

/** @param {import("node:test").TestContext} t */
async function openDemo(t) {
  const service = await LocalService.start(t);
  const context = await browser.newContext({ geolocation: PLACE, permissions: ["camera", "geolocation"] });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(service.get("DEMO_URL"));
  await page.locator("#refusal").waitFor();
  return { service, page };
}

/** @param {import("playwright-core").Page} page */
async function capture(page) {
  await page.locator("#take").click();
  await page.locator("svc-camera [part=shutter]").click();
  await page.locator("svc-camera [part=confirm]").click();
}

test("a desktop browser is told why it is refused, and gets an address for a phone", async (t) => {
  const { service, page } = await openDemo(t);
  assert.ok(await page.locator("#take").isDisabled());
  assert.match(await page.locator("#refusal").innerText(), /Safari no iPhone e no iPad/);
  const drawn = await page.locator("#refusal img").evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth);
  assert.ok(drawn >= 240);
  assert.match(await page.locator("#refusal").innerText(), new RegExp(new URL(service.get("DEMO_URL")).host));
});

test("the simulated phone takes a photo, and the page says that its proof holds", async (t) => {
  const { service, page } = await openDemo(t);
  await page.locator("#simulate").check();
  await capture(page);
  await page.locator("#result").waitFor();
  const result = await page.locator("#result").innerText();
  assert.match(result, /Foto válida: a prova confere/);
  assert.match(result, /Ambiente SANDBOX/);
  assert.equal(await page.locator("#result .checks li").count(), 11);
  assert.equal(await page.locator("#result .checks li.failed").count(), 0);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Baixar a foto").click()]);
  const photo = await download.createReadStream();
  const report = await service.verify(Buffer.concat(await photo.toArray()));
  assert.equal(report.valid, true);
  assert.match(result, new RegExp(report.frame_hash));
});

test("under NEVER it says that no photo was kept", async (t) => {
  const { page } = await openDemo(t);
  await page.locator("#simulate").check();
  await page.locator("input[value=NEVER]").check();
  await capture(page);
  await page.locator("#result").waitFor();
  const result = await page.locator("#result").innerText();
  assert.match(result, /O serviço não guardou cópia/);
  assert.match(result, /Baixar o manifesto/);
});

test("without the switch the service itself refuses", async (t) => {
  const { service, page } = await openDemo(t);
  const token = await service.createSession();
  const url = `${service.get("BASE_URL")}/web/sessions/${token}`;
  const answer = await page.evaluate(async (url) => (await fetch(url)).text(), url);
  assert.match(answer, /^{"error":"Não foi possível validar o acesso/);
});
