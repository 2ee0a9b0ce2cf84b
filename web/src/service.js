// Requests of a capture: load the session, upload the image, submit the capture, and look for its result.

import { ErrorCode, IngestError, SessionError } from "./errors.js";
import { detailsOf, postJson, request, textOf, transfer } from "./http.js";
import { LICENSE_KEY_HEADER, PHOTO_HEADER, TOUCH_POINTS_HEADER } from "./limits.js";

/** An upload without progress for this time has failed, in milliseconds. */
const UPLOAD_STALL = 30_000;
/**
 * Longer limit before the first and after the last reported progress, in milliseconds: the operating system may
 * buffer that data without reporting progress.
 */
const UPLOAD_BUFFERED = 180_000;
/** Slowest upload rate that is tolerated if the browser reports no progress at all, in bytes per millisecond. */
const UPLOAD_SLOWEST = 8;

/** @typedef {import("../api/web.js").components["schemas"]} Schemas */
/** @typedef {Schemas["LoadedSession"] & { steps?: AskedPhoto[] }} Session the answer of `GET /web/sessions/:token` */
/** @typedef {Schemas["IngestedPhoto"] & { next?: NextPhoto }} Receipt the answer of `POST /web/ingest` */
/** @typedef {Schemas["IngestedManifest"] & { next?: NextPhoto }} ManifestReceipt the answer with the manifest */
/** @typedef {import("./translations.js").Translations} Translations */

/**
 * A photo that a hosted session asks for.
 * @typedef {object} AskedPhoto
 * @property {Step} step
 * @property {"pending" | "captured" | "skipped"} state
 * @property {string} [note] what the person is told about this photo
 */

/**
 * What a hosted session says about one of its photos.
 * @typedef {object} Step
 * @property {Translations} title
 * @property {Translations} instruction
 * @property {Translations} [tip]
 * @property {Schemas["Framing"]} framing
 * @property {boolean} [optional]
 * @property {number} [sharpness_floor]
 * @property {number} [min_short_side]
 * @property {"off" | "suggest"} [torch]
 * @property {{ d: string }[]} [outline]
 */

/**
 * The pending photo of a hosted session, as the answer to the photo before brings it along.
 * @typedef {Pick<Session, "photo_order" | "total_photos" | "captured_count" | "nonce" | "upload_url" | "upload_expires_at" | "image_key" | "server_time_ms">} NextPhoto
 */
/**
 * @typedef {Omit<Receipt, "signed_image_base64"> & { authenticated_jpeg_sha256?: string }} FoundPhoto
 *   a receipt from the session's results, without signed bytes and manifest
 */

/**
 * Body of `POST /web/ingest`. `media_stream_settings` are the settings of the video track.
 * @typedef {Schemas["IngestRequest"] & { media_stream_settings?: MediaTrackSettings }} Capture
 */

/**
 * Loads a session. Each load counts towards the session's limit.
 * @param {string} baseUrl
 * @param {string} token
 * @param {{ signal?: AbortSignal, licenseKey?: string }} [options] `licenseKey` replaces the license of a hosted session
 * @returns {Promise<Session>}
 * @throws {SessionError} 4001, with `details.status` if a response came
 */
export async function loadSession(baseUrl, token, { signal, licenseKey } = {}) {
  const headers = { ...asked(), ...(licenseKey ? { [LICENSE_KEY_HEADER]: licenseKey } : {}) };
  const answer = await request(`${baseUrl}/web/sessions/${encodeURIComponent(token)}`, { signal, headers }, (cause) =>
    new SessionError(ErrorCode.SESSION_FETCH_FAILED, "Falha de rede ao carregar a sessão", {}, cause));
  if (!answer.ok) {
    throw new SessionError(ErrorCode.SESSION_FETCH_FAILED, textOf(answer), detailsOf(answer));
  }
  return /** @type {Session} */ (/** @type {unknown} */ (answer.body));
}

/**
 * Uploads an image unchanged to the session's upload URL.
 * @param {Session} session
 * @param {Blob} image
 * @param {{ signal?: AbortSignal, onProgress?: (loaded: number, total: number) => void }} [options]
 * @returns {Promise<void>}
 * @throws {IngestError} 4002; `details.status` is the status of the storage, absent if the network failed
 */
export function uploadImage(session, image, { signal, onProgress } = {}) {
  // fetch() does not report upload progress, so XMLHttpRequest is used.
  const upload = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    const abort = () => upload.abort();
    const failed = () => reject(new IngestError(ErrorCode.INGEST_FAILED, "Falha de rede no upload da imagem"));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let stalled;
    const watch = (/** @type {number} */ limit) => {
      clearTimeout(stalled);
      stalled = setTimeout(abort, limit);
    };
    upload.onload = () => {
      const { status } = upload;
      if (status >= 200 && status < 300) return resolve();
      reject(new IngestError(ErrorCode.INGEST_FAILED, `Upload da imagem falhou (${status})`, { status }));
    };
    upload.onerror = failed;
    upload.onabort = () => (signal?.aborted ? reject(signal.reason) : failed());
    upload.upload.onprogress = ({ loaded, total }) => {
      watch(loaded === total ? UPLOAD_BUFFERED : UPLOAD_STALL);
      onProgress?.(loaded, total);
    };
    upload.onloadend = () => {
      clearTimeout(stalled);
      signal?.removeEventListener("abort", abort);
    };
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", abort);
    upload.open(session.upload_method, session.upload_url);
    for (const [name, value] of Object.entries(session.upload_headers)) upload.setRequestHeader(name, value);
    upload.send(image);
    // A service worker that handles the page's requests takes over the image, so the browser may report no progress
    // at all.
    watch(UPLOAD_BUFFERED + (navigator.serviceWorker?.controller ? image.size / UPLOAD_SLOWEST : 0));
  });
}

/**
 * Options of an ingest. `onProgress` reports the download of the response. With `wantsManifest` the response contains
 * the manifest instead of the signed photo, a small part of its bytes; `assemble` puts it into the frame.
 * @typedef {{ signal?: AbortSignal, onProgress?: import("./http.js").OnProgress, wantsManifest?: boolean }} IngestOptions
 */

/**
 * Submits a capture whose frame was uploaded. The response contains the signed photo, or its manifest.
 * @overload
 * @param {string} baseUrl
 * @param {Capture} capture
 * @param {IngestOptions & { wantsManifest: true }} options
 * @returns {Promise<ManifestReceipt>}
 */
/**
 * @overload
 * @param {string} baseUrl
 * @param {Capture} capture
 * @param {IngestOptions} [options]
 * @returns {Promise<Receipt>}
 */
/**
 * @param {string} baseUrl
 * @param {Capture} capture
 * @param {IngestOptions} [options]
 * @returns {Promise<Receipt | ManifestReceipt>}
 * @throws {IngestError} 4002, with `details.status` if a response came. If none came, the photo may have been signed,
 *   and the session's results say whether it was.
 */
export async function postIngest(baseUrl, capture, { signal, onProgress, wantsManifest } = {}) {
  const headers = wantsManifest ? { ...asked(), [PHOTO_HEADER]: "manifest" } : asked();
  const init = { signal, onProgress, headers, timeout: 60_000 };
  const answer = await postJson(`${baseUrl}/web/ingest`, capture, init, (cause) =>
    new IngestError(ErrorCode.INGEST_FAILED, "Falha de rede no envio da captura", {}, cause));
  if (!answer.ok) {
    throw new IngestError(ErrorCode.INGEST_FAILED, textOf(answer), detailsOf(answer));
  }
  return /** @type {Receipt | ManifestReceipt} */ (/** @type {unknown} */ (answer.body));
}

/**
 * Skips the pending photo of a hosted session.
 * @param {string} baseUrl
 * @param {{ token: string, nonce: string, photo_order: number }} photo
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<NextPhoto>}
 * @throws {SessionError} 4001, with `details.status` if a response came
 */
export async function postSkip(baseUrl, photo, { signal } = {}) {
  const answer = await postJson(`${baseUrl}/web/skip`, photo, { signal, headers: asked() }, (cause) =>
    new SessionError(ErrorCode.SESSION_FETCH_FAILED, "Falha de rede ao pular a foto", {}, cause));
  if (!answer.ok) throw new SessionError(ErrorCode.SESSION_FETCH_FAILED, textOf(answer), detailsOf(answer));
  return /** @type {NextPhoto} */ (/** @type {unknown} */ (answer.body));
}

/**
 * Looks for a photo in its session's results: the receipt of an ingest whose response was lost, without the signed
 * bytes.
 * @param {string} baseUrl
 * @param {string} token
 * @param {string} frameHash
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<FoundPhoto | undefined>} `undefined` if the photo was not captured
 * @throws {IngestError} 4002, as above
 */
export async function findPhoto(baseUrl, token, frameHash, { signal } = {}) {
  const answer = await request(`${baseUrl}/web/session-results/${encodeURIComponent(token)}`, { signal }, (cause) =>
    new IngestError(ErrorCode.INGEST_FAILED, "Falha de rede ao consultar a captura", {}, cause));
  if (!answer.ok) throw new IngestError(ErrorCode.INGEST_FAILED, textOf(answer), detailsOf(answer));
  const { status, photos } = /** @type {Schemas["SessionResults"]} */ (/** @type {unknown} */ (answer.body));
  const photo = /** @type {any} */ (photos.find((photo) => "frame_hash_hex" in photo && photo.frame_hash_hex === frameHash));
  return photo && { ...photo, photo_order: photo.order, complete: status === "captured" };
}

/**
 * Fetches the manifest of a photo.
 * @param {string} url `manifest_url`
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<ArrayBuffer>}
 * @throws {IngestError} 4002; if the page's Content-Security-Policy blocks the request, the page sees a network failure
 */
export async function fetchManifest(url, { signal } = {}) {
  const failed = (/** @type {unknown} */ cause) =>
    new IngestError(ErrorCode.INGEST_FAILED, "Falha de rede ao buscar o manifesto", {}, cause);
  const { ok, status, bytes } = await transfer(url, { signal }, failed);
  if (!ok) throw failed(`HTTP ${status}`);
  return bytes.arrayBuffer();
}

/**
 * Headers of requests to the service. The touch points identify an iPad whose user agent is a Macintosh's, and the
 * service's own page in a Safari that does not send `Sec-Fetch-Site`. On Android nothing needs them, and without them a
 * page of another origin loads the session without a preflight.
 */
function asked() {
  return /Android/.test(navigator.userAgent) ? {} : { [TOUCH_POINTS_HEADER]: String(navigator.maxTouchPoints) };
}
