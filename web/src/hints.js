// Hints for a better photo: too dark, wrong orientation, blurred. They never prevent a photo. The module is loaded
// once the camera shows. web/README.md#hints documents the thresholds and their error rates.

/** Interval between checks of the camera's picture, in milliseconds. */
const TICK = 400;
/** A hint is shown if at least `AGREEING` of the last `LOOKS` checks agree. */
const [AGREEING, LOOKS] = [3, 4];
/** Size to which the picture is scaled down for the checks, in pixels. */
const [SMALL_WIDTH, SMALL_HEIGHT] = [64, 48];
/** A picture is dark if 95% of its pixels have a luma below this, of 255. */
const DARK = 90;

/** Blur is measured in the middle of a photo, scaled to this width, in pixels. */
const SCALE = 1920;
const [WIDTH, HEIGHT] = [320, 240];
/** Fraction of the pixels that count as edges: those with the steepest gradients. */
const EDGES = 0.02;
/** Distance from an edge within which its contrast is measured, in pixels. */
const REACH = 6;
/** A photo is blurred if its median edge steepness is below this, as a fraction of the contrast per pixel. */
export const BLURRED = 0.12;

/** @typedef {"turnSideways" | "turnUpright" | "dark"} Hint */

/** Checks the camera's picture at intervals. */
export class LiveHints {
  #video;
  #framing;
  #show;
  #canvas = Object.assign(document.createElement("canvas"), { width: SMALL_WIDTH, height: SMALL_HEIGHT });
  /** Results of the last checks. @type {(Hint | undefined)[]} */
  #seen = [];
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /**
   * @param {HTMLVideoElement} video
   * @param {() => string | undefined} framing
   * @param {(hint: Hint | undefined) => void} show called after each check, with the current hint
   */
  constructor(video, framing, show) {
    this.#video = video;
    this.#framing = framing;
    this.#show = show;
  }

  start() {
    this.stop();
    // Runs when the browser is idle. Safari has no `requestIdleCallback`.
    const idle = globalThis.requestIdleCallback ?? setTimeout;
    this.#timer = setInterval(() => idle(() => this.#look()), TICK);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#seen = [];
  }

  #look() {
    if (this.#timer === undefined || !this.#video.videoWidth) return;
    this.#seen = [...this.#seen, this.#see()].slice(-LOOKS);
    const counts = (/** @type {Hint | undefined} */ hint) => this.#seen.filter((seen) => seen === hint).length;
    this.#show(this.#seen.find((hint) => hint && counts(hint) >= AGREEING));
  }

  /** @returns {Hint | undefined} */
  #see() {
    const { videoWidth, videoHeight } = this.#video;
    const framing = this.#framing();
    if (framing === "landscape" && videoWidth < videoHeight) return "turnSideways";
    if (framing === "portrait" && videoWidth > videoHeight) return "turnUpright";
    const context = this.#canvas.getContext("2d", { willReadFrequently: true });
    context?.drawImage(this.#video, 0, 0, SMALL_WIDTH, SMALL_HEIGHT);
    const pixels = context?.getImageData(0, 0, SMALL_WIDTH, SMALL_HEIGHT);
    return pixels && isDark(pixels) ? "dark" : undefined;
  }
}

/**
 * Whether a photo is blurred.
 * @param {{ image: Blob, width: number, height: number }} photo
 * @param {number} [floor] the least steepness of a photo that is not
 * @returns {Promise<boolean>}
 */
export async function isBlurred({ image, width, height }, floor = BLURRED) {
  const scale = Math.max(1, Math.max(width, height) / SCALE);
  const [wide, high] = [Math.min(width, WIDTH * scale), Math.min(height, HEIGHT * scale)];
  const middle = await createImageBitmap(image, (width - wide) / 2, (height - high) / 2, wide, high);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(wide / scale), Math.round(high / scale)];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return false;
  context.drawImage(middle, 0, 0, canvas.width, canvas.height);
  middle.close();
  await new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
  return steepness(context.getImageData(0, 0, canvas.width, canvas.height)) < floor;
}

/** Whether a picture is too dark for a photo. @param {ImageData} pixels */
export function isDark(pixels) {
  const luma = lumaOf(pixels).sort();
  return (luma[Math.floor(luma.length * 0.95)] ?? 255) < DARK;
}

/**
 * Steepness of a picture's edges: the median, over the steepest edges, of the gradient per pixel divided by the
 * local contrast. It is the inverse of an edge's width, so contrast and noise hardly affect it. 1 if there are no
 * edges.
 * @param {ImageData} pixels
 */
export function steepness(pixels) {
  const { width, height } = pixels;
  const luma = smoothed(smoothed(lumaOf(pixels), width, 1), width, width);
  const gradients = new Float32Array(luma.length);
  const at = (/** @type {number} */ index) => luma[index] ?? 0;
  for (let y = REACH; y < height - REACH; y += 1) {
    for (let x = REACH; x < width - REACH; x += 1) {
      const index = y * width + x;
      gradients[index] = Math.hypot(at(index + 1) - at(index - 1), at(index + width) - at(index - width)) / 2;
    }
  }
  const steepest = Float32Array.from(gradients).sort().at(-Math.ceil(gradients.length * EDGES)) ?? 0;
  const ratios = [];
  for (const [index, gradient] of gradients.entries()) {
    if (gradient < steepest || gradient === 0) continue;
    let [least, most] = [Infinity, -Infinity];
    for (let dy = -REACH; dy <= REACH; dy += 1) {
      for (let dx = -REACH; dx <= REACH; dx += 1) {
        const value = at(index + dy * width + dx);
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    ratios.push(gradient / (most - least));
  }
  return ratios.sort((one, other) => one - other)[ratios.length >> 1] ?? 1;
}

/** @param {ImageData} pixels */
function lumaOf({ data }) {
  const luma = new Float32Array(data.length / 4);
  for (let index = 0; index < luma.length; index += 1) {
    const [red = 0, green = 0, blue = 0] = [data[4 * index], data[4 * index + 1], data[4 * index + 2]];
    luma[index] = 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  return luma;
}

/** Gaussian kernel with a standard deviation of one pixel. */
const KERNEL = [0.006, 0.061, 0.242, 0.382, 0.242, 0.061, 0.006];

/**
 * @param {Float32Array} values
 * @param {number} width
 * @param {number} step distance between neighbouring values: 1 along rows, `width` along columns
 */
function smoothed(values, width, step) {
  const out = new Float32Array(values.length);
  const [lines, length] = step === 1 ? [values.length / width, width] : [width, values.length / width];
  for (let line = 0; line < lines; line += 1) {
    const start = step === 1 ? line * width : line;
    for (let place = 0; place < length; place += 1) {
      let sum = 0;
      for (const [tap, weight] of KERNEL.entries()) {
        const near = Math.min(length - 1, Math.max(0, place + tap - 3));
        sum += weight * (values[start + near * step] ?? 0);
      }
      out[start + place * step] = sum;
    }
  }
  return out;
}
