// The local service's demo page: it refuses desktop browsers, captures with the simulated phone, and shows the
// verified proof.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { PLACE, Phone } from "./harness/phone.js";
import { LocalService } from "./harness/service.js";
import { choose, ready } from "./harness/verify-page.js";

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

/**
 * Checks that the page shows a valid proof, with each check of `verify`.
 * @param {import("playwright-core").Page} page
 * @param {any} report of `verify`
 */
async function showsReport(page, report) {
  assert.equal(report.valid, true);
  assert.match(await page.locator("#result").innerText(), new RegExp(report.frame_hash));
  const shown = await page.locator("#result .checks li").allInnerTexts();
  assert.equal(shown.length, report.checks.length);
  for (const { name } of report.checks) assert.equal(shown.some((text) => text.endsWith(name)), false, name);
  assert.equal(await page.locator("#result .checks li.failed").count(), 0);
}

test("desktop browsers get a QR code", async (t) => {
  const { service, page } = await openDemo(t);
  assert.ok(await page.locator("#take").isDisabled());
  assert.match(await page.locator("#refusal").innerText(), /Safari no iPhone e no iPad/);
  const drawn = await page.locator("#refusal img").evaluate(async (/** @type {HTMLImageElement} */ image) => {
    await image.decode();
    return image.naturalWidth;
  });
  assert.ok(drawn >= 240);
  assert.match(await page.locator("#refusal").innerText(), new RegExp(new URL(service.get("DEMO_URL")).host));
});

test("verifies the simulated phone's photo", async (t) => {
  const { service, page } = await openDemo(t);
  await page.locator("#simulate").check();
  await capture(page);
  await page.locator("#result").waitFor();
  const result = await page.locator("#result").innerText();
  assert.match(result, /Foto válida: a prova confere/);
  assert.match(result, /Ambiente SANDBOX/);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Baixar a foto").click()]);
  const photo = await download.createReadStream();
  const report = await service.verify(Buffer.concat(await photo.toArray()));
  await showsReport(page, report);
});

test("the verification page trusts local roots", async (t) => {
  const { service, page } = await openDemo(t);
  await page.locator("#simulate").check();
  await capture(page);
  await page.locator("#result").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Baixar a foto").click()]);
  const buffer = Buffer.concat(await (await download.createReadStream()).toArray());
  const link = page.getByText("página de verificação");
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  assert.equal(new URL(opened.url()).origin, service.get("VERIFY_URL"));
  await ready(opened);
  assert.match(await opened.locator("#roots").innerText(), /Development roots|Raízes de desenvolvimento/);
  await choose(opened, [{ name: "foto.jpg", buffer }]);
  const article = opened.locator("#results article");
  assert.equal(await article.getAttribute("data-outcome"), "not_pinned");

  await opened.locator("#options").evaluate((details) => details.setAttribute("open", ""));
  await opened.locator("#seal_holder").fill(service.get("SEAL_HOLDER"));
  await opened.locator("#seal_holder").blur();
  await opened.locator('#results article[data-outcome="accepted"]').waitFor();
  assert.match(await article.innerText(), /Root certificates that the verifier gave were trusted|Confiou-se em certificados raiz/);
});

test("verifies the page's copy under NEVER", async (t) => {
  const { service, page } = await openDemo(t);
  await page.locator("#simulate").check();
  await page.locator("input[value=NEVER]").check();
  await capture(page);
  await page.locator("#result").waitFor();
  const result = await page.locator("#result").innerText();
  assert.match(result, /Foto válida: a prova confere/);
  assert.match(result, /O serviço não guardou a foto/);
  assert.match(result, /Baixar o manifesto/);
  const drawn = await page.locator("#result img.photo").evaluate(async (image) => {
    const photo = /** @type {HTMLImageElement} */ (image);
    await photo.decode();
    return photo.naturalWidth;
  });
  assert.ok(drawn >= 240);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Baixar a foto").click()]);
  assert.equal(download.suggestedFilename(), "foto-autenticada.jpg");
  const photo = Buffer.concat(await (await download.createReadStream()).toArray());
  const held = await page.locator("svc-camera").evaluate(async (camera) => {
    const { signedPhoto } = /** @type {import("../src/svc-camera.js").SvcCamera} */ (camera);
    return [...new Uint8Array((await signedPhoto?.arrayBuffer()) ?? [])];
  });
  assert.ok(photo.equals(Buffer.from(held)));
  const report = await service.verify(photo);
  await showsReport(page, report);
});

describe("a photo arrives damaged under NEVER", () => {
  /**
   * @param {import("node:test").TestContext} t
   * @param {(photo: Buffer) => Buffer | undefined} change changes the signed photo in the service's response
   */
  async function captureChanged(t, change) {
    const { page } = await openDemo(t);
    await page.route("**/phone/web/ingest", async (route) => {
      // As an older function answers, which does not know the header.
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-svc-photo": "" } });
      const { signed_image_base64, ...receipt } = await response.json();
      const photo = change(Buffer.from(signed_image_base64, "base64"))?.toString("base64");
      await route.fulfill({ response, json: { ...receipt, signed_image_base64: photo } });
    });
    await page.locator("#simulate").check();
    await page.locator("input[value=NEVER]").check();
    await capture(page);
    return page;
  }

  test("reports an invalid photo", async (t) => {
    const page = await captureChanged(t, (photo) => {
      // Changes the image data, well before its end.
      const at = photo.length - 5000;
      photo.writeUInt8(photo.readUInt8(at) ^ 1, at);
      return photo;
    });
    await page.locator("#result").waitFor();
    assert.match(await page.locator("#result").innerText(), /Foto não válida: a prova não confere/);
    assert.ok((await page.locator("#result .checks li.failed").count()) > 0);
  });

  test("reports that no copy exists", async (t) => {
    const page = await captureChanged(t, () => undefined);
    await page.locator("#status.failed").waitFor();
    assert.match(await page.locator("#status").innerText(), /não há cópia dela/);
  });
});

test("the service itself refuses desktop browsers", async (t) => {
  const { service, page } = await openDemo(t);
  const token = await service.createSession();
  const url = `${service.get("BASE_URL")}/web/sessions/${token}`;
  const answer = await page.evaluate(async (url) => (await fetch(url)).text(), url);
  assert.match(answer, /^{"error":"Não foi possível validar o acesso/);
});

test("hosted links return to the demo", async (t) => {
  const service = await LocalService.start(t);
  const phone = await Phone.open(t, browser, service.get("DEMO_URL"), { hosted: true });
  await phone.grant(["camera", "geolocation"], service.get("CAPTURE_URL"));
  const { page } = phone;
  await page.locator("#profile").selectOption("demo");
  await page.getByRole("button", { name: "Abrir o link" }).click();
  await page.getByRole("button", { name: "Começar" }).click();
  await phone.waitForState("live");
  await phone.capture();
  await page.getByText("Sessão captured: 1 de 1 fotos").waitFor();
  assert.equal(new URL(page.url()).search, "");
  const photo = await fetch(await page.getByRole("link", { name: "Foto 1" }).getAttribute("href") ?? "");
  assert.equal((await service.verify(new Uint8Array(await photo.arrayBuffer()))).valid, true);
  await page.getByText(/Webhook msg_\w+: assinatura conferida, 1 fotos/).scrollIntoViewIfNeeded();
  await phone.screenshot("demo-hosted");
});
