// The camera as the person sees it: opens it, reopens it after it was lost, and offers its controls. A camera can
// be lost through a phone call, another app, or a hidden page.

import { Camera } from "./stream.js";
import { WakeLock } from "./wake-lock.js";

/** After this time without a picture the dialog explains the delay, in milliseconds. */
const LATE = 3000;
/** After this time without a picture the person can reopen the camera, in milliseconds. */
const STUCK = 10_000;
/**
 * Delays before the attempts to reopen a lost camera, in milliseconds: at once, after one second, and after another
 * two.
 */
const TRIES = [0, 1000, 2000];

export class Viewfinder {
  #view;
  #texts;
  #onFailure;
  #camera;
  #wakeLock = new WakeLock();
  /** Whether a picture is wanted; false while a photo is reviewed or sent. */
  #wanted = false;
  /** Whether the camera shows its picture, or is about to. */
  #ready = false;
  #opening = false;
  /** Number of the current attempt to open the camera; a later attempt supersedes earlier ones. */
  #turn = 0;
  /**
   * The module of hints, loaded when the camera shows; `undefined` if it cannot be loaded.
   * @type {Promise<typeof import("./hints.js") | undefined> | undefined}
   */
  #hints;
  /** @type {import("./hints.js").LiveHints | undefined} */
  #live;
  /** The message shown with the picture. */
  #message = "";
  /** Called when the camera shows its picture. */
  #shows = () => {};

  /**
   * @param {import("./view.js").View} view
   * @param {import("./texts.js").Texts} texts
   * @param {import("./license.js").Policy["capture_resolution"]} resolution
   * @param {(error: unknown) => void} onFailure called when the camera finally cannot be opened
   */
  constructor(view, texts, resolution, onFailure) {
    this.#view = view;
    this.#texts = texts;
    this.#onFailure = onFailure;
    this.#camera = new Camera(view.video, resolution);
    view.onControl = (control) => this.#use(control);
  }

  /**
   * Opens the camera and waits for its picture.
   * @param {AbortSignal} signal ends the wait
   * @returns {Promise<void>}
   */
  open(signal) {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#shows = resolve;
      this.#wanted = true;
      this.#bring([0], true);
    });
  }

  /** Shows the picture for taking a photo. @param {string} message what the person is to do */
  show(message) {
    this.#message = message;
    this.#wanted = true;
    this.#view.show("live", this.#ready ? message : this.#texts.cameraLost);
    if (!this.#ready && !this.#opening) this.#bring(TRIES);
    this.#hint();
  }

  /** Called when the picture is not needed for now. The camera stays open. */
  rest() {
    this.#wanted = false;
    this.#live?.stop();
  }

  /**
   * Shows a hint if the photo under review is blurred, or else if it is smaller than what is asked for.
   * @param {import("./frames.js").Frames} photo
   * @param {AbortSignal} signal ends the review
   * @param {import("./service.js").Step | undefined} step
   */
  async judge(photo, signal, step) {
    const hints = await this.#hints;
    const isBlurred = await hints?.isBlurred(photo, step?.sharpness_floor).catch(() => false);
    const isSmall = Math.min(photo.width, photo.height) < (step?.min_short_side ?? 0);
    if (!signal.aborted) this.#view.hint(isBlurred ? this.#texts.blurred : isSmall ? this.#texts.small : "");
  }

  /** Whether the camera delivers pictures. */
  get live() {
    return this.#camera.live;
  }

  /** Stops the camera when the page is hidden, and reopens it when the page is visible. */
  followVisibility() {
    if (this.#view.document.hidden) this.#stop();
    else if (this.#wanted) this.#bring(TRIES);
  }

  /** Stops the camera. The wake lock stays, so that the screen does not go dark. */
  close() {
    this.#wanted = false;
    this.#stop();
  }

  /** Stops the camera for good. */
  end() {
    this.close();
    this.#wakeLock.release();
  }

  #stop() {
    this.#turn += 1;
    [this.#ready, this.#opening] = [false, false];
    this.#live?.stop();
    this.#camera.stop();
    this.#view.setReady(false);
  }

  #lost() {
    this.#stop();
    if (!this.#wanted || this.#view.document.hidden) return;
    this.#view.say(this.#texts.cameraLost);
    this.#bring(TRIES);
  }

  /**
   * Opens the camera, with retries. If all fail, the person may retry; if the last retry fails too, the attempt
   * fails.
   * @param {number[]} waits delays before the attempts, in milliseconds
   * @param {boolean} [isLast] whether a failure ends the capture
   */
  async #bring(waits, isLast = false) {
    const turn = (this.#turn += 1);
    /** @type {unknown} */
    let failure;
    [this.#ready, this.#opening] = [false, true];
    this.#wakeLock.take();
    this.#view.setReady(false);
    for (const wait of waits) {
      if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
      if (turn !== this.#turn) return;
      failure = await this.#start(turn);
      if (turn !== this.#turn) return;
      if (!failure) return this.#showed();
      // A denied permission is requested again only after a tap.
      if (nameOf(failure) === "NotAllowedError") break;
    }
    this.#opening = false;
    if (isLast) return this.#onFailure(failure);
    this.#view.say(this.#texts.cameraStuck);
    this.#view.offer({ reopen: true });
  }

  /**
   * Makes one attempt to open the camera, and tells the person if it takes long.
   * @param {number} turn
   * @returns {Promise<unknown>} the failure, if any
   */
  async #start(turn) {
    const isCurrent = () => turn === this.#turn;
    const late = setTimeout(() => isCurrent() && this.#view.say(this.#texts.cameraLate), LATE);
    const stuck = setTimeout(() => isCurrent() && this.#view.offer({ reopen: true }), STUCK);
    try {
      await this.#camera.start(() => isCurrent() && this.#lost());
      return undefined;
    } catch (error) {
      return error;
    } finally {
      clearTimeout(late);
      clearTimeout(stuck);
    }
  }

  #showed() {
    [this.#ready, this.#opening] = [true, false];
    this.#view.setReady(true);
    this.#view.offer(this.#camera.controls);
    if (this.#wanted && this.#message) this.#view.say(this.#message);
    this.#shows();
    this.#hint();
  }

  /** Starts checking for hints. */
  async #hint() {
    this.#hints ??= import("./hints.js").catch(() => undefined);
    const hints = await this.#hints;
    if (!hints || !this.#ready || !this.#wanted) return;
    this.#live ??= new hints.LiveHints(this.#view.video, () => this.#view.framing, (hint) => {
      const { dark, darkTorch, turnSideways, turnUpright } = this.#texts;
      const texts = { dark: this.#camera.controls.torch === false ? darkTorch : dark, turnSideways, turnUpright };
      this.#view.hint(hint ? texts[hint] : "");
    });
    this.#live.start();
  }

  /** @param {import("./view.js").Control} control */
  async #use(control) {
    if (control === "torch") await this.#camera.switchTorch();
    if (control === "zoom") await this.#camera.switchZoom();
    if (control === "lens") this.#camera.turnLens();
    if (control === "lens") return this.#bring(TRIES);
    if (control === "reopen") return this.#bring([0], true);
    this.#view.offer(this.#camera.controls);
  }
}

/** @param {unknown} error */
function nameOf(error) {
  return /** @type {import("./errors.js").SvcCameraError} */ (error).details?.name;
}
