// The hosted page's guide: who asks for which photos, what has become of each, how long there is, and the receipt. It
// runs against a stand-in for the service, which has a sender, kits, and clocks that the tests set.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { guideTextsFor } from "../hosted/guide-texts.js";
import { PORTUGUESE as CAMERA_TEXTS, filled } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { PORTUGUESE, arrival, inspect, openLink, press, shows, take } from "./harness/hosted.js";
import { ROOT } from "./harness/places.js";
import { PHOTO_ID, StandInCapture, TOKEN } from "./harness/stand-in-capture.js";

const browser = await startBrowser({ after });
const TEXTS = guideTextsFor("pt-BR");
const MINUTE = 60_000;

const { steps: VEHICLE } = JSON.parse(await readFile(join(ROOT, "shared/domain/kits/vehicle_inspection.json"), "utf8"));
const SPARE = {
  id: "estepe", title: { "pt-BR": "Estepe", en: "Spare wheel" }, instruction: { "pt-BR": "Fotografe o estepe." },
  framing: "square", optional: true, outline: [{ d: "M100 100H900V900H100Z" }],
};
/** A PNG of one pixel. */
const LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** @param {string} text @param {object} [others] */
const says = (text, others) => ({ "pt-BR": text, ...others });

const SENDER = {
  name: "Seguradora Exemplo",
  logo: LOGO,
  purpose: says("Vistoria prévia do seguro do seu veículo.", { en: "Inspection before your car is insured." }),
  duration: says("Cinco anos depois do fim do seguro."),
  controller: "Seguradora Exemplo S.A.",
  contact: "privacidade@seguradora.example",
  sharing: says("Com a oficina que faz a vistoria."),
  responsibilities: says("A seguradora decide, o serviço guarda."),
  condition: says("Sem as fotos, o seguro não começa."),
  notice_url: "https://seguradora.example/privacidade",
};

/** Two required steps, the second with a note, an optional one, and a last one. */
function kit() {
  const [front, rear, odometer] = structuredClone(VEHICLE);
  return [{ step: front }, { step: rear, note: "A placa estava coberta." }, { step: structuredClone(SPARE) }, { step: odometer }];
}

/**
 * @param {import("node:test").TestContext} t
 * @param {Partial<import("./harness/stand-in-capture.js").Session>} [session]
 * @param {import("./harness/phone.js").PhoneOptions} [options]
 */
async function opened(t, session, options) {
  const service = await StandInCapture.start(t, { steps: kit(), sender: SENDER, ...session });
  const phone = await openLink(t, browser, service, `?token=${TOKEN}`, options);
  return { service, phone, page: phone.page };
}

/** What became of each place, by the list that shows. @param {import("playwright-core").Page} page */
function places(page) {
  return page.locator(".strip li:visible").evaluateAll((items) => items.map((item) => [
    item.querySelector(".mark")?.textContent, item.querySelector(".title")?.textContent, item.getAttribute("aria-current"),
  ]));
}

describe("before the tap", () => {
  for (const width of [320, 390]) {
    test(`names the sender, loads nothing: ${width}`, async (t) => {
      const { service, phone, page } = await opened(t, {}, { viewport: { width, height: 700 } });
      await shows(page, "Seguradora Exemplo pede 4 fotos");
      const logo = page.getByRole("img", { name: "Seguradora Exemplo" });
      assert.match(await logo.getAttribute("src") ?? "", /^blob:/);
      assert.equal(await logo.evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth), 1);
      for (const text of [
        "Vistoria prévia do seguro do seu veículo.",
        "Vamos pedir 4 fotos: Frente e lateral; Traseira e outra lateral; Estepe; Hodômetro.",
        ...PORTUGUESE.asked, SENDER.condition["pt-BR"],
      ]) await page.getByText(text).waitFor();
      await page.locator("#body").getByText(/^Faltam (29|30) minutos \(até \d\d:\d\d\)\.$/).waitFor();
      await inspect(page, "introduction");
      await page.getByText(TEXTS.privacy, { exact: true }).click();
      for (const text of [SENDER.controller, SENDER.contact, ...TEXTS.rights]) await page.getByText(text, { exact: true }).waitFor();
      const notice = page.getByRole("link", { name: TEXTS.notice });
      assert.deepEqual([await notice.getAttribute("href"), await notice.getAttribute("rel")], [SENDER.notice_url, "noreferrer"]);
      await inspect(page, "notice");
      await phone.screenshot(`guide-introduction-${width}`, { fullPage: true });
      assert.deepEqual(service.requests, [`GET /web/session-status/${TOKEN}?introduction=true`]);
    });
  }

  test("names nobody without a sender", async (t) => {
    const { page } = await opened(t, { sender: undefined });
    await shows(page, PORTUGUESE.start.title);
    await page.getByText("Vamos pedir 4 fotos").waitFor();
    assert.equal(await page.locator("details, #sender *").count(), 0);
    await inspect(page, "nobody");
  });

  test("speaks the browser's language", async (t) => {
    const { page } = await opened(t, {}, { locale: "en-US" });
    await shows(page, "Seguradora Exemplo asks for 4 photos");
    await page.getByText("Inspection before your car is insured.").waitFor();
    await page.getByText("Front and one side; Rear and the other side; Spare wheel; Odometer").waitFor();
    await page.getByText(guideTextsFor("en").privacy, { exact: true }).click();
    await page.getByText("Cinco anos depois do fim do seguro.").waitFor();
  });
});

test("takes a kit's photos, skips one", async (t) => {
  const { service, phone, page } = await opened(t, { kit: "auto-previa@3" });
  const arrived = await arrival(page);
  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  const instruction = phone.part("instruction");
  assert.equal(await instruction.innerText(), `${VEHICLE[0].instruction["pt-BR"]} ${VEHICLE[0].tip["pt-BR"]}`);
  assert.equal(await instruction.getAttribute("role"), "status");
  assert.equal(await phone.part("pass").isVisible(), false);
  // The outline lies over the picture, and screen readers pass over it.
  const outline = phone.part("outline");
  assert.equal(await outline.getAttribute("aria-hidden"), "true");
  assert.equal(await outline.locator(".line").count(), VEHICLE[0].outline.length);
  assert.deepEqual(await outline.boundingBox(), await phone.part("video").boundingBox());
  assert.deepEqual(await places(page), [
    ["1", "Frente e lateral (a próxima)", "step"], ["2", "Traseira e outra lateral (falta tirar)", null],
    ["3", "Estepe (falta tirar)", null], ["4", "Hodômetro (falta tirar)", null],
  ]);
  await inspect(page, "live");
  await phone.tap("shutter");
  await phone.waitForState("review");
  assert.equal(await outline.isVisible(), false);
  await phone.tap("confirm");

  await phone.part("message").getByText("Foto 1 recebida.").waitFor();
  assert.ok((await instruction.innerText()).startsWith("Recado de Seguradora Exemplo: A placa estava coberta."));
  await inspect(page, "note");
  for (const viewport of [{ width: 320, height: 640 }, { width: 844, height: 390 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(viewport);
    await page.locator("svc-camera header").evaluate((header) => { header.scrollTop = 0; });
    const label = await phone.part("label").boundingBox();
    assert.ok(label && label.y >= 0, `label ${viewport.width}`);
    await phone.screenshot(`guide-note-${viewport.width}`);
    await page.locator("svc-camera header").evaluate((header) => { header.scrollTop = 1000; });
    for (const part of ["close", "video", "message", "shutter"]) {
      const box = await phone.part(part).boundingBox();
      assert.ok(box && box.x >= 0 && box.y >= 0 && box.width > 40 && box.height > 15, `${part} ${viewport.width}`);
      assert.ok(box.x + box.width <= viewport.width && box.y + box.height <= viewport.height, `${part} ${viewport.width}`);
    }
  }
  await take(phone, "Foto 2 de 4");
  await phone.part("message").getByText("Foto 2 recebida. Agora, a foto 3: Estepe.", { exact: true }).waitFor();
  // A long text that was scrolled does not hide the beginning of the next one.
  assert.equal(await page.locator("svc-camera header").evaluate((header) => header.scrollTop), 0);

  // The skip is confirmed.
  await phone.waitForState("live");
  await phone.tap("pass");
  await phone.part("detail").getByText(CAMERA_TEXTS.passing).waitFor();
  await inspect(page, "skip");
  await phone.tap("stay");
  await phone.waitForState("live");
  await phone.tap("pass");
  await phone.tap("leave");
  await phone.part("label").getByText("Hodômetro · Foto 3 de 3", { exact: true }).waitFor();
  assert.deepEqual((await places(page)).slice(1), [
    ["✓", "Traseira e outra lateral (recebida)", null], ["–", "Estepe (pulada)", null], ["4", "Hodômetro (a próxima)", "step"],
  ]);
  await take(phone, "Foto 3 de 3");

  await shows(page, PORTUGUESE.redirecting.title);
  await page.getByText(filled(PORTUGUESE.back, { seconds: 20 })).waitFor();
  await page.getByText(TEXTS.see).click();
  await inspect(page, "receipt");
  await page.getByText("3 fotos enviadas, 1 pulada", { exact: true }).waitFor();
  const receipt = await page.locator("pre").innerText();
  const { photos } = await (await fetch(`${service.origin}/web/session-results/${TOKEN}`)).json();
  for (const text of [
    "Seguradora Exemplo", SENDER.purpose["pt-BR"], "sinistro-42", "1. Frente e lateral", "3. Hodômetro", "Fotos puladas: Estepe",
    SENDER.contact, ...photos.map((/** @type {any} */ photo) => photo.frame_hash_hex),
  ]) assert.ok(receipt.includes(text), text);
  for (const secret of [TOKEN, PHOTO_ID]) assert.equal(receipt.includes(secret), false);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: TEXTS.keep }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), "comprovante-sinistro-42.txt");
  assert.equal(await readFile(await file.path(), "utf8"), `\ufeff${receipt}`);

  assert.ok((await arrived()).url.endsWith(`?svc_session_token=${TOKEN}&svc_session_id=${PHOTO_ID}4`));
  assert.equal(service.loads.length, 1);
  assert.deepEqual(service.labels, ["Frente e lateral", "Traseira e outra lateral", "Hodômetro"]);
});

test("a profile's photos have no label", async (t) => {
  const { service, phone, page } = await opened(t, { steps: structuredClone(VEHICLE).map((/** @type {any} */ step) => ({ step })) });
  await press(page, PORTUGUESE.begin);
  await take(phone, "Foto 1 de 3");
  await phone.part("label").getByText("Traseira e outra lateral · Foto 2 de 3").waitFor();
  assert.deepEqual(service.labels, [undefined]);
});

test("loads where no photo came along", async (t) => {
  const { service, phone, page } = await opened(t, { bringsNext: false });
  await press(page, PORTUGUESE.begin);
  await take(phone, "Foto 1 de 4");
  await take(phone, "Foto 2 de 4");
  await phone.part("label").getByText("Estepe").waitFor();
  assert.equal(service.loads.length, 3);
});

test("a late skip loads the session", async (t) => {
  const { service, phone, page } = await opened(t, { steps: kit().slice(2) });
  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  service.capture();
  await phone.tap("pass");
  await phone.tap("leave");
  await phone.part("label").getByText("Hodômetro · Foto 2 de 2", { exact: true }).waitFor();
  assert.equal(service.loads.length, 2);
});

test("retakes a photo of a screen", async (t) => {
  const { service, phone, page } = await opened(t);
  await press(page, PORTUGUESE.begin);
  service.refusal = { status: 422, body: { error: "Imagem rejeitada — possível recaptura", recapture_risk: "HIGH" } };
  await take(phone);
  await phone.page.getByRole("heading", { name: CAMERA_TEXTS.recaptured }).waitFor();
  await phone.part("detail").getByText(CAMERA_TEXTS.recapturedAdvice).waitFor();
  await inspect(page, "recaptured");
  await phone.tap("retake");
  await take(phone, "Foto 1 de 4");
  await phone.part("message").getByText("Foto 1 recebida.").waitFor();
});

test("a second device continues", async (t) => {
  const { service, phone, page } = await opened(t);
  service.capture();
  await page.reload();
  await shows(page, PORTUGUESE.resume.title);
  await page.getByText("Faltam 3 fotos. Continue aqui ou no outro aparelho.").waitFor();
  assert.deepEqual((await places(page)).map(([mark]) => mark), ["✓", "2", "3", "4"]);
  await inspect(page, "second device");
  await press(page, PORTUGUESE.goOn);
  await take(phone, "Foto 2 de 4");
});

for (const [agent, words] of /** @type {const} */ ([
  ["Chrome on an Android phone", PORTUGUESE.noCamera], ["Safari on iPhone", PORTUGUESE.noCameraInSafari],
])) {
  test(`explains a refused camera: ${agent}`, async (t) => {
    const { phone, page } = await opened(t, {}, { agent, granted: [] });
    await press(page, PORTUGUESE.begin);
    await shows(page, words.title);
    for (const text of words.body) await page.getByText(text, { exact: true }).waitFor();
    await inspect(page, "refused camera");
    await phone.grant(["camera", "geolocation"]);
    await press(page, PORTUGUESE.again);
    // Safari asks again only after a reload.
    if (words === PORTUGUESE.noCameraInSafari) await press(page, PORTUGUESE.begin);
    await phone.waitForState("live");
  });
}

describe("the time", () => {
  test("is announced twice", async (t) => {
    const { phone, page } = await opened(t, { minutes: 20 });
    await page.clock.install();
    await page.reload();
    await press(page, PORTUGUESE.begin);
    await phone.waitForState("live");
    await page.evaluate(() => {
      window.said = [];
      const alarm = document.querySelector("#guide [role=status]");
      if (alarm) new MutationObserver(() => window.said.push(alarm.textContent ?? "")).observe(alarm, { childList: true });
    });
    await page.clock.runFor(18.5 * MINUTE);
    const alarms = ["Faltam 4 minutos", "Falta 1 minuto"].map((left) => filled(TEXTS.alarm, { left }));
    assert.deepEqual(await page.evaluate(() => window.said), alarms);
    await inspect(page, "late");
  });

  test("ends with what is missing", async (t) => {
    const { service, phone, page } = await opened(t, { minutes: 3 });
    service.capture();
    service.capture();
    await page.clock.install();
    await page.reload();
    await press(page, PORTUGUESE.goOn);
    await phone.waitForState("live");
    service.expire();
    // The requests at the end have timeouts of their own, which a longer run would reach.
    await page.clock.runFor(3 * MINUTE + 8_000);
    await shows(page, PORTUGUESE.expired.title);
    await page.getByText("Recebemos 2 de 4 fotos.").waitFor();
    await page.getByText("Responda a mensagem em que recebeu o link e peça outro para o que falta: Estepe; Hodômetro.").waitFor();
    await page.getByRole("link", { name: TEXTS.keep }).waitFor();
    await phone.part("dialog").waitFor({ state: "detached" });
    await inspect(page, "expired");
  });

  test("is over before the first photo", async (t) => {
    const { page } = await opened(t, { minutes: -1 });
    await shows(page, PORTUGUESE.expired.title);
    await page.getByText(TEXTS.none).waitFor();
    assert.equal(await page.getByRole("link").count(), 0);
  });
});

describe("the redirect", () => {
  /** @param {import("node:test").TestContext} t @param {(() => void)} [before] */
  async function finished(t, before) {
    const { phone, page, service } = await opened(t, { steps: kit().slice(3) }, { ...(before ? { before } : {}) });
    await arrival(page);
    await page.clock.install();
    await page.reload();
    await press(page, PORTUGUESE.begin);
    await take(phone);
    await page.getByRole("link", { name: TEXTS.keep }).waitFor();
    return { page, service };
  }

  test("follows after twenty seconds", async (t) => {
    const { page } = await finished(t);
    await page.clock.runFor(19_000);
    await shows(page, PORTUGUESE.redirecting.title);
    await page.clock.runFor(1_100);
    await shows(page, "arrived");
  });

  test("waits for who shares the receipt", async (t) => {
    const { page } = await finished(t, () => {
      Object.assign(window, { shared: [] });
      navigator.canShare = () => true;
      navigator.share = async ({ files = [] } = {}) => {
        for (const file of files) window.shared.push({ name: file.name, type: file.type, text: await file.text() });
      };
    });
    await press(page, TEXTS.share);
    await page.clock.runFor(60_000);
    await shows(page, PORTUGUESE.redirecting.title);
    const [file] = await page.evaluate(() => window.shared);
    assert.deepEqual([file?.name, file?.type], ["comprovante-sinistro-42.txt", "text/plain"]);
    assert.ok(file?.text.includes("1. Hodômetro"));
    await press(page, PORTUGUESE.proceed);
    await shows(page, "arrived");
  });
});

test("large texts lose nothing", async (t) => {
  const large = await startBrowser(t, { fontSize: 32 });
  const service = await StandInCapture.start(t, { steps: kit(), sender: SENDER });
  const phone = await openLink(t, large, service, `?token=${TOKEN}`, { viewport: { width: 320, height: 640 } });
  const { page } = phone;
  await shows(page, "Seguradora Exemplo pede 4 fotos");
  await inspect(page, "introduction");
  await press(page, PORTUGUESE.begin);
  await phone.waitForState("live");
  await phone.screenshot("guide-large-texts");
  for (const part of ["shutter", "close"]) await phone.part(part).scrollIntoViewIfNeeded();
  const video = await phone.part("video").boundingBox();
  assert.ok(video && video.height > 60, JSON.stringify(video));
  // The instruction can be read by scrolling.
  const box = await phone.part("instruction").locator("p").evaluate((text) => {
    text.scrollIntoView({ block: "end" });
    const { bottom } = text.getBoundingClientRect();
    return { bottom, end: text.closest("header")?.getBoundingClientRect().bottom ?? 0 };
  });
  assert.ok(box.bottom <= box.end + 1, JSON.stringify(box));
  await take(phone);
  await phone.part("message").getByText("Foto 1 recebida.").waitFor();
});
