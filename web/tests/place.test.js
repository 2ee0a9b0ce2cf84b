// Where the photo was taken, and towards what: as the browser returns it, or not at all.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { asksForCompass, pointTo, turnTo } from "./harness/compass.js";
import { scene } from "./harness/scene.js";

const browser = await startBrowser({ after });
const IPHONE = { agent: "Safari on iPhone", before: asksForCompass };

/**
 * Takes the photo, and answers with what the service recorded of it.
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
  test("is sent untransformed", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    const place = { latitude: -9.123456789012, longitude: 179.99999999, accuracy: 3.0625 };
    await phone.page.context().setGeolocation(place);
    await phone.openCamera({ token });
    const { gps_lat, gps_lon, gps_accuracy } = await recorded(phone, service, token);
    assert.deepEqual({ latitude: gps_lat, longitude: gps_lon, accuracy: gps_accuracy }, place);
  });

  test("is 0, 0, 9999 where it is refused", async (t) => {
    const { service, phone } = await scene(t, browser, { granted: ["camera"] });
    const token = await service.createSession();
    await phone.openCamera({ token });
    const { gps_lat, gps_lon, gps_accuracy } = await recorded(phone, service, token);
    assert.deepEqual({ gps_lat, gps_lon, gps_accuracy }, { gps_lat: 0, gps_lon: 0, gps_accuracy: 9999 });
  });
});

describe("the heading", () => {
  test("on Android is where the rear camera looks", async (t) => {
    const { service, phone } = await scene(t, browser);
    const token = await service.createSession();
    await phone.openCamera({ token });
    // Upright, and turned a quarter to the left from north.
    await phone.page.evaluate(turnTo, { alpha: 90, beta: 90, gamma: 0 });
    assert.equal((await recorded(phone, service, token)).heading, 270);
  });

  test("on iOS is the compass's, once the person allows it", async (t) => {
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

  test("on iOS is none, where the person goes on without", async (t) => {
    const { service, phone } = await scene(t, browser, IPHONE);
    const token = await service.createSession();
    const opened = phone.openCamera({ token });
    await phone.waitForState("compass");
    await phone.tap("compass-skip");
    await opened;
    assert.equal(await phone.page.evaluate(() => window.compassGranted), undefined);
    assert.equal((await recorded(phone, service, token)).heading, undefined);
  });

  test("the question can be closed, too", async (t) => {
    const { service, phone } = await scene(t, browser, IPHONE);
    const opened = phone.openCamera({ token: await service.createSession() });
    await phone.waitForState("compass");
    await phone.page.keyboard.press("Escape");
    await opened;
    assert.deepEqual(await phone.events(), [{ type: "closed", detail: { reason: "cancelled" } }]);
    assert.deepEqual(await phone.complaints(), []);
  });
});
