// Names that others wrote, so that a reader sees what they are: what cannot be seen is escaped, and no name turns the direction
// of its neighbours. The module does the same with what a photo says.

import { element } from "./elements.js";
import { say } from "./language.js";
import { TEXTS } from "./texts.js";

/** Controls, format characters (bidirectional ones among them), separators of lines, and what Unicode does not define. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text with what has no form of its own as `\u{…}`. @param {string} text */
export function escaped(text) {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A file's name, said to be one: a name can read like a conclusion. @param {string} name */
export function fileName(name) {
  return [say(element("span"), TEXTS.file), " ", element("bdi", {}, escaped(name))];
}
