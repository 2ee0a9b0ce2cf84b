// The camera's stream on a video element: opened, stopped, and paused while the page is hidden.

import { ErrorCode, StreamError } from "./errors.js";
import { RESOLUTIONS, isPainted, nextFrame, pause } from "./frames.js";
import { CAPTURE_RESOLUTIONS } from "./limits.js";

/** A camera that was opened and shows no frame for so long is late, in milliseconds. */
const LATE = 5000;

/** A camera that shows itself on a video element. */
export class Camera {
  #video;
  #resolution;
  /** @type {MediaStream | undefined} */
  #stream;
  /** Counts starts and stops: a stream that arrives after its start was taken back is stopped at once. */
  #turn = 0;
  /** Ends the wait for a first frame. */
  #stopped = () => {};

  /**
   * @param {HTMLVideoElement} video
   * @param {keyof typeof RESOLUTIONS} resolution
   */
  constructor(video, resolution) {
    this.#video = video;
    this.#resolution = resolution;
  }

  /**
   * Opens the rear camera, and returns when its first frame shows, or when it was stopped meanwhile.
   * @param {() => void} onLost called when the stream ends by itself: the camera was taken away
   * @param {() => void} onLate called every five seconds until the first frame shows: the phone is slow, or keeps the camera to
   *   itself
   * @returns {Promise<void>}
   * @throws {StreamError} 3001, with the browser's name for the failure in `details.name`
   */
  async start(onLost, onLate) {
    this.stop();
    const turn = this.#turn;
    const isWanted = () => turn === this.#turn;
    const stream = await openStream(this.#resolution).catch((error) => {
      if (isWanted()) throw error;
    });
    if (!stream) return;
    if (!isWanted()) return stopTracks(stream);
    this.#stream = stream;
    for (const track of stream.getTracks()) track.addEventListener("ended", onLost);
    this.#video.srcObject = stream;
    // It rejects where a stop interrupts it, and waits where there are no frames.
    this.#video.play().catch(() => {});
    const stopped = new Promise((resolve) => { this.#stopped = () => resolve(true); });
    while (isWanted() && !(await Promise.race([stopped, this.#shows(isWanted)]))) onLate();
  }

  /**
   * Waits for a picture until the camera is late. Then a frame is enough, for a browser may keep its pixels from pages.
   * @param {() => boolean} isWanted ends the wait when it says no
   */
  async #shows(isWanted) {
    const late = performance.now() + LATE;
    let came = false;
    while (isWanted() && performance.now() < late) {
      came ||= await nextFrame(this.#video, late - performance.now());
      if (isPainted(this.#video)) return true;
      await pause();
    }
    return came;
  }

  /** Whether it shows what is before it: not stopped, and not muted by the phone (a call, another app). */
  get live() {
    return this.#stream?.getVideoTracks().some((track) => track.readyState === "live" && !track.muted) ?? false;
  }

  /** Stops the stream; the camera's light goes out. */
  stop() {
    this.#turn += 1;
    this.#stopped();
    if (this.#stream) stopTracks(this.#stream);
    this.#stream = undefined;
    this.#video.srcObject = null;
  }
}

/**
 * @param {string} resolution
 * @returns {Promise<MediaStream>}
 */
async function openStream(resolution) {
  const [width, height] = RESOLUTIONS[resolution] ?? CAPTURE_RESOLUTIONS.FHD;
  const video = { facingMode: { ideal: "environment" }, width: { ideal: width }, height: { ideal: height } };
  try {
    // Outside of a secure context there is no mediaDevices.
    return await navigator.mediaDevices.getUserMedia({ audio: false, video });
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "Error";
    throw new StreamError(ErrorCode.STREAM_OPEN_FAILED, `A câmera não abriu (${name})`, { name }, cause);
  }
}

/** @param {MediaStream} stream */
function stopTracks(stream) {
  for (const track of stream.getTracks()) track.stop();
}
