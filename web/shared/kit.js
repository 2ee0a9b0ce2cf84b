// What pages do with a capture kit: they choose its texts, and draw its outlines. The service has checked the whole kit
// (shared/domain/src/kit.rs). Here only what reaches the document is judged again, by the same rules and the same vectors,
// so that a page relies on no other program for it: texts are inserted as text, outlines by `setAttribute("d", …)`.

import { FRAMINGS, LABEL_BYTES } from "../src/limits.js";
import { NO_LABEL } from "../src/refusal.js";
import {
  INSTRUCTION_CHARS, OUTLINE_BYTES, OUTLINE_MARGIN, OUTLINE_PATHS, OUTLINE_RADIUS, OUTLINE_WIDTH, TIP_CHARS,
} from "./kit-limits.js";

/** @typedef {keyof typeof FRAMINGS} Framing */
/** @typedef {{ "pt-BR": string, en?: string, es?: string }} Translations */

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
 * The text in the language of a page, or else in Portuguese.
 * @param {Translations} texts
 * @param {string} language as a BCP 47 tag
 */
export function textIn(texts, language) {
  return Object.entries(texts).find(([tag]) => tag === language.split("-", 1)[0])?.[1] ?? texts["pt-BR"];
}

/** The numbers that each command takes, a letter for each: coordinates, a radius, an angle, a flag. */
const COMMANDS = new Map(Object.entries({
  M: "xy", L: "xy", T: "xy", H: "x", V: "y", C: "xyxyxy", S: "xyxy", Q: "xyxy", A: "rraffxy", Z: "",
}));

const SPACES = /[ \t\n\f\r]*/y;
const SEPARATOR = /[ \t\n\f\r]*(,?)[ \t\n\f\r]*/y;
const NUMBER = /[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const FLAG = /\d/y;

/** The error of a path that breaks a rule. */
class PathFault extends Error {
  /** @param {string} rule */
  constructor(rule) {
    super(rule);
    this.rule = rule;
  }
}

/**
 * Reads a path of an outline and writes it in canonical form, which consists of the characters `MLHVCSQTAZ0-9.- `. If the
 * path breaks a rule, the result names the rule instead.
 * @param {string} d
 * @param {Framing} framing
 * @returns {{ d: string } | { rule: string }}
 */
export function readPath(d, framing) {
  try {
    return { d: canonicalPath(d, framing) };
  } catch (fault) {
    if (fault instanceof PathFault) return { rule: fault.rule };
    throw fault;
  }
}

/** @param {string} d @param {Framing} framing */
function canonicalPath(d, framing) {
  const [width, height] = FRAMINGS[framing];
  /** @type {Record<string, [number, number]>} */
  const ranges = {
    x: [-OUTLINE_MARGIN, OUTLINE_WIDTH + OUTLINE_MARGIN],
    y: [-OUTLINE_MARGIN, (OUTLINE_WIDTH * height) / width + OUTLINE_MARGIN],
    r: [0, OUTLINE_RADIUS],
    a: [-360, 360],
    f: [0, 1],
  };
  let at = 0;
  let written = "";

  /** @param {RegExp} pattern */
  const read = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(d);
    at += found?.[0].length ?? 0;
    return found;
  };

  /** @param {string} kind */
  const number = (kind) => {
    const found = read(kind === "f" ? FLAG : NUMBER);
    if (!found) throw new PathFault("path_syntax");
    const value = Number(found[0]);
    const [least, most] = ranges[kind] ?? [0, 0];
    if (value < least || value > most) throw new PathFault("path_canvas");
    return Math.floor(value * 100 + 0.5) / 100;
  };

  /** @param {string} command @param {string} kinds */
  const write = (command, kinds) => {
    const numbers = [...kinds].map((kind, index) => {
      read(index === 0 ? SPACES : SEPARATOR);
      return number(kind);
    });
    written += command + numbers.join(" ");
  };

  read(SPACES);
  if (d[at] !== "M") throw new PathFault("path_syntax");
  while (at < d.length) {
    const command = d[at] ?? "";
    const kinds = COMMANDS.get(command);
    if (kinds === undefined) throw new PathFault(/[A-Za-z]/.test(command) ? "path_command" : "path_syntax");
    at += 1;
    write(command, kinds);
    // More numbers repeat the command; after `M` they are points of a line.
    while (kinds) {
      const comma = read(SEPARATOR)?.[1];
      if (!/[0-9.+-]/.test(d[at] ?? "")) {
        if (comma) throw new PathFault("path_syntax");
        break;
      }
      write(command === "M" ? "L" : command, kinds);
    }
    read(SPACES);
  }
  return written;
}

/**
 * The paths to draw for an outline, in canonical form. The list is empty if any of them breaks a rule.
 * @param {{ d: string }[]} outline
 * @param {Framing} framing
 */
export function readOutline(outline, framing) {
  if (outline.length > OUTLINE_PATHS) return [];
  const paths = outline.map(({ d }) => readPath(d, framing)).flatMap((path) => ("d" in path ? [path.d] : []));
  return paths.length === outline.length && paths.join("").length <= OUTLINE_BYTES ? paths : [];
}
