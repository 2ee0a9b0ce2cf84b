// The camera's stream on a video element: selects the lens, opens and watches the stream, and stops it.

import { ErrorCode, StreamError } from "./errors.js";
import { RESOLUTIONS, isPainted, nextFrame, pause } from "./frames.js";
import { abilitiesOf, focuses, isOneOfMany, rearCameras } from "./lens.js";
import { CAPTURE_RESOLUTIONS } from "./limits.js";

/** A camera that delivers frames for this time but no readable pixels is accepted, in milliseconds. */
const LATE = 5000;
/** A camera that is muted for this time counts as lost, in milliseconds. */
const MUTED = 1000;
/**
 * Interval between checks for new frames, in milliseconds. The camera counts as lost after `MISSES` checks without
 * a frame.
 */
const LOOK = 500;
const MISSES = 4;
/** Maximum number of other lenses to try if the opened lens is not the main one. */
const TRIES = 2;
/** Zoom factor relative to the zoom with which a lens opens. */
const ZOOM = 2;

/** @typedef {import("./lens.js").Settings} Settings */

/**
 * Camera controls: which exist, and which are on.
 * @typedef {object} Controls
 * @property {boolean | undefined} torch undefined if the lens has none
 * @property {boolean | undefined} zoom
 * @property {boolean} lens whether there is another lens
 */

/** A camera whose picture a video element shows. */
export class Camera {
  #video;
  #resolution;
  /** @type {MediaStream | undefined} */
  #stream;
  /** `deviceId` of the lens to open next time; `undefined` lets the browser choose. @type {string | undefined} */
  #lens;
  /** The rear cameras, known once one was opened. @type {MediaDeviceInfo[]} */
  #rear = [];
  #torch = false;
  #zoom = false;
  /** The zoom with which the lens opened. */
  #zoomedOut = 1;
  /** Counts starts and stops, so that a stream that arrives after its start was cancelled is stopped at once. */
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
   * Opens the rear camera, and returns when its first frame shows or when it was stopped meanwhile.
   * @param {() => void} onLost called once if the picture stops by itself: the camera was taken away or muted, or
   *   delivers no frames
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
   * Waits for a picture with readable pixels. After `LATE` a frame is enough, because some browsers keep pixels
   * from pages.
   * @param {() => boolean} isWanted ends the wait once it returns false
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
   * Watches for frames. A track can report that it is live and yet deliver no frames, as on iOS after a phone call.
   * A video that is not rendered reports no frames; in Chromium, neither does one that moved to another document.
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
      // Checks are counted instead of time, because a busy browser had no time for frames either.
      if (misses === MISSES) onLost();
      return undefined;
    }, LOOK);
  }

  /** Whether the camera delivers pictures: it is open, and the phone has not muted it (a call, another app). */
  get live() {
    return this.#track?.readyState === "live" && !this.#track.muted;
  }

  /** The controls that the lens reports to support. @returns {Controls} */
  get controls() {
    const { torch, zoom } = this.#track ? abilitiesOf(this.#track) : {};
    return {
      torch: [torch].flat().includes(true) ? this.#torch : undefined,
      zoom: zoom && zoom.max >= this.#zoomedOut * ZOOM ? this.#zoom : undefined,
      lens: this.#rear.length > 1,
    };
  }

  /** Toggles the light. */
  async switchTorch() {
    this.#torch = !this.#torch;
    await this.#set({ torch: this.#torch });
  }

  /** Toggles the zoom. */
  async switchZoom() {
    this.#zoom = !this.#zoom;
    await this.#set({ zoom: this.#zoomedOut * (this.#zoom ? ZOOM : 1) });
  }

  /** Selects the next rear camera for the next start. */
  turnLens() {
    const open = this.#rear.findIndex(({ deviceId }) => deviceId === this.#deviceId);
    this.#lens = this.#rear[(open + 1) % this.#rear.length]?.deviceId;
    [this.#torch, this.#zoom] = [false, false];
  }

  /** Stops the stream, which turns the camera's indicator off. */
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
   * Opens the lens of the last time, or else selects one. A lens that does not open is not tried again.
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
   * Switches to the main lens if the browser opened another one. One camera is stopped before another is opened.
   * While the cameras are listed, the first one already starts, so that a correct choice shows without delay.
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
   * Shows a camera in place of the previous one.
   * @param {string | undefined} lens its `deviceId`; `undefined` lets the browser choose
   * @param {() => boolean} isWanted
   */
  async #show(lens, isWanted) {
    this.#end();
    const stream = await openStream(this.#resolution, lens);
    if (!isWanted()) return stopTracks(stream);
    this.#stream = stream;
    this.#video.srcObject = stream;
    // `play()` rejects if a stop interrupts it, and stays pending without frames.
    this.#video.play().catch(() => {});
  }

  /** Restores the person's settings, and enables continuous autofocus. */
  async #adjust() {
    if (!this.#track) return;
    const { focusMode, zoom = 1 } = /** @type {Settings} */ (this.#track.getSettings());
    this.#zoomedOut = zoom;
    const follows = abilitiesOf(this.#track).focusMode?.includes("continuous") && focusMode !== "continuous";
    if (follows) await this.#set({ focusMode: "continuous" });
    if (this.#torch) await this.#set({ torch: true });
    if (this.#zoom) await this.#set({ zoom: zoom * ZOOM });
  }

  /** Applies constraints. A lens that rejects them keeps its settings. @param {Record<string, unknown>} wanted */
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
  // `zoom` is not requested here: in Chrome it needs another permission, and denying that would also deny the
  // camera.
  const video = { ...which, width: { ideal: width }, height: { ideal: height } };
  try {
    // Outside a secure context `mediaDevices` is undefined.
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
