// Captures the photo and evidence that the camera is live: one frame as JPEG, and hashes of the frames after it.

import { ErrorCode, StreamError } from "./errors.js";
import { hashBuffer } from "./hash.js";
import { CAPTURE_RESOLUTIONS, FRAMINGS, MAX_ASSET_BYTES, MAX_ASSET_PIXELS } from "./limits.js";

/**
 * JPEG qualities, tried in this order while the image is larger than allowed. After the last one, the image is
 * scaled down.
 */
const QUALITIES = [0.92, 0.85, 0.75, 0.7];
/** Width at which extra frames are hashed, in pixels. A live camera's frames differ at any size. */
const EXTRA_FRAME_WIDTH = 320;
/** After this time without a new or painted picture the camera counts as frozen, in milliseconds. */
const FROZEN_AFTER = 5000;
/** Pause before the next check, which leaves a busy browser time to paint, in milliseconds. */
const PAUSE = 200;
/** A live camera delivers its next frame within this time, in milliseconds. */
const FRAME_TIMEOUT = 500;

/**
 * Longer and shorter side of the photo for each `capture_resolution` of a license, in pixels.
 * @type {Readonly<Record<string, readonly [number, number]>>}
 */
export const RESOLUTIONS = Object.freeze({ ...CAPTURE_RESOLUTIONS, MAX: [8192, 8192] });

/** Ratio of width to height under each framing. @type {ReadonlyMap<string, number>} */
const RATIOS = new Map(Object.entries(FRAMINGS).map(([framing, [width, height]]) => [framing, width / height]));

/**
 * @typedef {object} Frames
 * @property {Blob} image the main frame, JPEG; upload these bytes unchanged
 * @property {number} width in pixels
 * @property {number} height in pixels
 * @property {string} frame_hash SHA-256 of the image, hexadecimal
 * @property {string[]} extra_frame_hashes SHA-256 of the pixels of later frames (RGBA, at most 320 wide)
 * @property {number} captured_at_ms time of the main frame by the device's clock
 */

/**
 * Captures the current frame of the video as a JPEG, and hashes frames after it.
 * @param {HTMLVideoElement} video playing a camera's stream
 * @param {object} [options]
 * @param {keyof typeof RESOLUTIONS} [options.resolution] larger pictures are scaled down to it; smaller ones are not scaled up
 * @param {string} [options.framing] `landscape`, `portrait` or `square` keep the middle of the picture (4:3, 3:4 or 1:1), of
 *   which the resolution bounds only the longer side; any other value keeps the whole picture
 * @param {number} [options.maxBytes] if the image would be larger, its quality is reduced down to 0.7, then its size
 * @param {number} [options.extraFrames] 2 to 8
 * @returns {Promise<Frames>}
 * @throws {StreamError} 3001 if the camera delivers no picture
 */
export async function captureFrames(video, { resolution = "FHD", framing, maxBytes = MAX_ASSET_BYTES, extraFrames = 3 } = {}) {
  const [longer, shorter] = RESOLUTIONS[resolution] ?? CAPTURE_RESOLUTIONS.FHD;
  const ratio = RATIOS.get(framing ?? "");
  const kept = middle(video, ratio);
  const [width, height] = fit(kept.width, kept.height, ratio ? [longer, longer] : [longer, shorter]);
  if (!width || !height) throw noPicture();
  const main = document.createElement("canvas");
  [main.width, main.height] = [width, height];
  await paint(video, main, kept);
  const captured_at_ms = Date.now();
  const [encoded, extra_frame_hashes] = await Promise.all([encode(main, maxBytes), hashFrames(video, extraFrames)]);
  const frame_hash = await hashBuffer(await encoded.image.arrayBuffer());
  return { ...encoded, frame_hash, extra_frame_hashes, captured_at_ms };
}

/**
 * A rectangle of the video's picture, in the video's pixels.
 * @typedef {{ x: number, y: number, width: number, height: number }} Part
 */

/**
 * The largest centered rectangle with this ratio of width to height; the whole picture without one.
 * @param {HTMLVideoElement} video
 * @param {number} [ratio]
 * @returns {Part}
 */
function middle({ videoWidth, videoHeight }, ratio = videoWidth / videoHeight) {
  const width = Math.min(videoWidth, Math.round(videoHeight * ratio));
  const height = Math.min(videoHeight, Math.round(videoWidth / ratio));
  return { x: Math.floor((videoWidth - width) / 2), y: Math.floor((videoHeight - height) / 2), width, height };
}

/**
 * Scales a size down to bounds that have the same orientation.
 * @param {number} width
 * @param {number} height
 * @param {readonly [number, number]} bounds
 * @returns {[number, number]}
 */
function fit(width, height, [longer, shorter]) {
  const scale = Math.min(
    1,
    longer / Math.max(width, height),
    shorter / Math.min(width, height),
    Math.sqrt(MAX_ASSET_PIXELS / (width * height)),
  );
  return [Math.floor(width * scale), Math.floor(height * scale)];
}

/**
 * Draws the current picture, repeatedly until the browser has painted it: a busy browser may report new frames but
 * paint nothing. Drawing succeeds most often right after a new frame, so it waits only for frames.
 * @param {HTMLVideoElement} video
 * @param {HTMLCanvasElement} canvas
 * @param {Part} part of the video's picture
 * @param {CanvasRenderingContext2DSettings} [settings]
 * @returns {Promise<CanvasRenderingContext2D>}
 */
async function paint(video, canvas, part, settings) {
  const late = performance.now() + FROZEN_AFTER;
  for (;;) {
    const context = draw(video, canvas, part, settings);
    if (isOpaque(context)) return context;
    if (performance.now() > late) throw noPicture();
    await pause();
  }
}

/** Whether a picture was painted on the canvas, which makes it opaque. @param {CanvasRenderingContext2D} context */
function isOpaque(context) {
  return context.getImageData(0, 0, 1, 1).data[3] !== 0;
}

/**
 * @param {HTMLVideoElement} video
 * @param {HTMLCanvasElement} canvas
 * @param {Part} part of the video's picture
 * @param {CanvasRenderingContext2DSettings} [settings]
 * @returns {CanvasRenderingContext2D}
 */
function draw(video, canvas, { x, y, width, height }, settings) {
  const context = canvas.getContext("2d", settings);
  if (!context) throw noPicture();
  context.drawImage(video, x, y, width, height, 0, 0, canvas.width, canvas.height);
  return context;
}

/**
 * Encodes the canvas as a JPEG of at most `maxBytes`, and returns it with its size in pixels. Releases the canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {number} maxBytes
 * @returns {Promise<{ image: Blob, width: number, height: number }>}
 */
async function encode(canvas, maxBytes) {
  const start = performance.now();
  let image = await toJpeg(canvas, QUALITIES[0]);
  for (const quality of QUALITIES.slice(1)) {
    if (image.size > maxBytes) image = await toJpeg(canvas, quality);
  }
  while (image.size > maxBytes && Math.min(canvas.width, canvas.height) > 1) {
    canvas = scaled(canvas, Math.sqrt(maxBytes / image.size) * 0.95);
    image = await toJpeg(canvas, QUALITIES.at(-1));
  }
  const { width, height } = canvas;
  free(canvas);
  performance.measure("svc-camera:encode", { start });
  return { image, width, height };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} [quality]
 * @returns {Promise<Blob>}
 */
async function toJpeg(canvas, quality) {
  const image = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
  if (!image) throw noPicture();
  return image;
}

/**
 * A scaled-down copy of a canvas. Releases the original.
 * @param {HTMLCanvasElement} canvas
 * @param {number} scale below 1
 */
function scaled(canvas, scale) {
  const smaller = document.createElement("canvas");
  const side = (/** @type {number} */ length) => Math.max(1, Math.floor(length * scale));
  [smaller.width, smaller.height] = [side(canvas.width), side(canvas.height)];
  const context = smaller.getContext("2d");
  if (!context) throw noPicture();
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, 0, 0, smaller.width, smaller.height);
  free(canvas);
  return smaller;
}

/**
 * Releases a canvas's memory. iOS limits the memory of all canvases and frees that of a removed canvas late.
 * @param {HTMLCanvasElement} canvas
 */
function free(canvas) {
  canvas.width = 0;
}

/**
 * Hashes the next frames until `wanted` different hashes were found. A still picture yields the same hash again and
 * again; it is sent like that and the service refuses it.
 * @param {HTMLVideoElement} video
 * @param {number} wanted
 * @returns {Promise<string[]>}
 */
async function hashFrames(video, wanted) {
  const canvas = document.createElement("canvas");
  canvas.width = EXTRA_FRAME_WIDTH;
  canvas.height = Math.round((EXTRA_FRAME_WIDTH * video.videoHeight) / video.videoWidth);
  const hashes = new Set();
  let changed = performance.now();
  while (hashes.size < wanted && performance.now() - changed < FROZEN_AFTER) {
    await nextFrame(video);
    const context = await paint(video, canvas, middle(video), { willReadFrequently: true });
    const hash = await hashBuffer(context.getImageData(0, 0, canvas.width, canvas.height).data);
    if (hashes.has(hash)) {
      await pause();
    } else {
      hashes.add(hash);
      changed = performance.now();
    }
  }
  return hashes.size > 1 ? [...hashes] : Array(wanted).fill([...hashes][0]);
}

/** Pauses, because a busy browser draws an old frame or none until the page yields. */
export function pause() {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}

/**
 * Whether the video's current picture can be drawn. A browser may have a frame that it has not painted yet.
 * @param {HTMLVideoElement} video
 */
export function isPainted(video) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1, 1];
  return isOpaque(draw(video, canvas, middle(video), { willReadFrequently: true }));
}

/**
 * Waits for the camera's next frame, with a timeout because the stream may be frozen.
 * @param {HTMLVideoElement} video
 * @param {number} [timeout] in milliseconds
 * @returns {Promise<boolean>} whether a frame came
 */
export function nextFrame(video, timeout = FRAME_TIMEOUT) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeout);
    video.requestVideoFrameCallback(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function noPicture() {
  return new StreamError(ErrorCode.STREAM_OPEN_FAILED, "A câmera não entregou uma imagem");
}
