// Runs in a page: shows the dialog with each hint and failure, without a camera or network.

import { applyStyles } from "../../src/styles.js";
import { textsOf } from "../../src/texts.js";
import { View } from "../../src/view.js";

/** @typedef {import("../../src/texts.js").Texts} Texts */
/** @typedef {import("../../src/view.js").Action} Action */

const FAILED = /** @type {Action[]} */ (["dismiss"]);
const INSTRUCTION = "Ligue o painel e fotografe o hodômetro de perto, com a quilometragem bem legível.";
const TIP = "Se houver reflexo, incline um pouco o celular.";
const NOTE = "Recado de Seguradora Exemplo: mostre o pneu inteiro.";
const KEPT = /** @type {Action[]} */ (["retake", "again"]);

/** @param {View} view @param {Texts} texts @param {Partial<Record<"torch" | "zoom" | "lens", boolean>>} [controls] */
function live(view, texts, controls = { torch: false, zoom: false, lens: true }) {
  view.show("live", texts.live);
  view.setReady(true);
  view.offer(controls);
}

/** @param {keyof Texts} hint @param {Parameters<typeof live>[2]} [controls] */
function hinted(hint, controls) {
  return (/** @type {View} */ view, /** @type {Texts} */ texts) => {
    live(view, texts, controls);
    view.hint(texts[hint]);
  };
}

/** @param {keyof Texts} text @param {Action[]} [offered] @param {keyof Texts} [heading] */
function failed(text, offered = FAILED, heading = "failed") {
  return (/** @type {View} */ view, /** @type {Texts} */ texts) =>
    view.showFailure({ text: texts[text], language: texts.language }, offered, texts[heading]);
}

/** @type {Record<string, (view: View, texts: Texts, photo: Blob) => void>} */
const LOOKS = {
  controls: (view, texts) => live(view, texts, { torch: true, zoom: false, lens: true }),
  instruction: (view, texts) => {
    view.instruct({ instruction: INSTRUCTION, tip: TIP });
    live(view, texts);
  },
  optional: (view, texts) => {
    view.instruct({ instruction: "Fotografe o estepe.", note: NOTE, isOptional: true });
    live(view, texts, { torch: false });
  },
  passing: (view, texts) => view.ask("passing", texts.passing),
  recaptured: failed("recapturedAdvice", ["retake"], "recaptured"),
  "hint-dark-torch": hinted("darkTorch"),
  "hint-dark": hinted("dark", {}),
  "hint-turn-sideways": hinted("turnSideways"),
  "hint-turn-upright": hinted("turnUpright"),
  "hint-blurred": (view, texts, photo) => {
    view.showReview(photo);
    view.hint(texts.blurred);
  },
  compass: (view, texts) => view.ask("compass", texts.compass),
  "camera-late": (view, texts) => {
    view.show("loading", texts.cameraLate);
    view.offer({ reopen: true });
  },
  "camera-lost": (view, texts) => {
    view.show("live", texts.cameraLost);
    view.setReady(false);
  },
  "camera-stuck": (view, texts) => {
    view.show("live", texts.cameraStuck);
    view.setReady(false);
    view.offer({ reopen: true });
  },
  "no-camera": failed("noCamera"),
  "no-camera-safari": failed("noCameraInSafari"),
  "camera-busy": failed("cameraBusy"),
  position: (view, texts) => view.ask("position", texts.position),
  "position-late": (view, texts) => view.show("loading", texts.positionLate),
  "position-refused-chrome": failed("positionInChrome", ["locate"], "noPosition"),
  "position-refused-safari": failed("positionInSafari", ["locate"], "noPosition"),
  kept: failed("kept", KEPT, "notSent"),
  "kept-by-service": failed("keptByService", KEPT, "notSent"),
  altered: failed("altered", ["again"]),
  stale: failed("stale", ["retake"]),
  elsewhere: (view, texts) => {
    live(view, texts);
    view.say(texts.elsewhere);
  },
  "no-network": failed("noNetwork"),
  "no-service": failed("noService"),
  "no-license": failed("noLicense"),
  unforeseen: failed("unforeseen"),
};

const root = /** @type {HTMLElement} */ (document.querySelector("svc-camera")).attachShadow({ mode: "open" });
applyStyles(root);

/** A picture with bright and dark parts, like a camera's. */
const picture = document.createElement("canvas");
[picture.width, picture.height] = [1920, 1440];
const context = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
const paint = () => {
  for (let column = 0; column < 16; column += 1) {
    context.fillStyle = column % 2 ? "#fff" : "#345";
    context.fillRect(column * 120, 0, 120, 1440);
  }
};
paint();
// A canvas stream emits a frame only when something is painted.
setInterval(paint, 40);
const photo = await new Promise((/** @type {BlobCallback} */ resolve) => picture.toBlob(resolve, "image/jpeg"));

window.looks = Object.keys(LOOKS);
window.look = async (name, language) => {
  const texts = textsOf(language, {});
  window.view?.remove();
  document.documentElement.lang = texts.language;
  const view = new View(root, texts, () => {}, () => {});
  window.view = view;
  view.video.srcObject = picture.captureStream();
  view.open("Chassi do veículo");
  LOOKS[name]?.(view, texts, /** @type {Blob} */ (photo));
  if (!view.video.hidden) await new Promise((resolve) => view.video.requestVideoFrameCallback(resolve));
};
window.ready = true;
