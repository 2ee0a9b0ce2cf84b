// What customers see of a kit and of a sender, at the width of a phone: a kit's words with its lines over a grey picture, and a
// sender's logo and texts. Texts are inserted as text, and a path only after it was parsed and written anew.

import { element } from "../shared/elements.js";
import { FRAMINGS } from "../src/limits.js";
import { drawOutline } from "../src/outline.js";
import { textIn } from "../src/translations.js";
import { phrase } from "./language.js";
import { href } from "./router.js";
import { views } from "./searching.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").KitStep} KitStep */
/** @typedef {import("./records.js").Sender} Sender */
/** @typedef {import("../src/translations.js").Translations} Translations */

/** The languages of customers, with their names in themselves. @type {readonly (readonly [tag: string, name: string])[]} */
const LANGUAGES = [["pt-BR", "Português"], ["en", "English"], ["es", "Español"]];

/** The language of the preview, by the address. @param {Visit} visit */
export function previewLanguage(visit) {
  const wanted = visit.query.get("language");
  return LANGUAGES.find(([tag]) => tag === wanted)?.[0] ?? "pt-BR";
}

/** Links between the languages of the preview. @param {Visit} visit */
export function previewLanguages(visit) {
  const current = previewLanguage(visit);
  const to = (/** @type {string} */ language) => href(visit.path, { ...Object.fromEntries(visit.query), language });
  return views(TEXTS.previewLanguage, LANGUAGES.map(([tag, name]) => [{ pt: name, en: name }, to(tag), tag === current]));
}

/** @param {readonly KitStep[]} steps @param {string} language */
export function stepsPreview(steps, language) {
  return element("ol", { class: "phones" }, ...steps.map((step) => stepPreview(step, language)));
}

/** @param {KitStep} step @param {string} language */
function stepPreview({ id, framing, title, instruction, tip, outline = [], optional }, language) {
  const picture = element("div", { class: `picture ${framing}` }, drawOutline(outline, FRAMINGS[framing]));
  const words = element("div", { lang: language },
    element("h2", {}, textIn(title, language)),
    element("p", {}, textIn(instruction, language)),
    ...(tip ? [element("p", { class: "help" }, textIn(tip, language))] : []));
  const note = element("p", { class: "note" }, optional ? phrase(TEXTS.stepOptional) : "");
  return element("li", { class: "phone card" }, picture, words, note, element("code", {}, id));
}

/** @param {Sender} sender @param {string} language */
export function senderPreview(sender, language) {
  const { name, logo, controller, contact, notice_url } = sender;
  const part = (/** @type {import("./texts.js").Words} */ label, /** @type {import("../shared/elements.js").Content} */ text) =>
    element("div", {}, element("dt", {}, phrase(label)), element("dd", { lang: language }, text));
  const translated = (/** @type {Translations | undefined} */ text, /** @type {import("./texts.js").Words} */ label) =>
    text ? [part(label, textIn(text, language))] : [];
  const image = logo ? [element("img", { src: `data:image/png;base64,${logo}`, alt: "", class: "logo" })] : [];
  const notice = notice_url ? [part(TEXTS.senderNotice, element("code", {}, notice_url))] : [];
  return element("div", { class: "phone card" },
    ...image,
    element("h3", {}, name),
    element("dl", { class: "plain" },
      ...translated(sender.purpose, TEXTS.senderPurpose),
      ...translated(sender.duration, TEXTS.senderDuration),
      part(TEXTS.senderController, controller),
      part(TEXTS.senderContact, contact),
      ...translated(sender.sharing, TEXTS.senderSharing),
      ...translated(sender.responsibilities, TEXTS.senderResponsibilities),
      ...translated(sender.condition, TEXTS.senderCondition),
      ...notice));
}
