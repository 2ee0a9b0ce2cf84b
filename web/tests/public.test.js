// The demo on a phone that reaches the local service through a TLS-terminating tunnel with another name.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Phone } from "./harness/phone.js";
import { LocalService } from "./harness/service.js";
import { tlsTunnel } from "./harness/tls-tunnel.js";

const NAME = "phone.example";
const tunnel = await tlsTunnel({ after });
const browser = await startBrowser({ after }, { hosts: { [NAME]: tunnel.port } });

/** @param {import("node:test").TestContext} t */
async function start(t) {
  const service = await LocalService.start(t, ["--public", `https://${NAME}`]);
  tunnel.leadTo(service.get("TUNNEL_TARGET"));
  const phone = await Phone.open(t, browser, service.get("PUBLIC_URL"), { hosted: true });
  /** @type {Set<string>} */
  const hosts = new Set();
  phone.page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== "blob:" && protocol !== "data:") hosts.add(`${protocol}//${host}`);
  });
  return { service, phone, page: phone.page, hosts };
}

test("the demo needs only the tunnel", async (t) => {
  const { service, phone, page, hosts } = await start(t);
  assert.equal(service.get("PUBLIC_URL"), `https://${NAME}/demo/`);
  await page.locator("#take").click();
  await phone.waitForState("live");
  await phone.capture();
  await page.locator("#result").waitFor();
  const result = await page.locator("#result").innerText();
  assert.match(result, /Foto válida: a prova confere/);
  assert.doesNotMatch(result, /página de verificação/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Baixar a foto").click()]);
  const photo = Buffer.concat(await (await download.createReadStream()).toArray());
  assert.equal((await service.verify(photo)).valid, true);
  assert.deepEqual([...hosts], [`https://${NAME}`]);
});

test("the link needs only the tunnel", async (t) => {
  const { phone, page, hosts } = await start(t);
  await page.locator("#profile").selectOption("demo");
  await page.getByRole("button", { name: "Abrir o link" }).click();
  await page.getByRole("button", { name: "Começar" }).click();
  await phone.waitForState("live");
  await phone.capture();
  await page.getByText("Sessão captured: 1 de 1 fotos").waitFor();
  assert.equal(page.url(), `https://${NAME}/demo/`);
  await page.getByText(/Webhook msg_\w+: assinatura conferida, 1 fotos/).waitFor();
  assert.deepEqual([...hosts], [`https://${NAME}`]);
});

// The page offers no simulated phone through the tunnel.
test("desktops get only a QR code", async (t) => {
  const { page } = await start(t);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  t.after(() => context.close());
  const desk = await context.newPage();
  await desk.goto(page.url());
  await desk.locator("#refusal").waitFor();
  assert.equal(await desk.locator("#address").innerText(), `https://${NAME}/demo/`);
  assert.equal(await desk.locator("#simulate").isVisible(), false);
  assert.ok(await desk.locator("#qr").evaluate(async (/** @type {HTMLImageElement} */ image) => {
    await image.decode();
    return image.naturalWidth;
  }) >= 240);
});
