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
/** @typedef {import("./texts.js").Words} Words */
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

/**
 * An element with a text in the language of the preview, or in Portuguese.
 * @template {"h2" | "p" | "dd"} Name
 * @param {Name} name
 * @param {Translations} texts
 * @param {string} language
 * @param {Record<string, string>} [attributes]
 */
function translated(name, texts, language, attributes = {}) {
  const lang = Object.hasOwn(texts, language) ? language : "pt-BR";
  return element(name, { lang, ...attributes }, textIn(texts, language));
}

/** @param {readonly KitStep[]} steps @param {string} language */
export function stepsPreview(steps, language) {
  return element("ol", { class: "phones" }, ...steps.map((step) => stepPreview(step, language)));
}

/** @param {KitStep} step @param {string} language */
function stepPreview({ id, framing, title, instruction, tip, outline = [], optional }, language) {
  const picture = element("div", { class: `picture ${framing}` }, drawOutline(outline, FRAMINGS[framing]));
  const note = element("p", { class: "note" }, optional ? phrase(TEXTS.stepOptional) : "");
  return element("li", { class: "phone card" },
    picture,
    translated("h2", title, language),
    translated("p", instruction, language),
    ...(tip ? [translated("p", tip, language, { class: "help" })] : []),
    note,
    element("code", {}, id));
}

/** @param {Sender} sender @param {string} language */
export function senderPreview(sender, language) {
  const { name, logo, controller, contact, notice_url } = sender;
  const part = (/** @type {Words} */ label, /** @type {HTMLElement} */ text) =>
    element("div", {}, element("dt", {}, phrase(label)), text);
  const told = (/** @type {Words} */ label, /** @type {Translations | undefined} */ texts) =>
    texts ? [part(label, translated("dd", texts, language))] : [];
  const image = logo ? [element("img", { src: `data:image/png;base64,${logo}`, alt: "", class: "logo" })] : [];
  const notice = notice_url ? [part(TEXTS.senderNotice, element("dd", {}, element("code", {}, notice_url)))] : [];
  return element("div", { class: "phone card" },
    ...image,
    element("h3", {}, name),
    element("dl", { class: "plain" },
      ...told(TEXTS.senderPurpose, sender.purpose),
      ...told(TEXTS.senderDuration, sender.duration),
      part(TEXTS.senderController, element("dd", {}, controller)),
      part(TEXTS.senderContact, element("dd", {}, contact)),
      ...told(TEXTS.senderSharing, sender.sharing),
      ...told(TEXTS.senderResponsibilities, sender.responsibilities),
      ...told(TEXTS.senderCondition, sender.condition),
      ...notice));
}
