// The outline over the camera's picture: lines that show how the subject should lie in it. The module is loaded once
// there is an outline. A path is parsed and written anew before it reaches the document, by `setAttribute("d", …)`, so that an
// outline can draw lines and nothing else. The service has the same rules (shared/domain/src/kit/outline.rs), and both
// are tested with the same vectors.

import { OUTLINE_BYTES, OUTLINE_MARGIN, OUTLINE_PATHS, OUTLINE_RADIUS, OUTLINE_WIDTH } from "./kit-limits.js";

/** @typedef {readonly [width: number, height: number]} Ratio of a framing */

const SVG = "http://www.w3.org/2000/svg";

/** The height of the canvas of an outline. @param {Ratio} ratio */
function heightFor([width, height]) {
  return (OUTLINE_WIDTH * height) / width;
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
 * @param {Ratio} ratio
 * @returns {{ d: string } | { rule: string }}
 */
export function readPath(d, ratio) {
  try {
    return { d: canonicalPath(d, ratio) };
  } catch (fault) {
    if (fault instanceof PathFault) return { rule: fault.rule };
    throw fault;
  }
}

/** @param {string} d @param {Ratio} ratio */
function canonicalPath(d, ratio) {
  /** @type {Record<string, [number, number]>} */
  const ranges = {
    x: [-OUTLINE_MARGIN, OUTLINE_WIDTH + OUTLINE_MARGIN],
    y: [-OUTLINE_MARGIN, heightFor(ratio) + OUTLINE_MARGIN],
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
 * @param {Ratio} ratio
 */
export function readOutline(outline, ratio) {
  if (outline.length > OUTLINE_PATHS) return [];
  const paths = outline.map(({ d }) => readPath(d, ratio)).flatMap((path) => ("d" in path ? [path.d] : []));
  return paths.length === outline.length && paths.join("").length <= OUTLINE_BYTES ? paths : [];
}

/**
 * Draws an outline: each line twice, so that it shows on bright and on dark pictures.
 * @param {{ d: string }[]} outline
 * @param {Ratio} ratio
 * @returns {SVGElement}
 */
export function drawOutline(outline, ratio) {
  const svg = document.createElementNS(SVG, "svg");
  // These sizes are larger than screens are, so that the style sheet makes the drawing as large as the picture.
  const [width, height] = [OUTLINE_WIDTH, heightFor(ratio)];
  for (const [name, value] of Object.entries({
    part: "outline", class: "outline", "aria-hidden": "true", viewBox: `0 0 ${width} ${height}`,
    width: String(width * 10), height: String(height * 10),
  })) svg.setAttribute(name, value);
  const paths = readOutline(outline, ratio);
  for (const look of ["halo", "line"]) {
    for (const d of paths) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", look);
      path.setAttribute("d", d);
      svg.append(path);
    }
  }
  return svg;
}
