// A result: an article with the module's sections, the conclusion first.

import { actions } from "./downloads.js";
import { element } from "../shared/elements.js";
import { say } from "./language.js";
import { TEXTS } from "./texts.js";
import { fileName } from "./visible.js";

/** @typedef {import("./worker.js").Checked} Checked */
/** @typedef {import("./grouping.js").Item} Item */

export class Result {
  /** Object URLs of the result's files, by name. @type {Record<string, string>} */
  #urls = {};
  /** The conclusion, once the photo is checked. @type {import("./module.js").Conclusion | undefined} */
  conclusion;

  /**
   * @param {Item} item
   * @param {string} id
   */
  constructor(item, id) {
    this.item = item;
    this.article = element("article", { id, "aria-labelledby": `${id}-file` });
    this.wait();
  }

  /** Shows that the photo is waiting to be checked or being checked. */
  wait() {
    this.release();
    this.#fill(say(element("p", { class: "waiting" }), TEXTS.checkingOne));
  }

  /**
   * Shows that the photo could not be checked.
   * @param {import("./texts.js").Words} words the reason
   * @param {string} [detail] technical detail, in English
   */
  fail(words, detail) {
    this.release();
    const title = say(element("h2", { tabindex: "-1" }), TEXTS.notChecked);
    const more = detail ? [element("p", { class: "fault", lang: "en" }, detail)] : [];
    this.#fill(element("section", { class: "verdict unchecked" }, title, say(element("p"), words), ...more));
  }

  /**
   * @param {Checked} checked
   * @returns {string} style of the conclusion: `holds`, `doubtful` or `fails`
   */
  show(checked) {
    this.release();
    this.conclusion = checked.conclusion;
    this.article.dataset["outcome"] = checked.conclusion.outcome;
    const files = Object.entries(checked.files);
    this.#urls = Object.fromEntries(files.map(([name, blob]) => [name, URL.createObjectURL(blob)]));
    const [conclusion, ...others] = sectionsOf(checked.sections, this.#urls["frame.jpg"]);
    conclusion?.querySelector("h2")?.setAttribute("tabindex", "-1");
    const buttons = actions(this.item.photo?.name ?? this.item.name, checked, this.#urls, () => this.#print());
    const hint = checked.conclusion.outcome === "no_proof" ? [say(element("p", { class: "hint is-copy" }), TEXTS.isCopy)] : [];
    this.#fill(...(conclusion ? [conclusion] : []), ...hint, buttons, ...others);
    return ["holds", "doubtful"].find((look) => conclusion?.classList.contains(look)) ?? "fails";
  }

  focus() {
    this.article.querySelector("h2")?.focus();
  }

  /** Releases the result's files. */
  release() {
    this.conclusion = undefined;
    delete this.article.dataset["outcome"];
    for (const url of Object.values(this.#urls)) URL.revokeObjectURL(url);
    this.#urls = {};
  }

  /** @param {...Node} contents */
  #fill(...contents) {
    const name = element("p", { id: `${this.article.id}-file`, class: "file" }, ...fileName(this.item.name));
    this.article.replaceChildren(name, ...contents);
  }

  /** Prints only this result. */
  #print() {
    forgetPrinted();
    this.article.toggleAttribute("data-printed", true);
    addEventListener("afterprint", forgetPrinted, { once: true });
    print();
    // In browsers without `afterprint`, `print` returns when printing is done.
    if (!("onafterprint" in window)) forgetPrinted();
  }
}

// Collapsed details are expanded for printing.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("article details:not([open])")) folded.toggleAttribute("data-unfolded", true);
  for (const folded of unfolded()) folded.open = true;
});
addEventListener("afterprint", () => {
  for (const folded of unfolded()) folded.open = false;
  for (const folded of unfolded()) folded.removeAttribute("data-unfolded");
});

/** @returns {Iterable<HTMLDetailsElement>} */
function unfolded() {
  return document.querySelectorAll("details[data-unfolded]");
}

/** Ends the printing of a single result. */
function forgetPrinted() {
  for (const printed of document.querySelectorAll("[data-printed]")) printed.removeAttribute("data-printed");
}

/**
 * The module's sections as elements. The module escapes all text from the photo's file, and the page's
 * Content-Security-Policy blocks scripts in it.
 * @param {string} html
 * @param {string | undefined} frame object URL of the picture
 */
function sectionsOf(html, frame) {
  // A parsed document loads nothing, so the picture's address can be set before it is shown.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const picture of parsed.querySelectorAll("img")) {
    if (frame) picture.src = frame;
    else picture.remove();
  }
  return [...parsed.body.children].filter(({ localName }) => localName === "section").map((section) => document.adoptNode(section));
}
