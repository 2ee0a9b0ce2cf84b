// Webhook secrets in the console: the first one, a rotation with an overlap, and revocations.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

test("issues, rotates and revokes webhook secrets", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service, { permissions: ["clipboard-read", "clipboard-write"] });
  const { page, dialog } = operator;
  const { id: client } = await operator.api("POST", "clients", { name: "Secret Company" });
  const listed = async () => (await service.administer("webhook-secret", "list", "--client", client)).webhook_secrets;
  const revoke = (/** @type {{ id: string }} */ { id }) => operator.press(`Revoke …${id.slice(-4)}`);
  await operator.visit(`clients/${client}`);
  await page.getByRole("link", { name: "Webhook secrets" }).click();
  await page.getByText("No secret signs").first().waitFor();
  assert.equal(await page.getByText("No secret signs").count(), 3, "one for each environment");

  await operator.press("Issue a secret: Staging");
  await operator.submit.click();
  const first = await operator.takeSecret();
  assert.match(first, /^whsec_/);
  await operator.notice("Webhook secret issued");
  assert.match((await operator.rows()).join(), /^…\w{4} Signs .*— Revoke$/);

  await operator.press("Rotate the secret: Staging");
  await operator.fill({ overlap_hours: "169" });
  assert.equal(await operator.submit.isDisabled(), true);
  await operator.confirm();
  await operator.submit.click();
  await dialog.getByText("Write a whole number, from 0 to 168.").waitFor();
  await operator.fill({ overlap_hours: "48" });
  await operator.inspect("dialog-rotate-secret");
  await operator.submit.click();
  await dialog.getByText("before the earlier secrets stop signing").waitFor();
  const second = await operator.takeSecret();
  assert.notEqual(second, first);
  await operator.notice("Webhook secret rotated");
  const html = await page.content();
  assert.ok(!html.includes(first) && !html.includes(second), "the secrets are gone");
  const [older, newer] = await listed();
  assert.equal(Math.round((Date.parse(older.ends_at) - Date.parse(newer.issued_at)) / 3_600_000), 48);
  const times = page.locator("tbody time");
  assert.deepEqual(
    await times.evaluateAll((all) => all.map((time) => time.getAttribute("datetime"))),
    [older.issued_at, older.ends_at, newer.issued_at],
  );
  await operator.inspect("client-webhook-secrets-live");

  // The other secret is revoked meanwhile, so this one became the last.
  await revoke(older);
  await dialog.getByText("The others go on.").waitFor();
  await operator.api("POST", `clients/${client}/webhook-secrets/${newer.id}/revoke`);
  await operator.confirm();
  await operator.submit.click();
  await dialog.getByText("is the last one that signs in this environment: Staging").waitFor();
  assert.equal(await operator.submit.isDisabled(), true);
  await operator.confirm();
  await operator.submit.click();
  await operator.notice(`Secret …${older.id.slice(-4)} revoked.`);
  assert.deepEqual((await listed()).map((/** @type {{ state: string }} */ { state }) => state), ["ended", "ended"]);
  assert.equal(await page.getByText("No secret signs").count(), 3);
  assert.equal(await page.getByRole("button", { name: "Revoke" }).count(), 0);

  await operator.press("Issue a secret: Staging");
  await operator.submit.click();
  await operator.takeSecret();
  await operator.notice("Webhook secret issued");
  await revoke((await listed())[2]);
  await dialog.locator(".warning", { hasText: "the last one that signs" }).waitFor();
  assert.equal(await dialog.locator(".typed label").innerText(), "To confirm that it is the last one, type the environment: Staging");
  await operator.inspect("dialog-revoke-last-secret");
  await operator.confirm();
  await operator.submit.click();
  await operator.notice("revoked.");
  assert.deepEqual(operator.problems, []);

  const narrow = await Console.open(t, browser, service, { locale: "pt-BR", viewport: { width: 390, height: 844 } });
  await narrow.visit(`clients/${client}/webhook-secrets`);
  await narrow.inspect("client-webhook-secrets-390-pt");
  await narrow.press("Emitir um segredo: Produção");
  await narrow.submit.click();
  await narrow.dialog.getByText("Copie o segredo agora: ele não é mostrado de novo.").waitFor();
  await narrow.inspect("dialog-secret-390-pt");
});
