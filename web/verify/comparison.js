// Compares a file without a valid proof with a photo that has one, and shows both with what differs outlined.

import { element, find, svg } from "../shared/elements.js";
import { Comparer } from "./comparer.js";
import { label, say } from "./language.js";
import { wantedHash } from "./sources.js";
import { TEXTS } from "./texts.js";
import { escaped, fileName } from "./visible.js";

/** @typedef {import("./comparer.js").Answer} Answer */
/** @typedef {import("./compare-worker.js").Compared} Compared */
/** @typedef {import("./compare-worker.js").Region} Region */
/** @typedef {import("./language.js").Values} Values */
/** @typedef {import("./result.js").Result} Result */
/** @typedef {import("./texts.js").Words} Words */

/** Outcomes of a valid proof. */
const VALID = ["accepted", "not_pinned", "other_environment"];

const section = find("#comparison", HTMLElement);
const status = find("#comparison-status", HTMLElement);
const details = find("#comparison-details", HTMLElement);
const selects = { copy: find("#copy", HTMLSelectElement), original: find("#original", HTMLSelectElement) };

export class Comparison {
  #comparer = new Comparer();
  /** Number of the current comparison; a later one supersedes earlier ones. */
  #round = 0;
  /** The results that can be chosen. @type {{ copy: Result[], original: Result[] }} */
  #offered = { copy: [], original: [] };

  constructor() {
    find("#compare", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#compare();
    });
  }

  /** Ends and hides the comparison. */
  withdraw() {
    this.#round += 1;
    this.#comparer.stop();
    clear();
    section.hidden = true;
  }

  /** Offers to compare, if there is a photo with a valid proof and a file without one. @param {readonly Result[]} results */
  offer(results) {
    const checked = results.filter(({ conclusion }) => conclusion);
    const isValid = (/** @type {Result} */ { conclusion }) => VALID.includes(conclusion?.outcome ?? "");
    this.#offered = { copy: checked.filter((result) => !isValid(result)), original: checked.filter(isValid) };
    for (const role of /** @type {const} */ (["copy", "original"])) {
      const options = this.#offered[role].map(({ item }, index) => element("option", { value: String(index) }, escaped(item.name)));
      selects[role].replaceChildren(...options);
    }
    section.hidden = !this.#offered.copy.length || !this.#offered.original.length;
  }

  async #compare() {
    const [copy, original] = [this.#chosen("copy"), this.#chosen("original")];
    if (!copy?.item.photo || !original?.item.photo) return;
    const mine = ++this.#round;
    clear();
    status.replaceChildren(say(element("p", { class: "waiting" }), TEXTS.comparing));
    const answer = await this.#comparer.compare(copy.item.photo, original.item.photo);
    if (mine !== this.#round) return;
    if (answer.kind === "compared") show(answer, copy, original);
    else fail(answer, copy, original);
  }

  /** @param {"copy" | "original"} role */
  #chosen(role) {
    return this.#offered[role][Number(selects[role].value)];
  }
}

function clear() {
  section.removeAttribute("data-compared");
  status.replaceChildren();
  details.replaceChildren();
}

/** @param {Exclude<Answer, Compared>} answer @param {Result} copy @param {Result} original */
function fail(answer, copy, original) {
  const [words, values] = reasonOf(answer, { copy, original });
  conclude("unchecked", say(element("p", { class: "word" }), TEXTS.notCompared), say(element("p"), words, values));
}

/**
 * Why nothing was compared.
 * @param {Exclude<Answer, Compared>} answer
 * @param {{ copy: Result, original: Result }} results
 * @returns {[Words, Values]}
 */
function reasonOf(answer, results) {
  switch (answer.kind) {
    case "fault": return [TEXTS[answer.fault.kind], { name: escaped(results[answer.fault.file].item.name) }];
    case "otherModule": return [TEXTS.otherModule, { found: answer.found, wanted: wantedHash("compare") }];
    case "notLoaded": return [TEXTS.compareNotLoaded, { message: answer.message }];
    case "unreadable": return [TEXTS.unreadable, {}];
    case "late": return [TEXTS.compareLate, {}];
    case "crashed": return [TEXTS.compareCrashed, {}];
  }
}

/** @param {Compared} compared @param {Result} copy @param {Result} original */
function show(compared, copy, original) {
  const { verdict, differs, panels: [ofOriginal, ofCopy] } = compared;
  const count = differs.length;
  const [look, words] = {
    SAME: /** @type {const} */ (["unchecked", TEXTS.same]),
    SAME_WITH_DIFFERENCES: /** @type {const} */ (["doubtful", TEXTS.differs]),
    NOT_CONFIRMED: /** @type {const} */ (["doubtful", TEXTS.notConfirmed]),
  }[verdict];
  const conclusion = element("a", { href: `#${original.article.id}` });
  say(conclusion, TEXTS.ofOriginal, { conclusion: original.conclusion?.conclusion ?? "" });
  conclude(look, say(element("p", { class: "word" }), words, { count }), element("p", {}, conclusion));
  section.toggleAttribute("data-compared", true);
  details.replaceChildren(
    element("div", { class: "pair" }, figure("original", ofOriginal, compared, original), figure("copy", ofCopy, compared, copy)),
    ...(count ? [element("ol", {}, ...differs.map(lineOf)), say(element("p"), TEXTS.whyDiffers)] : []),
    ...hiddenPart(compared),
    ...(verdict === "NOT_CONFIRMED" ? [] : [say(element("p", { class: "note" }), TEXTS.compareLimit)]),
  );
}

/** Announces a conclusion. @param {"unchecked" | "doubtful"} look @param {...Node} contents */
function conclude(look, ...contents) {
  status.replaceChildren(element("div", { class: `verdict ${look}` }, ...contents));
}

/**
 * A picture with what differs outlined. The picture is the one that was compared, which the browser could orient otherwise.
 * @param {"original" | "copy"} role
 * @param {ImageData} pixels
 * @param {Compared} compared
 * @param {Result} result
 */
function figure(role, pixels, { differs, original: { width, height } }, { item: { name } }) {
  const canvas = element("canvas", { role: "img", width: String(pixels.width), height: String(pixels.height) });
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  const [alternative, caption] = role === "copy" ? [TEXTS.copyPicture, TEXTS.copyCaption] : [TEXTS.originalPicture, TEXTS.originalCaption];
  label(canvas, alternative, { name: escaped(name), count: differs.length });
  const box = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" };
  const outlines = differs.length ? [svg("svg", box, ...differs.flatMap((region) => [rectangle("halo", region), rectangle("outline", region)]))] : [];
  const line = element("figcaption", {}, say(element("strong"), caption), " ", ...fileName(name));
  return element("figure", {}, element("div", { class: "framed" }, canvas, ...outlines), line);
}

/** @param {"halo" | "outline"} look @param {Region} region */
function rectangle(look, { left, top, width, height }) {
  return svg("rect", { class: look, x: String(left), y: String(top), width: String(width), height: String(height) });
}

/** @param {Region} region */
function lineOf({ left, top, width, height }) {
  return say(element("li"), TEXTS.region, { left, top, width, height });
}

/** How much of the original the copy does not show. @param {Compared} compared */
function hiddenPart({ verdict, shown, original }) {
  const hidden = 1 - (shown.width * shown.height) / (original.width * original.height);
  if (verdict === "NOT_CONFIRMED" || hidden <= 0) return [];
  return [say(element("p"), TEXTS.hiddenPart, { percent: Math.max(1, Math.round(100 * hidden)) })];
}
