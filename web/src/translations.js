// Texts that a capture kit has in the languages of the page.

/** @typedef {{ "pt-BR": string, en?: string, es?: string }} Translations */

/**
 * The text in the language of a page, or else in Portuguese.
 * @param {Translations} texts
 * @param {string} language as a BCP 47 tag
 */
export function textIn(texts, language) {
  return Object.entries(texts).find(([tag]) => tag === language.split("-", 1)[0])?.[1] ?? texts["pt-BR"];
}
