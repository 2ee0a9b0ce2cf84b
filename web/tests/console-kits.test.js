// Kits and senders in the console: what customers will see, put by choosing a file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console } from "./harness/console.js";
import { ROOT } from "./harness/places.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

const GUIDE = await readFile(join(ROOT, "docs/guides/tell-customers-who-asks.md"), "utf8");
const SENDER = JSON.parse(GUIDE.split("<<'SENDER'\n")[1]?.split("\nSENDER\n")[0] ?? "");
// A grey pixel.
const LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** A kit of two steps. @param {string} title of the first */
const kit = (title) => ({
  name: "auto",
  steps: [
    {
      id: "placa", title: { "pt-BR": title, en: "Plate" }, instruction: { "pt-BR": "Chegue perto & enquadre.", en: "Get close." },
      tip: { "pt-BR": "Evite reflexos.", es: "Evite los reflejos." }, framing: "landscape", optional: true,
      outline: [{ d: "M100 310H900V440H100Z" }, { d: "M500 100L600 200" }],
    },
    { id: "frente", title: { "pt-BR": "Frente" }, instruction: { "pt-BR": "Enquadre o veículo." }, framing: "portrait" },
  ],
});

/**
 * Chooses a file in the open dialog, and sends it.
 * @param {Console} operator
 * @param {string} name the field's
 * @param {string} text
 */
async function send(operator, name, text) {
  const file = { name: "document.json", mimeType: "application/json", buffer: Buffer.from(text) };
  await operator.dialog.locator(`[name="${name}"]`).setInputFiles(file);
  await operator.submit.click();
}

test("operators preview, replace and retire kits", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { page } = operator;
  const { id } = await operator.api("POST", "clients", { name: "Kit Company" });
  await operator.visit(`clients/${id}/kits?environment=STAGING`);
  await page.getByText("The client has no kits in this environment.").waitFor();

  await operator.press("Store a kit");
  await operator.submit.click();
  await operator.dialog.getByText("Choose a file.").waitFor();
  await send(operator, "kit", "{");
  await operator.dialog.getByText("The file does not contain valid JSON.").waitFor();
  const invalid = kit("<img src=x onerror=alert(1)>");
  await send(operator, "kit", JSON.stringify({ ...invalid, name: "Auto", colour: "red" }));
  await operator.dialog.locator(".failure .detail").waitFor();
  const faults = (await operator.dialog.locator(".failure .detail").innerText()).split("\n").map((line) => line.split(": ")[0]);
  assert.deepEqual(faults, ["the kit is invalid:", "/name name_form", "/steps/0/title/pt-BR title_form", "/colour unknown_field"]);
  await operator.inspect("dialog-kit");
  await send(operator, "kit", JSON.stringify(kit("Placa")));
  await operator.notice("Kit “auto” stored: version 1.");
  assert.deepEqual(await operator.rows(), ["auto 1 In use Retire"]);
  await operator.inspect("client-kits");

  await operator.press("Store a kit");
  await send(operator, "kit", JSON.stringify(kit("Placa")));
  await operator.dialog.getByText("the kit equals the current version, auto@1; there is nothing to put").waitFor();
  await send(operator, "kit", JSON.stringify(kit("Placa dianteira")));
  await operator.notice("Kit “auto” stored: version 2.");

  await page.getByRole("link", { name: "auto", exact: true }).click();
  await operator.arrive("Kit auto");
  const first = page.locator(".phone").first();
  assert.deepEqual((await first.innerText()).split(/\n+/), [
    "Placa dianteira", "Chegue perto & enquadre.", "Evite reflexos.", "The customer may skip this photo.", "placa",
  ]);
  const lines = await first.locator("path.line").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  assert.deepEqual(lines, ["M100 310H900V440H100Z", "M500 100L600 200"]);
  const size = await first.boundingBox();
  assert.equal(size?.width, 390);
  await operator.inspect("kit");
  await page.getByRole("link", { name: "English" }).click();
  await page.getByText("Get close.").waitFor();
  const languages = await first.locator("[lang]").evaluateAll((texts) => texts.map((text) => text.getAttribute("lang")));
  assert.deepEqual(languages, ["en", "en", "pt-BR"], "there is no tip in English");
  await page.getByRole("link", { name: "Español" }).click();
  await page.getByText("Evite los reflejos.").waitFor();
  await page.getByRole("link", { name: "Version 1" }).click();
  await page.getByText("1 (the current one is 2)").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await operator.inspect("kit-narrow");
  await page.setViewportSize({ width: 1280, height: 850 });

  await operator.press("Retire auto");
  assert.equal(await operator.submit.isDisabled(), true);
  await operator.confirm();
  await operator.submit.click();
  await operator.notice("Kit “auto” retired.");
  await operator.visit(`clients/${id}/kits?environment=STAGING`);
  assert.deepEqual(await operator.rows(), ["auto 2 Retired "]);
  const { audit } = await operator.api("GET", `audit?client=${id}`);
  const done = audit.filter((/** @type {any} */ { outcome }) => outcome === "done");
  assert.deepEqual(done.map((/** @type {any} */ { operation }) => operation).reverse(), [
    "client.create", "kit.put", "kit.put", "kit.retire",
  ]);
  assert.deepEqual(operator.problems, []);
});

test("shows the sender as customers do", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { page } = operator;
  const { id } = await operator.api("POST", "clients", { name: "Sender Company" });
  await operator.visit(`clients/${id}/kits`);
  await page.getByText("Production requires one.").waitFor();
  await operator.press("Set the sender");
  await send(operator, "sender", JSON.stringify({ ...SENDER, notice_url: "javascript:alert(1)" }));
  await operator.dialog.getByText("/notice_url url_form").waitFor();
  await send(operator, "sender", JSON.stringify({ ...SENDER, logo: LOGO }));
  await operator.notice("Sender set.");
  const shown = page.locator(".phone");
  await shown.getByText(SENDER.name, { exact: true }).waitFor();
  await shown.getByText(SENDER.purpose["pt-BR"]).waitFor();
  assert.equal(await shown.locator("img").evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth), 1);
  await operator.inspect("client-sender");
  await page.getByRole("link", { name: "Español" }).click();
  await shown.getByText(SENDER.condition.es).waitFor();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByText("Production requires one.").waitFor();
  assert.deepEqual(operator.problems, []);
});
