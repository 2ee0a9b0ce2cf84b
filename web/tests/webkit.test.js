// The component and the hosted page in WebKitGTK, Safari's engine, with a simulated camera. Not covered: compass and
// its permission, real positions (one is injected), and an iPhone's cameras, screen and memory. The engine's driver
// grants every permission, so a refused camera is an error that the page gets once instead of a picture.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";

import { until } from "selenium-webdriver";

import { PORTUGUESE as texts } from "../hosted/texts.js";
import { PORTUGUESE } from "../src/texts.js";
import { cuttingProxy, LOST } from "./harness/cutting-proxy.js";
import { servePage } from "./harness/pages.js";
import { PACKAGE } from "./harness/places.js";
import { LocalService } from "./harness/service.js";
import { readPhoto } from "./harness/signed-photo.js";
import { MISSING, startWebKit } from "./harness/webkit.js";

/** @typedef {import("./harness/service.js").Scope} Scope */

const PATIENCE = 30_000;
/** Without the engine these tests are skipped with a message. */
const skip = MISSING ? `missing: ${MISSING}` : false;
const [driver, service] = /** @type {[import("selenium-webdriver").WebDriver, LocalService]} */ (
  skip ? [] : [await startWebKit({ after }), await LocalService.start({ after })]);
if (!skip) await recordRecapture();

/** The engine's camera shows an animated drawing, which the gate sometimes takes for a screen. It must not refuse. */
async function recordRecapture() {
  const { clients } = await service.administer("client", "list");
  for (const client of clients) {
    const { licenses } = await service.administer("license", "list", "--client", client.id);
    for (const { id, status } of licenses) {
      if (status === "active") await service.administer("license", "configure", id, "--recapture-gate", "record");
    }
  }
}

/**
 * Waits for a condition; a timeout reports what the page shows.
 * @template T
 * @param {import("selenium-webdriver").Condition<T> | (() => Promise<T>)} condition
 * @param {string} what
 * @returns {Promise<T>}
 */
async function eventually(condition, what) {
  return driver.wait(condition, PATIENCE, what).catch(async (cause) => {
    const shown = await driver.executeScript(`return [location.href, window.pageEvents, document.body.innerText,
      document.querySelector("svc-camera")?.shadowRoot?.querySelector("dialog")?.innerText]`);
    throw new Error(`not ${what}: ${JSON.stringify(shown)}`, { cause });
  });
}

/**
 * Waits for a title, which does not exist until the page's script has run.
 * @param {string} title
 */
async function shows(title) {
  const now = () => driver.executeScript("return document.querySelector('h1')?.innerText");
  await eventually(async () => (await now()) === title, title);
}

/** @param {string} part of the component */
async function part(part) {
  const root = await driver.findElement({ css: "svc-camera" }).getShadowRoot();
  return root.findElement({ css: `[part="${part}"]` });
}

/** @param {string} state */
async function inState(state) {
  const now = () => driver.executeScript("return document.querySelector('svc-camera').shadowRoot.querySelector('dialog')?.dataset.state");
  await eventually(async () => (await now()) === state, state);
}

/**
 * Opens an integrator's page with the component.
 * @param {Scope} scope
 * @param {Record<string, string>} attributes
 */
async function openPage(scope, attributes) {
  const port = await servePage(scope, service, { attributes });
  await driver.get(`http://localhost:${port}/`);
  await eventually(() => driver.executeScript("return Boolean(window.camera?.open)"), "loaded");
}

let openings = 0;

/**
 * Injects a position, which this engine lacks, and a smaller camera: simulating 2560x1440 takes more than one core,
 * and the engine drops frames that it cannot convert in time. No two openings of it have the same size, because each
 * begins with the same drawing, and the service refuses a frame that it has.
 */
async function equip() {
  openings += 1;
  await driver.executeScript(`navigator.geolocation.watchPosition = (follow) => {
    follow({ coords: { latitude: -23.55052, longitude: -46.633308, accuracy: 12.5 } });
    return 1;
  };
  const { mediaDevices } = navigator;
  const open = mediaDevices.getUserMedia.bind(mediaDevices);
  const width = 1280 - 16 * arguments[0];
  let height = 720;
  mediaDevices.getUserMedia = ({ video, ...others }) =>
    open({ ...others, video: { ...video, width: { ideal: width }, height: { ideal: height -= 2 } } });`, openings);
}

/**
 * The events of the page so far.
 * @returns {Promise<{ type: string, detail: any }[]>}
 */
async function events() {
  return driver.executeScript("return window.pageEvents");
}

/** What the page complained about, without /favicon.ico: the engine asks for it, and the page's policy blocks it. */
async function complaints() {
  const all = /** @type {string[]} */ (await driver.executeScript("return [...window.violations, ...window.failures]"));
  return all.filter((complaint) => complaint !== "img-src");
}

/** @param {string} token */
function open(token) {
  return driver.executeScript("window.camera.open({ token: arguments[0] })", token);
}

/** Takes a photo of a frame that came after the last photo. @param {string} [label] */
async function take(label) {
  if (label) await eventually(until.elementTextContains(await part("label"), label), label);
  await inState("live");
  await driver.executeAsyncScript(`const [done] = arguments;
    document.querySelector("svc-camera").shadowRoot.querySelector("video").requestVideoFrameCallback(() => done());`);
  await (await part("shutter")).click();
  await inState("review");
  await (await part("confirm")).click();
}

/** Starts the capture once the page's script has drawn its button. */
async function begin() {
  const button = await eventually(until.elementLocated({ css: "button.primary" }), "a button");
  await equip();
  await button.click();
}

/** @param {string} name */
async function inspect(name) {
  const axe = readFileSync(join(PACKAGE, "node_modules/axe-core/axe.min.js"), "utf8");
  const found = await driver.executeAsyncScript(`const done = arguments[0]; ${axe};
    axe.run().then(({ violations, passes }) => done({ ids: violations.map(({ id }) => id), passes: passes.length }));`);
  const { ids, passes } = /** @type {{ ids: string[], passes: number }} */ (found);
  assert.ok(passes > 0, name);
  assert.deepEqual(ids, [], name);
}

test("the engine supports the component", { skip }, async (t) => {
  await openPage(t, { "license-key": service.get("LICENSE_KEY") });
  const [supported, secure, agent] = /** @type {[boolean, boolean, string]} */ (await driver.executeScript(
    "return [window.camera.isUserAgentSupported(), isSecureContext, navigator.userAgent]"));
  t.diagnostic(agent);
  assert.deepEqual([supported, secure], [true, true]);
});

test("takes a framed photo that verifies", { skip }, async (t) => {
  await openPage(t, { "license-key": service.get("LICENSE_KEY_ALWAYS"), framing: "square" });
  await equip();
  const token = await service.createSession("LICENSE_KEY_ALWAYS");
  await open(token);
  await take();
  await eventually(async () => (await events()).some(({ type }) => type === "closed"), "closed");
  const seen = await events();
  assert.deepEqual([...new Set(seen.map(({ type }) => type))], ["opened", "captured", "uploading", "uploaded", "closed"]);
  const taken = seen.find(({ type }) => type === "captured")?.detail;
  assert.equal(taken.width, taken.height);
  const { photos: [photo] } = await service.results(token);
  assert.deepEqual([photo.gps_lat, photo.gps_accuracy], [-23.55052, 12.5]);
  const signed = new Uint8Array(await (await fetch(photo.authenticated_jpeg_url)).arrayBuffer());
  assert.equal((await service.verify(signed)).valid, true);
  assert.deepEqual(await complaints(), []);
});

// The engine has two cameras, and the rear one has a torch and a zoom.
test("reopens the rear camera after calls", { skip }, async (t) => {
  await openPage(t, { "license-key": service.get("LICENSE_KEY") });
  await equip();
  const token = await service.createSession();
  await open(token);
  await inState("live");
  const video = "document.querySelector('svc-camera').shadowRoot.querySelector('video')";
  const camera = () => driver.executeScript(`const track = ${video}.srcObject.getVideoTracks()[0];
    const { torch, zoom, facingMode } = track.getSettings();
    return { torch, zoom, facingMode, label: track.label, id: track.id };`);
  const opened = /** @type {Record<string, any>} */ (await camera());
  assert.deepEqual([opened.facingMode, opened.zoom, opened.torch], ["environment", 1, false]);
  const shown = await Promise.all(["torch", "zoom", "lens"].map(async (name) => (await part(name)).isDisplayed()));
  assert.deepEqual(shown, [true, true, false]);

  await (await part("torch")).click();
  await (await part("zoom")).click();
  await eventually(async () => {
    const { torch, zoom } = /** @type {Record<string, any>} */ (await camera());
    return torch === true && zoom === 2;
  }, "torch and zoom");

  // Mutes the track, as a phone call does.
  await driver.executeScript(`const track = ${video}.srcObject.getVideoTracks()[0];
    Object.defineProperty(track, "muted", { value: true });
    track.dispatchEvent(new Event("mute"));`);
  await eventually(async () => (await driver.executeScript(`return ${video}.srcObject?.getVideoTracks()[0]?.id`)) !== opened.id, "another track");
  await eventually(until.elementTextIs(await part("message"), PORTUGUESE.live), PORTUGUESE.live);
  const reopened = /** @type {Record<string, any>} */ (await camera());
  assert.deepEqual([reopened.label, reopened.facingMode], [opened.label, "environment"]);
  await take();
  await eventually(async () => (await service.results(token)).status === "captured", "captured");
});

test("opens after a refused permission", { skip }, async (t) => {
  await openPage(t, { "license-key": service.get("LICENSE_KEY") });
  await equip();
  await driver.executeScript(`const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia;
    mediaDevices.getUserMedia = () => {
      mediaDevices.getUserMedia = open;
      return Promise.reject(new DOMException("refused", "NotAllowedError"));
    };`);
  const token = await service.createSession();
  await open(token);
  await eventually(until.elementTextIs(await part("detail"), PORTUGUESE.noCameraInSafari), PORTUGUESE.noCameraInSafari);
  const { detail: { error } } = /** @type {{ detail: any }} */ ((await events()).find(({ type }) => type === "error"));
  assert.deepEqual([error.code, error.details], [3001, { name: "NotAllowedError" }]);
  await (await part("dismiss")).click();
  await open(token);
  await take();
  await eventually(async () => (await service.results(token)).status === "captured", "captured");
  assert.deepEqual(await complaints(), []);
});

/** How the network is lost at each step, in words and for the proxy. @type {[string, import("./harness/cutting-proxy.js").Cut?][]} */
const losses = [["in the upload"], ["before the ingest", "before"], ["after the commit", "after"], ["in the answer", "within"]];
for (const [step, cut] of losses) {
  test(`one tap delivers the photo: cut ${step}`, { skip }, async (t) => {
    const proxy = await cuttingProxy(t, service.get("BASE_URL"), cut);
    await openPage(t, { "license-key": service.get("LICENSE_KEY"), "base-url": proxy.url });
    await equip();
    if (!cut) {
      await driver.executeScript(`const [lost, { open }] = [arguments[0], XMLHttpRequest.prototype];
        XMLHttpRequest.prototype.open = function (method) {
          XMLHttpRequest.prototype.open = open;
          open.call(this, method, lost);
        };`, proxy.url + LOST);
    }
    const token = await service.createSession();
    await open(token);
    await take();
    await eventually(async () => (await events()).some(({ type }) => type === "error"), "failed");
    const { detail: { error } } = /** @type {{ detail: any }} */ ((await events()).find(({ type }) => type === "error"));
    assert.equal(error.details.kept, true, JSON.stringify(error));
    assert.equal(await (await part("retake")).isDisplayed(), !cut);
    await (await part("again")).click();
    await eventually(async () => (await events()).some(({ type }) => type === "uploaded"), "uploaded");
    assert.equal((await service.results(token)).status, "captured");
    const signed = /** @type {{ base64: string }} */ (await driver.executeAsyncScript(`const done = arguments[0];
      (${readPhoto})().then(done);`));
    assert.equal((await service.verify(Buffer.from(signed.base64, "base64"))).valid, true);
    assert.deepEqual(await complaints(), []);
  });
}

test("redirects after three hosted photos", { skip }, async (t) => {
  /** @type {string | undefined} */
  let referer;
  const page = createServer((request, response) => {
    if (request.url?.startsWith("/done")) referer = request.headers.referer;
    response.end("<h1>arrived</h1>");
  });
  await new Promise((resolve) => page.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => page.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (page.address());
  const redirect = `http://localhost:${port}/done?claim=42`;
  const token = await service.createHosted("vehicle_inspection", redirect);
  await driver.get(`${service.get("CAPTURE_URL")}/?token=${token}`);
  await shows(texts.start.title);
  assert.equal(new URL(await driver.getCurrentUrl()).search, "");
  await inspect("start");
  await begin();
  await take("Foto 1 de 3");
  await eventually(until.elementTextContains(await part("label"), "Foto 2 de 3"), "Foto 2 de 3");
  await driver.navigate().refresh();
  await shows(texts.resume.title);
  await inspect("resume");
  await begin();
  await take("Foto 2 de 3");
  await take("Foto 3 de 3");
  await shows(texts.redirecting.title);
  await begin();
  await eventually(until.urlContains("/done"), "redirected");
  const { status, photos } = await service.hostedResults(token);
  assert.equal(status, "captured");
  assert.equal(await driver.getCurrentUrl(), `${redirect}&svc_session_token=${token}&svc_session_id=${photos[2].session_id}`);
  assert.equal(referer, undefined);
  for (const { authenticated_jpeg_url } of photos) {
    const photo = new Uint8Array(await (await fetch(authenticated_jpeg_url)).arrayBuffer());
    assert.equal((await service.verify(photo)).valid, true);
  }
});

// A link that is accepted opens the camera, which closes by its button.
test("a refused link gives advice", { skip }, async () => {
  const refused = `?token=${await service.createHosted()}&license_key=${service.get("LICENSE_KEY_FOREIGN")}`;
  await driver.get(`${service.get("CAPTURE_URL")}/${refused}`);
  await begin();
  await shows(texts.license.INVALID_KEY.title);
  await inspect("refused");
  await driver.get(`${service.get("CAPTURE_URL")}/?token=${await service.createHosted()}`);
  await begin();
  await inState("live");
  await (await part("close")).click();
  await shows(texts.start.title);
});
