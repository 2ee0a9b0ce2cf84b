// The page's language and the texts that follow it. The module's output contains both languages, of which the style
// sheet hides one.

import { TEXTS } from "./texts.js";

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {"pt" | "en"} Language */
/** @typedef {Record<string, string | number | Words>} Values */
/** @typedef {{ words: Words, values: Values }} Said */

const KEY = "lacre-verify:language";
/** The `lang` attribute of each language. */
const TAGS = { pt: "pt-BR", en: "en" };

/** @type {Language} */
let current = "pt";
/** Texts of elements. @type {WeakMap<Element, Said>} */
const texts = new WeakMap();
/**
 * Accessible names of elements.
 * @type {WeakMap<Element, Said>}
 */
const labels = new WeakMap();

/**
 * Portuguese or English, whichever comes first in the reader's preferences; English if neither does.
 * @param {readonly string[]} wanted BCP 47 tags
 * @returns {Language}
 */
export function languageFor(wanted) {
  const primary = wanted.map((tag) => tag.split("-")[0]?.toLowerCase());
  return primary.find((tag) => tag === "pt" || tag === "en") === "pt" ? "pt" : "en";
}

/**
 * A text in the current language, with values in place of the names in braces.
 * @param {Words} words
 * @param {Values} [values]
 */
export function phrase(words, values = {}) {
  // A text of the module may contain braces that name no value; they stay unchanged.
  return words[current].replace(/\{(\w+)\}/g, (mark, name) => {
    const value = Object.hasOwn(values, name) ? values[name] ?? "" : mark;
    return typeof value === "object" ? value[current] : String(value);
  });
}

/**
 * Sets an element's text, which follows the chosen language.
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Words} words
 * @param {Values} [values]
 * @returns {Kind}
 */
export function say(element, words, values = {}) {
  texts.set(element, { words, values });
  element.setAttribute("data-said", "");
  element.textContent = phrase(words, values);
  return element;
}

/** @param {Element} element */
export function unsay(element) {
  texts.delete(element);
  element.removeAttribute("data-said");
  element.textContent = "";
}

/**
 * Sets an element's accessible name, which follows the chosen language.
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Words} words
 * @param {Values} [values]
 * @returns {Kind}
 */
export function label(element, words, values = {}) {
  labels.set(element, { words, values });
  element.setAttribute("aria-label", phrase(words, values));
  return element;
}

/** Shows the page in the reader's language, and follows the language buttons. @param {Element} buttons */
export function start(buttons) {
  const known = /** @type {Record<string, Words>} */ (TEXTS);
  const wordsOf = (/** @type {string | undefined} */ name) => known[name ?? ""] ?? { pt: "", en: "" };
  for (const element of document.querySelectorAll("[data-text]")) say(element, wordsOf(element.getAttribute("data-text") ?? ""));
  for (const element of document.querySelectorAll("[data-label]")) label(element, wordsOf(element.getAttribute("data-label") ?? ""));
  buttons.addEventListener("click", ({ target }) => {
    const chosen = target instanceof HTMLButtonElement ? target.value : "";
    if (chosen === "pt" || chosen === "en") choose(buttons, chosen);
  });
  show(buttons, remembered() ?? languageFor(navigator.languages ?? [navigator.language]));
}

/** @param {Element} buttons @param {Language} language */
function choose(buttons, language) {
  show(buttons, language);
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // If storage is blocked, the choice lasts as long as the page.
  }
}

/** @param {Element} buttons @param {Language} language */
function show(buttons, language) {
  current = language;
  document.documentElement.lang = TAGS[language];
  document.documentElement.dataset["language"] = language;
  for (const button of buttons.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === language));
  for (const element of document.querySelectorAll("[data-said]")) {
    const said = texts.get(element);
    if (said) element.textContent = phrase(said.words, said.values);
  }
  for (const element of document.querySelectorAll("[aria-label]")) {
    const said = labels.get(element);
    if (said) element.setAttribute("aria-label", phrase(said.words, said.values));
  }
}

/** @returns {Language | undefined} */
function remembered() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "pt" || kept === "en" ? kept : undefined;
  } catch {
    return undefined;
  }
}
