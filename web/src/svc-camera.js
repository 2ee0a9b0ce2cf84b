// <svc-camera>: the camera as an element. It holds at most one attempt at a session, and reports its outcome as events.

import { Attempt } from "./attempt.js";
import { isUserAgentSupported } from "./browser.js";
import { refusal } from "./refusal.js";
import { applyStyles } from "./styles.js";
import { textsOf } from "./texts.js";
import { View } from "./view.js";

/** @typedef {import("./texts.js").Texts} Texts */
/** @typedef {import("./errors.js").SvcCameraError} SvcCameraError */

/**
 * @typedef {object} OpenOptions
 * @property {string} token the session's, from `POST /web/sessions`
 * @property {string | undefined} [licenseKey] in the place of the attribute `license-key`
 * @property {boolean | undefined} [hosted] on the service's own page: the license is the session's, and `licenseKey` another one for it
 * @property {{ label?: string }} [overlay] `label` is shown above the picture and signed into the photo; up to 64 bytes
 */

/** @typedef {"uploaded" | "cancelled" | "error" | "disconnected" | "replaced"} CloseReason */

/** On a server that renders pages there are no elements: the class can be named there, and not made. */
const Base = globalThis.HTMLElement ?? class {};

/**
 * Takes the authenticated photos of a session, one unless the session has more.
 *
 * @tag svc-camera
 * @tagname svc-camera
 *
 * @attr {string} base-url - `{base_url}` of the service; default: the page's own origin
 * @attr {string} license-url - `{license_url}` of the service; default: the page's own origin
 * @attr {string} license-key - the license, unless `open` is given one
 * @attr {string} framing - `landscape` (4:3), `portrait` (3:4) or `square`: the preview and the photo are cut to it
 * @attr {string} lang - Portuguese, English where it starts with `en`, Spanish where it starts with `es`
 *
 * @fires {CustomEvent<{redirect_uri?: string, photo_order?: number, total_photos?: number}>} opened - the camera shows; of a hosted session, what it asks for
 * @fires {CustomEvent<{width: number, height: number, bytes: number}>} captured - a photo was taken, and is shown for review
 * @fires {CustomEvent<{loaded: number, total: number}>} uploading - the upload goes on, in bytes
 * @fires {CustomEvent<{session_id: string, authenticated_jpeg_url: string | null, photo_order?: number, total_photos?: number}>} uploaded - a photo was signed; of several, which one
 * @fires {CustomEvent<{error: SvcCameraError}>} error - any failure
 * @fires {CustomEvent<{reason: CloseReason}>} closed - the dialog is gone
 *
 * @cssprop --svc-camera-accent - colour of the main button, the focus ring and the progress
 * @cssprop --svc-camera-background - colour behind the controls
 * @cssprop --svc-camera-color - colour of text and shutter
 * @cssprop --svc-camera-font - font family
 *
 * @csspart dialog - the whole screen
 * @csspart label - the overlay's label
 * @csspart close - button that closes
 * @csspart video - the camera's picture
 * @csspart review - the photo under review
 * @csspart panel - the explanation of a failure, or of the compass
 * @csspart detail - its text
 * @csspart message - what to do, or what is under way
 * @csspart hint - what could be better about the photo
 * @csspart progress - progress of the upload
 * @csspart shutter - button that takes the photo
 * @csspart reopen - button that opens a camera again that was lost
 * @csspart torch - button that switches the light on or off
 * @csspart zoom - button that zooms in or out
 * @csspart lens - button that opens another lens
 * @csspart retake - button that takes another
 * @csspart confirm - button that sends the photo
 * @csspart again - button that sends the photo again
 * @csspart dismiss - button that closes after a failure
 * @csspart compass-allow - button that asks for the compass (iOS)
 * @csspart position-allow - button that asks for a position that is required
 * @csspart compass-skip - button that goes on without it (iOS)
 */
export class SvcCamera extends Base {
  /** @type {Attempt | undefined} */
  #attempt;
  /** @type {View | undefined} */
  #view;
  /** @type {Blob | null} */
  #signedPhoto = null;
  #root = this.attachShadow({ mode: "open" });

  /** @type {Partial<Texts>} */
  #texts = {};

  constructor() {
    super();
    // Properties that the page set before this module was loaded would hide the accessors.
    for (const [name, value] of Object.entries(this)) {
      if (!(name in SvcCamera.prototype)) continue;
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /** Texts that replace the component's own. @type {Partial<Texts>} */
  get texts() {
    return this.#texts;
  }
  set texts(texts) {
    this.#texts = texts;
  }

  /** `{base_url}` of the service, without a slash at the end. @type {string} */
  get baseUrl() {
    return this.#url("base-url");
  }
  set baseUrl(url) {
    this.setAttribute("base-url", url);
  }

  /** `{license_url}` of the service, without a slash at the end. @type {string} */
  get licenseUrl() {
    return this.#url("license-url");
  }
  set licenseUrl(url) {
    this.setAttribute("license-url", url);
  }

  /** The license, unless `open` is given one. @type {string} */
  get licenseKey() {
    return this.getAttribute("license-key") ?? "";
  }
  set licenseKey(key) {
    this.setAttribute("license-key", key);
  }

  /** What is kept of the camera's picture: `landscape`, `portrait` or `square`; all of it otherwise. @type {string} */
  get framing() {
    return this.getAttribute("framing") ?? "";
  }
  set framing(framing) {
    this.setAttribute("framing", framing);
  }

  /**
   * The signed photo, `image/jpeg`, from the event `uploaded` until the next `open`; `null` otherwise. Under a license that
   * does not retain photos it is the only copy.
   * @type {Blob | null}
   */
  get signedPhoto() {
    return this.#signedPhoto;
  }

  /** Whether the service accepts this browser. Ask before a session is made. */
  isUserAgentSupported() {
    return isUserAgentSupported();
  }

  /**
   * Opens the camera for one photo. The same token, while it is open, goes on with the same attempt; after a failure it
   * starts again, and the session is loaded again.
   * @param {OpenOptions} [options]
   * @returns {Promise<void>} when the camera shows, or when the attempt ended without; failures are reported by `error`
   */
  async open(options) {
    const { token = "", licenseKey = this.licenseKey, hosted = false, overlay } = options ?? {};
    if (this.#attempt && !this.#attempt.ended && this.#attempt.token === token) return this.#attempt.opened;
    performance.mark("svc-camera:open");
    this.#close("replaced");
    // Whoever heard of that may have opened it again, and then that is the latest word.
    if (this.#attempt) return this.#attempt.opened;
    this.#signedPhoto = null;
    const texts = textsOf(this.lang, this.#texts);
    const label = overlay?.label ?? "";
    const refused = refusal(token, licenseKey, hosted, label, texts);
    if (refused) return this.#emit("error", { error: refused });
    const { baseUrl, licenseUrl, framing } = this;
    const terms = { token, licenseKey, hosted, baseUrl, licenseUrl, framing, label };
    const view = new View(this.#root, texts, () => this.close(), () => this.#close("disconnected"));
    const attempt = new Attempt(terms, view, texts, (type, detail) => {
      this.#signedPhoto = attempt.signedPhoto;
      this.#emit(type, detail);
    });
    this.#view = view;
    this.#attempt = attempt;
    attempt.run().then(() => {
      if (attempt.outcome === "uploaded" && this.#attempt === attempt) this.#close("uploaded");
    });
    return attempt.opened;
  }

  /**
   * Closes the camera; whatever is under way is given up, and the session stays good for another `open`. Only while the
   * service signs it may be too late: the session's results have the outcome.
   */
  close() {
    this.#close("cancelled");
  }

  connectedCallback() {
    // Again at each move: a shadow root loses its sheets where it comes into another document.
    applyStyles(this.#root);
    this.#view?.raise();
    this.#attempt?.followDocument();
  }

  disconnectedCallback() {
    // Frameworks move elements by taking them out and putting them back.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close("disconnected");
    });
  }

  /** @param {CloseReason} reason unless the attempt ended by itself before */
  #close(reason) {
    const attempt = this.#attempt;
    if (!attempt) return;
    this.#attempt = undefined;
    attempt.abort();
    this.#view?.remove();
    this.#view = undefined;
    this.#emit("closed", { reason: attempt.outcome ?? reason });
  }

  /** @param {string} type @param {object} detail */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** @param {string} attribute */
  #url(attribute) {
    return (this.getAttribute(attribute) ?? "").replace(/\/+$/, "");
  }
}
