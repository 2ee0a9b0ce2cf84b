// The hosted page: from the link to the redirect. It loads the session only after a tap: loads are limited, and
// programs that open links automatically (mail scanners, previews) must not use them up.

import "../src/define.js";
import { isDesktopSite, isUserAgentSupported } from "../src/browser.js";
import { ErrorCode } from "../src/errors.js";
import { addressOf, forget, recall, remember, takeLink, withResult } from "./link.js";
import { lastPhotoOf, progressOf } from "./service.js";
import { textsFor } from "./texts.js";

/** @typedef {import("../src/svc-camera.js").SvcCamera} SvcCamera */
/** @typedef {import("../src/errors.js").SvcCameraError} SvcCameraError */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./texts.js").Words} Words */
/**
 * An action of the page: a button, or a link if it has an address.
 * @typedef {{ label: string, href?: string, act: () => void }} Action
 */

/** Storage key for what this tab knows of its session: the redirect and the progress. */
const SESSION = "hosted:session";
/** How long the page shows that it is done before it redirects, in milliseconds. */
const FAREWELL = 1_500;

const texts = textsFor(navigator.languages ?? [navigator.language]);
const camera = /** @type {SvcCamera} */ (document.querySelector("svc-camera"));
const place = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

// This must come first, because it forgets the session of another link: its redirect must not receive this link's
// token.
const opened = takeLink();
/** @type {{ redirect_uri?: string, taken?: number, total?: number }} */
let session = recall(SESSION) ?? {};

start(opened);

/** @param {Link | undefined} link */
async function start(link) {
  document.documentElement.lang = texts.language;
  camera.lang = texts.language;
  if (!link) return show(texts.noLink);
  if (!isUserAgentSupported()) return handOver(link);
  follow(link);
  // The service is asked if this tab began before, or if the link names a license, which is only used before the
  // first photo.
  const asks = session.redirect_uri || link.licenseKey;
  if (asks) show(texts.checking);
  const progress = asks ? await progressOf(link.token) : undefined;
  if (progress?.status === "captured") return finish(link);
  if (progress?.status === "expired") return show(texts.expired);
  if (progress) note({ taken: progress.captured_count, total: progress.total_photos });
  invite(link);
}

/** Waits for the tap that loads the session. @param {Link} link */
function invite(link) {
  const begun = Boolean(session.taken);
  const words = begun ? texts.resume : { ...texts.start, body: [...texts.start.body, ...texts.asked] };
  show(words, [{ label: begun ? texts.goOn : texts.begin, act: () => open(link) }]);
}

/**
 * Opens the camera. A session with a photo keeps its license, so the link's license key is then left out.
 * @param {Link} link
 */
function open({ token, licenseKey }) {
  camera.open({ token, licenseKey: session.taken ? "" : licenseKey, hosted: true });
}

/** Follows the camera's events. @param {Link} link */
function follow(link) {
  let hasKept = false;
  camera.addEventListener("opened", (event) => {
    const { redirect_uri, photo_order, total_photos } = /** @type {CustomEvent} */ (event).detail;
    note({ redirect_uri, taken: photo_order - 1, total: total_photos });
  });
  camera.addEventListener("uploaded", (event) => {
    const { session_id, photo_order = 1 } = /** @type {CustomEvent} */ (event).detail;
    note({ taken: photo_order });
    if (photo_order === session.total) finish(link, session_id);
  });
  camera.addEventListener("error", (event) => {
    const { error } = /** @type {CustomEvent} */ (/** @type {unknown} */ (event)).detail;
    // The camera's dialog still has the photo and offers to send it again.
    hasKept = error.details.kept ?? false;
    if (hasKept) return;
    // This page explains the failure instead of the camera's dialog.
    camera.close();
    fail(link, error);
  });
  camera.addEventListener("closed", (event) => {
    const { reason } = /** @type {CustomEvent} */ (event).detail;
    // The person closed the camera, possibly giving up a photo that was not sent.
    if (reason === "cancelled" || (reason === "error" && hasKept)) invite(link);
    hasKept = false;
  });
}

/**
 * @param {Link} link
 * @param {SvcCameraError} error
 */
async function fail(link, { code, message, details: { status, gateway, reason, name } }) {
  const again = { label: texts.again, act: () => open(link) };
  if (code === ErrorCode.LICENSE_INVALID) {
    const known = /** @type {Record<string, Words>} */ (texts.license);
    return show(known[reason ?? ""] ?? texts.license.INVALID_KEY);
  }
  if (code === ErrorCode.STREAM_OPEN_FAILED) {
    return show(name === "NotAllowedError" ? texts.noCamera : texts.cameraBusy, [again]);
  }
  // The response may have been lost after the photo was signed, so the service's record decides.
  show(texts.checking);
  const [before, progress] = [session.taken ?? 0, await progressOf(link.token)];
  if (progress?.status === "captured") return finish(link);
  if (progress?.status === "expired") return show(texts.expired);
  if (progress) note({ taken: progress.captured_count, total: progress.total_photos });
  if (status === undefined) return show(texts.noNetwork, [again]);
  if (status >= 500 || gateway) return show(texts.noService, [again]);
  if (code === ErrorCode.INGEST_FAILED) {
    const wasElsewhere = progress && progress.captured_count > before;
    return wasElsewhere ? show(texts.elsewhere, [{ ...again, label: texts.goOn }]) : show(texts.notSent, [again], message);
  }
  if (status === 404) return show(texts.notFound);
  if (status === 410) return show(texts.expired);
  if (status === 429) return show(texts.tooManyLoads);
  return show(texts.refused, [], message);
}

/**
 * All photos are taken. Redirects if this tab knows the redirect, with the id of the last photo.
 * @param {Link} link
 * @param {string} [sessionId] unknown if the response of the ingest was lost
 */
async function finish(link, sessionId) {
  const { redirect_uri } = session;
  if (!redirect_uri) return show(texts.used);
  note({ taken: session.total ?? 0 });
  show(texts.redirecting);
  const id = sessionId ?? (await lastPhotoOf(link.token));
  if (!id) return show(texts.noNetwork, [{ label: texts.again, act: () => finish(link) }]);
  const leave = () => {
    forget();
    location.replace(withResult(redirect_uri, link.token, id));
  };
  show(texts.redirecting, [{ label: texts.proceed, act: leave }]);
  setTimeout(leave, FAREWELL);
}

/** Leads to another browser or device. @param {Link} link */
async function handOver(link) {
  // If a newer version of the page was deployed, this version's modules are gone.
  const module = await import("./handover.js").catch(() => undefined);
  if (!module) return show(texts.noNetwork, [{ label: texts.again, act: () => location.reload() }]);
  return module.handOver(addressOf(link), {
    language: texts.language,
    isOld: isUserAgentSupported(navigator.userAgent),
    isDesktopSite: isDesktopSite(),
    ask: () => progressOf(link.token),
    show: (words, actions, picture) => {
      show(words, actions);
      // The picture goes below the link that leaves this page, if there is one.
      if (picture) place(actions[0]?.href ? "actions" : "body").append(picture);
    },
    say: (text) => { place("status").textContent = text; },
    ends: (progress) => {
      const known = /** @type {Record<string, Words>} */ ({ captured: texts.done, expired: texts.expired });
      const words = progress ? known[progress.status] : texts.notFound;
      if (words) show(words);
      return words !== undefined;
    },
    counts: (progress) => {
      const { captured_count: taken, total_photos: total } = progress;
      if (!taken || taken === session.taken) return false;
      note({ taken, total });
      return true;
    },
  });
}

/** Stores what is known of the session, and shows its progress. @param {typeof session} known */
function note(known) {
  session = { ...session, ...known };
  remember(SESSION, session);
}

/**
 * Shows a state of the page.
 * @param {Words} words
 * @param {Action[]} [actions] the first is the primary action
 * @param {string} [message] the service's own message, in Portuguese
 */
function show({ title, body }, actions = [], message = "") {
  const { taken = 0, total = 0 } = session;
  const paragraphs = body.map((text) => element("p", {}, text));
  if (message) paragraphs.push(element("p", { lang: "pt-BR" }, message));
  place("title").textContent = title;
  place("body").replaceChildren(...(taken && total > 1 ? [steps(taken, total)] : []), ...paragraphs);
  place("status").textContent = "";
  place("actions").replaceChildren(...actions.map(({ label, href, act }, index) => {
    const look = index ? {} : { class: "primary" };
    const button = href ? element("a", { href, ...look }, label) : element("button", { type: "button", ...look }, label);
    button.addEventListener("click", act);
    return button;
  }));
  document.title = title;
  // Moving the focus makes screen readers start with the new text.
  place("title").focus();
}

/**
 * @param {number} taken
 * @param {number} total
 */
function steps(taken, total) {
  const said = texts.taken.replace("{photo}", String(taken)).replace("{total}", String(total));
  const marks = Array.from({ length: total }, (_, index) => element("li", index < taken ? { "data-done": "" } : {}));
  const list = element("ol", { class: "steps", "aria-hidden": "true" }, ...marks);
  return element("div", {}, element("p", { class: "taken" }, said), list);
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}
