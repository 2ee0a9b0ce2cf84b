// Displays names that others chose, such as file names: invisible characters are escaped, and the text direction
// does not affect its neighbours. The module does the same for text from photos.

import { element } from "../shared/elements.js";
import { say } from "./language.js";
import { TEXTS } from "./texts.js";

/**
 * Control and format characters (including bidirectional ones), line and paragraph separators, and unassigned
 * characters.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text with invisible characters written as `\u{…}`. @param {string} text */
export function escaped(text) {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A file name labelled as such, because a name can read like a conclusion. @param {string} name */
export function fileName(name) {
  return [say(element("span"), TEXTS.file), " ", element("bdi", {}, escaped(name))];
}
