// The three calls of a capture: load the session, upload the image, say what was captured.

import { ErrorCode, IngestError, SessionError } from "./errors.js";
import { detailsOf, postJson, request, textOf } from "./http.js";
import { LICENSE_KEY_HEADER, TOUCH_POINTS_HEADER } from "./limits.js";

/** An upload that makes no progress for so long has failed, in milliseconds. */
const UPLOAD_STALL = 30_000;
/** The slowest upload that is waited for where no progress is reported, in bytes per millisecond. */
const UPLOAD_SLOWEST = 8;
/** The last bytes may wait in the phone's buffers, of which no progress is reported, for so long, in milliseconds. */
const UPLOAD_FLUSH = 180_000;

/** @typedef {import("../api/web.js").components["schemas"]} Schemas */
/** @typedef {Schemas["LoadedSession"]} Session the answer of `GET /web/sessions/:token` */
/** @typedef {Schemas["IngestedPhoto"]} Receipt the answer of `POST /web/ingest` */

/**
 * The body of `POST /web/ingest`. The settings of the stream are those of the video's track.
 * @typedef {Schemas["IngestRequest"] & { media_stream_settings?: MediaTrackSettings }} Capture
 */

/**
 * Loads a session. It counts towards the limit of loads.
 * @param {string} baseUrl
 * @param {string} token
 * @param {{ signal?: AbortSignal, licenseKey?: string }} [options] `licenseKey`: another license for a hosted session
 * @returns {Promise<Session>}
 * @throws {SessionError} 4001, with `details.status` where the service answered
 */
export async function loadSession(baseUrl, token, { signal, licenseKey } = {}) {
  const headers = { ...asked(), ...(licenseKey ? { [LICENSE_KEY_HEADER]: licenseKey } : {}) };
  const answer = await request(`${baseUrl}/web/sessions/${encodeURIComponent(token)}`, { signal, headers }, (cause) =>
    new SessionError(ErrorCode.SESSION_FETCH_FAILED, "Falha de rede ao carregar a sessão", {}, cause));
  if (!answer.ok || !answer.body) {
    throw new SessionError(ErrorCode.SESSION_FETCH_FAILED, textOf(answer), detailsOf(answer));
  }
  return /** @type {Session} */ (/** @type {unknown} */ (answer.body));
}

/**
 * Uploads an image to where a session wants it, unconverted.
 * @param {Session} session
 * @param {Blob} image
 * @param {{ signal?: AbortSignal, onProgress?: (loaded: number, total: number) => void }} [options]
 * @returns {Promise<void>}
 * @throws {IngestError} 4002; `details.status` is the storage's, absent where the network failed
 */
export function uploadImage(session, image, { signal, onProgress } = {}) {
  // fetch() reports no progress of an upload.
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
      watch(loaded === total ? UPLOAD_FLUSH : UPLOAD_STALL);
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
    // A service worker that answers the page's requests takes the image over: the browser may report no progress at all.
    watch(navigator.serviceWorker?.controller ? UPLOAD_FLUSH + image.size / UPLOAD_SLOWEST : UPLOAD_STALL);
  });
}

/**
 * Says what was captured and uploaded; the answer carries the signed photo.
 * @param {string} baseUrl
 * @param {Capture} capture
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Receipt>}
 * @throws {IngestError} 4002, with `details.status` where the service answered. Without one the photo may have been signed:
 * the session's results have the outcome.
 */
export async function postIngest(baseUrl, capture, { signal } = {}) {
  const answer = await postJson(`${baseUrl}/web/ingest`, capture, { signal, headers: asked(), timeout: 60_000 }, (cause) =>
    new IngestError(ErrorCode.INGEST_FAILED, "Falha de rede no envio da captura", {}, cause));
  if (!answer.ok || !answer.body) {
    throw new IngestError(ErrorCode.INGEST_FAILED, textOf(answer), detailsOf(answer));
  }
  return /** @type {Receipt} */ (/** @type {unknown} */ (answer.body));
}

/** By its touch points the service knows an iPad that presents itself as a Macintosh. */
function asked() {
  return { [TOUCH_POINTS_HEADER]: String(navigator.maxTouchPoints) };
}
