// <svc-camera>: the camera as a custom element. It runs at most one attempt at a time and reports its outcome as
// events.

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
 * @property {string} token the session token from `POST /web/sessions`
 * @property {string | undefined} [licenseKey] overrides the attribute `license-key`
 * @property {import("./attempt.js").Hosting | undefined} [hosted] for the service's own page: the license is the
 *   session's, unless `licenseKey` names another
 * @property {{ label?: string }} [overlay] `label` is shown above the picture and signed into the photo; up to 64 bytes
 */

/** @typedef {"uploaded" | "cancelled" | "error" | "disconnected" | "replaced"} CloseReason */

/** During server-side rendering there is no HTMLElement: the class can be imported there, but not instantiated. */
const Base = globalThis.HTMLElement ?? class {};

/**
 * Takes the authenticated photos of a session: one photo, or all photos of a hosted session.
 * @tag svc-camera
 * @tagname svc-camera
 *
 * @attr {string} base-url - `{base_url}` of the service; default: the page's own origin
 * @attr {string} license-url - `{license_url}` of the service; default: the page's own origin
 * @attr {string} license-key - the license key, unless `open` gets one
 * @attr {string} framing - `landscape` (4:3), `portrait` (3:4) or `square`: the preview and the photo are cropped to it
 * @attr {string} instruction - what the person is to do, shown above the picture
 * @attr {string} outline - lines over the picture, which show how the subject should lie in it, as JSON
 * @attr {string} lang - the language: English if it starts with `en`, Spanish if it starts with `es`, otherwise Portuguese
 *
 * @fires {CustomEvent<{redirect_uri?: string, photo_order?: number, total_photos?: number}>} opened - the camera shows; for a hosted session, with its redirect and photos
 * @fires {CustomEvent<{width: number, height: number, bytes: number}>} captured - a photo was taken, and is shown for review
 * @fires {CustomEvent<{loaded: number, total: number}>} uploading - progress of the upload, in bytes
 * @fires {CustomEvent<{session_id: string, authenticated_jpeg_url: string | null, photo_order?: number, total_photos?: number}>} uploaded - a photo was signed; if the session has several, with its order
 * @fires {CustomEvent<{error: SvcCameraError}>} error - the attempt failed
 * @fires {CustomEvent<{reason: CloseReason}>} closed - the dialog was closed
 *
 * @slot - shown between the label and the instruction
 *
 * @cssprop --svc-camera-accent - colour of the main button, the focus ring and the progress
 * @cssprop --svc-camera-background - colour behind the controls
 * @cssprop --svc-camera-color - colour of text and shutter
 * @cssprop --svc-camera-font - font family
 *
 * @csspart dialog - the whole screen
 * @csspart label - the overlay's label
 * @csspart instruction - what the person is to do
 * @csspart outline - lines over the camera's picture
 * @csspart close - button that closes
 * @csspart video - the camera's picture
 * @csspart review - the photo under review
 * @csspart panel - the explanation of a failure or of a permission request
 * @csspart detail - the text of the panel
 * @csspart message - what to do, or what is in progress
 * @csspart hint - advice for a better photo
 * @csspart progress - progress of the upload
 * @csspart shutter - button that takes the photo
 * @csspart pass - button that leaves an optional photo out
 * @csspart leave - button that confirms it
 * @csspart stay - button that goes back to the camera instead
 * @csspart reopen - button that opens a lost camera again
 * @csspart torch - button that switches the light on or off
 * @csspart zoom - button that zooms in or out
 * @csspart lens - button that switches to another lens
 * @csspart retake - button that discards the photo to take another
 * @csspart confirm - button that sends the photo
 * @csspart again - button that sends the photo again
 * @csspart dismiss - button that closes after a failure
 * @csspart compass-allow - button that requests the compass (iOS)
 * @csspart position-allow - button that requests a required position
 * @csspart compass-skip - button that continues without the compass (iOS)
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
    // Properties that the page set before this module was loaded would shadow the accessors.
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

  /** `{base_url}` of the service, without a trailing slash. @type {string} */
  get baseUrl() {
    return this.#url("base-url");
  }
  set baseUrl(url) {
    this.setAttribute("base-url", url);
  }

  /** `{license_url}` of the service, without a trailing slash. @type {string} */
  get licenseUrl() {
    return this.#url("license-url");
  }
  set licenseUrl(url) {
    this.setAttribute("license-url", url);
  }

  /** The license key, unless `open` gets one. @type {string} */
  get licenseKey() {
    return this.getAttribute("license-key") ?? "";
  }
  set licenseKey(key) {
    this.setAttribute("license-key", key);
  }

  /**
   * The framing of the photo: `landscape`, `portrait` or `square`; any other value keeps the whole picture.
   * @type {string}
   */
  get framing() {
    return this.getAttribute("framing") ?? "";
  }
  set framing(framing) {
    this.setAttribute("framing", framing);
  }

  /** What the person is to do, shown above the picture. @type {string} */
  get instruction() {
    return this.getAttribute("instruction") ?? "";
  }
  set instruction(instruction) {
    this.setAttribute("instruction", instruction);
  }

  /**
   * Lines over the picture, as a capture kit has them: `[{ d: "M100 380H900" }]`, on a canvas that is 1000 wide and has the
   * ratio of `framing`. Without a framing, and if a line breaks a rule, nothing is drawn.
   * @type {{ d: string }[]}
   */
  get outline() {
    try {
      const outline = JSON.parse(this.getAttribute("outline") ?? "[]");
      return Array.isArray(outline) ? outline : [];
    } catch {
      return [];
    }
  }
  set outline(outline) {
    this.setAttribute("outline", typeof outline === "string" ? outline : JSON.stringify(outline));
  }

  /**
   * The signed photo (`image/jpeg`), from the event `uploaded` until the next `open`; otherwise `null`. Under a
   * license that does not retain photos it is the only copy.
   * @type {Blob | null}
   */
  get signedPhoto() {
    return this.#signedPhoto;
  }

  /** Whether the service accepts this browser. Call it before creating a session. */
  isUserAgentSupported() {
    return isUserAgentSupported();
  }

  /**
   * Opens the camera for one photo. With the token of the open attempt it continues that attempt; after a failure
   * it starts a new one, which loads the session again.
   * @param {OpenOptions} [options]
   * @returns {Promise<void>} when the camera shows, or when the attempt ended before; failures are reported by the
   *   event `error`
   */
  async open(options) {
    const { token = "", licenseKey = this.licenseKey, hosted, overlay } = options ?? {};
    if (this.#attempt && !this.#attempt.ended && this.#attempt.token === token) return this.#attempt.opened;
    performance.mark("svc-camera:open");
    this.#close("replaced");
    // A listener of the event may have opened the camera again; the later call takes precedence.
    if (this.#attempt) return this.#attempt.opened;
    this.#signedPhoto = null;
    const texts = textsOf(this.lang, this.#texts);
    const label = overlay?.label ?? "";
    const refused = refusal(token, licenseKey, Boolean(hosted), label, texts);
    if (refused) return this.#emit("error", { error: refused });
    const { baseUrl, licenseUrl, framing, instruction, outline } = this;
    const terms = { token, licenseKey, hosted, baseUrl, licenseUrl, framing, instruction, outline, label };
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
   * Closes the camera and cancels the attempt; the session can be opened again. If the service is already signing,
   * the photo may still be captured, and the session's results say whether it was.
   */
  close() {
    this.#close("cancelled");
  }

  connectedCallback() {
    // Applied on every move, because a shadow root loses its constructed style sheets when it moves to another
    // document.
    applyStyles(this.#root);
    this.#view?.raise();
    this.#attempt?.followDocument();
  }

  disconnectedCallback() {
    // Frameworks move elements by removing and re-inserting them.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close("disconnected");
    });
  }

  /** @param {CloseReason} reason the reason to report, unless the attempt already ended by itself */
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
