// The local service's console in a browser: what an operator sees and does.

import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { faults } from "./axe.js";
import { userAgent } from "./phone.js";
import { ARTIFACTS, ROOT } from "./places.js";

/** @typedef {import("./service.js").LocalService} LocalService */
/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").BrowserContextOptions} ContextOptions */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {Exclude<ContextOptions["storageState"], string | undefined>} Session */

/** Origin that may capture in staging. */
export const ORIGIN = "https://app.example.com";

/**
 * The session of each service. The opening address works once, so further browsers get the first one's cookie and
 * token.
 * @type {WeakMap<LocalService, Session>}
 */
const sessions = new WeakMap();

export class Console {
  /** Script errors, and violations of the page's Content-Security-Policy. @type {string[]} */
  problems = [];

  /** @param {Page} page @param {string} origin */
  constructor(page, origin) {
    this.page = page;
    this.origin = origin;
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("console", (message) => {
      const isRefusal = /status of \d{3}|net::ERR_FAILED/.test(message.text());
      if (message.type() === "error" && !isRefusal) this.problems.push(message.text());
    });
  }

  /**
   * Opens the console in a new browser context until the scope ends.
   * @param {Scope} scope
   * @param {Browser} browser
   * @param {LocalService} service
   * @param {ContextOptions} [options]
   */
  static async open(scope, browser, service, options = {}) {
    const url = service.get("CONSOLE_URL");
    const known = sessions.get(service);
    const defaults = { locale: "en-US", viewport: { width: 1280, height: 850 } };
    const context = await browser.newContext({ ...defaults, ...(known ? { storageState: known } : {}), ...options });
    scope.after(() => context.close());
    const opened = new Console(await context.newPage(), new URL(url).origin);
    await opened.page.goto(known ? opened.origin : url);
    await opened.ready();
    if (!known) sessions.set(service, await context.storageState());
    return opened;
  }

  /** Waits until everything is loaded. */
  async ready() {
    await this.page.locator("#page h1").waitFor();
    await this.page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  }

  /** Navigates to a page. @param {string} path after `#/` */
  async visit(path) {
    await this.page.evaluate((hash) => { location.hash = hash; }, `#/${path}`);
    await this.ready();
  }

  /** Waits for the page that a link leads to. @param {string} title */
  async arrive(title) {
    await this.page.locator(`h1:text-is("${title}")`).waitFor();
    await this.ready();
  }

  /** @param {string} name */
  async press(name) {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  get dialog() {
    return this.page.getByRole("dialog");
  }

  /** The button that submits a dialog. */
  get submit() {
    return this.dialog.locator('form button:not([type="button"])');
  }

  /** Types the confirmation that a dialog asks for. */
  async confirm() {
    const asked = (await this.dialog.locator(".typed label").innerText()).split(": ").at(-1) ?? "";
    await this.dialog.locator(".typed input").fill(asked);
  }

  /** Fills fields of a dialog by name. @param {Record<string, string>} values */
  async fill(values) {
    for (const [name, value] of Object.entries(values)) {
      const field = this.dialog.locator(`[name="${name}"]`);
      if (await field.evaluate((input) => input.localName === "select")) await field.selectOption(value);
      else await field.fill(value);
    }
  }

  /** Reads the secret in the dialog and closes it. */
  async takeSecret() {
    const secret = await this.dialog.locator("#secret").innerText();
    await this.press("Copy");
    await this.dialog.getByText("Copied.").waitFor();
    await this.press("Close");
    await this.dialog.waitFor({ state: "detached" });
    return secret;
  }

  /** Waits for a notice. @param {string} text */
  async notice(text) {
    await this.page.locator("#notice", { hasText: text }).waitFor();
    await this.ready();
  }

  /** The texts of the rows of the first table. */
  async rows() {
    const rows = await this.page.locator("table").first().locator("tbody tr").allInnerTexts();
    return rows.map((row) => row.replace(/\s+/g, " "));
  }

  /** Reloads the page until it shows a text, because counts arrive later. @param {RegExp} text */
  async until(text) {
    for (let tries = 0; tries < 60; tries += 1) {
      if (text.test(await this.page.locator("#page").innerText())) return;
      await this.page.waitForTimeout(500);
      await this.page.reload();
      await this.ready();
    }
    assert.fail(`no ${text} in ${await this.page.locator("#page").innerText()}`);
  }

  /**
   * Sends a request to the admin API as the page does.
   * @param {"GET" | "POST" | "PATCH"} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async api(method, path, body) {
    const token = await this.page.evaluate(() => localStorage.getItem("lacre-console:session") ?? "");
    const headers = { origin: this.origin, "x-console-session": token, "idempotency-key": randomUUID() };
    const options = { method, headers, ...(body === undefined ? {} : { data: body }) };
    const response = await this.page.context().request.fetch(`${this.origin}/api/admin/${path}`, options);
    assert.ok(response.ok(), `${method} ${path}: ${response.status()} ${await response.text()}`);
    return response.json();
  }

  /** Checks the current page in light and dark for axe violations and width, and takes screenshots. @param {string} name */
  async inspect(name) {
    const folder = join(ARTIFACTS, "screenshots");
    await mkdir(folder, { recursive: true });
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
      assert.deepEqual(await faults(this.page), [], `${name}, ${colorScheme}`);
    }
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} pixels too wide`);
    await this.page.emulateMedia({ colorScheme: null });
  }
}

/**
 * Creates a client with a license, and returns their ids.
 * @param {Console} console
 * @param {{ name?: string, environment?: string, limit?: number }} [options]
 */
export async function newLicense(console, { name = "Conflict Company", environment = "STAGING", limit = 100 } = {}) {
  const client = await console.api("POST", "clients", { name });
  const terms = { environment, expires_at: "2099-12-31T23:59:59Z", volume_limit: limit, authorized_origins: [ORIGIN] };
  return { client, license: await console.api("POST", `clients/${client.id}/licenses`, terms) };
}

/**
 * Makes a capture with plain requests, from a page in staging.
 * @param {LocalService} service
 * @param {{ apiKey: string, licenseKey: string, reference: string }} integrator
 */
export async function captureInStaging(service, { apiKey, licenseKey, reference }) {
  const base = service.get("BASE_URL");
  const wanted = { reference_id: reference, license_key: licenseKey };
  const { token } = await post(`${base}/web/sessions`, wanted, { "x-api-key": apiKey });
  return capture(base, token, ORIGIN);
}

/**
 * Captures the photo of a session with plain requests.
 * @param {string} base the address of the API
 * @param {string} token
 * @param {string} origin the page's
 * @returns {Promise<string>} the frame's SHA-256
 */
export async function capture(base, token, origin) {
  const page = { origin, "user-agent": userAgent("Chrome on an Android phone") };
  const session = await answer(fetch(`${base}/web/sessions/${token}`, { headers: page }));
  const frame = await newFrame();
  await fetch(session.upload_url, { method: session.upload_method, headers: session.upload_headers, body: frame });
  const { nonce, photo_order, image_key } = session;
  const hash = createHash("sha256").update(frame).digest("hex");
  await post(`${base}/web/ingest`, {
    token, nonce, photo_order, image_key,
    frame_hash: hash,
    extra_frame_hashes: [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")],
    gps_lat: 0, gps_lon: 0, gps_accuracy: 9999,
    captured_at_ms: Date.now(),
  }, page);
  return hash;
}

/** @param {string} url @param {object} body @param {Record<string, string>} headers */
function post(url, body, headers) {
  const type = { "content-type": "application/json" };
  return answer(fetch(url, { method: "POST", headers: { ...type, ...headers }, body: JSON.stringify(body) }));
}

/** @param {Promise<Response>} request @returns {Promise<any>} */
async function answer(request) {
  const response = await request;
  const text = await response.text();
  assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** The sample frame with a random comment, so that it is not a duplicate. */
async function newFrame() {
  const sample = await readFile(join(ROOT, "events/frame.jpg"));
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x12]), randomBytes(16)]);
  return Buffer.concat([sample.subarray(0, 2), comment, sample.subarray(2)]);
}
