// The demo page: creates a session, opens the camera, and shows the result of the photo.

import { createSession, readConfig, readOutcome, readPhoto, verifyPhoto } from "./backend.js";
import { find } from "../shared/elements.js";
import { present, showRefusal } from "./refusal.js";
import { describe } from "./result.js";

/** @typedef {import("../src/svc-camera.js").SvcCamera} SvcCamera */
/** @typedef {import("../src/errors.js").SvcCameraError} SvcCameraError */

const camera = /** @type {SvcCamera} */ (find("svc-camera", HTMLElement));
const form = find("#order", HTMLFormElement);
const take = find("#take", HTMLButtonElement);
const status = find("#status", HTMLElement);
const result = find("#result", HTMLElement);

/** Token of the session whose photo is being taken. */
let token = "";
/** Object URL of the photo on the page. */
let photoUrl = "";
/** Address of the verification page, if there is one. @type {string | undefined} */
let verifyUrl;

/** @param {string} text */
function say(text, failed = false) {
  status.textContent = text;
  status.classList.toggle("failed", failed);
}

/** @param {unknown} error */
function sayFailure(error) {
  say(error instanceof Error ? error.message : String(error), true);
}

/** @param {import("./backend.js").Config} config */
async function start(config) {
  verifyUrl = config.verify_url;
  await customElements.whenDefined("svc-camera");
  camera.baseUrl = config.base_url;
  camera.licenseUrl = config.license_url;
  take.disabled = !camera.isUserAgentSupported();
  if (!take.disabled) return;
  showRefusal(config, (simulated) => {
    const phone = simulated ? config.phone : undefined;
    present(phone);
    camera.baseUrl = phone?.base_url ?? config.base_url;
    take.disabled = !camera.isUserAgentSupported();
  });
}

async function takePhoto() {
  const chosen = new FormData(form);
  take.disabled = true;
  result.hidden = true;
  say("Criando a sessão…");
  try {
    const policy = chosen.get("policy") === "NEVER" ? "NEVER" : "ALWAYS";
    const session = await createSession(policy);
    token = session.token;
    say("Abrindo a câmera…");
    const label = String(chosen.get("label")).trim();
    await camera.open({ token, licenseKey: session.license_key, overlay: { label } });
  } catch (error) {
    sayFailure(error);
  } finally {
    take.disabled = !camera.isUserAgentSupported();
  }
}

async function showResult() {
  // The component keeps the signed photo until the next open().
  const { signedPhoto } = camera;
  say("Conferindo a foto…");
  try {
    const { outcome, photo } = await checked(signedPhoto);
    URL.revokeObjectURL(photoUrl);
    photoUrl = URL.createObjectURL(photo);
    result.replaceChildren(...describe(outcome, photoUrl, verifyUrl));
    result.hidden = false;
    say("");
    result.focus({ preventScroll: true });
    result.scrollIntoView();
  } catch (error) {
    sayFailure(error);
  }
}

/**
 * The server's verification of the photo: of the retained one, or else of the page's own.
 * @param {Blob | null} signedPhoto
 */
async function checked(signedPhoto) {
  const outcome = await readOutcome(token);
  if (outcome.report) return { outcome, photo: await readPhoto(token) };
  if (!signedPhoto) throw new Error("A foto foi assinada, mas não há cópia dela para conferir");
  return { outcome: await verifyPhoto(token, signedPhoto), photo: signedPhoto };
}

/** @param {SvcCameraError} error */
function describeError({ code, message, details }) {
  const listed = Object.entries(details).map(([name, value]) => `${name} ${value}`).join(", ");
  return `Erro ${code}: ${message}${listed ? ` (${listed})` : ""}`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  takePhoto();
});
on("opened", () => say("A câmera está aberta."));
on("uploaded", showResult);
on("error", ({ error }) => say(describeError(error), true));
on("closed", ({ reason }) => {
  if (reason === "cancelled") say("Você fechou a câmera. Nenhuma foto foi enviada.");
});

/**
 * @param {string} type
 * @param {(detail: any) => void} listen
 */
function on(type, listen) {
  camera.addEventListener(type, (event) => listen(/** @type {CustomEvent} */ (event).detail));
}

readConfig().then(start).catch(sayFailure);
