// The camera's stream on a video element: opened with the right lens, watched, and stopped.

import { ErrorCode, StreamError } from "./errors.js";
import { RESOLUTIONS, isPainted, nextFrame, pause } from "./frames.js";
import { abilitiesOf, focuses, isOneOfMany, rearCameras } from "./lens.js";
import { CAPTURE_RESOLUTIONS } from "./limits.js";

/** A camera that has frames for so long, and no pixels for this page, is taken as it is, in milliseconds. */
const LATE = 5000;
/** A camera that is muted for so long is lost, in milliseconds. */
const MUTED = 1000;
/** Frames are looked for in this interval, in milliseconds; after so many looks without one the camera is lost. */
const LOOK = 500;
const MISSES = 4;
/** So many lenses are tried in the place of one that is not the main one. */
const TRIES = 2;
/** How far the zoom goes beyond the view with which a lens opens. */
const ZOOM = 2;

/** @typedef {import("./lens.js").Settings} Settings */

/**
 * What the person can set, and has set.
 * @typedef {object} Controls
 * @property {boolean | undefined} torch absent where the lens has none
 * @property {boolean | undefined} zoom
 * @property {boolean} lens whether there is another lens
 */

/** A camera that shows itself on a video element. */
export class Camera {
  #video;
  #resolution;
  /** @type {MediaStream | undefined} */
  #stream;
  /** The lens by which the camera is opened again; without one it is the browser's choice. @type {string | undefined} */
  #lens;
  /** The rear cameras, once one was opened. @type {MediaDeviceInfo[]} */
  #rear = [];
  #torch = false;
  #zoom = false;
  /** The zoom with which the lens opened. */
  #zoomedOut = 1;
  /** Counts starts and stops: a stream that arrives after its start was taken back is stopped at once. */
  #turn = 0;

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
   * @param {() => void} onLost called once when the picture stops by itself: the camera was taken away, muted, or is dead
   * @returns {Promise<void>}
   * @throws {StreamError} 3001, with the browser's name for the failure in `details.name`
   */
  async start(onLost) {
    this.stop();
    const turn = this.#turn;
    const isWanted = () => turn === this.#turn;
    await this.#open(isWanted).catch((error) => {
      if (isWanted()) throw error;
    });
    if (isWanted()) this.#watchTrack(isWanted, onLost);
    const reportsFrames = await this.#shown(isWanted);
    if (!isWanted()) return;
    if (reportsFrames) this.#watchFrames(isWanted, onLost);
    this.#adjust();
  }

  /**
   * Waits for a picture. After a while a frame is enough, for a browser may keep its pixels from pages.
   * @param {() => boolean} isWanted ends the wait when it says no
   * @returns {Promise<boolean>} whether the browser reported a frame
   */
  async #shown(isWanted) {
    const late = performance.now() + LATE;
    let came = false;
    for (; isWanted(); await pause()) {
      came ||= await nextFrame(this.#video);
      if (!isWanted() || !this.#video.videoWidth) continue;
      if (isPainted(this.#video) || (came && performance.now() > late)) break;
    }
    return came;
  }

  /**
   * @param {() => boolean} isWanted
   * @param {() => void} onLost
   */
  #watchTrack(isWanted, onLost) {
    const track = this.#track;
    const lost = () => isWanted() && onLost();
    track?.addEventListener("ended", lost);
    track?.addEventListener("mute", () => setTimeout(() => track.muted && lost(), MUTED));
  }

  /**
   * A track may be live by all that it says, and dead: after a call, iOS gives such ones. Only its frames tell. A video that is
   * not rendered reports none, and in Chromium neither does one that came into another document.
   * @param {() => boolean} isWanted
   * @param {() => void} onLost
   */
  #watchFrames(isWanted, onLost) {
    const video = this.#video;
    const { ownerDocument } = video;
    let [hasFrame, misses] = [true, 0];
    const follow = () => {
      hasFrame = true;
      if (isWanted()) video.requestVideoFrameCallback(follow);
    };
    video.requestVideoFrameCallback(follow);
    const timer = setInterval(() => {
      if (!isWanted() || video.ownerDocument !== ownerDocument) return clearInterval(timer);
      misses = hasFrame || video.hidden || ownerDocument.hidden ? 0 : misses + 1;
      hasFrame = false;
      // Looks, and no clock: a browser that was busy for long had no time for frames either.
      if (misses === MISSES) onLost();
      return undefined;
    }, LOOK);
  }

  /** Whether it is open: not stopped, and not muted by the phone (a call, another app). */
  get live() {
    return this.#track?.readyState === "live" && !this.#track.muted;
  }

  /** What the person can set, by what the lens says that it can do. @returns {Controls} */
  get controls() {
    const { torch, zoom } = this.#track ? abilitiesOf(this.#track) : {};
    return {
      torch: [torch].flat().includes(true) ? this.#torch : undefined,
      zoom: zoom && zoom.max >= this.#zoomedOut * ZOOM ? this.#zoom : undefined,
      lens: this.#rear.length > 1,
    };
  }

  /** Switches the light on or off. */
  async switchTorch() {
    this.#torch = !this.#torch;
    await this.#set({ torch: this.#torch });
  }

  /** Zooms in, or out again. */
  async switchZoom() {
    this.#zoom = !this.#zoom;
    await this.#set({ zoom: this.#zoomedOut * (this.#zoom ? ZOOM : 1) });
  }

  /** The next start opens the next one of the rear cameras, as it is. */
  turnLens() {
    const open = this.#rear.findIndex(({ deviceId }) => deviceId === this.#deviceId);
    this.#lens = this.#rear[(open + 1) % this.#rear.length]?.deviceId;
    [this.#torch, this.#zoom] = [false, false];
  }

  /** Stops the stream; the camera's light goes out. */
  stop() {
    this.#turn += 1;
    this.#end();
  }

  get #track() {
    return this.#stream?.getVideoTracks()[0];
  }

  get #deviceId() {
    return this.#track?.getSettings().deviceId;
  }

  /**
   * Opens the lens of the last time, or else the right one. A lens that does not open is not tried again.
   * @param {() => boolean} isWanted
   */
  async #open(isWanted) {
    const lens = this.#lens;
    this.#lens = undefined;
    await this.#show(lens, isWanted);
    this.#lens = lens;
    if (!lens) await this.#choose(isWanted);
  }

  /**
   * Opens the main lens instead, where the browser opened another one: one camera is stopped before another is opened. While
   * the cameras are listed the first one gets ready, so that a right one is not shown later for it.
   * @param {() => boolean} isWanted
   */
  async #choose(isWanted) {
    const listed = rearCameras().then((cameras) => { this.#rear = cameras; });
    if (!isWanted() || !this.#track || !isOneOfMany(this.#track)) return;
    await listed;
    const [first] = this.#rear;
    if (!isWanted() || !first) return;
    let tries = 0;
    for (const { deviceId } of this.#rear) {
      if (deviceId !== this.#deviceId) {
        if (tries === TRIES) break;
        tries += 1;
        await this.#show(deviceId, isWanted).catch(() => {});
      }
      if (!isWanted()) return;
      if (this.#track && focuses(this.#track)) {
        this.#lens = deviceId;
        return;
      }
    }
    if (this.#deviceId !== first.deviceId) await this.#show(first.deviceId, isWanted);
    this.#lens = first.deviceId;
  }

  /**
   * Shows a camera in the place of the one before.
   * @param {string | undefined} lens by its `deviceId`; the browser's choice without one
   * @param {() => boolean} isWanted
   */
  async #show(lens, isWanted) {
    this.#end();
    const stream = await openStream(this.#resolution, lens);
    if (!isWanted()) return stopTracks(stream);
    this.#stream = stream;
    this.#video.srcObject = stream;
    // It rejects where a stop interrupts it, and waits where there are no frames.
    this.#video.play().catch(() => {});
  }

  /** Sets what the person had set before, and the focus that follows the picture. */
  async #adjust() {
    if (!this.#track) return;
    const { focusMode, zoom = 1 } = /** @type {Settings} */ (this.#track.getSettings());
    this.#zoomedOut = zoom;
    const follows = abilitiesOf(this.#track).focusMode?.includes("continuous") && focusMode !== "continuous";
    if (follows) await this.#set({ focusMode: "continuous" });
    if (this.#torch) await this.#set({ torch: true });
    if (this.#zoom) await this.#set({ zoom: zoom * ZOOM });
  }

  /** A lens that refuses stays as it is. @param {Record<string, unknown>} wanted */
  async #set(wanted) {
    await this.#track?.applyConstraints({ advanced: [wanted] }).catch(() => {});
  }

  #end() {
    if (this.#stream) stopTracks(this.#stream);
    this.#stream = undefined;
    this.#video.srcObject = null;
  }
}

/**
 * @param {string} resolution
 * @param {string} [lens] a `deviceId`
 * @returns {Promise<MediaStream>}
 */
async function openStream(resolution, lens) {
  const [width, height] = RESOLUTIONS[resolution] ?? CAPTURE_RESOLUTIONS.FHD;
  const which = lens ? { deviceId: { exact: lens } } : { facingMode: { ideal: "environment" } };
  // Without `zoom`, which is another permission in Chrome: one who allowed the camera, and not that, would be refused both.
  const video = { ...which, width: { ideal: width }, height: { ideal: height } };
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
