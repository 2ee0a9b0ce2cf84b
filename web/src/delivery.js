// The delivery of one photo: its upload, then the ingest. After a failure it is kept, and knows from where it can be sent again.

import { assemble } from "./assemble.js";
import { ErrorCode, IngestError } from "./errors.js";
import { hashBuffer } from "./hash.js";
import { fetchManifest, findPhoto, loadSession, postIngest, uploadImage } from "./service.js";

/** @typedef {import("./service.js").Session & { uploadUntil: number }} Session `uploadUntil` by this device's clock, in milliseconds */
/** @typedef {import("./service.js").Receipt & { signedPhoto?: Blob | undefined }} Receipt `signedPhoto` where its answer was lost */
/** @typedef {import("./frames.js").Frames & { position: import("./position.js").Position | undefined, heading: number | undefined }} Photo */
/** @typedef {"load" | "upload" | "ask" | "ingest"} Step the session is loaded anew; the results are asked for the photo */

/**
 * @typedef {object} Subject
 * @property {string} baseUrl
 * @property {string} token
 * @property {string} label
 * @property {string} licenseKey of a hosted session's link
 * @property {boolean} wantsSigned whether the page gets the signed photo: the hosted one does not
 * @property {() => Promise<import("./position.js").Position>} locate the first position, for a photo that has none
 * @property {AbortSignal} signal
 */

/**
 * What the person is told meanwhile; parts of a whole are in bytes.
 * @typedef {object} Progress
 * @property {(loaded: number, total: number) => void} onUpload
 * @property {() => void} onSign
 * @property {(loaded: number, total: number) => void} onReceive
 */

/** A load takes photos of up to two minutes before it; some seconds of these are for the load itself, in milliseconds. */
const RENEWABLE = 110_000;
/** The age at which a photo that is not delivered gets a load in reserve, in milliseconds. */
const RESERVE = 100_000;
/** A manifest that did not come so often is done without: the page's policy may refuse it. */
const MANIFEST_TRIES = 2;
/** Reasons for which a photo is refused with its load alone: the nonce was used, or the upload could not be read. */
const OF_THE_LOAD = /^web_(nonce_(missing|malformed|replay)|raw_\w+|signer_rejected)$/;

/**
 * Loads a session.
 * @param {{ baseUrl: string, token: string, licenseKey: string, signal: AbortSignal }} subject
 * @returns {Promise<Session>}
 */
export async function load({ baseUrl, token, licenseKey, signal }) {
  const session = await loadSession(baseUrl, token, { signal, licenseKey });
  return { ...session, uploadUntil: Date.now() + Date.parse(session.upload_expires_at) - session.server_time_ms };
}

export class Delivery {
  #photo;
  #session;
  #subject;
  /** The photo that the session asked for when this one was taken: a load in between may ask for the next. */
  #order;
  /** Where the next try begins; nowhere once the photo cannot be delivered. @type {Step | undefined} */
  #next = "upload";
  /** What is under way. @type {Step} */
  #step = "upload";
  /** @type {import("./service.js").Capture | undefined} */
  #capture;
  /** @type {Session | undefined} */
  #reserve;
  /** How often the manifest did not come. */
  #misses = 0;
  #timer;

  /**
   * @param {Photo} photo
   * @param {Session} session
   * @param {Subject} subject
   */
  constructor(photo, session, subject) {
    this.#photo = photo;
    this.#session = session;
    this.#subject = subject;
    this.#order = session.photo_order;
    const reserve = () => load(subject).then((session) => { this.#reserve = session; }, () => {});
    this.#timer = setTimeout(reserve, photo.captured_at_ms + RESERVE - Date.now());
    subject.signal.addEventListener("abort", () => this.end());
  }

  /** Whether the photo can be sent again. */
  get isKept() {
    if (this.#next === "upload" && Date.now() >= this.#session.uploadUntil) this.#next = "load";
    if (this.#next !== "load") return this.#next !== undefined;
    return this.#hasReserve || Date.now() < this.#photo.captured_at_ms + RENEWABLE;
  }

  /** Whether the service may have signed the photo: the answer to its ingest was lost, and the results have not said. */
  get mayBeSigned() {
    return this.#next === "ask";
  }

  /** The photo is not sent again. */
  end() {
    clearTimeout(this.#timer);
  }

  /**
   * Sends the photo, from where the last try failed.
   * @param {Progress} progress
   * @returns {Promise<Receipt>}
   * @throws {import("./errors.js").SvcCameraError} after which `isKept` says whether to try again
   */
  async send(progress) {
    try {
      const receipt = await this.#send(progress);
      this.end();
      return receipt;
    } catch (error) {
      this.#next = stepAfter(this.#step, /** @type {Partial<IngestError>} */ (error).details ?? {});
      throw error;
    }
  }

  /** @param {Progress} progress */
  async #send({ onUpload, onSign, onReceive }) {
    const { baseUrl, token, signal } = this.#subject;
    const { image, frame_hash } = this.#photo;
    this.#step = this.#next ?? "upload";
    if (this.#step === "load") {
      this.#session = this.#hasReserve ? /** @type {Session} */ (this.#reserve) : await load(this.#subject);
      [this.#step, this.#capture, this.#reserve] = ["upload", undefined, undefined];
    }
    if (this.#step === "upload") await uploadImage(this.#session, image, { signal, onProgress: onUpload });
    this.#capture ??= await this.#describe();
    signal.throwIfAborted();
    onSign();
    if (this.#step === "ask") {
      const receipt = await findPhoto(baseUrl, token, frame_hash, { signal });
      if (receipt) return { ...receipt, signedPhoto: await this.#assembled(receipt) };
    }
    this.#step = "ingest";
    return postIngest(baseUrl, this.#capture, { signal, onProgress: onReceive });
  }

  /**
   * The signed photo whose answer was lost: the frame with its manifest, if that is what the service signed.
   * @param {import("./service.js").FoundPhoto} found
   * @returns {Promise<Blob | undefined>} nothing where it is not wanted, or the manifest is withheld or did not come again
   * @throws {IngestError} with `details.altered` where it is another photo
   */
  async #assembled({ manifest_url, authenticated_jpeg_sha256 }) {
    const { signal, wantsSigned } = this.#subject;
    if (!wantsSigned || !manifest_url) return undefined;
    const manifest = await fetchManifest(manifest_url, { signal }).catch((error) => {
      signal.throwIfAborted();
      this.#misses += 1;
      if (this.#misses < MANIFEST_TRIES) throw error;
    });
    if (!manifest) return undefined;
    const photo = await assemble(this.#photo.image, manifest);
    const hash = await hashBuffer(await photo.arrayBuffer());
    if (hash === (authenticated_jpeg_sha256 ?? hash)) return photo;
    throw new IngestError(ErrorCode.INGEST_FAILED, "A foto recebida não é a que o serviço assinou", { altered: true });
  }

  /** @returns {Promise<import("./service.js").Capture>} */
  async #describe() {
    const { token, label, locate } = this.#subject;
    const { frame_hash, extra_frame_hashes, captured_at_ms, position, heading } = this.#photo;
    const { nonce, image_key } = this.#session;
    const { gps_lat, gps_lon, gps_accuracy } = position ?? (await locate());
    return {
      token, nonce, photo_order: this.#order, image_key, frame_hash, extra_frame_hashes, captured_at_ms,
      gps_lat, gps_lon, gps_accuracy,
      ...(heading === undefined ? {} : { heading }),
      ...(label ? { label } : {}),
      user_agent: navigator.userAgent,
    };
  }

  get #hasReserve() {
    return this.#reserve !== undefined && Date.now() < this.#reserve.uploadUntil;
  }
}

/**
 * Where a photo can be sent again after a failure; nowhere where the service refused the photo itself, or may have signed it
 * without recording it.
 * @param {Step} failed
 * @param {import("./errors.js").ErrorDetails} details
 * @returns {Step | undefined}
 */
function stepAfter(failed, { status, gateway, blockReason = "", name }) {
  // An exception is no failure of the network.
  if (name) return undefined;
  const isTransient = status === undefined || status >= 500 || (status === 429 && (gateway || failed === "upload"));
  if (failed === "upload") return isTransient ? "upload" : status === 403 ? "load" : undefined;
  if (failed !== "ingest") return isTransient ? failed : undefined;
  // Without an answer of the service the photo may have been signed.
  if (isTransient && (status === undefined || gateway)) return "ask";
  if (blockReason === "web_nonce_store_unavailable") return "ingest";
  return status === 404 || OF_THE_LOAD.test(blockReason) ? "load" : undefined;
}

/**
 * Whether another photo may be accepted where one was refused.
 * @param {import("./errors.js").SvcCameraError} error
 */
export function isOfThePhoto({ code, details: { status = 0, blockReason = "" } }) {
  if (code !== ErrorCode.INGEST_FAILED) return false;
  return [400, 413, 422].includes(status) || blockReason === "web_duplicate" || (status >= 500 && blockReason !== "");
}
