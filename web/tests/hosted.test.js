// The hosted page, from the link to the redirect.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { PORTUGUESE as CAMERA_TEXTS } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, REDIRECT, arrival, inspect, openLink, press, shows, take } from "./harness/hosted.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after });

test("redirects after three photos", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const phone = await openLink(t, browser, service, `?token=${token}`, { viewport: { width: 320, height: 640 } });
  const { page } = phone;
  const arrived = await arrival(page);
  const loads = phone.requests("/web/sessions/");
  await shows(page, PORTUGUESE.start.title);
  assert.deepEqual(loads, []);
  assert.equal(new URL(page.url()).search, "", "the token has left the address bar");
  assert.equal(await page.evaluate(() => history.length), 2, "and is not behind the page");
  await inspect(page, "start");
  await phone.screenshot("hosted-start");

  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  await phone.screenshot("hosted-camera");
  await take(phone, "Foto 1 de 3");
  await phone.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  assert.equal((await service.hostedResults(token)).status, "partial");

  await page.reload();
  await shows(page, PORTUGUESE.resume.title);
  await page.getByText("1 de 3 fotos enviadas").waitFor();
  await inspect(page, "resume");
  await phone.screenshot("hosted-resume");
  await press(page, PORTUGUESE.goOn);
  await take(phone, "Foto 2 de 3");
  await phone.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  await take(phone, "Foto 3 de 3");
  await shows(page, PORTUGUESE.redirecting.title);
  await phone.screenshot("hosted-redirecting");

  const { url, referer } = await arrived();
  const { status, photos } = await service.hostedResults(token);
  assert.equal(status, "captured");
  // Each photo but the first after a load came along with the answer to the one before. The profile's photos have no labels.
  assert.equal(loads.length, 2);
  assert.deepEqual(photos.map((/** @type {any} */ photo) => photo.label), ["", "", ""]);
  assert.equal(url, `${REDIRECT}&svc_session_token=${token}&svc_session_id=${photos[2].session_id}`);
  assert.equal(referer, undefined);
  for (const { authenticated_jpeg_url } of photos) {
    const photo = new Uint8Array(await (await fetch(authenticated_jpeg_url)).arrayBuffer());
    assert.equal((await service.verify(photo)).valid, true);
  }
  // The link is used up, and says so when it is opened again.
  const again = await openLink(t, browser, service, `?token=${token}`);
  await shows(again.page, PORTUGUESE.used.title);
  await again.screenshot("hosted-used");
});

test("crops photos as the profile says", async (t) => {
  const service = await LocalService.start(t);
  for (const [profile, ratio] of /** @type {[string, number][]} */ ([["real_estate", 3 / 4], ["high_value_item", 1]])) {
    const phone = await openLink(t, browser, service, `?token=${await service.createHosted(profile)}`);
    await press(phone.page, PORTUGUESE.begin);
    await phone.waitForState("live");
    const box = await phone.part("video").boundingBox();
    assert.ok(box && Math.abs(box.width / box.height - ratio) < 0.01, `${profile} ${JSON.stringify(box)}`);
  }
});

test("a lost answer loses no photo", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("real_estate");
  const phone = await openLink(t, browser, service, `?token=${token}`);
  const { page } = phone;
  const arrived = await arrival(page);
  let losing = true;
  await page.route("**/web/ingest", async (route) => {
    if (!losing) return route.continue();
    assert.equal((await route.fetch()).status(), 200);
    return route.abort();
  });
  await press(page, PORTUGUESE.begin);
  await take(phone);
  await phone.part("detail").getByText(CAMERA_TEXTS.kept).waitFor();
  await inspect(page, "kept");
  await phone.screenshot("hosted-kept");
  losing = false;
  await phone.tap("again");
  await take(phone, "Foto 2 de 3");
  await phone.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  losing = true;
  await take(phone, "Foto 3 de 3");
  await phone.tap("again");
  const { url } = await arrived();
  const last = (await service.hostedResults(token)).photos[2].session_id;
  assert.ok(url.endsWith(`svc_session_id=${last}`), url);
});

test("the link outlives a discarded photo", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted("real_estate")}`);
  await phone.page.route("**/web/ingest", (route) => route.abort());
  await press(phone.page, PORTUGUESE.begin);
  await take(phone);
  await phone.part("again").waitFor();
  await phone.tap("close");
  await shows(phone.page, PORTUGUESE.start.title);
});

test("a reopened page resumes the session", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const first = await openLink(t, browser, service, `?token=${token}`);
  await press(first.page, PORTUGUESE.begin);
  await take(first, "Foto 1 de 3");
  await first.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await first.page.close();
  const second = await openLink(t, browser, service, `?token=${token}`);
  await press(second.page, PORTUGUESE.goOn);
  await take(second, "Foto 2 de 3");
  await second.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  // After the person closes the camera, the page offers to resume.
  await second.tap("close");
  await shows(second.page, PORTUGUESE.resume.title);
});

test("links in one tab share nothing", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted("vehicle_inspection")}`);
  const { page } = phone;
  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  const other = await service.createHosted();
  const second = await openLink(t, browser, service, `?token=${other}`);
  const arrived = await arrival(second.page);
  await press(second.page, PORTUGUESE.begin);
  await take(second);
  await arrived();
  // The link is used up: the first session's redirect must not get this token.
  const requests = phone.requests("localhost:3999");
  await page.goto(`${service.get("CAPTURE_URL")}/?token=${other}`);
  await shows(page, PORTUGUESE.used.title);
  assert.deepEqual(requests, []);
});

// The page is asking the service which photos have arrived.
test("offers no button while checking", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted("real_estate")}`);
  const { page } = phone;
  await shows(page, PORTUGUESE.start.title);
  /** @type {(() => void)[]} */
  const waiting = [];
  await page.route("**/web/session-status/**", async (route) => {
    await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    await route.continue();
  });
  await page.route("**/web/sessions/**", (route) => route.abort());
  await press(page, PORTUGUESE.begin);
  await shows(page, PORTUGUESE.checking.title);
  await inspect(page, "checking");
  assert.equal(await page.getByRole("button").count(), 0);
  for (const answer of waiting) answer();
  await shows(page, PORTUGUESE.noNetwork.title);
});

test("another phone's photo requires a retake", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const one = await openLink(t, browser, service, `?token=${token}`);
  // An upload URL that expires soon, so that the session is reloaded during the review.
  await one.page.route("**/web/sessions/**", async (route) => {
    // Playwright's own request lacks the header, by which the service knows its page.
    const response = await route.fetch({ headers: { ...route.request().headers(), "sec-fetch-site": "same-origin" } });
    const session = await response.json();
    const upload_expires_at = new Date(session.server_time_ms + 60_000).toISOString();
    await route.fulfill({ response, json: { ...session, upload_expires_at } });
  });
  await press(one.page, PORTUGUESE.begin);
  await one.waitForState("live");
  const other = await openLink(t, browser, service, `?token=${token}`);
  await press(other.page, PORTUGUESE.begin);
  await take(other, "Foto 1 de 3");
  await other.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await take(one, "Foto 1 de 3");
  await one.part("message").filter({ hasText: CAMERA_TEXTS.elsewhere }).waitFor();
  await take(one, "Foto 2 de 3");
  await one.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  assert.equal((await service.hostedResults(token)).captured_count, 2);
});

test("retries reading the result", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`);
  const { page } = phone;
  const arrived = await arrival(page);
  let failing = true;
  await page.route("**/web/ingest", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 409, json: { error: "Sessão já utilizada" } });
  });
  await page.route("**/web/session-results/**", (route) => (failing ? route.abort() : route.continue()));
  await press(page, PORTUGUESE.begin);
  await take(phone);
  await shows(page, PORTUGUESE.noNetwork.title);
  failing = false;
  await press(page, PORTUGUESE.again);
  assert.ok((await arrived()).url.includes("svc_session_id="));
});

test("two phones share one link", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const phones = [await openLink(t, browser, service, `?token=${token}`), await openLink(t, browser, service, `?token=${token}`)];
  const [one, other] = phones;
  assert.ok(one && other);
  for (const phone of phones) {
    await press(phone.page, PORTUGUESE.begin);
    await phone.waitForState("live");
  }
  await take(one, "Foto 1 de 3");
  await one.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await take(other, "Foto 1 de 3");
  await shows(other.page, PORTUGUESE.elsewhere.title);
  await other.screenshot("hosted-elsewhere");
  await press(other.page, PORTUGUESE.goOn);
  await take(other, "Foto 2 de 3");
  await other.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  assert.equal((await service.hostedResults(token)).captured_count, 2);
});
