// The hosted page, from the link to the redirect.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import jsQR from "jsqr";

import { withResult } from "../hosted/link.js";
import { LANGUAGES, textsFor } from "../hosted/texts.js";
import { faults } from "./harness/axe.js";
import { startBrowser } from "./harness/browser.js";
import { Phone } from "./harness/phone.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("./harness/service.js").Scope} Scope */
/** @typedef {import("./harness/phone.js").PhoneOptions} PhoneOptions */
/** @typedef {import("playwright-core").Page} Page */

const browser = await startBrowser({ after });
const REDIRECT = "http://localhost:3999/done?claim=42%20a&b";
const [PORTUGUESE] = LANGUAGES;
assert.ok(PORTUGUESE);

/**
 * A phone that opened a link.
 * @param {Scope} scope
 * @param {LocalService} service
 * @param {string} query
 * @param {PhoneOptions} [options]
 */
function openLink(scope, service, query, options = {}) {
  const url = `${service.get("CAPTURE_URL")}/${query}`;
  return Phone.open(scope, browser, url, { ...options, hosted: true, before: makeFramesUnique });
}

/** The clip begins anew with each camera, and the service takes a frame once: a corner of each picture is drawn at random. */
function makeFramesUnique() {
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (/** @type {any[]} */ ...picture) {
    Reflect.apply(drawImage, this, picture);
    for (let x = 0; x < 64; x += 16) {
      this.fillStyle = `#${Math.floor(Math.random() * 0xffffff).toString(16).padStart(6, "0")}`;
      this.fillRect(x, 0, 16, 16);
    }
  };
}

/** @param {Page} page @param {string} title */
async function shows(page, title) {
  await page.locator("h1", { hasText: title }).waitFor();
}

/** @param {Page} page @param {string} name */
async function press(page, name) {
  await page.getByRole("button", { name }).click();
}

/**
 * Takes the photo that the camera shows, which is the one that is named.
 * @param {Phone} phone
 * @param {string} [step]
 */
async function take(phone, step) {
  await phone.waitForState("live");
  if (step) assert.equal(await phone.part("label").textContent(), step);
  await phone.capture();
}

/**
 * Answers the redirect in the place of the integrator's page.
 * @param {Page} page
 * @returns {Promise<() => Promise<{ url: string, referer: string | undefined }>>} waits for it
 */
async function arrival(page) {
  /** @type {{ url: string, referer: string | undefined } | undefined} */
  let arrived;
  await page.route("http://localhost:3999/**", async (route) => {
    const request = route.request();
    arrived = { url: request.url(), referer: (await request.allHeaders())["referer"] };
    await route.fulfill({ contentType: "text/html", body: "<h1>arrived</h1>" });
  });
  return async () => {
    await shows(page, "arrived").catch(async (cause) => { throw new Error(`not arrived: ${await page.locator("body").innerText()}`, { cause }); });
    assert.ok(arrived);
    return arrived;
  };
}

/** @param {Page} page @param {string} name */
async function inspect(page, name) {
  assert.deepEqual(await faults(page), [], name);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${name}: ${overflow} pixels too wide`);
}

test("three photos, with a reload after the first, end at the redirect", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const phone = await openLink(t, service, `?token=${token}`, { viewport: { width: 320, height: 640 } });
  const { page } = phone;
  const arrived = await arrival(page);
  await shows(page, PORTUGUESE.start.title);
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
  assert.equal(url, `${REDIRECT}&svc_session_token=${token}&svc_session_id=${photos[2].session_id}`);
  assert.equal(referer, undefined);
  for (const { authenticated_jpeg_url } of photos) {
    const photo = new Uint8Array(await (await fetch(authenticated_jpeg_url)).arrayBuffer());
    assert.equal((await service.verify(photo)).valid, true);
  }
  // The link is used: it says so to whoever opens it again.
  const again = await openLink(t, service, `?token=${token}`);
  await press(again.page, PORTUGUESE.begin);
  await shows(again.page, PORTUGUESE.used.title);
  await again.screenshot("hosted-used");
});

test("photos are cut as the profile says", async (t) => {
  const service = await LocalService.start(t);
  for (const [profile, ratio] of /** @type {[string, number][]} */ ([["real_estate", 3 / 4], ["high_value_item", 1]])) {
    const phone = await openLink(t, service, `?token=${await service.createHosted(profile)}`);
    await press(phone.page, PORTUGUESE.begin);
    await phone.waitForState("live");
    const box = await phone.part("video").boundingBox();
    assert.ok(box && Math.abs(box.width / box.height - ratio) < 0.01, `${profile} ${JSON.stringify(box)}`);
  }
});

test("an answer that is lost is no lost photo", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("real_estate");
  const phone = await openLink(t, service, `?token=${token}`);
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
  await shows(page, PORTUGUESE.noNetwork.title);
  await page.getByText("1 de 3 fotos enviadas").waitFor();
  await phone.screenshot("hosted-no-network");
  losing = false;
  await press(page, PORTUGUESE.again);
  await take(phone, "Foto 2 de 3");
  await phone.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  losing = true;
  await take(phone, "Foto 3 de 3");
  const { url } = await arrived();
  const last = (await service.hostedResults(token)).photos[2].session_id;
  assert.ok(url.endsWith(`svc_session_id=${last}`), url);
});

test("a page that is closed and opened again goes on", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const first = await openLink(t, service, `?token=${token}`);
  await press(first.page, PORTUGUESE.begin);
  await take(first, "Foto 1 de 3");
  await first.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await first.page.close();
  const second = await openLink(t, service, `?token=${token}`);
  await press(second.page, PORTUGUESE.begin);
  await take(second, "Foto 2 de 3");
  await second.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  // The person closes the camera: the page offers to go on.
  await second.tap("close");
  await shows(second.page, PORTUGUESE.resume.title);
});

test("another link in the same tab has nothing of the one before", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, service, `?token=${await service.createHosted("vehicle_inspection")}`);
  const { page } = phone;
  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  const other = await service.createHosted();
  const second = await openLink(t, service, `?token=${other}`);
  await arrival(second.page);
  await press(second.page, PORTUGUESE.begin);
  await take(second);
  await shows(second.page, "arrived");
  // It is used: the first one's redirect must not get its token.
  const requests = phone.requests("localhost:3999");
  await page.goto(`${service.get("CAPTURE_URL")}/?token=${other}`);
  await shows(page, PORTUGUESE.start.title);
  await press(page, PORTUGUESE.begin);
  await shows(page, PORTUGUESE.used.title);
  assert.deepEqual(requests, []);
});

test("a result that cannot be read is asked for again", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, service, `?token=${await service.createHosted()}`);
  const { page } = phone;
  const arrived = await arrival(page);
  let failing = true;
  await page.route("**/web/ingest", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.route("**/web/session-results/**", (route) => (failing ? route.abort() : route.continue()));
  await press(page, PORTUGUESE.begin);
  await take(phone);
  await shows(page, PORTUGUESE.noNetwork.title);
  failing = false;
  await press(page, PORTUGUESE.again);
  assert.ok((await arrived()).url.includes("svc_session_id="));
});

test("two phones with one link take turns", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const phones = [await openLink(t, service, `?token=${token}`), await openLink(t, service, `?token=${token}`)];
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

test("what only looks at the link uses up nothing", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted();
  const link = `${service.get("CAPTURE_URL")}/?token=${token}`;
  for (let visit = 0; visit < 50; visit++) assert.equal((await fetch(link)).status, 200);
  // One that runs scripts, too.
  const scanner = await openLink(t, service, `?token=${token}`);
  const loads = scanner.requests("/web/sessions/");
  await shows(scanner.page, PORTUGUESE.start.title);
  await scanner.page.reload();
  assert.deepEqual(loads, []);
  const headers = { origin: service.get("CAPTURE_URL"), "user-agent": await scanner.page.evaluate(() => navigator.userAgent) };
  for (let load = 0; load < 20; load++) {
    assert.equal((await fetch(`${service.get("CAPTURE_URL")}/web/sessions/${token}`, { headers })).status, 200, `${load}`);
  }
});

test("a license key in the link is used, or refused with a reason", async (t) => {
  const service = await LocalService.start(t);
  const { license, begin } = PORTUGUESE;
  for (const [name, title] of /** @type {[string, string | undefined][]} */ ([
    ["LICENSE_KEY_HOSTED_OTHER", undefined],
    ["LICENSE_KEY_FOREIGN", license.INVALID_KEY.title],
    ["LICENSE_KEY_LIVE", license.INVALID_KEY.title],
    ["LICENSE_KEY_ALWAYS", license.INVALID_KEY.title],
  ])) {
    const token = await service.createHosted();
    const phone = await openLink(t, service, `?token=${token}&license_key=${service.get(name)}`);
    assert.equal(new URL(phone.page.url()).search, "");
    await press(phone.page, begin);
    await (title ? shows(phone.page, title) : phone.waitForState("live"));
    await phone.page.close();
    // Without the key the session is as it was.
    const plain = await openLink(t, service, `?token=${token}`);
    await press(plain.page, begin);
    await plain.waitForState("live");
    await plain.page.close();
  }
});

test("every refusal has a page that says what to do", async (t) => {
  const service = await LocalService.start(t);
  const { CAPTURE_URL } = service.variables;
  const reasons = /** @type {[keyof typeof PORTUGUESE.license, import("../hosted/texts.js").Words][]} */ (
    Object.entries(PORTUGUESE.license));
  const json = (/** @type {number} */ status, /** @type {object} */ body) => ({
    status, contentType: "application/json", body: JSON.stringify(body),
  });
  const policy = json(200, { valid: true, capture_resolution: "HD", expires_at: "2099-01-01T00:00:00Z" });
  const load = `${CAPTURE_URL}/web/sessions/**`;
  /** @type {[string, string, ReturnType<typeof json>[], import("../hosted/texts.js").Words][]} */
  const cases = [
    ...reasons.map(([reason, words]) => /** @type {any} */ ([reason, "validate", [json(200, { valid: false, reason })], words])),
    ["unknown-reason", "validate", [json(200, { valid: false, reason: "OTHER" })], PORTUGUESE.license.INVALID_KEY],
    ["not-found", "validate", [json(404, { error: "Sessão não encontrada" })], PORTUGUESE.notFound],
    ["expired", "validate", [json(410, { error: "Sessão expirada ou já utilizada" })], PORTUGUESE.expired],
    ["validate-503", "validate", [json(503, { error: "Serviço" })], PORTUGUESE.noService],
    ["too-many-loads", "load", [json(429, { error: "Limite" })], PORTUGUESE.tooManyLoads],
    ["load-403", "load", [json(403, { error: "License inválida" })], PORTUGUESE.refused],
    ["load-410", "load", [json(410, { error: "Sessão expirada ou já utilizada" })], PORTUGUESE.expired],
    ["load-503", "load", [json(503, { error: "Serviço" })], PORTUGUESE.noService],
    ["ingest-422", "ingest", [json(422, { error: "Imagem rejeitada" })], PORTUGUESE.notSent],
  ];
  for (const [name, step, [answer], words] of cases) {
    const phone = await openLink(t, service, `?token=${await service.createHosted()}`, { viewport: { width: 320, height: 640 } });
    await phone.page.route(`${CAPTURE_URL}/validate`, (route) => route.fulfill(step === "validate" ? answer : policy));
    if (step === "load") await phone.page.route(load, (route) => route.fulfill(answer));
    await phone.page.route(`${CAPTURE_URL}/web/ingest`, (route) => route.fulfill(answer));
    await press(phone.page, PORTUGUESE.begin);
    if (step === "ingest") await take(phone);
    await shows(phone.page, words.title);
    await inspect(phone.page, name);
    await phone.screenshot(`hosted-refused-${name.toLowerCase()}`);
    await phone.page.context().close();
  }
  const without = await openLink(t, service, "");
  await shows(without.page, PORTUGUESE.noLink.title);
  await inspect(without.page, "no link");
  const empty = await openLink(t, service, "?token=");
  await shows(empty.page, PORTUGUESE.noLink.title);
  const denied = await openLink(t, service, `?token=${await service.createHosted()}`, { granted: [] });
  await press(denied.page, PORTUGUESE.begin);
  await shows(denied.page, PORTUGUESE.noCamera.title);
  await denied.screenshot("hosted-no-camera");
});

/** What a reader that is not ours finds in the code. @param {Page} page */
async function decode(page) {
  const { data, size } = await page.locator("svg.qr").evaluate(async (svg) => {
    const size = 300;
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [size, size];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.fillStyle = "#fff";
    context.fillRect(0, 0, size, size);
    context.drawImage(image, 0, 0, size, size);
    return { data: [...context.getImageData(0, 0, size, size).data], size };
  });
  return jsQR.default(Uint8ClampedArray.from(data), size, size)?.data;
}

test("another browser gets the link as a code, and follows the phone", async (t) => {
  const service = await LocalService.start(t);
  const token = await service.createHosted("vehicle_inspection");
  const link = `${service.get("CAPTURE_URL")}/?token=${token}`;
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } });
  t.after(() => context.close());
  const desktop = await context.newPage();
  await desktop.goto(link);
  await shows(desktop, "Continue on your phone");
  await desktop.getByRole("img", { name: "QR code of the link" }).waitFor();
  assert.equal(await decode(desktop), link);
  await inspect(desktop, "computer");
  await desktop.screenshot({ path: "target/web/screenshots/hosted-computer.png" }).catch(() => {});
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(desktop, "Copy the link");
  await desktop.getByText("Link copied").waitFor();
  assert.equal(await desktop.evaluate(() => navigator.clipboard.readText()), link);

  const unknown = await context.newPage();
  await unknown.goto(`${service.get("CAPTURE_URL")}/?token=00000000-0000-4000-8000-000000000000`);
  await shows(unknown, "The link is not valid");
  await unknown.close();

  const phone = await openLink(t, service, `?token=${token}`);
  await arrival(phone.page);
  await press(phone.page, PORTUGUESE.begin);
  await take(phone, "Foto 1 de 3");
  await desktop.getByText("1 of 3 photos sent").waitFor();
  await phone.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await take(phone, "Foto 2 de 3");
  await phone.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  await take(phone, "Foto 3 de 3");
  await shows(desktop, "Done");

  const firefox = await openLink(t, service, `?token=${await service.createHosted()}`, { agent: "Firefox on Android" });
  await shows(firefox.page, PORTUGUESE.otherBrowser.title);
  await inspect(firefox.page, "another browser");
  await firefox.screenshot("hosted-other-browser");
});

test("the page speaks the browser's language", async (t) => {
  const service = await LocalService.start(t);
  for (const [locale, language] of [["en-GB", "en"], ["es-MX", "es"], ["pt-PT", "pt-BR"], ["fr-FR", "pt-BR"]]) {
    const phone = await openLink(t, service, `?token=${await service.createHosted()}`, { locale: locale ?? "" });
    const texts = textsFor([language ?? ""]);
    await shows(phone.page, texts.start.title);
    assert.equal(await phone.page.locator("html").getAttribute("lang"), language);
    await phone.screenshot(`hosted-start-${locale}`);
    await press(phone.page, texts.begin);
    await phone.waitForState("live");
    await phone.page.close();
  }
});

test("the texts are complete in each language", () => {
  /** @param {unknown} value @returns {unknown} the shape of a value: its names, and how many lines each text has */
  const shape = (value) => {
    if (typeof value === "string") return value.trim() ? "text" : "empty";
    if (Array.isArray(value)) return value.map(shape);
    return Object.fromEntries(Object.entries(/** @type {object} */ (value)).map(([name, part]) => [name, shape(part)]));
  };
  assert.deepEqual(LANGUAGES.map(({ language }) => language), ["pt-BR", "en", "es"]);
  for (const texts of LANGUAGES) {
    assert.deepEqual(shape(texts), shape(PORTUGUESE), texts.language);
    for (const place of ["{photo}", "{total}"]) assert.ok(texts.taken.includes(place), texts.language);
  }
});

test("the redirect keeps its query", () => {
  const added = "svc_session_token=t&svc_session_id=s";
  for (const [uri, result] of [
    ["https://a.com/", `https://a.com/?${added}`],
    ["https://a.com/?", `https://a.com/?${added}`],
    ["https://a.com/?x=%20&y", `https://a.com/?x=%20&y&${added}`],
    ["https://a.com/?x=1&", `https://a.com/?x=1&${added}`],
  ]) {
    assert.equal(withResult(uri ?? "", "t", "s"), result);
  }
});

test("the page is small, kept, and admits no third party", async (t) => {
  const service = await LocalService.start(t);
  const origin = service.get("CAPTURE_URL");
  const page = await fetch(`${origin}/?token=x`);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.deepEqual(policy.split("; ").slice(0, 3), ["default-src 'none'", "script-src 'self'", "style-src 'self'"]);
  assert.ok(policy.includes(`connect-src 'self' ${service.get("UPLOAD_ORIGIN")};`), policy);
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  const assets = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  let bytes = 0;
  for (const path of assets) {
    // fetch() shows what it unpacked; the size on the wire is its header.
    const { headers } = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "gzip" } });
    assert.equal(headers.get("content-encoding"), "gzip", path);
    assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable", path);
    bytes += Number(headers.get("content-length"));
  }
  t.diagnostic(`${bytes} bytes compressed, in ${assets.length} files`);
  assert.ok(bytes > 1000 && bytes <= 20_480, `${bytes}`);
  assert.equal((await fetch(`${origin}/assets/index.html`)).status, 404);
  assert.equal((await fetch(`${origin}/assets/..%2Findex.html`)).status, 404);

  const phone = await openLink(t, service, `?token=${await service.createHosted()}`);
  const foreign = phone.requests("://");
  await press(phone.page, PORTUGUESE.begin);
  await phone.waitForState("live");
  const preview = await phone.page.evaluate(() => {
    const [open, shown] = ["svc-camera:open", "svc-camera:preview"].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? NaN);
    return (shown ?? NaN) - (open ?? NaN);
  });
  t.diagnostic(`${Math.round(preview)} ms from the tap to the first frame`);
  assert.ok(preview > 0);
  const known = [origin, service.get("UPLOAD_ORIGIN"), "blob:"];
  assert.deepEqual(foreign.map((request) => request.url()).filter((url) => !known.some((start) => url.startsWith(start))), []);
});
