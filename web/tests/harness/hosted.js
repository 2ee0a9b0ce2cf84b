// A phone with a link of the hosted flow: what a person sees and taps.

import assert from "node:assert/strict";

import { PORTUGUESE } from "../../hosted/texts.js";
import { faults } from "./axe.js";
import { makeFramesUnique } from "./clip.js";
import { Phone } from "./phone.js";

/** @typedef {import("./service.js").LocalService} LocalService */
/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("./phone.js").PhoneOptions} PhoneOptions */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */

export { PORTUGUESE };

/** Redirect of the local service's hosted sessions. */
export const REDIRECT = "http://localhost:3999/done?claim=42%20a&b";

/**
 * Opens a link on a phone.
 * @param {Scope} scope
 * @param {Browser} browser
 * @param {Pick<LocalService, "get">} service
 * @param {string} query
 * @param {PhoneOptions} [options]
 */
export function openLink(scope, browser, service, query, options = {}) {
  const url = `${service.get("CAPTURE_URL")}/${query}`;
  return Phone.open(scope, browser, url, { before: makeFramesUnique, ...options, hosted: true });
}

/** @param {Page} page @param {string} title */
export async function shows(page, title) {
  await page.locator("h1", { hasText: title }).waitFor();
}

/** @param {Page} page @param {string} name */
export async function press(page, name) {
  await page.getByRole("button", { name }).click();
}

/**
 * Takes the photo with this label.
 * @param {Phone} phone
 * @param {string} [step]
 */
export async function take(phone, step) {
  await phone.waitForState("live");
  if (step) assert.ok((await phone.part("label").textContent())?.endsWith(` · ${step}`), step);
  await phone.capture();
}

/**
 * Responds to the redirect in place of the integrator's page.
 * @param {Page} page
 * @returns {Promise<() => Promise<{ url: string, referer: string | undefined }>>} goes on without keeping the receipt, and
 *   waits for the redirect
 */
export async function arrival(page) {
  /** @type {{ url: string, referer: string | undefined } | undefined} */
  let arrived;
  await page.route("http://localhost:3999/**", async (route) => {
    const request = route.request();
    arrived = { url: request.url(), referer: (await request.allHeaders())["referer"] };
    await route.fulfill({ contentType: "text/html", body: "<h1>arrived</h1>" });
  });
  return async () => {
    await press(page, PORTUGUESE.proceed);
    await shows(page, "arrived").catch(async (cause) => { throw new Error(`not arrived: ${await page.locator("body").innerText()}`, { cause }); });
    assert.ok(arrived);
    return arrived;
  };
}

/** @param {Page} page @param {string} name */
export async function inspect(page, name) {
  assert.deepEqual(await faults(page), [], name);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${name}: ${overflow} pixels too wide`);
}
