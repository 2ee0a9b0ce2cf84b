// Changes that conflict with another operator's, and changes whose response was lost.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console, newLicense } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

/** The service carries the request out, but its response is lost. @param {Console} operator @param {string} path */
async function loseAnswer(operator, path) {
  await operator.page.route(path, async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
}

/**
 * How often an operation appears in a client's audit log.
 * @param {Console} operator
 * @param {string} client
 * @param {string} operation
 */
async function countOf(operator, client, operation) {
  const { audit } = await operator.api("GET", `audit?client=${client}`);
  return audit.filter((/** @type {any} */ entry) => entry.operation === operation && entry.outcome === "done").length;
}

// The form keeps what was typed, and a second submit changes only the terms that this operator edited.
test("a stale form shows others' changes", async (t) => {
  const service = await LocalService.start(t);
  const first = await Console.open(t, browser, service);
  const second = await Console.open(t, browser, service);
  const { license } = await newLicense(first);
  for (const operator of [first, second]) {
    await operator.visit(`licenses/${license.id}`);
    await operator.press("Configure");
  }
  await first.fill({ volume_limit: "500", gps_mode: "REQUIRE" });
  await first.submit.click();
  await first.notice("License configured.");

  await second.fill({ volume_limit: "700", recapture_gate: "RECORD" });
  await second.submit.click();
  await second.dialog.getByText("Changed by someone else meanwhile").waitFor();
  await second.dialog.getByText("Captures per month, at most: was 100, is now 500").waitFor();
  await second.dialog.getByText("Position: was Observed, is now Required").waitFor();
  assert.equal(await second.dialog.locator("[name=volume_limit]").inputValue(), "700");
  await second.inspect("dialog-stale");
  await second.submit.click();
  await second.notice("License configured.");
  const { volume_limit, gps_mode, recapture_gate } = await second.api("GET", `licenses/${license.id}`);
  assert.deepEqual([volume_limit, gps_mode, recapture_gate], [700, "REQUIRE", "RECORD"]);
});

test("concurrent rotations change the key once", async (t) => {
  const service = await LocalService.start(t);
  const operators = [await Console.open(t, browser, service), await Console.open(t, browser, service)];
  const [one, other] = /** @type {[Console, Console]} */ (operators);
  const { client, license } = await newLicense(one);
  for (const operator of operators) {
    await operator.visit(`licenses/${license.id}`);
    await operator.press("Rotate the key");
    await operator.confirm();
  }
  await Promise.all(operators.map((operator) => operator.submit.click()));
  const results = await Promise.all(operators.map(async (operator) => {
    await operator.dialog.locator("#secret, .failure").waitFor();
    return operator.dialog.locator("#secret").count();
  }));
  assert.deepEqual(results.toSorted(), [0, 1]);
  const loser = results[0] === 0 ? one : other;
  // The conflict is found by the revision or by the transaction.
  const said = await loser.dialog.locator(".failure").innerText();
  assert.match(said, /^(Changed by someone else meanwhile|The current state does not allow it)/);
  const { key_suffix } = await loser.api("GET", `licenses/${license.id}`);
  assert.ok(said.includes(key_suffix), said);
  assert.equal(await loser.submit.isDisabled(), true, "the new key's end is to be typed");
  assert.equal(await countOf(one, client.id, "license.rotate"), 1);
});

// The new secret was in the lost response, so the page advises another rotation.
test("a retry does not rotate twice", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { client, license } = await newLicense(operator);
  await operator.visit(`licenses/${license.id}`);
  await operator.press("Rotate the key");
  await operator.confirm();
  await loseAnswer(operator, "**/rotate");
  await operator.submit.click();
  await operator.dialog.getByText("The answer was lost").waitFor();
  await operator.inspect("dialog-lost");
  await operator.press("Try again");
  await operator.dialog.getByText("The first request was carried out on").waitFor();
  await operator.dialog.getByText("Rotate it again.").waitFor();
  assert.equal(await operator.submit.count(), 0);
  await operator.press("Close");
  const now = await operator.api("GET", `licenses/${license.id}`);
  assert.notEqual(now.key_id, license.key_id);
  await operator.page.locator("h1", { hasText: now.key_suffix }).waitFor();
  assert.equal(await countOf(operator, client.id, "license.rotate"), 1);
});

// The service created each resource, and its response was lost.
test("retries create each resource once", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  await operator.visit("clients");
  await operator.press("New client");
  await operator.fill({ name: "Lost and Found" });
  await loseAnswer(operator, "**/api/admin/clients");
  await operator.submit.click();
  await operator.press("Try again");
  await operator.dialog.getByText("The first request was carried out on").waitFor();
  await operator.press("Close");
  const { clients } = await operator.api("GET", "clients?search=Lost%20and");
  assert.equal(clients.length, 1);
  const [{ id }] = clients;

  await operator.visit(`clients/${id}`);
  await operator.press("New API key");
  await operator.fill({ name: "backend" });
  await loseAnswer(operator, "**/api-keys");
  await operator.submit.click();
  await operator.press("Try again");
  await operator.dialog.getByText("Revoke it and issue another.").waitFor();
  await operator.press("Close");
  await operator.ready();
  assert.equal((await operator.rows()).length, 1);

  await operator.visit(`clients/${id}/webhook-secrets`);
  await operator.press("Issue a secret: Sandbox");
  await loseAnswer(operator, "**/webhook-secrets");
  await operator.submit.click();
  await operator.press("Try again");
  await operator.dialog.getByText("Rotate the secret, then revoke the lost one.").waitFor();
  await operator.press("Close");
  await operator.ready();
  assert.equal((await operator.rows()).length, 1);

  await operator.visit(`clients/${id}/licenses`);
  await operator.press("New license");
  await operator.fill({ expires_at: "2099-12-31" });
  await loseAnswer(operator, "**/licenses");
  await operator.submit.click();
  await operator.press("Try again");
  await operator.dialog.getByText("Open the license in the list and rotate its key.").waitFor();
  await operator.press("Close");
  await operator.ready();
  assert.equal((await operator.rows()).length, 1);
});

test("retries a request that never arrived", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  await operator.visit("clients");
  await operator.press("New client");
  await operator.fill({ name: "Second Attempt" });
  await operator.page.route("**/api/admin/clients", (route) => route.abort(), { times: 1 });
  await operator.submit.click();
  await operator.dialog.getByText("The answer was lost").waitFor();
  await operator.press("Try again");
  await operator.notice("Client “Second Attempt” created.");
});

test("a refused form keeps its input", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { client } = await newLicense(operator);
  await operator.visit(`clients/${client.id}/licenses`);
  await operator.press("New license");
  const origin = "https://app.example.com:99999";
  await operator.fill({ environment: "STAGING", expires_at: "2099-12-31", volume_limit: "5", authorized_origins: origin });
  await operator.submit.click();
  await operator.dialog.getByText("is not an origin").waitFor();
  assert.equal(await operator.dialog.locator("[name=authorized_origins]").inputValue(), origin);
  await operator.inspect("dialog-refused");
  await operator.fill({ authorized_origins: "https://app.example.com" });
  await operator.submit.click();
  await operator.dialog.locator("#secret").waitFor();
});
