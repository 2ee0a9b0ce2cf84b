// A phone with an open page: what a person sees and taps, and the page's events.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ARTIFACTS, ROOT } from "./places.js";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").CDPSession} CDPSession */
/** @typedef {import("./service.js").Scope} Scope */
/** @typedef {{ type: string, detail: any }} PageEvent */

/**
 * The table of user agents that also tests the service.
 * @type {{ name: string, supported: boolean, touch_points: number | null, user_agent: string | null }[]}
 */
export const USER_AGENTS = JSON.parse(readFileSync(join(ROOT, "shared/domain/tests/user-agents.json"), "utf8"));

/** @param {string} name of a row of the table */
export function userAgent(name) {
  const row = USER_AGENTS.find((row) => row.name === name);
  if (!row?.user_agent) throw new Error(`no user agent: ${name}`);
  return row.user_agent;
}

export const PORTRAIT = { width: 390, height: 844 };
export const LANDSCAPE = { width: 844, height: 390 };
/** The phone's position. */
export const PLACE = { latitude: -23.55052, longitude: -46.633308, accuracy: 12.5 };

/**
 * @typedef {object} PhoneOptions
 * @property {string} [agent] a row of the table of user agents
 * @property {{ width: number, height: number }} [viewport]
 * @property {("camera" | "geolocation")[]} [granted] what the person allows; the rest is refused
 * @property {boolean} [hosted] a page of the service, which has no recorder of events
 * @property {string} [locale]
 * @property {(() => void) | string} [before] runs in the page before its scripts: for what Chromium lacks
 */

export class Phone {
  page;
  /**
   * The debugger session that limits the network. There is only one, because several override each other.
   * @type {CDPSession | undefined}
   */
  #network;
  /** The gateway's id of the last request with a response. @type {string | undefined} */
  #answerId;
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    page.on("response", (response) => {
      this.#answerId = response.headers()["apigw-requestid"] ?? this.#answerId;
    });
  }

  /** The gateway's id of the last request with a response. */
  answerId() {
    assert.ok(this.#answerId, "the gateway answered nothing");
    return this.#answerId;
  }

  /**
   * Opens a page on a phone until the scope ends.
   * @param {Scope} scope
   * @param {Browser} browser
   * @param {string} url
   * @param {PhoneOptions} [options]
   */
  static async open(scope, browser, url, options = {}) {
    const { agent = "Chrome on an Android phone", viewport = PORTRAIT, before, locale = "pt-BR" } = options;
    const { granted = ["camera", "geolocation"] } = options;
    const context = await browser.newContext({
      userAgent: userAgent(agent),
      viewport,
      locale,
      isMobile: true,
      hasTouch: true,
      deviceScaleFactor: 2,
      geolocation: PLACE,
      ignoreHTTPSErrors: true,
    });
    scope.after(() => context.close());
    if (before) await context.addInitScript(typeof before === "string" ? { content: before } : before);
    const phone = new Phone(await context.newPage());
    // Playwright's phones have one touch point; real ones have five.
    await (await phone.protocol()).send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
    await phone.grant(granted, url);
    if (options.hosted) await phone.page.goto(url);
    else await phone.visit(url);
    return phone;
  }

  /**
   * Grants permissions. All others are refused at once, because nobody could answer a prompt.
   * @param {("camera" | "geolocation")[]} granted
   * @param {string} [url]
   */
  async grant(granted, url = this.page.url()) {
    await this.page.context().grantPermissions(granted, { origin: new URL(url).origin });
  }

  /** @param {string} url of a page of `pages.js` */
  async visit(url) {
    await this.page.goto(url);
    await this.page.waitForFunction(() => window.camera || window.ready);
  }

  /**
   * Calls `open` and waits for it.
   * @param {import("../../src/svc-camera.js").OpenOptions | undefined} options
   */
  async openCamera(options) {
    await this.page.evaluate(async (options) => window.camera.open(options), options);
  }

  /** @param {string} part */
  part(part) {
    return this.page.locator(`svc-camera [part="${part}"]`);
  }

  /** @param {string} part */
  async tap(part) {
    await this.part(part).click();
  }

  /** @param {string} state */
  async waitForState(state) {
    await this.page.locator(`svc-camera dialog[data-state="${state}"]`).waitFor();
  }

  /** Takes the photo and sends it. */
  async capture() {
    await this.tap("shutter");
    await this.waitForState("review");
    await this.tap("confirm");
  }

  /** All events that the page received. @returns {Promise<PageEvent[]>} */
  events() {
    return this.page.evaluate(() => window.pageEvents);
  }

  /**
   * Waits for an event and returns its detail.
   * @param {string} type
   */
  async event(type) {
    await this.page.waitForFunction((type) => window.pageEvents.some((event) => event.type === type), type)
      .catch(async (cause) => { throw new Error(`no ${type} in ${JSON.stringify(await this.events())}`, { cause }); });
    return (await this.events()).find((event) => event.type === type)?.detail;
  }

  /** The error in the page's `error` event. */
  async error() {
    return (await this.event("error")).error;
  }

  /** Identifies the photo under review. @returns {Promise<string>} */
  reviewed() {
    return this.part("review").evaluate(async (image) => {
      const photo = /** @type {HTMLImageElement} */ (image);
      await photo.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [photo.naturalWidth, photo.naturalHeight];
      canvas.getContext("2d")?.drawImage(photo, 0, 0);
      return canvas.toDataURL();
    });
  }

  /** The number of live camera tracks. */
  liveTracks() {
    return this.page.evaluate(() => {
      const video = window.camera.shadowRoot?.querySelector("video");
      const stream = /** @type {MediaStream | null | undefined} */ (video?.srcObject);
      return stream?.getTracks().filter((track) => track.readyState === "live").length ?? 0;
    });
  }

  /** Keeps a reference to the camera's track. */
  async holdTrack() {
    await this.page.evaluate(() => {
      const stream = /** @type {MediaStream} */ (window.camera.shadowRoot?.querySelector("video")?.srcObject);
      window.track = stream.getVideoTracks()[0];
    });
  }

  /** Simulates that the camera is taken away. */
  async loseCamera() {
    await this.holdTrack();
    await this.page.evaluate(() => {
      window.track?.stop();
      window.track?.dispatchEvent(new Event("ended"));
    });
  }

  /** The state of the kept track. */
  heldTrack() {
    return this.page.evaluate(() => window.track?.readyState);
  }

  /**
   * Limits the network, by default uploads to 50 kB a second, or takes it offline.
   * @param {{ latency?: number, download?: number, upload?: number, offline?: boolean }} [options] the latency in
   *   milliseconds, and bytes a second, of which -1 limits nothing
   */
  async limitNetwork({ latency = 50, download = -1, upload = 50_000, offline = false } = {}) {
    this.#network ??= await this.protocol();
    await this.#network.send("Network.enable");
    const conditions = { offline, latency, downloadThroughput: download, uploadThroughput: upload };
    await this.#network.send("Network.emulateNetworkConditions", conditions);
  }

  /** URLs of future preflights. @returns {Promise<string[]>} a list that grows */
  async preflights() {
    /** @type {string[]} */
    const found = [];
    const debugging = await this.protocol();
    await debugging.send("Network.enable");
    debugging.on("Network.requestWillBeSent", ({ request }) => {
      if (request.method === "OPTIONS") found.push(request.url);
    });
    return found;
  }

  /**
   * Future requests whose URL contains a text, without preflights.
   * @param {string} path
   * @returns {import("playwright-core").Request[]} a list that grows
   */
  requests(path) {
    /** @type {import("playwright-core").Request[]} */
    const seen = [];
    this.page.on("request", (request) => {
      if (request.url().includes(path) && request.method() !== "OPTIONS") seen.push(request);
    });
    return seen;
  }

  /**
   * The service's responses to future ingests. They are recorded by a route, because the browser cannot return the
   * body of a response that a page read in parts.
   * @returns {Promise<any[]>} a list that grows
   */
  async receipts() {
    /** @type {any[]} */
    const receipts = [];
    await this.page.route("**/web/ingest", async (route) => {
      const response = await route.fetch();
      receipts.push(await response.json());
      await route.fulfill({ response });
    });
    return receipts;
  }

  /** Script errors, and violations of the page's Content-Security-Policy. */
  complaints() {
    return this.page.evaluate(() => [...window.failures, ...window.violations]);
  }

  /**
   * Keeps a picture of the page in target/web/screenshots if the variable SCREENSHOTS is set.
   * @param {string} name
   * @param {{ fullPage?: boolean }} [options]
   */
  async screenshot(name, options) {
    if (!process.env["SCREENSHOTS"]) return;
    const path = join(ARTIFACTS, "screenshots", `${name}.png`);
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path, ...options });
  }

  /**
   * A debugger session, for features that playwright does not offer.
   * @returns {Promise<CDPSession>}
   */
  protocol() {
    return this.page.context().newCDPSession(this.page);
  }
}
