// Takes the pictures of README.md from the pages of a local service: the capture on a phone, the verification of its photo,
// and the console. scripts/screenshots runs it, and makes the files small.
//
// usage: node web/tests/screenshots.mjs FOLDER

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { startBrowser } from "./harness/browser.js";
import { Console, capture, captureInStaging, newLicense } from "./harness/console.js";
import { openLink, press, shows } from "./harness/hosted.js";
import { LocalService } from "./harness/service.js";
import { choose, openVerifyPage } from "./harness/verify-page.js";

const folder = process.argv[2];
if (!folder) throw new Error("usage: node web/tests/screenshots.mjs FOLDER");
await mkdir(folder, { recursive: true });

/** Cleanup functions that run when this program ends, the last registered first. @type {(() => void | Promise<void>)[]} */
const endings = [];
/** @type {import("./harness/service.js").Scope} */
const scope = { after: (ended) => void endings.unshift(ended) };

try {
  await takePictures(folder);
} finally {
  for (const end of endings) await end();
}

/** @param {string} folder */
async function takePictures(folder) {
  const browser = await startBrowser(scope);
  const service = await LocalService.start(scope);

  // The capture: the second photo of a property, on the hosted page.
  const token = await service.createHosted("real_estate", "http://localhost:3999/done");
  const phone = await openLink(scope, browser, service, `?token=${token}`, { before: holdUpright });
  await shows(phone.page, "Tire as fotos aqui");
  await press(phone.page, "Começar");
  await phone.waitForState("live");
  await phone.capture();
  await phone.part("label").filter({ hasText: "Foto 2 de 3" }).waitFor();
  await phone.waitForState("live");
  // Waits until the hints have checked the picture.
  await phone.page.waitForTimeout(1500);
  await phone.page.screenshot({ path: join(folder, "capture.png"), scale: "css" });

  // The verification of the first photo, with the company that must have sealed it.
  const { photos: [first] } = await service.hostedResults(token);
  const photo = Buffer.from(await (await fetch(first.authenticated_jpeg_url)).arrayBuffer());
  const viewport = { width: 900, height: 800 };
  const { page } = await openVerifyPage(scope, browser, {
    url: service.get("VERIFY_URL"), context: { locale: "pt-BR", timezoneId: "America/Sao_Paulo", viewport },
  });
  await page.locator("#options summary").click();
  await page.locator("#seal_holder").fill(service.get("SEAL_HOLDER"));
  await page.locator("#seal_holder").press("Tab");
  await page.locator("#options summary").click();
  await choose(page, [{ name: "fachada.jpg", buffer: photo }]);
  await page.locator("article").first().evaluate((article) => article.scrollIntoView());
  await page.screenshot({ path: join(folder, "verification.png") });

  // The console, after some captures, which come near the volume of a license.
  const operator = await Console.open(scope, browser, service, { locale: "pt-BR", viewport: { width: 1180, height: 640 } });
  const { client, license } = await newLicense(operator, { name: "Seguradora Exemplo", limit: 5 });
  const key = await operator.api("POST", `clients/${client.id}/api-keys`, { name: "backend", environment: "STAGING" });
  for (let count = 1; count <= 4; count += 1) {
    const integrator = { apiKey: key.api_key, licenseKey: license.license_key, reference: `sinistro ${count}` };
    await captureInStaging(service, integrator);
  }
  for (let count = 0; count < 7; count += 1) {
    await capture(service.get("BASE_URL"), await service.createSession(), "http://localhost:8080");
  }
  await operator.until(/[1-9]\s+Alertas abertos[^]*Homologação\s+4\s+4[^]*Testes\s+8\s+8/);
  await operator.page.screenshot({ path: join(folder, "console.png") });
}

/**
 * Runs in the page before its scripts: replaces the camera by that of a phone held upright. Chromium plays its clip in
 * landscape, so the picture is the middle of the clip. It has a row of random pixels, because the service accepts the same
 * frame only once.
 */
function holdUpright() {
  const { mediaDevices } = navigator;
  const open = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const across = await open(constraints);
    const video = Object.assign(document.createElement("video"), { muted: true, srcObject: across });
    await video.play();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [(video.videoHeight * 3) / 4, video.videoHeight];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const draw = () => {
      context.drawImage(video, (canvas.width - video.videoWidth) / 2, 0);
      const row = context.createImageData(canvas.width, 1);
      crypto.getRandomValues(row.data);
      context.putImageData(row, 0, canvas.height - 1);
    };
    draw();
    const timer = setInterval(draw, 40);
    const upright = canvas.captureStream();
    const [track] = upright.getVideoTracks();
    if (!track) throw new Error("a canvas has a track");
    const stop = track.stop.bind(track);
    track.stop = () => {
      clearInterval(timer);
      for (const each of across.getTracks()) each.stop();
      stop();
    };
    return upright;
  };
}
