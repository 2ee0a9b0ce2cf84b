// The search for the capture that a copy of a photo shows, by choosing a file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console, captureInStaging, newLicense } from "./harness/console.js";
import { ROOT } from "./harness/places.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

const FRAME = await readFile(join(ROOT, "events/frame.jpg"));

/**
 * Chooses a file in the form, and searches.
 * @param {Console} operator
 * @param {string} name the file's, which determines its type
 * @param {Buffer} buffer
 */
async function search(operator, name, buffer) {
  const mimeType = name.endsWith(".jpg") ? "image/jpeg" : "application/pdf";
  await operator.page.locator('[name="copy"]').setInputFiles({ name, mimeType, buffer });
  await operator.press("Search by photo");
  await operator.ready();
}

test("finds a capture by a copy", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { page } = operator;
  const { client, license } = await newLicense(operator, { name: "Copy Company" });
  await operator.api("PATCH", `licenses/${license.id}`, { fingerprint: "CODE" });
  const key = await operator.api("POST", `clients/${client.id}/api-keys`, { environment: "STAGING", name: "backend" });
  const integrator = { apiKey: key.api_key, licenseKey: license.license_key, reference: "claim-4712" };
  await captureInStaging(service, integrator);

  await operator.visit(`clients/${client.id}`);
  await page.getByRole("link", { name: "Find the capture of a copy" }).click();
  await operator.arrive("Evidence");
  await operator.press("Search by photo");
  await page.getByText("Choose a JPEG, PNG or WebP of up to 4 MB.").waitFor();
  await search(operator, "copy.pdf", FRAME);
  await page.getByText("Choose a JPEG, PNG or WebP of up to 4 MB.").waitFor();
  assert.equal(await page.locator('[name="client"]').inputValue(), client.id);

  // There is nothing in production, and the index follows a capture within seconds.
  await search(operator, "copy.jpg", FRAME);
  await page.getByText("No capture found. This does not prove").waitFor();
  await page.locator('[name="environment"]').selectOption("STAGING");
  for (let tries = 0; tries < 60 && !(await page.locator(".matches table").count()); tries += 1) {
    await search(operator, "copy.jpg", FRAME);
  }
  assert.match((await operator.rows())[0] ?? "", /Staging Copy Company \S+ 1 Held 100$/);
  await page.getByText("The similarity is a lead, not a proof").waitFor();
  await operator.inspect("evidence-copy");

  await search(operator, "copy.jpg", FRAME.subarray(0, FRAME.length / 2));
  await page.locator(".matches .failure .detail", { hasText: "the JPEG cannot be decoded" }).waitFor();
  await page.locator('[name="client"]').fill("Copy Company");
  await operator.press("Search by photo");
  await page.getByText("Type the client's id, which is on the client's page.").waitFor();

  await operator.visit(`clients/${client.id}/audit`);
  assert.ok((await operator.rows()).some((row) => row.startsWith("Look up a copy")));
  assert.deepEqual(operator.problems, []);
});
