// The clip of the fake camera: a moving view of a photograph with sensor noise, so that all frames differ.

import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { launch } from "./browser.js";
import { ARTIFACTS, ROOT } from "./places.js";

const PHOTO = join(ROOT, "target/photos/china-2560x1440.jpg");
const FRAMES = 75;

/** @typedef {{ width: number, height: number }} Size */

/**
 * The clip's path (Motion JPEG). It is created once.
 * @param {Size} [size]
 */
export async function clip(size = { width: 1920, height: 1080 }) {
  const path = join(ARTIFACTS, `clip-${size.width}x${size.height}.mjpeg`);
  const exists = await access(path).then(() => true, () => false);
  if (!exists) await make(path, size);
  return path;
}

/**
 * @param {string} path
 * @param {Size} size
 */
async function make(path, size) {
  const photo = (await readFile(PHOTO)).toString("base64");
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const frames = await page.evaluate(draw, { photo: `data:image/jpeg;base64,${photo}`, count: FRAMES, size });
    await mkdir(ARTIFACTS, { recursive: true });
    await writeFile(`${path}.part`, Buffer.concat(frames.map((frame) => Buffer.from(frame, "base64"))));
    await rename(`${path}.part`, path);
  } finally {
    await browser.close();
  }
}

/**
 * Runs in the page: draws the frames, each as a base64 JPEG.
 * @param {{ photo: string, count: number, size: Size }} wanted
 */
async function draw({ photo, count, size }) {
  const image = new Image();
  image.src = photo;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [size.width, size.height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  const frames = [];
  for (let frame = 0; frame < count; frame += 1) {
    const turn = (2 * Math.PI * frame) / count;
    const [left, top] = [320 + 200 * Math.sin(turn), 180 + 100 * Math.cos(turn)];
    context.drawImage(image, left, top, 1920, 1080, 0, 0, size.width, size.height);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < pixels.data.length; at += 4) {
      const noise = (Math.random() - 0.5) * 12;
      for (const channel of [at, at + 1, at + 2]) pixels.data[channel] = (pixels.data[channel] ?? 0) + noise;
    }
    context.putImageData(pixels, 0, 0);
    frames.push(canvas.toDataURL("image/jpeg", 0.8).split(",")[1] ?? "");
  }
  return frames;
}

/**
 * Runs in the page before its scripts: draws a random corner into each picture. The clip restarts with each camera,
 * so two photos could be the same frame, which the service accepts only once.
 */
export function makeFramesUnique() {
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (/** @type {any[]} */ ...picture) {
    Reflect.apply(drawImage, this, picture);
    for (let x = 0; x < 64; x += 16) {
      this.fillStyle = `#${Math.floor(Math.random() * 0xffffff).toString(16).padStart(6, "0")}`;
      this.fillRect(x, 0, 16, 16);
    }
  };
}
