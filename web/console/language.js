// The page's language. Changing it redraws the page.

import { TEXTS } from "./texts.js";

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {"pt" | "en"} Language */
/** @typedef {Record<string, string | number>} Values */

const KEY = "lacre-console:language";

/** Language tags for `lang` and Intl. */
const TAGS = { pt: "pt-BR", en: "en" };

/** @type {Language} */
let current = "pt";

/** The tag of the current language. */
export const languageTag = () => TAGS[current];

/**
 * A text in the current language.
 * @param {Words} words
 * @param {Values} [values] values for the names in braces
 */
export function phrase(words, values = {}) {
  return fill(words, values)[current];
}

/**
 * Replaces the names in braces with values, in both languages.
 * @param {Words} words @param {Values} values @returns {Words}
 */
export function fill({ pt, en }, values) {
  const filled = (/** @type {string} */ text) =>
    text.replace(/\{(\w+)\}/g, (mark, name) => (Object.hasOwn(values, name) ? String(values[name]) : mark));
  return { pt: filled(pt), en: filled(en) };
}

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
 * Shows the page's own texts in the reader's language, and follows the language buttons.
 * @param {Element} buttons
 * @param {() => void} changed
 */
export function startLanguage(buttons, changed) {
  show(buttons, remembered() ?? languageFor(navigator.languages ?? [navigator.language]));
  buttons.addEventListener("click", ({ target }) => {
    const chosen = target instanceof Element ? target.closest("button")?.value : undefined;
    if (chosen !== "pt" && chosen !== "en") return;
    show(buttons, chosen);
    remember(chosen);
    changed();
  });
}

/** @param {Element} buttons @param {Language} language */
function show(buttons, language) {
  current = language;
  document.documentElement.lang = TAGS[language];
  for (const button of buttons.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === language));
  }
  const known = /** @type {Record<string, Words>} */ (TEXTS);
  const textOf = (/** @type {string | null} */ name) => phrase(known[name ?? ""] ?? { pt: "", en: "" });
  for (const part of document.querySelectorAll("[data-text]")) part.textContent = textOf(part.getAttribute("data-text"));
  for (const part of document.querySelectorAll("[data-label]")) {
    part.setAttribute("aria-label", textOf(part.getAttribute("data-label")));
  }
}

/** @param {Language} language */
function remember(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // If storage is blocked, the choice lasts as long as the page.
  }
}

function remembered() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "pt" || kept === "en" ? kept : undefined;
  } catch {
    return undefined;
  }
}
