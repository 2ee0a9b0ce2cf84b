// Accessibility of the console: keyboard only, both languages, light and dark, small screens.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { TEXTS } from "../console/texts.js";
import { VALUES } from "../console/texts-of-values.js";
import { startBrowser } from "./harness/browser.js";
import { Console, captureInStaging, newLicense } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

/** The accessible name or text of the focused element. @param {Console} operator */
function focused({ page }) {
  return page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });
}

/** Presses Tab until the element with this name has the focus. @param {Console} operator @param {string} name */
async function tabTo(operator, name) {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(operator)) === name) return;
    await operator.page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${name}`);
}

test("every page and dialog is accessible", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { client, license } = await newLicense(operator, { name: "Access Company", limit: 1 });
  const key = { environment: "STAGING", name: "backend" };
  const { api_key } = await operator.api("POST", `clients/${client.id}/api-keys`, key);
  await captureInStaging(service, { apiKey: api_key, licenseKey: license.license_key, reference: "access" });
  await operator.visit("alerts");
  await operator.until(/Volume used up/);
  await operator.visit("evidence?q=access");
  await operator.until(/Staging/);
  const capture = (await operator.page.locator("table a").first().getAttribute("href"))?.split("/").at(-1) ?? "";
  const [entry] = (await operator.api("GET", `audit?client=${client.id}`)).audit;
  const pages = {
    "overview": "", "clients": "clients", "client": `clients/${client.id}`,
    "client-licenses": `clients/${client.id}/licenses`, "client-webhooks": `clients/${client.id}/webhooks`,
    "client-webhook-secrets": `clients/${client.id}/webhook-secrets`, "client-audit": `clients/${client.id}/audit`, "licenses": "licenses", "license": `licenses/${license.id}`,
    "alerts": "alerts", "alerts-month": `alerts?month=${new Date().toISOString().slice(0, 7)}`,
    "webhooks": "webhooks", "evidence": "evidence?q=access", "capture": `evidence/${capture}`, "signers": "signers",
    "audit": "audit", "entry": `audit/${entry.id}`, "nowhere": "nowhere",
  };
  for (const [width, suffix] of /** @type {const} */ ([[1280, ""], [360, "-narrow"]])) {
    await operator.page.setViewportSize({ width, height: 850 });
    for (const [name, path] of Object.entries(pages)) {
      await operator.visit(path);
      await operator.inspect(`${name}${suffix}`);
    }
    for (const [name, path, button] of /** @type {const} */ ([
      ["create", "clients", "New client"], ["suspend", `clients/${client.id}`, "Suspend"],
      ["api-key", `clients/${client.id}`, "New API key"], ["revoke-key", `clients/${client.id}`, "Revoke backend"],
      ["issue-secret", `clients/${client.id}/webhook-secrets`, "Issue a secret: Staging"],
      ["issue", `clients/${client.id}/licenses`, "New license"], ["configure", `licenses/${license.id}`, "Configure"],
      ["rotate", `licenses/${license.id}`, "Rotate the key"], ["revoke", `licenses/${license.id}`, "Revoke"],
      ["acknowledge", `licenses/${license.id}`, "Acknowledge"],
    ])) {
      await operator.visit(path);
      await operator.page.getByRole("button", { name: button, exact: true }).first().click();
      await operator.dialog.waitFor();
      await operator.inspect(`dialog-${name}${suffix}`);
      await operator.page.keyboard.press("Escape");
      await operator.dialog.waitFor({ state: "detached" });
      assert.equal(await focused(operator), button, "the focus returns");
    }
  }
  assert.deepEqual(operator.problems, []);
});

test("a button opens the narrow navigation", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service, { viewport: { width: 360, height: 740 } });
  const link = operator.page.getByRole("link", { name: "Licenses" });
  assert.equal(await link.isVisible(), false);
  await operator.press("Menu");
  await operator.inspect("menu-narrow");
  await link.click();
  await operator.arrive("Licenses");
  assert.equal(await link.isVisible(), false);
});

test("the keyboard alone issues a key", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service, { permissions: ["clipboard-read", "clipboard-write"] });
  const { keyboard } = operator.page;
  await tabTo(operator, "Skip to content");
  await keyboard.press("Enter");
  assert.equal(await focused(operator), "Overview");
  await operator.page.evaluate(() => { document.querySelector("a")?.focus(); });
  await tabTo(operator, "Clients");
  await keyboard.press("Enter");
  await operator.arrive("Clients");
  assert.equal(await focused(operator), "Clients", "the heading");
  assert.equal(await operator.page.evaluate(() => document.activeElement?.localName), "h1");
  await tabTo(operator, "New client");
  await keyboard.press("Enter");
  await keyboard.press("Enter");
  await operator.dialog.getByText("Write a name of 1 to 100 characters.").waitFor();
  await keyboard.type("Teclado S.A.");
  await keyboard.press("Enter");
  await operator.notice("Client “Teclado S.A.” created.");
  assert.equal(await focused(operator), "Teclado S.A.");
  await tabTo(operator, "New API key");
  await keyboard.press("Space");
  await keyboard.type("backend");
  await keyboard.press("Enter");
  await operator.dialog.locator("#secret").waitFor();

  // If the secret was not copied, the dialog asks once before it closes.
  await keyboard.press("Escape");
  await operator.dialog.getByText("The secret was not copied yet.").waitFor();
  await tabTo(operator, "Copy");
  await keyboard.press("Enter");
  await operator.dialog.getByText("Copied.").waitFor();
  await keyboard.press("Escape");
  await operator.dialog.waitFor({ state: "detached" });
  await operator.ready();
  assert.equal(await focused(operator), "New API key");
  assert.deepEqual(operator.problems, []);
});

test("speaks the browser's or chosen language", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service, { locale: "pt-BR", timezoneId: "America/Sao_Paulo" });
  await operator.page.locator("h1", { hasText: "Visão geral" }).waitFor();
  assert.equal(await operator.page.locator("html").getAttribute("lang"), "pt-BR");
  await operator.visit("audit");
  const time = operator.page.locator("td time").first();
  const shown = { text: await time.innerText(), at: (await time.getAttribute("datetime")) ?? "" };
  const options = /** @type {const} */ ({
    year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
    timeZone: "America/Sao_Paulo",
  });
  assert.equal(shown.text, new Intl.DateTimeFormat("pt-BR", options).format(new Date(shown.at)));
  assert.match((await time.getAttribute("title")) ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  await operator.press("English");
  await operator.page.locator("h1", { hasText: "Audit log" }).waitFor();
  await operator.page.reload();
  await operator.page.locator("h1", { hasText: "Audit log" }).waitFor();
});

test("texts are complete in both languages", () => {
  const values = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  const texts = [...Object.entries(TEXTS), ...Object.values(VALUES).flatMap((kind) => Object.entries(kind))];
  assert.ok(texts.length > 250, String(texts.length));
  for (const [name, { pt, en }] of texts) {
    assert.ok(pt.trim() && en.trim(), name);
    assert.deepEqual(values(pt), values(en), name);
  }
});
