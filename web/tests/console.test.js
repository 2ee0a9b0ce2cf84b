// The operator's console, from a new client to its revoked license, with everything in the audit log.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console, ORIGIN, capture, captureInStaging } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

/**
 * The service's response to creating a session with these keys.
 * @param {LocalService} service
 * @param {string} apiKey
 * @param {string} licenseKey
 */
async function statusOf(service, apiKey, licenseKey) {
  const response = await fetch(`${service.get("BASE_URL")}/web/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ reference_id: "after", license_key: licenseKey }),
  });
  return response.status;
}

test("audits everything done for a client", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page } = operator;
  assert.equal(new URL(page.url()).hash, "", "the token is not in the address");
  assert.equal(await page.title(), `Overview · Lacre · ${await page.locator("#stack strong").innerText()}`);

  await operator.visit("clients");
  await operator.press("New client");
  await operator.fill({ name: "Seguradora Exemplo" });
  await operator.submit.click();
  await operator.notice("Client “Seguradora Exemplo” created.");
  const clientId = page.url().split("/").at(-1) ?? "";

  await operator.press("New API key");
  await operator.fill({ name: "backend", environment: "STAGING" });
  await operator.submit.click();
  await operator.dialog.locator("#secret").waitFor();
  await operator.inspect("dialog-secret");
  const apiKey = await operator.takeSecret();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), apiKey);
  await operator.ready();
  const shownKey = `svc_api_…${apiKey.slice(-4)}`;
  assert.match((await operator.rows())[0] ?? "", new RegExp(`^backend ${shownKey} Staging Active`));
  assert.ok(!(await page.content()).includes(apiKey), "the secret is gone");

  await operator.visit(`clients/${clientId}/licenses`);
  await operator.press("New license");
  await operator.fill({ environment: "STAGING", expires_at: "2099-12-31", volume_limit: "2", authorized_origins: ORIGIN });
  await operator.submit.click();
  const licenseKey = await operator.takeSecret();
  await operator.ready();
  await page.getByRole("link", { name: `svc_stag_…${licenseKey.slice(-4)}` }).click();
  await operator.until(/0 of 2 \(0%\)/);
  const licenseId = page.url().split("/").at(-1) ?? "";

  const integrator = { apiKey, licenseKey, reference: "claim-4711" };
  await captureInStaging(service, integrator);
  const frameHash = await captureInStaging(service, integrator);
  await operator.until(/2 of 2 \(100%\)/);
  // The state, and the alert.
  await operator.until(/Volume used up[^]*Volume used up/);
  await operator.visit("");
  await operator.until(/[1-9]\d*\s+Open alerts/);

  await operator.visit("alerts");
  const open = page.getByRole("row").filter({ hasText: "Volume used up" });
  await open.getByRole("link", { name: "Seguradora Exemplo" }).waitFor();
  await open.getByRole("button", { name: "Acknowledge" }).click();
  await operator.submit.click();
  await operator.notice("Alert acknowledged.");
  assert.equal(await open.count(), 0);

  await operator.visit("evidence?q=claim-4711");
  await operator.until(/Staging[^]*Staging/);
  assert.equal((await operator.rows()).length, 2);
  await page.locator("table a").first().click();
  await operator.arrive("Capture");
  const captureId = page.url().split("/").at(-1) ?? "";
  assert.match(captureId, /^[0-9a-f]{64}$/);
  const webhooks = page.getByRole("link", { name: "Webhooks of the client" });
  assert.equal(await webhooks.getAttribute("href"), `#/clients/${clientId}/webhooks`);
  await service.administer("evidence", "withhold", captureId, "--reason", "a court's order");
  await operator.visit(`evidence?q=${captureId}`);
  assert.equal(await page.locator("dd code").first().innerText(), captureId);
  await operator.visit(`evidence?q=${frameHash}`);
  assert.equal((await operator.rows()).length, 1);

  await operator.visit(`licenses/${licenseId}`);
  await operator.press("Rotate the key");
  assert.equal(await operator.submit.isDisabled(), true);
  await operator.confirm();
  await operator.submit.click();
  const newKey = await operator.takeSecret();
  assert.notEqual(newKey, licenseKey);
  await page.locator("h1", { hasText: `svc_stag_…${newKey.slice(-4)}` }).waitFor();
  assert.equal(await statusOf(service, apiKey, licenseKey), 403);

  await operator.press("Revoke");
  await operator.confirm();
  await operator.submit.click();
  await operator.notice("License revoked.");
  await page.getByText("Revoked: it can no longer be changed.").waitFor();
  assert.equal(await statusOf(service, apiKey, newKey), 403);

  await operator.visit(`clients/${clientId}/audit`);
  const entries = (await operator.rows()).map((row) => row.split(/ (?=\w+ \d+, \d{4})/)[0]);
  assert.deepEqual(entries, [
    "Revoke license", "Rotate license key", "Withhold evidence", "Acknowledge alert", "Issue license", "Issue API key", "Create client",
  ]);
  const subjects = await page.locator("td a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const license = `#/licenses/${licenseId}`;
  assert.deepEqual(subjects, [license, license, `#/evidence/${captureId}`, license, license, `#/clients/${clientId}`]);
  await page.locator("table a").first().click();
  await page.getByText("Admin API").waitFor();
  assert.match(await page.locator("dl").innerText(), /Revoke license[\s\S]*Done[\s\S]*arn:aws:/);
  assert.deepEqual(operator.problems, []);
});

test("redelivers a failed webhook", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  await operator.visit("webhooks");
  await operator.page.getByText("No failing webhooks.").waitFor();
  const token = await service.createHosted("demo", undefined, "http://127.0.0.1:9/");
  const origin = service.get("CAPTURE_URL");
  await capture(origin, token, origin);
  await operator.until(/Failed[^]*unreachable/);
  await operator.inspect("webhooks-failing");
  await operator.press("Redeliver");
  await operator.inspect("dialog-redeliver");
  await operator.submit.click();
  await operator.notice("The redelivery was requested.");
  await operator.until(/attempt 2/);
  await operator.page.getByRole("link", { name: "Lacre Development" }).click();
  await operator.arrive("Lacre Development");
  await operator.page.getByRole("link", { name: "Webhooks" }).last().click();
  await operator.page.locator('h2:text-is("Webhooks")').waitFor();
  await operator.ready();
  const rows = await operator.rows();
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? "", /attempt 2/);

  const clientId = new URL(operator.page.url()).hash.split("/")[2] ?? "";
  const step = { id: "frente", title: { "pt-BR": "Frente" }, instruction: { "pt-BR": "Enquadre." }, framing: "landscape" };
  await operator.api("POST", `clients/${clientId}/kits`, { environment: "SANDBOX", kit: { name: "auto", steps: [step] } });
  const hash = await capture(origin, await service.createHosted("auto"), origin);
  await operator.visit(`evidence?q=${hash}`);
  await operator.until(/Sandbox/);
  await operator.page.locator("table a").first().click();
  await operator.arrive("Capture");
  await operator.page.getByRole("link", { name: "auto@1" }).click();
  await operator.arrive("Kit auto");
  await operator.visit(`clients/${clientId}/audit`);
  const subjects = await operator.page.locator("td a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  assert.deepEqual(subjects.slice(0, 2), [
    `#/clients/${clientId}/kits?environment=SANDBOX`, `#/clients/${clientId}/webhooks`,
  ]);
  const [{ id: secret }] = (await service.administer("webhook-secret", "list", "--client", clientId)).webhook_secrets;
  await operator.api("POST", `clients/${clientId}/webhook-secrets/${secret}/revoke`, { last: true });
  await capture(origin, await service.createHosted("demo", undefined, "http://127.0.0.1:9/"), origin);
  await operator.visit("webhooks");
  await operator.until(/no secret to sign with/);
  await operator.page.getByRole("link", { name: "Webhook secrets" }).click();
  await operator.arrive("Lacre Development");
  assert.match(operator.page.url(), /webhook-secrets$/);
  assert.deepEqual(operator.problems, []);
});

test("suspending a client blocks its keys", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const [apiKey, licenseKey] = [service.get("API_KEY"), service.get("LICENSE_KEY")];
  await operator.visit("clients?search=lacre");
  await operator.page.getByRole("link", { name: "Lacre Development" }).click();
  await operator.press("Suspend");
  const typed = operator.dialog.locator(".typed input");
  await typed.fill("Lacre");
  assert.equal(await operator.submit.isDisabled(), true);
  await typed.fill("Lacre Development");
  await operator.submit.click();
  await operator.notice("Lacre Development is suspended.");
  assert.equal(await statusOf(service, apiKey, licenseKey), 401);
  await operator.press("Resume");
  await operator.submit.click();
  await operator.notice("Lacre Development is active.");
  assert.equal(await statusOf(service, apiKey, licenseKey), 200);
  assert.deepEqual(operator.problems, []);
});
