// A capture from the first tap to the signed photo, against the service, checked by `verify`.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { makeFramesUnique } from "./harness/clip.js";
import { PLACE, userAgent } from "./harness/phone.js";
import { scene } from "./harness/scene.js";
import { readPhoto } from "./harness/signed-photo.js";

const browser = await startBrowser({ after });

// The page's own frame, with the manifest in the response to the ingest, is the only copy of the photo.
test("returns no photo URL under NEVER", async (t) => {
  const { service, phone } = await scene(t, browser);
  const token = await service.createSession("LICENSE_KEY");

  const receipts = await phone.receipts();
  await phone.openCamera({ token, overlay: { label: "Frente do veículo" } });
  await phone.capture();
  const detail = await phone.event("uploaded");
  const [{ session_id }] = receipts;
  const photo = await phone.page.evaluate(readPhoto);

  assert.deepEqual(detail, { session_id, authenticated_jpeg_url: null });
  const report = await service.verify(Buffer.from(photo?.base64 ?? "", "base64"));
  const { captured_at_ms, ...browserSays } = report.browser;
  assert.equal(report.valid, true);
  assert.ok(Math.abs(captured_at_ms - Date.now()) < 120_000);
  assert.equal(browserSays.photo_label, "Frente do veículo");
  assert.equal(browserSays.gps_lat, PLACE.latitude);
  assert.equal(browserSays.gps_lon, PLACE.longitude);
  assert.equal(browserSays.gps_accuracy, PLACE.accuracy);
  assert.equal(browserSays.heading, undefined);
  assert.equal(browserSays.user_agent, userAgent("Chrome on an Android phone"));
  const { status, photos } = await service.results(token);
  assert.equal(status, "captured");
  assert.equal(photos[0].session_id, session_id);
});

test("returns the photo's URL under ALWAYS", async (t) => {
  const { service, phone } = await scene(t, browser, { agent: "Safari on iPhone" });
  const token = await service.createSession("LICENSE_KEY_ALWAYS");

  await phone.openCamera({ token, licenseKey: service.get("LICENSE_KEY_ALWAYS") });
  await phone.capture();
  const { authenticated_jpeg_url, ...rest } = await phone.event("uploaded");

  assert.deepEqual(Object.keys(rest), ["session_id"]);
  const photo = await fetch(authenticated_jpeg_url);
  const report = await service.verify(new Uint8Array(await photo.arrayBuffer()));
  assert.equal(report.valid, true);
  assert.equal(report.browser.photo_label, undefined);
  assert.equal(report.browser.user_agent, userAgent("Safari on iPhone"));
});

test("reports each step as an event", async (t) => {
  const { service, phone } = await scene(t, browser);
  await phone.openCamera({ token: await service.createSession() });
  assert.equal(await phone.liveTracks(), 1);
  await phone.capture();
  await phone.event("closed");

  const events = await phone.events();
  const captured = events.find(({ type }) => type === "captured")?.detail;
  assert.deepEqual([...new Set(events.map(({ type }) => type))], ["opened", "captured", "uploading", "uploaded", "closed"]);
  assert.deepEqual(events[0]?.detail, {});
  assert.deepEqual([captured.width, captured.height], [1920, 1080]);
  const progress = events.filter(({ type }) => type === "uploading").map(({ detail }) => detail);
  assert.deepEqual(progress.at(-1), { loaded: captured.bytes, total: captured.bytes });
  assert.deepEqual(progress, progress.toSorted((one, other) => one.loaded - other.loaded));
  assert.deepEqual(events.at(-1), { type: "closed", detail: { reason: "uploaded" } });
  assert.equal(await phone.part("dialog").count(), 0);
  assert.equal(await phone.liveTracks(), 0);
  assert.deepEqual(await phone.complaints(), []);
});

test("sends only the retaken photo", async (t) => {
  const { service, phone } = await scene(t, browser, { before: makeFramesUnique });
  const token = await service.createSession();
  await phone.openCamera({ token });
  await phone.tap("shutter");
  await phone.waitForState("review");
  const first = await phone.reviewed();
  await phone.tap("retake");
  await phone.waitForState("live");
  await phone.tap("shutter");
  await phone.waitForState("review");
  assert.notEqual(await phone.reviewed(), first);
  await phone.tap("confirm");
  await phone.event("uploaded");

  const events = await phone.events();
  const captured = events.filter(({ type }) => type === "captured").map(({ detail }) => detail.bytes);
  const sent = events.findLast(({ type }) => type === "uploading")?.detail.total;
  assert.equal(captured.length, 2);
  assert.equal(sent, captured[1]);
  assert.equal((await service.results(token)).status, "captured");
});
