// A phone with a page open: what a person sees and taps, and the events of the page.

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
 * The table that tests the service, too.
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
/** Where the phone is. */
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
  /** What limits the network: one session, for they overrule each other. @type {CDPSession | undefined} */
  #network;
  /** The name that the gateway gave to the last request that it answered. @type {string | undefined} */
  #answerId;
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    page.on("response", (response) => {
      this.#answerId = response.headers()["apigw-requestid"] ?? this.#answerId;
    });
  }

  /** The gateway's name for the last request that it answered. */
  answerId() {
    assert.ok(this.#answerId, "the gateway answered nothing");
    return this.#answerId;
  }

  /**
   * Opens a page on a phone, until the scope ends.
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
    // Playwright's phone has one touch point, and phones have five.
    await (await phone.protocol()).send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
    await phone.grant(granted, url);
    if (options.hosted) await phone.page.goto(url);
    else await phone.visit(url);
    return phone;
  }

  /**
   * What is not granted is refused at once: no person is there to answer.
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

  /** Every event that the page received. @returns {Promise<PageEvent[]>} */
  events() {
    return this.page.evaluate(() => window.pageEvents);
  }

  /**
   * Waits for an event, and returns its detail.
   * @param {string} type
   */
  async event(type) {
    await this.page.waitForFunction((type) => window.pageEvents.some((event) => event.type === type), type)
      .catch(async (cause) => { throw new Error(`no ${type} in ${JSON.stringify(await this.events())}`, { cause }); });
    return (await this.events()).find((event) => event.type === type)?.detail;
  }

  /** The error in the event of the page. */
  async error() {
    return (await this.event("error")).error;
  }

  /** What distinguishes the photo under review from another one. @returns {Promise<string>} */
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

  /** How many of the camera's tracks are live. */
  liveTracks() {
    return this.page.evaluate(() => {
      const video = window.camera.shadowRoot?.querySelector("video");
      const stream = /** @type {MediaStream | null | undefined} */ (video?.srcObject);
      return stream?.getTracks().filter((track) => track.readyState === "live").length ?? 0;
    });
  }

  /** Remembers the camera's track, beyond the life of the dialog. */
  async holdTrack() {
    await this.page.evaluate(() => {
      const stream = /** @type {MediaStream} */ (window.camera.shadowRoot?.querySelector("video")?.srcObject);
      window.track = stream.getVideoTracks()[0];
    });
  }

  /** The camera is taken away. */
  async loseCamera() {
    await this.holdTrack();
    await this.page.evaluate(() => {
      window.track?.stop();
      window.track?.dispatchEvent(new Event("ended"));
    });
  }

  /** Whether the remembered track is live. */
  heldTrack() {
    return this.page.evaluate(() => window.track?.readyState);
  }

  /**
   * From now on the network sends 50 kB in a second, and waits so long for answers; or it is gone.
   * @param {{ latency?: number, offline?: boolean }} [options] the latency in milliseconds
   */
  async limitNetwork({ latency = 50, offline = false } = {}) {
    this.#network ??= await this.protocol();
    await this.#network.send("Network.enable");
    const conditions = { offline, latency, downloadThroughput: -1, uploadThroughput: 50_000 };
    await this.#network.send("Network.emulateNetworkConditions", conditions);
  }

  /**
   * The requests from now on whose address holds a text, but for preflights.
   * @param {string} path
   * @returns {import("playwright-core").Request[]} which grows
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
   * What the service answers to the ingests from now on. A page reads an answer in parts, and then the browser may have nothing
   * left of it to ask for.
   * @returns {Promise<any[]>} which grows
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

  /** What went wrong unnoticed: scripts that failed, and what the page's policy refused. */
  complaints() {
    return this.page.evaluate(() => [...window.failures, ...window.violations]);
  }

  /**
   * @param {string} name
   * @param {{ fullPage?: boolean }} [options]
   */
  async screenshot(name, options) {
    const path = join(ARTIFACTS, "screenshots", `${name}.png`);
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path, ...options });
  }

  /**
   * Speaks to the browser in its own protocol, for what playwright has no words for.
   * @returns {Promise<CDPSession>}
   */
  protocol() {
    return this.page.context().newCDPSession(this.page);
  }
}
