// Measures the hints on photographs: how often they notice blurred and dark photos, and how often they falsely warn
// about good ones, by kind. The blur threshold is limited by a false warning rate of one in twelve on half of the
// photographs; all figures are measured on the other half. Prints a Markdown table, and fails if either half exceeds
// that rate.
//
// usage: node web/tests/calibrate-hints.mjs [FOLDER]   (default: target/recapture/photographs, from
// lab/scripts/recapture-photographs)

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { build } from "esbuild";

import { launch } from "./harness/browser.js";
import { PACKAGE, ROOT } from "./harness/places.js";

/** Maximum rate of false warnings among good photos. */
const FALSE_WARNINGS = 1 / 12;
/**
 * @typedef {{ sigma?: number, motion?: number, noise?: number, stops?: number }} Kind
 *   in pixels of a photo that is 1920 wide
 */

/** Good variants of each photograph; noise is the standard deviation, of 255. @type {Record<string, Kind>} */
const GOOD = { "noise 2": { noise: 2 }, "noise 4": { noise: 4 }, "noise 8": { noise: 8 }, "-1 EV": { stops: -1, noise: 4 } };
/** @type {Record<string, Kind>} */
const BLURRED = {
  "blur 2 px": { sigma: 2, noise: 4 }, "blur 3 px": { sigma: 3, noise: 4 }, "blur 4 px": { sigma: 4, noise: 4 },
  "blur 3 px, noise 8": { sigma: 3, noise: 8 }, "motion 15 px": { motion: 15, noise: 4 }, "motion 31 px": { motion: 31, noise: 4 },
};
/** @type {Record<string, Kind>} */
const DARK = { "-3 EV": { stops: -3, noise: 4 } };

/** Photographs whose center is intentionally out of focus, so no good photos are made from them. */
const OUT_OF_FOCUS = ["BytheWater.jpg", "LadyBird.jpg"];

const folder = process.argv[2] ?? join(ROOT, "target/recapture/photographs");
const names = (await readdir(folder)).filter((name) => name.endsWith(".jpg") && !OUT_OF_FOCUS.includes(name)).sort();
const { outputFiles: [module] } = await build({
  entryPoints: [join(PACKAGE, "src/hints.js")], bundle: true, format: "iife", globalName: "hints", write: false,
});
const browser = await launch();
const page = await browser.newPage();
await page.evaluate(`${module?.text}; window.hints = hints;`);
/** For each kind, one measurement per photograph. @type {Record<string, { steepness: number, isDark: boolean }[]>} */
const measured = {};
for (const name of names) {
  const photo = `data:image/jpeg;base64,${(await readFile(join(folder, name))).toString("base64")}`;
  const kinds = { ...GOOD, ...BLURRED, ...DARK };
  const results = await page.evaluate(measure, { photo, kinds });
  for (const [kind, result] of Object.entries(results ?? {})) (measured[kind] ??= []).push(result);
}
await browser.close();

/** Every other photograph, starting with the first or the second. @param {string} kind @param {0 | 1} half */
const halfOf = (kind, half) => (measured[kind] ?? []).filter((_, index) => index % 2 === half);
const chosenFrom = Object.keys(GOOD).flatMap((kind) => halfOf(kind, 0)).map(({ steepness }) => steepness).sort((a, b) => a - b);
const chosen = chosenFrom[Math.floor(chosenFrom.length * FALSE_WARNINGS)] ?? 0;
const { BLURRED: threshold } = await import("../src/hints.js");
/** @param {boolean[]} warnings */
const part = (warnings) => `${Math.round((100 * warnings.filter(Boolean).length) / warnings.length)}%`;
const count = measured["noise 2"]?.length;
console.log(`${count} photographs, half of them held out; threshold ${threshold}, at most ${chosen.toFixed(3)} by the other half.\n`);
console.log("| Photo | Warned of blur | Warned of dark |\n|---|---|---|");
for (const kind of Object.keys(measured)) {
  const rows = halfOf(kind, 1);
  console.log(`| ${kind} | ${part(rows.map(({ steepness }) => steepness < threshold))} | ${part(rows.map(({ isDark }) => isDark))} |`);
}
const good = Object.keys(GOOD).flatMap((kind) => halfOf(kind, 1));
const falseWarnings = good.filter(({ steepness }) => steepness < threshold).length / good.length;
console.log(`\nFalse warnings of blur: ${(100 * falseWarnings).toFixed(1)}%, of at most ${(100 * FALSE_WARNINGS).toFixed(1)}%.`);
process.exitCode = falseWarnings > FALSE_WARNINGS || threshold > chosen ? 1 : 0;

/**
 * Runs in the page: measures a photograph under each kind.
 * @param {{ photo: string, kinds: Record<string, Kind> }} wanted
 */
async function measure({ photo, kinds }) {
  const { steepness, isDark } = /** @type {typeof import("../src/hints.js")} */ (Reflect.get(window, "hints"));
  const image = new Image();
  image.src = photo;
  await image.decode();
  const width = 1920;
  // Scaling up would soften it.
  if (image.naturalWidth < width) return undefined;
  const height = Math.round((width * image.naturalHeight) / image.naturalWidth);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.imageSmoothingQuality = "high";
  /** @type {Record<string, { steepness: number, isDark: boolean }>} */
  const results = {};
  for (const [kind, { sigma = 0, motion = 1, noise = 0, stops = 0 }] of Object.entries(kinds)) {
    context.filter = sigma ? `blur(${sigma}px)` : "none";
    for (let shift = 0; shift < motion; shift += 1) {
      context.globalAlpha = 1 / (shift + 1);
      context.drawImage(image, shift, 0, width, height);
    }
    [context.filter, context.globalAlpha] = ["none", 1];
    const pixels = context.getImageData(0, 0, width, height);
    for (let at = 0; at < pixels.data.length; at += 4) {
      const grain = noise * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
      for (const channel of [at, at + 1, at + 2]) pixels.data[channel] = (pixels.data[channel] ?? 0) * 2 ** (stops / 2.2) + grain;
    }
    context.putImageData(pixels, 0, 0);
    const taken = await createImageBitmap(await new Promise((resolve) => canvas.toBlob((blob) => resolve(/** @type {Blob} */ (blob)), "image/jpeg", 0.92)));
    context.drawImage(taken, 0, 0);
    const middle = context.getImageData((width - 320) / 2, Math.floor((height - 240) / 2), 320, 240);
    const small = document.createElement("canvas");
    [small.width, small.height] = [64, 48];
    const smallContext = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
    smallContext.drawImage(taken, 0, 0, 64, 48);
    results[kind] = { steepness: steepness(middle), isDark: isDark(smallContext.getImageData(0, 0, 64, 48)) };
  }
  return results;
}
