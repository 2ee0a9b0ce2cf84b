// One attempt to take the photos of a session, from license validation to the last signed photo. A session of the
// component has one photo; a hosted session may have several. An attempt runs once. Whatever ends it early aborts
// its signal, which also ends every pending step.

import { isApple } from "./browser.js";
import { Delivery, isOfThePhoto, load, timed } from "./delivery.js";
import { ErrorCode, IngestError, LicenseError, SessionError, StreamError, SvcCameraError } from "./errors.js";
import { captureFrames } from "./frames.js";
import { HeadingWatch, askForCompass } from "./heading.js";
import { validateLicense, validateSession } from "./license.js";
import { FRAMINGS } from "./limits.js";
import { PositionWatch, asksForPosition } from "./position.js";
import { notShown } from "./refusal.js";
import { postSkip } from "./service.js";
import { explain, filled } from "./texts.js";
import { textIn } from "./translations.js";
import { Viewfinder } from "./viewfinder.js";

/** @typedef {import("./delivery.js").Session} Session */
/** @typedef {import("./delivery.js").Photo} Photo a confirmed photo, with the position and heading at the time it was taken */

/**
 * @typedef {object} Terms
 * @property {string} baseUrl
 * @property {string} licenseUrl
 * @property {string} token
 * @property {string} licenseKey
 * @property {string} label
 * @property {string} framing
 * @property {string} instruction
 * @property {{ d: string }[]} outline
 * @property {Hosting | undefined} hosted
 */

/**
 * What the service's own page says of a hosted session. It gets the event `asked` each time the session asks for a photo,
 * with the session's steps.
 * @typedef {object} Hosting
 * @property {boolean} isLabelled whether the photos get the titles of their steps as labels: those of a kit do
 * @property {string} sender who asks for the photos
 */

/** After this time without a required position the dialog explains the delay, in milliseconds. */
const POSITION_LATE = 10_000;
/** Minimum time for reviewing a photo before its upload URL expires, in milliseconds. */
const REVIEW = 2 * 60 * 1000;

/**
 * Block reasons of a skip after which a new load tells what is asked for: the nonce is no longer valid, or another
 * device sent or skipped the photo.
 */
const OF_THE_LOAD = /^web_(nonce|photo)_/;

/**
 * Maps an unexpected exception to an error of the step during which it occurred. web/README.md#errors lists the
 * code of each step.
 * @type {Record<"license" | "session" | "camera" | "sending", (name: string, cause: unknown) => SvcCameraError>}
 */
const UNFORESEEN = {
  license: (name, cause) =>
    new LicenseError(ErrorCode.LICENSE_NETWORK_ERROR, "A licença não pôde ser validada", { name }, cause),
  session: (name, cause) =>
    new SessionError(ErrorCode.SESSION_FETCH_FAILED, "A sessão não pôde ser carregada", { name }, cause),
  camera: (name, cause) =>
    new StreamError(ErrorCode.STREAM_OPEN_FAILED, "A câmera não pôde ser usada", { name }, cause),
  sending: (name, cause) =>
    new IngestError(ErrorCode.INGEST_FAILED, "A foto não pôde ser enviada", { name }, cause),
};

export class Attempt {
  #terms;
  #view;
  #document = document;
  #texts;
  #emit;
  #aborter = new AbortController();
  /** The camera, once the attempt has reached it. @type {Viewfinder | undefined} */
  #viewfinder;
  /** @type {PositionWatch | undefined} */
  #position;
  #heading = new HeadingWatch();
  /** Framing of the photo: the session's, or else the element's. */
  #framing = "";
  /**
   * License key from a hosted session's link. It is only used until the first photo, which binds the session to its
   * license.
   */
  #linkKey = "";
  /** @type {Session} */
  #session = /** @type {never} */ (undefined);
  #settle = () => {};
  /** @type {keyof typeof UNFORESEEN} */
  #step = "camera";

  /** The signed photo that the service returned. @type {Blob | null} */
  signedPhoto = null;

  /** How the attempt ended by itself. @type {"uploaded" | "error" | undefined} */
  outcome;

  /** Resolves when the camera shows, or when the attempt ended before. @type {Promise<void>} */
  opened = new Promise((resolve) => { this.#settle = resolve; });

  /**
   * @param {Terms} terms
   * @param {import("./view.js").View} view
   * @param {import("./texts.js").Texts} texts
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(terms, view, texts, emit) {
    this.#terms = terms;
    if (terms.hosted) this.#linkKey = terms.licenseKey;
    this.#view = view;
    this.#texts = texts;
    this.#emit = emit;
  }

  get token() {
    return this.#terms.token;
  }

  /**
   * Whether the attempt has ended: with a photo, with an error, or by `abort`. After an error that kept the photo
   * it may resume.
   */
  get ended() {
    return this.#aborter.signal.aborted || this.outcome !== undefined;
  }

  /**
   * Runs the attempt to its end. It reports failures as events.
   * @returns {Promise<void>}
   */
  async run() {
    try {
      if (!this.#view.open(this.#terms.label)) throw notShown();
      this.followDocument();
      this.#view.frame(this.#terms.framing);
      await this.#prepare();
      let receipt = await this.#deliver();
      while (!receipt.complete) {
        this.#delivered(receipt);
        const photo = this.#number;
        await this.#next(receipt.next);
        receipt = await this.#deliver(filled(this.#texts.received, { photo, next: this.#number, title: this.#title ?? "" }));
      }
      this.abort();
      this.outcome = "uploaded";
      this.#delivered(receipt);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Follows the visibility of the document that contains the element now. The element may have moved to a document
   * other than the one in which this module runs.
   */
  followDocument() {
    this.#document.removeEventListener("visibilitychange", this.#followVisibility);
    this.#document = this.#view.document;
    this.#document.addEventListener("visibilitychange", this.#followVisibility);
  }

  /** Ends the attempt: stops the camera and cancels all pending steps. */
  abort() {
    this.#aborter.abort();
    this.#document.removeEventListener("visibilitychange", this.#followVisibility);
    this.#viewfinder?.end();
    this.#position?.stop();
    this.#heading.stop();
    this.#settle();
  }

  /** @param {import("./delivery.js").Receipt} receipt */
  #delivered({ session_id, authenticated_jpeg_url, signedPhoto, photo_order }) {
    this.#linkKey = "";
    this.signedPhoto = signedPhoto ?? null;
    performance.mark("svc-camera:uploaded");
    const { total_photos } = this.#session;
    const place = total_photos > 1 ? { photo_order, total_photos } : {};
    this.#emit("uploaded", { session_id, authenticated_jpeg_url, ...place });
  }

  /**
   * Prepares the next photo, and restarts the camera.
   * @param {import("./service.js").NextPhoto} [next] the next photo, if the answer to the one before brought it along
   */
  async #next(next) {
    this.#step = "session";
    this.#view.show("loading", this.#texts.loading);
    await this.#turnTo(next, "captured");
    this.#step = "camera";
    await this.#shown();
    await this.#viewfinder?.open(this.#aborter.signal);
  }

  /** Prepares the license, session, compass and camera, in the documented order of their failures. */
  async #prepare() {
    const { licenseUrl, licenseKey, token, hosted } = this.#terms;
    const { signal } = this.#aborter;
    this.#step = "license";
    const policy = await (hosted
      ? validateSession({ licenseUrl, token, licenseKey, signal })
      : validateLicense({ licenseUrl, licenseKey, signal }));
    this.#step = "session";
    await this.#load();
    this.#step = "camera";
    await this.#shown();
    if (!(await askForCompass())) {
      this.#view.ask("compass", this.#texts.compass);
      if ((await this.#view.pressed(signal)) === "allow") await askForCompass();
      signal.throwIfAborted();
      this.#view.show("loading", this.#texts.loading);
    }
    await this.#shown();
    const viewfinder = new Viewfinder(this.#view, this.#texts, policy.capture_resolution, (error) => this.#fail(error));
    this.#viewfinder = viewfinder;
    await viewfinder.open(signal);
    performance.mark("svc-camera:preview");
    const { redirect_uri, photo_order, total_photos } = this.#session;
    this.#emit("opened", redirect_uri === undefined ? {} : { redirect_uri, photo_order, total_photos });
    this.#settle();
    await this.#locate(viewfinder);
  }

  /**
   * Asks for the position after the camera opened, so that the browser's prompts do not overlap. If the license
   * requires a position, waits until it is known.
   * @param {Viewfinder} viewfinder
   */
  async #locate(viewfinder) {
    if (!this.#session.position_required) {
      this.#position = new PositionWatch();
      return;
    }
    const { signal } = this.#aborter;
    const texts = this.#texts;
    viewfinder.rest();
    if (await asksForPosition()) {
      this.#view.ask("position", texts.position);
      await this.#view.pressed(signal);
    }
    for (;;) {
      const position = new PositionWatch();
      this.#position = position;
      this.#view.show("loading", texts.locating);
      const late = setTimeout(() => this.#view.say(texts.positionLate), POSITION_LATE);
      const ended = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const isKnown = await Promise.race([position.known, ended]).finally(() => clearTimeout(late));
      signal.throwIfAborted();
      if (isKnown) return;
      position.stop();
      const text = isApple() ? texts.positionInSafari : texts.positionInChrome;
      this.#view.showFailure({ text, language: texts.language }, ["locate"], texts.noPosition);
      await this.#view.pressed(signal);
    }
  }

  /** Loads the session, which returns a new nonce and upload URL. */
  async #load() {
    const { baseUrl, token } = this.#terms;
    this.#session = await load({ baseUrl, token, licenseKey: this.#linkKey, signal: this.#aborter.signal });
    this.#brief();
  }

  /**
   * Goes on with the next photo of the session: the one that an answer brought along, or else that of a new load.
   * @param {import("./service.js").NextPhoto | undefined} next
   * @param {"captured" | "skipped"} state what became of the photo before
   */
  async #turnTo(next, state) {
    if (!next) return this.#load();
    const { steps = [], photo_order } = this.#session;
    const turned = steps.map((asked, index) => {
      if (asked.state !== "pending" || index + 1 >= next.photo_order) return asked;
      return { ...asked, state: index + 1 === photo_order ? state : /** @type {const} */ ("captured") };
    });
    const framing = steps[next.photo_order - 1]?.step.framing ?? this.#session.framing;
    this.#session = timed({ ...this.#session, ...next, ...(framing ? { framing } : {}), steps: turned });
    this.#brief();
  }

  /** What the session asks for now, if it says so. */
  get #asked() {
    return this.#session.steps?.[this.#session.photo_order - 1];
  }

  /** The title of the photo that is asked for now. */
  get #title() {
    const asked = this.#asked;
    return asked && textIn(asked.step.title, this.#texts.language);
  }

  /** The number of the photo that is asked for now. Photos that were skipped are not counted. */
  get #number() {
    return this.#session.captured_count + 1;
  }

  /** Shows what to photograph: the session's step, or else what the page says. */
  #brief() {
    const { label, hosted, framing } = this.#terms;
    const { photo_order, total_photos, captured_count, steps } = this.#session;
    const texts = this.#texts;
    const asked = this.#asked;
    const own = (/** @type {import("./translations.js").Translations | undefined} */ text) => text && textIn(text, texts.language);
    this.#framing = this.#session.framing ?? framing;
    this.#view.frame(this.#framing);
    const step = total_photos > 1 ? filled(texts.step, { photo: this.#number, total: total_photos }) : "";
    if (asked || step) this.#view.label(this.#title ?? label, step);
    this.#view.instruct({
      instruction: own(asked?.step.instruction) ?? this.#terms.instruction,
      tip: [own(asked?.step.tip), asked?.step.torch === "suggest" && texts.useTorch].filter(Boolean).join(" "),
      note: asked?.note && filled(texts.noted, { sender: hosted?.sender ?? "", note: asked.note }),
      isOptional: asked?.step.optional,
    });
    this.#draw(asked ? asked.step.outline ?? [] : this.#terms.outline);
    if (hosted) this.#emit("asked", { photo_order, total_photos, captured_count, steps });
  }

  /** Draws an outline over the camera's picture, if there is one. @param {{ d: string }[]} outline */
  async #draw(outline) {
    const session = this.#session;
    const ratio = Object.entries(FRAMINGS).find(([name]) => name === this.#framing)?.[1];
    this.#view.draw();
    if (!outline.length || !ratio) return;
    // Without the module, or with an outline that is none, there are no lines.
    const drawn = await import("./outline.js").then(({ drawOutline }) => drawOutline(outline, ratio)).catch(() => undefined);
    if (session === this.#session) this.#view.draw(drawn);
  }

  /** Leaves the photo out, once the person has confirmed it, and goes on with the next one. */
  async #skip() {
    const { signal } = this.#aborter;
    this.#viewfinder?.rest();
    this.#view.ask("passing", this.#texts.passing);
    if ((await this.#view.pressed(signal)) !== "leave") return;
    this.#step = "session";
    this.#view.show("loading", this.#texts.loading);
    if (Date.now() >= this.#session.uploadUntil) await this.#load();
    const { token, baseUrl } = this.#terms;
    const { nonce, photo_order } = this.#session;
    const next = await postSkip(baseUrl, { token, nonce, photo_order }, { signal }).catch((error) => {
      if (!OF_THE_LOAD.test(error.details?.blockReason)) throw error;
      return undefined;
    });
    await this.#turnTo(next, "skipped");
    this.#step = "camera";
  }

  /** @param {string} message what the person is to do @returns {Promise<Photo>} */
  async #takePhoto(message) {
    const { signal } = this.#aborter;
    const viewfinder = /** @type {Viewfinder} */ (this.#viewfinder);
    for (;;) {
      viewfinder.show(message);
      if ((await this.#view.pressed(signal)) === "pass") {
        await this.#skip();
        message = this.#texts.live;
        continue;
      }
      this.#view.say(this.#texts.capturing);
      message = this.#texts.live;
      const { max_asset_bytes, capture_resolution, photo_order } = this.#session;
      const [position, heading] = [this.#position?.latest, this.#heading.latest];
      const options = { resolution: capture_resolution, framing: this.#framing, maxBytes: max_asset_bytes };
      const frames = await captureFrames(this.#view.video, options).catch((error) => {
        if (viewfinder.live) throw error;
      });
      signal.throwIfAborted();
      // The camera stopped meanwhile (hidden page, phone call), so there is no photo.
      if (!frames || !viewfinder.live) continue;
      this.#emit("captured", { width: frames.width, height: frames.height, bytes: frames.image.size });
      signal.throwIfAborted();
      viewfinder.rest();
      this.#view.showReview(frames.image);
      const review = new AbortController();
      viewfinder.judge(frames, review.signal, this.#asked?.step);
      // The nonce of a new load is valid for this photo too: the service accepts photos taken up to two minutes
      // before the load. If the load fails, the photo can still be sent until its URL expires.
      const fresh = this.#session.uploadUntil - Date.now() < REVIEW ? this.#load().catch(() => {}) : undefined;
      const chosen = await this.#view.pressed(signal).finally(() => review.abort());
      await fresh;
      signal.throwIfAborted();
      const isPending = this.#session.photo_order === photo_order;
      if (chosen === "confirm" && isPending && Date.now() < this.#session.uploadUntil) return { ...frames, position, heading };
      message = !isPending ? this.#texts.elsewhere : chosen === "confirm" ? this.#texts.stale : this.#texts.live;
    }
  }

  /**
   * Takes a photo and sends it. If it cannot be sent, the person may take another.
   * @param {string} [message] what the person is to do
   */
  async #deliver(message = this.#texts.live) {
    for (;;) {
      const { signal } = this.#aborter;
      const { baseUrl, token, hosted } = this.#terms;
      const photo = await this.#takePhoto(message);
      message = this.#texts.live;
      const title = hosted?.isLabelled ? this.#asked?.step.title["pt-BR"] : undefined;
      const label = title ?? this.#terms.label;
      performance.mark("svc-camera:confirm");
      const first = this.#position?.first();
      const locate = () => /** @type {NonNullable<typeof first>} */ (first);
      const subject = { baseUrl, token, label, licenseKey: this.#linkKey, wantsSigned: !hosted, locate, signal };
      const delivery = new Delivery(photo, this.#session, subject);
      const receipt = await this.#send(delivery, photo.image);
      if (receipt) return receipt;
      delivery.end();
      await this.#next();
    }
  }

  /**
   * Sends a photo, and retries as often as the person asks for it.
   * @param {Delivery} delivery
   * @param {Blob} image
   * @returns {Promise<import("./delivery.js").Receipt | undefined>} `undefined` if the person wants to take another photo
   */
  async #send(delivery, image) {
    this.#step = "sending";
    const { signal } = this.#aborter;
    this.#viewfinder?.close();
    for (;;) {
      this.#view.showSending(image);
      const failure = await this.#try(delivery).catch((error) => error);
      if (!(failure instanceof Error)) return failure;
      signal.throwIfAborted();
      if (!delivery.isKept) delivery.end();
      if (!(failure instanceof SvcCameraError) || !(delivery.isKept || isOfThePhoto(failure))) throw failure;
      const chosen = await this.#failed(failure, delivery);
      this.outcome = undefined;
      if (chosen !== "again") return undefined;
      if (!delivery.isKept) {
        this.#view.showFailure({ text: this.#texts.stale, language: this.#texts.language }, ["retake"]);
        await this.#view.pressed(signal);
        return undefined;
      }
    }
  }

  /** @param {Delivery} delivery */
  #try(delivery) {
    return delivery.send({
      onUpload: (loaded, total) => {
        this.#view.showProgress(loaded / total);
        this.#emit("uploading", { loaded, total });
      },
      onSign: () => this.#view.showSigning(),
    });
  }

  /**
   * Reports a failure that lets the person continue, and returns the chosen action.
   * @param {SvcCameraError} error
   * @param {Delivery} delivery
   */
  async #failed(error, { isKept, mayBeSigned }) {
    const texts = this.#texts;
    this.outcome = "error";
    if (isKept) {
      error.details.kept = true;
      const { altered, status } = error.details;
      const text = altered ? texts.altered : status === undefined ? texts.kept : texts.keptByService;
      // A photo that is signed, or may be, is not retaken: the session may have no place left for another photo.
      const offered = /** @type {import("./view.js").Action[]} */ (altered || mayBeSigned ? ["again"] : ["retake", "again"]);
      this.#view.showFailure({ text, language: texts.language }, offered, altered ? texts.failed : texts.notSent);
    } else {
      const { recaptureRisk } = error.details;
      const offered = /** @type {import("./view.js").Action[]} */ (recaptureRisk ? ["retake"] : ["dismiss", "retake"]);
      this.#view.showFailure(explain(texts, error), offered, recaptureRisk ? texts.recaptured : texts.failed);
    }
    const pressed = this.#view.pressed(this.#aborter.signal);
    this.#emit("error", { error });
    return pressed;
  }

  /** Waits until the page is visible. A hidden page neither opens the camera nor asks for permissions. */
  async #shown() {
    const { signal } = this.#aborter;
    while (this.#document.hidden && !signal.aborted) {
      await new Promise((resolve) => {
        this.#document.addEventListener("visibilitychange", resolve, { once: true });
        signal.addEventListener("abort", resolve, { once: true });
      });
    }
    signal.throwIfAborted();
  }

  #followVisibility = () => this.#viewfinder?.followVisibility();

  /** @param {unknown} cause */
  #fail(cause) {
    if (this.#aborter.signal.aborted) return;
    this.abort();
    this.outcome = "error";
    const foreseen = cause instanceof SvcCameraError;
    const error = foreseen ? cause : UNFORESEEN[this.#step](cause instanceof Error ? cause.name : "Error", cause);
    const { unforeseen, language } = this.#texts;
    this.#view.showFailure(foreseen ? explain(this.#texts, error) : { text: unforeseen, language });
    this.#emit("error", { error });
  }
}
