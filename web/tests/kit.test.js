// What a page judges of a capture kit, by the vectors of the service's own tests: the outlines, before they reach the
// document. The service has judged the whole kit, and pages insert its texts as text.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { FRAMINGS } from "../src/limits.js";
import { readOutline, readPath } from "../src/outline.js";
import { textIn } from "../src/translations.js";

/** @typedef {keyof typeof FRAMINGS} Framing */

/**
 * @typedef {object} Vectors
 * @property {any} base
 * @property {{ why: string, canonical: string, sha256: string }[]} valid
 * @property {{ why: string, text?: string, set?: Record<string, unknown>, faults: [string, string][] }[]} invalid
 * @property {{ d: string, framing: Framing, canonical?: string, rule?: string }[]} outlines
 */

const VECTORS = new URL("../../shared/domain/tests/kits.json", import.meta.url);
/** @type {Vectors} */
const vectors = JSON.parse(await readFile(VECTORS, "utf8"));

/** Canonical JSON by RFC 8785, whose numbers and strings are those of JavaScript. @param {unknown} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

test("shows a valid kit unchanged", () => {
  for (const { why, canonical: json, sha256 } of vectors.valid) {
    const kit = JSON.parse(json);
    assert.equal(canonical(kit), json, why);
    assert.equal(createHash("sha256").update(json).digest("hex"), sha256, why);
    for (const { framing, outline = [] } of /** @type {{ framing: Framing, outline?: { d: string }[] }[]} */ (kit.steps)) {
      assert.deepEqual(readOutline(outline, FRAMINGS[framing]), outline.map(({ d }) => d), why);
    }
  }
});

test("judges paths like the service", () => {
  for (const { d, framing, canonical: written, rule } of vectors.outlines) {
    const expected = written === undefined ? { rule } : { d: written };
    assert.deepEqual(readPath(d, FRAMINGS[framing]), expected, JSON.stringify(d));
    if (written !== undefined) assert.match(written, /^[MLHVCSQTAZ0-9.\- ]*$/);
  }
});

test("finds the faults of outlines", () => {
  let found = 0;
  for (const { why, set = {}, faults } of vectors.invalid) {
    for (const [path, value] of Object.entries(set)) {
      const expected = faults.filter(([place]) => place === path).map(([, rule]) => rule);
      if (path.endsWith("/d") && typeof value === "string") {
        // Without a framing, the canvas is the tallest.
        const framing = faults.some(([place]) => place === "/steps/0/framing") ? "portrait" : "landscape";
        assert.deepEqual([readPath(value, FRAMINGS[framing])], expected.map((rule) => ({ rule })), why);
        found += 1;
      }
      if (path.endsWith("/outline") && faults.some(([, rule]) => ["count", "outline_size"].includes(rule))) {
        assert.deepEqual(readOutline(/** @type {{ d: string }[]} */ (value), FRAMINGS.landscape), [], why);
        found += 1;
      }
    }
  }
  assert.ok(found > 20, `${found} faults`);
});

test("draws no outline with invalid paths", () => {
  assert.deepEqual(readOutline([{ d: "M0 0H1" }, { d: "M0 0l1 1" }], FRAMINGS.square), []);
});

test("texts fall back to Portuguese", () => {
  const texts = { "pt-BR": "Chassi", en: "Chassis" };
  assert.deepEqual(["pt-BR", "pt", "en", "en-US", "es", "fr", ""].map((language) => textIn(texts, language)),
    ["Chassi", "Chassi", "Chassis", "Chassis", "Chassi", "Chassi", "Chassi"]);
});
