// The hosted page: from the link to the redirect. It loads the session only after a tap: loads are limited, and
// programs that open links automatically (mail scanners, previews) must not use them up.

import "../src/define.js";
import { isApple, isDesktopSite, isUserAgentSupported } from "../src/browser.js";
import { ErrorCode } from "../src/errors.js";
import { filled } from "../src/texts.js";
import { textIn } from "../src/translations.js";
import { addressOf, forget, recall, remember, takeLink, withResult } from "./link.js";
import { progressOf, resultsOf } from "./service.js";
import { PORTUGUESE, textsFor } from "./texts.js";

/** @typedef {import("../src/svc-camera.js").SvcCamera} SvcCamera */
/** @typedef {import("../src/errors.js").SvcCameraError} SvcCameraError */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./texts.js").Words} Words */
/** @typedef {import("./service.js").Progress} Progress */
/**
 * A state of the page: texts as paragraphs, elements as they are; `more` follows below the actions.
 * @typedef {{ title: string, body: (string | Element)[], more?: Element[] }} Page
 */
/**
 * An action of the page: a button, or a link if it has an address; `download` is the name of the file that it saves.
 * @typedef {{ label: string, href?: string, download?: string, act: () => void }} Action
 */

/** Storage key for what this tab knows of its session: the redirect and the progress. */
const SESSION = "hosted:session";
/** How long the page shows that it is done before it redirects, with and without a receipt to keep, in milliseconds. */
const FAREWELL = { receipt: 20_000, none: 1_500 };

const camera = /** @type {SvcCamera} */ (document.querySelector("svc-camera"));
const place = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

// This must come first, because it forgets the session of another link: its redirect must not receive this link's
// token.
const opened = takeLink();
/** @type {{ redirect_uri?: string, taken?: number, total?: number }} */
let session = recall(SESSION) ?? {};
/** The texts in the browser's language. */
let texts = PORTUGUESE;
/** Who asks for which photos, once the service has said so. @type {import("./guide.js").Guide | undefined} */
let guide;
/** Whether a photo is on its way. */
let isSending = false;

start(opened);

/** @param {Link | undefined} link */
async function start(link) {
  texts = await textsFor(navigator.languages ?? [navigator.language]);
  document.documentElement.lang = texts.language;
  camera.lang = texts.language;
  if (!link) return show(texts.noLink);
  if (!isUserAgentSupported()) return handOver(link);
  follow(link);
  await proceed(link);
}

/** Asks the service how far the session is, and goes on with it. @param {Link} link */
async function proceed(link) {
  show(texts.checking);
  const progress = await learn(link);
  if (progress === null) return show(texts.notFound);
  if (!progress || !guide) return show(texts.noNetwork, [{ label: texts.again, act: () => proceed(link) }]);
  place("sender").replaceChildren(...guide.head());
  if (progress.status === "captured") return finish(link);
  if (progress.status === "expired") return showEnd(link);
  watch(link);
  return invite();
}

/** Says in the page and in the camera's dialog how long there is. @param {Link} link */
function watch(link) {
  guide?.watch((text) => { place("status").textContent = text; }, () => end(link));
  place("guide").replaceChildren(...(guide?.content ?? []));
}

/** Learns how far the session is, who asks for which photos, and how long there is. @param {Link} link */
async function learn(link) {
  // If a newer version of the page was deployed, this version's module is gone.
  const [module, progress] = await Promise.all([import("./guide.js").catch(() => undefined), progressOf(link.token, true)]);
  if (!progress || !module) return progress === null ? null : undefined;
  guide?.stop();
  guide ??= new module.Guide(texts.language, { filled, textIn });
  guide.learn(progress);
  note({ taken: progress.captured_count, total: progress.total_photos });
  return progress;
}

/** Waits for the tap that loads the session. */
function invite() {
  const link = /** @type {Link} */ (opened);
  const act = () => open(link);
  if (session.taken) {
    // Only a tab that has loaded the session knows its redirect.
    const body = session.redirect_uri ? texts.resume.body : [guide?.left() ?? "", ...texts.resume.body];
    return show({ title: texts.resume.title, body: [...body, guide?.time() ?? ""] }, [{ label: texts.goOn, act }]);
  }
  const { title, body } = texts.start;
  const told = [...(guide?.introduction() ?? []), ...body, ...texts.asked];
  return show({ title: guide?.title() ?? title, body: told, more: guide?.more() ?? [] }, [{ label: texts.begin, act }]);
}

/**
 * Opens the camera. A session with a photo keeps its license, so the link's license key is then left out.
 * @param {Link} link
 */
function open({ token, licenseKey }) {
  const hosted = { isLabelled: guide?.isLabelled ?? false, sender: guide?.sender ?? guide?.texts.whoAsked ?? "" };
  camera.open({ token, licenseKey: session.taken ? "" : licenseKey, hosted });
}

/** Follows the camera's events. @param {Link} link */
function follow(link) {
  /** Whether the camera's dialog goes on after an error. */
  let goesOn = false;
  /** @type {string | undefined} */
  let last;
  camera.addEventListener("opened", (event) => {
    note({ redirect_uri: /** @type {CustomEvent} */ (event).detail.redirect_uri });
  });
  camera.addEventListener("asked", (event) => {
    const { detail } = /** @type {CustomEvent<import("./guide.js").Asked>} */ (event);
    note({ taken: detail.captured_count, total: detail.total_photos });
    guide?.follow(detail);
  });
  camera.addEventListener("uploading", () => { isSending = true; });
  camera.addEventListener("uploaded", (event) => {
    isSending = false;
    last = /** @type {CustomEvent} */ (event).detail.session_id;
    note({ taken: (session.taken ?? 0) + 1 });
  });
  camera.addEventListener("error", (event) => {
    const { error } = /** @type {CustomEvent} */ (/** @type {unknown} */ (event)).detail;
    isSending = false;
    // The camera's dialog still has the photo and offers to send it again, or offers to take another one.
    goesOn = Boolean(error.details.kept || error.details.recaptureRisk);
    if (goesOn) return;
    // This page explains the failure instead of the camera's dialog.
    camera.close();
    fail(link, error);
  });
  camera.addEventListener("closed", (event) => {
    const { reason } = /** @type {CustomEvent} */ (event).detail;
    isSending = false;
    if (reason === "uploaded") finish(link, last);
    // The person closed the camera, possibly giving up a photo that was not sent.
    else if (reason === "cancelled" || (reason === "error" && goesOn)) guide?.isOver ? end(link) : invite();
    goesOn = false;
  });
}

/** The time is over: asks the service, and says what has arrived. @param {Link} link */
async function end(link) {
  // The answer to a photo that is on its way says whether it was in time.
  if (isSending) return;
  const progress = await learn(link);
  if (progress?.status === "captured") return finish(link);
  if (progress && progress.status !== "expired") return guide?.isOver ? undefined : watch(link);
  camera.close();
  showEnd(link);
}

/** The link has expired: says what has arrived and what is missing. @param {Link} link */
async function showEnd(link) {
  const { title, body } = texts.expired;
  const page = { title, body: guide?.places.length ? guide.ended() : body };
  show(page);
  if (session.taken) conclude(page, [], await resultsOf(link.token));
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
    if (name !== "NotAllowedError") return show(texts.cameraBusy, [again]);
    // Safari asks again only after a reload.
    return isApple() ? show(texts.noCameraInSafari, [{ ...again, act: () => location.reload() }]) : show(texts.noCamera, [again]);
  }
  // The response may have been lost after the photo was signed, so the service's record decides.
  show(texts.checking);
  const [before, progress] = [session.taken ?? 0, await learn(link)];
  if (progress?.status === "captured") return finish(link);
  if (progress?.status === "expired") return showEnd(link);
  if (progress) watch(link);
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
 * All photos are taken. Redirects if this tab knows the redirect, with the id of the last photo. There is time to keep the
 * receipt before.
 * @param {Link} link
 * @param {string} [sessionId] unknown if the response of the ingest was lost
 */
async function finish(link, sessionId) {
  const { redirect_uri, total = 0 } = session;
  note({ taken: total });
  guide?.complete();
  const page = redirect_uri ? texts.redirecting : texts.used;
  show(page);
  const results = await resultsOf(link.token);
  if (!redirect_uri) return conclude(page, [], results);
  const last = results?.photos.at(-1);
  const id = sessionId ?? (last && "session_id" in last ? last.session_id : undefined);
  if (!id) return show(texts.noNetwork, [{ label: texts.again, act: () => finish(link) }]);
  const leave = () => {
    forget();
    location.replace(withResult(redirect_uri, link.token, id));
  };
  const wait = results && guide ? FAREWELL.receipt : FAREWELL.none;
  const back = element("p", {}, filled(texts.back, { seconds: Math.ceil(wait / 1000) }));
  const timer = setTimeout(leave, wait);
  // Who reads on, or keeps the receipt, is not interrupted.
  for (const used of ["pointerdown", "keydown"]) {
    addEventListener(used, () => {
      clearTimeout(timer);
      // It keeps its place, so that what is being touched does not move.
      back.style.visibility = "hidden";
    }, { once: true });
  }
  return conclude({ ...page, body: [...page.body, back] }, [{ label: texts.proceed, act: leave }], results);
}

/**
 * Shows an end of the session, with a receipt to keep if the results are known.
 * @param {Page} page
 * @param {Action[]} actions
 * @param {import("./service.js").Results | null | undefined} results
 */
function conclude(page, actions, results) {
  const receipt = results && guide?.receipt(results, (text) => { place("status").textContent = text; });
  show(receipt ? { ...page, more: [receipt.paper] } : page, [...actions, ...(receipt?.actions ?? [])]);
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
 * @param {Page} page
 * @param {Action[]} [actions] the first is the primary action
 * @param {string} [message] the service's own message, in Portuguese
 */
function show({ title, body, more = [] }, actions = [], message = "") {
  const { taken = 0, total = 0 } = session;
  const paragraphs = body.filter(Boolean).map((text) => (typeof text === "string" ? element("p", {}, text) : text));
  if (message) paragraphs.push(element("p", { lang: "pt-BR" }, message));
  place("title").textContent = title;
  place("body").replaceChildren(...(taken && total > 1 ? [progress(taken, total)] : []), ...paragraphs);
  place("status").textContent = "";
  place("actions").replaceChildren(...actions.map(({ label, href, download, act }, index) => {
    const look = index ? {} : { class: "primary" };
    const saved = download ? { download } : {};
    const made = href ? element("a", { href, ...saved, ...look }, label) : element("button", { type: "button", ...look }, label);
    made.addEventListener("click", act);
    return made;
  }));
  place("more").replaceChildren(...more);
  document.title = title;
  // Moving the focus makes screen readers start with the new text.
  place("title").focus();
}

/**
 * How many photos have arrived, and which, if the session says so.
 * @param {number} taken
 * @param {number} total
 */
function progress(taken, total) {
  const said = filled(taken < total ? texts.taken : texts.takenAll, { photo: taken, total }) + (guide?.skipped() ?? "");
  const marks = () => Array.from({ length: total }, (_, index) => element("li", index < taken ? { "data-done": "" } : {}));
  const list = guide?.places.length ? guide.list() : element("ol", { class: "steps", "aria-hidden": "true" }, ...marks());
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
