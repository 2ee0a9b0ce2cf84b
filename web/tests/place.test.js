// The position and heading of the photo, as the browser reports them, and photos without them.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { PORTUGUESE } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { asksForCompass, pointTo, turnTo } from "./harness/compass.js";
import { PLACE } from "./harness/phone.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });
const IPHONE = { agent: "Safari on iPhone", before: asksForCompass };

/** Runs in the page: the browser will prompt for the position. */
function asksForPosition() {
  const { watchPosition } = Geolocation.prototype;
  navigator.permissions.query = async () => /** @type {PermissionStatus} */ ({ state: "prompt" });
  Geolocation.prototype.watchPosition = function (...options) {
    window.positionAsked = true;
    return watchPosition.apply(this, options);
  };
}

/** Runs in the page: no position is found until the test provides one. */
function findsNoPosition() {
  const { watchPosition } = Geolocation.prototype;
  Geolocation.prototype.watchPosition = function (...options) {
    window.findPosition = () => watchPosition.apply(this, options);
    return 0;
  };
}

/**
 * Takes the photo, and returns the recorded capture.
 * @param {import("./harness/phone.js").Phone} phone
 * @param {import("./harness/service.js").LocalService} service
 * @param {string} token
 */
async function recorded(phone, service, token) {
  await phone.capture();
  await phone.event("uploaded");
  const { photos: [photo] } = await service.results(token);
  return photo;
}

describe("the position", () => {
  test("is sent unchanged", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    const place = { latitude: -9.123456789012, longitude: 179.99999999, accuracy: 3.0625 };
    await phone.page.context().setGeolocation(place);
    await phone.openCamera({ token });
    const { gps_lat, gps_lon, gps_accuracy } = await recorded(phone, service, token);
    assert.deepEqual({ latitude: gps_lat, longitude: gps_lon, accuracy: gps_accuracy }, place);
  });

  test("is 0, 0, 9999 if refused", async (t) => {
    const { service, phone } = await scene(t, browser, { granted: ["camera"] });
    const token = await service.createSession();
    await phone.openCamera({ token });
    const { gps_lat, gps_lon, gps_accuracy } = await recorded(phone, service, token);
    assert.deepEqual({ gps_lat, gps_lon, gps_accuracy }, { gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 });
  });
});

describe("a required position", () => {
  /**
   * Opens the camera under a license that requires a position.
   * @param {import("node:test").TestContext} t
   * @param {Parameters<typeof scene>[2]} [options]
   */
  async function opened(t, options) {
    const { service, phone } = await scene(t, browser, options);
    const token = await service.createSession("LICENSE_KEY_GPS_REQUIRED");
    await phone.openCamera({ token, licenseKey: service.get("LICENSE_KEY_GPS_REQUIRED") });
    return { phone, sends: () => recorded(phone, service, token) };
  }

  test("is requested after an explanation", async (t) => {
    const { phone, sends } = await opened(t, { before: asksForPosition });
    await phone.waitForState("position");
    assert.equal(await phone.part("detail").innerText(), PORTUGUESE.position);
    assert.equal(await phone.page.evaluate(() => window.positionAsked), undefined);
    await phone.tap("position-allow");
    await phone.waitForState("live");
    assert.equal((await sends()).gps_lat, PLACE.latitude);
  });

  for (const [agent, advice] of /** @type {const} */ ([
    ["Chrome on an Android phone", PORTUGUESE.positionInChrome], ["Safari on iPhone", PORTUGUESE.positionInSafari],
  ])) {
    test(`is requested again after a refusal: ${agent}`, async (t) => {
      const { phone, sends } = await opened(t, { agent, granted: ["camera"] });
      await phone.part("detail").getByText(advice, { exact: true }).waitFor();
      assert.equal(await phone.part("shutter").isVisible(), false);
      await phone.tap("position-allow");
      await phone.part("detail").getByText(advice, { exact: true }).waitFor();
      await phone.grant(["camera", "geolocation"]);
      await phone.tap("position-allow");
      await phone.waitForState("live");
      assert.deepEqual((await phone.events()).map(({ type }) => type), ["opened"]);
      assert.equal((await sends()).gps_lat, PLACE.latitude);
      assert.deepEqual(await phone.complaints(), []);
    });
  }

  test("is awaited with an explanation", async (t) => {
    const { service, phone } = await scene(t, browser, { before: findsNoPosition });
    const token = await service.createSession("LICENSE_KEY_GPS_REQUIRED");
    await phone.page.clock.install();
    await phone.openCamera({ token, licenseKey: service.get("LICENSE_KEY_GPS_REQUIRED") });
    await phone.part("message").getByText(PORTUGUESE.locating, { exact: true }).waitFor();
    await phone.page.clock.fastForward(10_100);
    await phone.part("message").getByText(PORTUGUESE.positionLate, { exact: true }).waitFor();
    await phone.page.evaluate(() => window.findPosition());
    await phone.waitForState("live");
  });
});

describe("the heading", () => {
  test("is the rear camera's on Android", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await phone.openCamera({ token });
    // Upright, and turned a quarter to the left from north.
    await phone.page.evaluate(turnTo, { alpha: 90, beta: 90, gamma: 0 });
    assert.equal((await recorded(phone, service, token)).heading, 270);
  });

  // The person first allows the page to use the compass.
  test("is the compass's on iOS", async (t) => {
    const { service, phone } = await scene(t, browser, IPHONE);
    const token = await service.createSession();
    const opened = phone.openCamera({ token });
    await phone.waitForState("compass");
    assert.equal(await phone.liveTracks(), 0);
    await phone.tap("compass-allow");
    await opened;
    assert.equal(await phone.page.evaluate(() => window.compassGranted), true);
    await phone.page.evaluate(pointTo, 123.4);
    assert.equal((await recorded(phone, service, token)).heading, 123.4);
  });

  test("is missing on iOS if skipped", async (t) => {
    const { service, phone } = await scene(t, browser, IPHONE);
    const token = await service.createSession();
    const opened = phone.openCamera({ token });
    await phone.waitForState("compass");
    await phone.tap("compass-skip");
    await opened;
    assert.equal(await phone.page.evaluate(() => window.compassGranted), undefined);
    assert.equal((await recorded(phone, service, token)).heading, undefined);
  });

  test("closing the question cancels the attempt", async (t) => {
    const { service, phone } = await scene(t, browser, IPHONE);
    const opened = phone.openCamera({ token: await service.createSession() });
    await phone.waitForState("compass");
    await phone.page.keyboard.press("Escape");
    await opened;
    assert.deepEqual(await phone.events(), [{ type: "closed", detail: { reason: "cancelled" } }]);
    assert.deepEqual(await phone.complaints(), []);
  });
});
