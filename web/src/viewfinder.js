// The camera as the person sees it: opened, lost, and opened again, with what can be set on it. What takes a camera away (a call,
// another app, a hidden page) is answered by opening it again.

import { Camera } from "./stream.js";
import { WakeLock } from "./wake-lock.js";

/** A camera that shows nothing for so long is explained, in milliseconds. */
const LATE = 3000;
/** After so long the person may open it anew, in milliseconds. */
const STUCK = 10_000;
/** The waits before the tries to open a lost camera again, in milliseconds: at once, after one second, after three. */
const TRIES = [0, 1000, 2000];

export class Viewfinder {
  #view;
  #texts;
  #onFailure;
  #camera;
  #wakeLock = new WakeLock();
  /** Whether a picture is wanted: not while a photo is under review or sent. */
  #wanted = false;
  /** Whether the camera shows its picture, or is about to. */
  #ready = false;
  #opening = false;
  /** Counts what opens the camera: a later one takes the place of one before. */
  #turn = 0;
  /** Hints are loaded when the camera shows, and go without where they cannot be. @type {Promise<typeof import("./hints.js") | undefined> | undefined} */
  #hints;
  /** @type {import("./hints.js").LiveHints | undefined} */
  #live;
  /** What the person reads while the camera shows. */
  #message = "";
  /** Called when the camera shows its picture. */
  #shows = () => {};

  /**
   * @param {import("./view.js").View} view
   * @param {import("./texts.js").Texts} texts
   * @param {import("./license.js").Policy["capture_resolution"]} resolution
   * @param {(error: unknown) => void} onFailure called where the camera opens no more
   */
  constructor(view, texts, resolution, onFailure) {
    this.#view = view;
    this.#texts = texts;
    this.#onFailure = onFailure;
    this.#camera = new Camera(view.video, resolution);
    view.onControl = (control) => this.#use(control);
  }

  /**
   * Opens the camera, and waits for its picture.
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

  /** Shows the picture for a photo. @param {string} message what the person is to do */
  show(message) {
    this.#message = message;
    this.#wanted = true;
    this.#view.show("live", this.#ready ? message : this.#texts.cameraLost);
    if (!this.#ready && !this.#opening) this.#bring(TRIES);
    this.#hint();
  }

  /** The picture is not needed now. The camera stays open, unless it is taken away. */
  rest() {
    this.#wanted = false;
    this.#live?.stop();
  }

  /**
   * Says so where a photo under review looks blurred.
   * @param {import("./frames.js").Frames} photo
   * @param {AbortSignal} signal ends the review
   */
  async judge(photo, signal) {
    const hints = await this.#hints;
    const isBlurred = await hints?.isBlurred(photo).catch(() => false);
    if (isBlurred && !signal.aborted) this.#view.hint(this.#texts.blurred);
  }

  /** Whether it shows what is before it. */
  get live() {
    return this.#camera.live;
  }

  /** The page was hidden, or shows again: a hidden page does not film. */
  followVisibility() {
    if (this.#view.document.hidden) this.#stop();
    else if (this.#wanted) this.#bring(TRIES);
  }

  /** The camera's light goes out; the screen stays on. */
  close() {
    this.#wanted = false;
    this.#stop();
  }

  /** It is not opened again. */
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
   * Opens the camera, again and again; where that fails the person may do it, and at last the attempt fails.
   * @param {number[]} waits before each try, in milliseconds
   * @param {boolean} [isLast] whether its failure is the attempt's
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
      // Who refused is not asked again unless by a tap.
      if (nameOf(failure) === "NotAllowedError") break;
    }
    this.#opening = false;
    if (isLast) return this.#onFailure(failure);
    this.#view.say(this.#texts.cameraStuck);
    this.#view.offer({ reopen: true });
  }

  /**
   * One try, which tells the person where it takes long.
   * @param {number} turn
   * @returns {Promise<unknown>} why it failed
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

  /** Begins to look for what could be better. */
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
