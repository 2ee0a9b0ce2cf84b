// What pages do with a capture kit: they choose its texts, and draw its outlines. The service has checked the whole kit
// (shared/domain/src/kit.rs). Here only what reaches the document is judged again, by the same rules and the same vectors,
// so that a page relies on no other program for it: texts are inserted as text, outlines by `setAttribute("d", …)`.

import { INSTRUCTION_CHARS, TIP_CHARS } from "../src/kit-limits.js";
import { FRAMINGS, LABEL_BYTES } from "../src/limits.js";
import * as outlines from "../src/outline.js";
import { NO_LABEL } from "../src/refusal.js";

export { textIn } from "../src/translations.js";

/** @typedef {keyof typeof FRAMINGS} Framing */
/** @typedef {import("../src/translations.js").Translations} Translations */

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Maximum characters of a text, under its field. A title has the rules of a label instead. */
const CHARS = { title: Infinity, instruction: INSTRUCTION_CHARS, tip: TIP_CHARS };

/**
 * The rules that a text of a step breaks.
 * @param {keyof typeof CHARS} field
 * @param {string} text
 */
export function textFaults(field, text) {
  const rules = [];
  if (!/\P{White_Space}/u.test(text)) rules.push("text_empty");
  if (field === "title") {
    if (NO_LABEL.test(text) || new TextEncoder().encode(text).length > LABEL_BYTES) rules.push("title_form");
    return rules;
  }
  if ([...text].length > CHARS[field]) rules.push("text_length");
  if (INVISIBLE.test(text)) rules.push("text_invisible");
  if (/[<>]/.test(text)) rules.push("text_markup");
  return rules;
}

/**
 * Reads a path of an outline, and returns its canonical form or the rule that it breaks.
 * @param {string} d
 * @param {Framing} framing
 */
export function readPath(d, framing) {
  return outlines.readPath(d, FRAMINGS[framing]);
}

/**
 * The paths to draw for an outline, in canonical form. The list is empty if any of them breaks a rule.
 * @param {{ d: string }[]} outline
 * @param {Framing} framing
 */
export function readOutline(outline, framing) {
  return outlines.readOutline(outline, FRAMINGS[framing]);
}
