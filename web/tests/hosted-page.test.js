// The hosted page: its languages, its size, its Content-Security-Policy, and its display where no photo can be taken.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";

import jsQR from "jsqr";

import { withResult } from "../hosted/link.js";
import { GUIDE_LANGUAGES } from "../hosted/guide-texts.js";
import { HANDOVER_LANGUAGES, handoverTextsFor } from "../hosted/handover-texts.js";
import { surroundings } from "../hosted/surroundings.js";
import { ENGLISH } from "../hosted/texts-en.js";
import { SPANISH } from "../hosted/texts-es.js";
import { textsFor } from "../hosted/texts.js";
import { CSS } from "../src/styles.js";
import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, arrival, inspect, openLink, press, shows, take } from "./harness/hosted.js";
import { userAgent } from "./harness/phone.js";
import { LocalService } from "./harness/service.js";

/** @typedef {import("playwright-core").Page} Page */

const browser = await startBrowser({ after });
/** Maximum size of the page including the component, in bytes. The component alone may have 20 KB. */
const LIMIT = 26_112;
const LANGUAGES = [PORTUGUESE, ENGLISH, SPANISH];
const HANDOVER = handoverTextsFor(PORTUGUESE.language);
const STYLE_SOURCE = `'sha256-${createHash("sha256").update(CSS).digest("base64")}'`;

/** Decodes the QR code with an independent library. @param {Page} page */
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

test("a desktop browser follows the phone", async (t) => {
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
  await desktop.getByText("The link is copied.").waitFor();
  assert.equal(await desktop.evaluate(() => navigator.clipboard.readText()), link);

  const unknown = await context.newPage();
  await unknown.goto(`${service.get("CAPTURE_URL")}/?token=00000000-0000-4000-8000-000000000000`);
  await shows(unknown, "The link is not valid");
  await unknown.close();

  const phone = await openLink(t, browser, service, `?token=${token}`);
  await arrival(phone.page);
  await press(phone.page, PORTUGUESE.begin);
  await take(phone, "Foto 1 de 3");
  await desktop.getByText("1 of 3 photos sent").waitFor();
  await phone.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await take(phone, "Foto 2 de 3");
  await phone.part("label").filter({ hasText: "Foto 3 de 3" }).waitFor();
  await take(phone, "Foto 3 de 3");
  await shows(desktop, "Done");
});

/** The appearance of these pages is tested in looks.test.js. @type {[string, "Android" | "iOS", string][]} */
const ELSEWHERE = [
  ["Samsung Internet", "Android", "Samsung Internet"],
  ["Firefox on Android", "Android", "Firefox"],
  ["Edge on Android", "Android", "Microsoft Edge"],
  ["Facebook on Android", "Android", "Facebook"],
  ["web view on Android", "Android", ""],
  ["Instagram on iPhone", "iOS", "Instagram"],
  ["plain web view on iPhone", "iOS", ""],
  ["Chrome on iPhone", "iOS", "Chrome"],
  ["Chrome on iPad, desktop site", "iOS", "Chrome"],
];

for (const [agent, system, app] of ELSEWHERE) {
  test(`leads to another browser: ${agent}`, async (t) => {
    const service = await LocalService.start(t);
    const link = `${service.get("CAPTURE_URL")}/?token=${await service.createHosted()}`;
    const phone = await openLink(t, browser, service, new URL(link).search, { agent });
    const { page } = phone;
    const way = HANDOVER[system];
    await shows(page, way.title);
    await page.getByText(app ? way.inside.replace("{app}", app) : way.elsewhere, { exact: true }).waitFor();
    // The link has no fallback, which would lead back here.
    const href = await page.getByRole("link", { name: way.open }).getAttribute("href");
    const { host } = new URL(link);
    const query = link.slice(link.indexOf("?"));
    assert.equal(href, system === "iOS" ? `x-safari-${link}`
      : `intent://${host}/${query}#Intent;scheme=http;package=com.android.chrome;end`);
    assert.equal(await page.locator("svg.qr").count(), 0);

    // The link does not open: after two seconds the page shows other steps.
    await page.locator("#actions a").evaluate((link) => link.addEventListener("click", (event) => event.preventDefault()));
    await page.clock.install();
    await page.getByRole("link", { name: way.open }).click();
    await page.clock.runFor(2100);
    await shows(page, way.stays);
    for (const step of way.steps) await page.getByText(step, { exact: true }).waitFor();
    assert.equal(await decode(page), link);
  });
}

test("asks to update an old browser", async (t) => {
  const service = await LocalService.start(t);
  const before = () => Reflect.deleteProperty(HTMLVideoElement.prototype, "requestVideoFrameCallback");
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`, { agent: "Safari on iPhone", before });
  await shows(phone.page, HANDOVER.oldBrowser.title);
  await phone.page.getByRole("img", { name: HANDOVER.code }).waitFor();
});

test("recognizes apps by their user agents", () => {
  const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";
  const android = "Mozilla/5.0 (Linux; Android 14; SM-S918B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.0.0 Mobile Safari/537.36";
  for (const [userAgent, system, name] of [
    [`${iPhone} [FBAN/MessengerForiOS;FBAV/450.0]`, "iOS", "Messenger"],
    [`${android} [FB_IAB/Orca-Android;FBAV/450.0;]`, "Android", "Messenger"],
    [`${android} Barcelona 330.0`, "Android", "Threads"],
    [`${android} musical_ly_2023 BytedanceWebview/d8a21c6`, "Android", "TikTok"],
    [`${android} LinkedInApp/4.1`, "Android", "LinkedIn"],
    [`${iPhone} Twitter for iPhone/10.3`, "iOS", "X"],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", undefined, undefined],
  ]) {
    assert.deepEqual(surroundings(userAgent ?? "", 5), { system, name });
  }
});

test("explains leaving the desktop site", async (t) => {
  const service = await LocalService.start(t);
  const query = `?token=${await service.createHosted()}`;
  const tablet = { agent: "Chrome on an Android tablet, desktop site", viewport: { width: 1280, height: 800 } };
  const phone = await openLink(t, browser, service, query, tablet);
  await shows(phone.page, HANDOVER.desktopSite.title);
  await phone.page.getByText("«Site para computador»").waitFor();
  // It may also be a computer with a touch screen.
  await phone.page.getByRole("img", { name: HANDOVER.code }).waitFor();
  // After the switch, Chrome reports its real user agent and reloads the page.
  const session = await phone.protocol();
  await session.send("Emulation.setUserAgentOverride", { userAgent: userAgent("Chrome on an Android tablet") });
  await phone.page.reload();
  await shows(phone.page, PORTUGUESE.start.title);
});

test("the card keeps its position", async (t) => {
  const service = await LocalService.start(t);
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`);
  const card = () => phone.page.locator("main").evaluate((main) => main.getBoundingClientRect().toJSON());
  await shows(phone.page, PORTUGUESE.start.title);
  const before = await card();
  await press(phone.page, PORTUGUESE.begin);
  await phone.waitForState("live");
  assert.deepEqual(await card(), before, "behind the camera");
  await phone.tap("close");
  await phone.part("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await card(), before);
});

test("the page speaks the browser's language", async (t) => {
  const service = await LocalService.start(t);
  for (const [locale, language] of [["en-GB", "en"], ["es-MX", "es"], ["pt-PT", "pt-BR"], ["fr-FR", "pt-BR"]]) {
    const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`, { locale: locale ?? "" });
    const texts = await textsFor([language ?? ""]);
    await shows(phone.page, texts.start.title);
    assert.equal(await phone.page.locator("html").getAttribute("lang"), language);
    await phone.screenshot(`hosted-start-${locale}`);
    await press(phone.page, texts.begin);
    await phone.waitForState("live");
    await phone.page.close();
  }
});

// Safari before 16.4 has no constructed style sheets.
test("styles the camera in old Safari", async (t) => {
  const service = await LocalService.start(t);
  const before = () => {
    Reflect.deleteProperty(Document.prototype, "adoptedStyleSheets");
    Reflect.deleteProperty(ShadowRoot.prototype, "adoptedStyleSheets");
  };
  const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`, { agent: "Safari on iPhone", before });
  await press(phone.page, PORTUGUESE.begin);
  await phone.waitForState("live");
  const display = await phone.page.evaluate(() => {
    const root = document.querySelector("svc-camera")?.shadowRoot;
    const dialog = root?.querySelector("style") && root.querySelector("dialog");
    return dialog && getComputedStyle(dialog).display;
  });
  assert.equal(display, "grid");
});

test("texts are complete in each language", () => {
  /** @param {unknown} value @returns {unknown} the shape of a value: its names, and how many lines each text has */
  const shape = (value) => {
    if (typeof value === "string") return value.trim() ? "text" : "empty";
    if (Array.isArray(value)) return value.map(shape);
    return Object.fromEntries(Object.entries(/** @type {object} */ (value)).map(([name, part]) => [name, shape(part)]));
  };
  for (const languages of [LANGUAGES, HANDOVER_LANGUAGES, GUIDE_LANGUAGES]) {
    assert.deepEqual(languages.map(({ language }) => language), ["pt-BR", "en", "es"]);
    for (const texts of languages) assert.deepEqual(shape(texts), shape(languages[0]), texts.language);
  }
  for (const texts of HANDOVER_LANGUAGES) {
    for (const { inside } of [texts.Android, texts.iOS]) assert.ok(inside.includes("{app}"), texts.language);
  }
  for (const texts of LANGUAGES) {
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

test("the page is small and self-contained", async (t) => {
  const service = await LocalService.start(t);
  const origin = service.get("CAPTURE_URL");
  const page = await fetch(`${origin}/?token=x`);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.deepEqual(policy.split("; ").slice(0, 3), ["default-src 'none'", "script-src 'self'", `style-src 'self' ${STYLE_SOURCE}`]);
  assert.ok(policy.includes(`connect-src 'self' ${service.get("UPLOAD_ORIGIN")};`), policy);
  assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  const assets = [...(await page.text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  let bytes = 0;
  for (const path of assets) {
    // fetch() returns the decompressed body; the transferred size is in the header.
    const { headers } = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "gzip" } });
    assert.equal(headers.get("content-encoding"), "gzip", path);
    assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable", path);
    bytes += Number(headers.get("content-length"));
  }
  t.diagnostic(`${bytes} bytes compressed, in ${assets.length} files`);
  assert.ok(bytes > 1000 && bytes <= LIMIT, `${bytes}`);
  assert.equal((await fetch(`${origin}/assets/index.html`)).status, 404);
  assert.equal((await fetch(`${origin}/assets/..%2Findex.html`)).status, 404);

  const phone = await openLink(t, browser, service, `?token=${await service.createHosted()}`);
  const foreign = phone.requests("://");
  const hints = phone.page.waitForResponse((response) => response.url().includes("/assets/hints-"));
  await press(phone.page, PORTUGUESE.begin);
  await phone.waitForState("live");
  assert.equal((await hints).status(), 200);
  const preview = await phone.page.evaluate(() => {
    const [open, shown] = ["svc-camera:open", "svc-camera:preview"].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? NaN);
    return (shown ?? NaN) - (open ?? NaN);
  });
  t.diagnostic(`${Math.round(preview)} ms from the tap to the first frame`);
  assert.ok(preview > 0);
  const known = [origin, service.get("UPLOAD_ORIGIN"), "blob:"];
  assert.deepEqual(foreign.map((request) => request.url()).filter((url) => !known.some((start) => url.startsWith(start))), []);
});
