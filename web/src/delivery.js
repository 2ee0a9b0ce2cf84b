// Delivers one photo: upload, then ingest. After a failure the photo is kept, together with the step from which it
// can be sent again.

import { assemble } from "./assemble.js";
import { bytesOf } from "./base64.js";
import { ErrorCode, IngestError } from "./errors.js";
import { hashBuffer } from "./hash.js";
import { fetchManifest, findPhoto, loadSession, postIngest, uploadImage } from "./service.js";

/**
 * @typedef {import("./service.js").Session & { uploadUntil: number }} Session
 *   `uploadUntil` is the expiry of the upload URL by this device's clock, in milliseconds
 */
/** @typedef {import("./service.js").FoundPhoto & { signedPhoto: Blob | undefined }} Receipt */
/** @typedef {import("./frames.js").Frames & { position: import("./position.js").Position | undefined, heading: number | undefined }} Photo */
/**
 * @typedef {"load" | "upload" | "ask" | "ingest"} Step
 *   `load` reloads the session, `ask` looks for the photo in the session's results
 */

/**
 * @typedef {object} Subject
 * @property {string} baseUrl
 * @property {string} token
 * @property {string} label
 * @property {string} licenseKey license key from a hosted session's link
 * @property {boolean} wantsSigned whether the page needs the signed photo; the hosted page does not
 * @property {() => Promise<import("./position.js").Position>} locate waits for a first position, if the photo was taken
 *   without one
 * @property {AbortSignal} signal
 */

/**
 * Callbacks that report the progress of a delivery, in bytes.
 * @typedef {object} Progress
 * @property {(loaded: number, total: number) => void} onUpload
 * @property {() => void} onSign
 */

/**
 * Maximum age of a photo for which a new load is requested, in milliseconds. The service accepts photos taken up to
 * two minutes before the load; the difference is time for the load itself.
 */
const RENEWABLE = 110_000;
/** Age at which a photo that is still not delivered gets a new load in reserve, in milliseconds. */
const RESERVE = 100_000;
/**
 * Attempts to fetch the manifest. After these the receipt is returned without the signed photo, because the page's
 * Content-Security-Policy may block the request.
 */
const MANIFEST_TRIES = 2;
/** Block reasons that a new load can fix: the nonce was used, the upload could not be read, or the signer refused. */
const OF_THE_LOAD = /^web_(nonce_(missing|malformed|replay)|raw_\w+|signer_rejected)$/;

/**
 * Loads a session.
 * @param {{ baseUrl: string, token: string, licenseKey: string, signal: AbortSignal }} subject
 * @returns {Promise<Session>}
 */
export async function load({ baseUrl, token, licenseKey, signal }) {
  return timed(await loadSession(baseUrl, token, { signal, licenseKey }));
}

/**
 * Adds the expiry of the upload URL by this device's clock.
 * @template {import("./service.js").NextPhoto} Loaded
 * @param {Loaded} loaded
 */
export function timed(loaded) {
  return { ...loaded, uploadUntil: Date.now() + Date.parse(loaded.upload_expires_at) - loaded.server_time_ms };
}

export class Delivery {
  #photo;
  #session;
  #subject;
  /** Order of the photo that the session expected when it was taken. A load in between may expect the next photo. */
  #order;
  /** First step of the next attempt to send; `undefined` once the photo cannot be delivered. @type {Step | undefined} */
  #next = "upload";
  /** The step in progress. @type {Step} */
  #step = "upload";
  /** @type {import("./service.js").Capture | undefined} */
  #capture;
  /** @type {Session | undefined} */
  #reserve;
  /** Failed attempts to fetch the manifest. */
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

  /**
   * Whether the service may have signed the photo: the response of the ingest was lost, and the session's results
   * were not read since.
   */
  get mayBeSigned() {
    return this.#next === "ask";
  }

  /** Gives the photo up, so that no load is made in reserve. */
  end() {
    clearTimeout(this.#timer);
  }

  /**
   * Sends the photo, starting at the step where the last attempt failed.
   * @param {Progress} progress
   * @returns {Promise<Receipt>}
   * @throws {import("./errors.js").SvcCameraError} `isKept` then tells whether the photo can be sent again
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
  async #send({ onUpload, onSign }) {
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
      if (receipt) return { ...receipt, signedPhoto: await this.#assembled(receipt, await this.#fetched(receipt)) };
    }
    this.#step = "ingest";
    const receipt = await postIngest(baseUrl, this.#capture, { signal, wantsManifest: true });
    // While a new version is being deployed, an older function may answer with the signed photo.
    const photo = bytesOf(/** @type {Partial<import("./service.js").Receipt>} */ (receipt).signed_image_base64);
    if (photo) return { ...receipt, signedPhoto: new Blob([photo], { type: "image/jpeg" }) };
    return { ...receipt, signedPhoto: await this.#assembled(receipt, bytesOf(receipt.manifest_base64)) };
  }

  /**
   * The signed photo: the frame with its manifest, if its hash is that of the photo that the service signed.
   * @param {{ authenticated_jpeg_sha256?: string }} receipt
   * @param {ArrayBuffer | undefined} manifest
   * @returns {Promise<Blob | undefined>} `undefined` if the page does not need it, or has no manifest
   * @throws {IngestError} with `details.altered` if the hash differs
   */
  async #assembled({ authenticated_jpeg_sha256 }, manifest) {
    if (!manifest || !this.#subject.wantsSigned) return undefined;
    const photo = await assemble(this.#photo.image, manifest);
    const hash = await hashBuffer(await photo.arrayBuffer());
    if (hash === (authenticated_jpeg_sha256 ?? hash)) return photo;
    throw new IngestError(ErrorCode.INGEST_FAILED, "A foto recebida não é a que o serviço assinou", { altered: true });
  }

  /**
   * The manifest if the response that had it was lost.
   * @param {import("./service.js").FoundPhoto} found
   * @returns {Promise<ArrayBuffer | undefined>} `undefined` if the page does not need it, it is withheld, or it could
   *   not be fetched
   */
  async #fetched({ manifest_url }) {
    const { signal, wantsSigned } = this.#subject;
    if (!wantsSigned || !manifest_url) return undefined;
    return fetchManifest(manifest_url, { signal }).catch((error) => {
      signal.throwIfAborted();
      this.#misses += 1;
      if (this.#misses < MANIFEST_TRIES) throw error;
      return undefined;
    });
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
 * The step from which a photo can be sent again after a failure. `undefined` if the service refused the photo
 * itself, or may have signed it without recording it.
 * @param {Step} failed
 * @param {import("./errors.js").ErrorDetails} details
 * @returns {Step | undefined}
 */
function stepAfter(failed, { status, gateway, blockReason = "", name }) {
  // The details name an unexpected exception, which a retry does not fix.
  if (name) return undefined;
  const isTransient = status === undefined || status >= 500 || (status === 429 && (gateway || failed === "upload"));
  if (failed === "upload") return isTransient ? "upload" : status === 403 ? "load" : undefined;
  if (failed !== "ingest") return isTransient ? failed : undefined;
  // The service's own response is missing, so it may have signed the photo.
  if (isTransient && (status === undefined || gateway)) return "ask";
  if (blockReason === "web_nonce_store_unavailable") return "ingest";
  return status === 404 || OF_THE_LOAD.test(blockReason) ? "load" : undefined;
}

/**
 * Whether the refusal concerns the photo itself, so that another photo may be accepted.
 * @param {import("./errors.js").SvcCameraError} error
 */
export function isOfThePhoto({ code, details: { status = 0, blockReason = "" } }) {
  if (code !== ErrorCode.INGEST_FAILED) return false;
  return [400, 413, 422].includes(status) || blockReason === "web_duplicate" || (status >= 500 && blockReason !== "");
}
