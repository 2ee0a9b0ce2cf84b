// A result: an article with the module's sections, the conclusion first.

import { actions } from "./downloads.js";
import { element } from "./elements.js";
import { say } from "./language.js";
import { TEXTS } from "./texts.js";
import { fileName } from "./visible.js";

/** @typedef {import("./worker.js").Checked} Checked */
/** @typedef {import("./grouping.js").Item} Item */

export class Result {
  /** The URLs of its files, by their names. @type {Record<string, string>} */
  #urls = {};

  /**
   * @param {Item} item
   * @param {string} id
   */
  constructor(item, id) {
    this.item = item;
    this.article = element("article", { id, "aria-labelledby": `${id}-file` });
    this.wait();
  }

  /** The photo is being checked, or is going to be. */
  wait() {
    this.release();
    this.#fill(say(element("p", { class: "waiting" }), TEXTS.checkingOne));
  }

  /**
   * There is no conclusion.
   * @param {import("./texts.js").Words} words why
   * @param {string} [detail] for who looks into it, in English
   */
  fail(words, detail) {
    this.release();
    const title = say(element("h2", { tabindex: "-1" }), TEXTS.notChecked);
    const more = detail ? [element("p", { class: "fault", lang: "en" }, detail)] : [];
    this.#fill(element("section", { class: "verdict unchecked" }, title, say(element("p"), words), ...more));
  }

  /**
   * @param {Checked} checked
   * @returns {string} how the conclusion looks: `holds`, `doubtful` or `fails`
   */
  show(checked) {
    this.release();
    this.article.dataset["outcome"] = checked.conclusion.outcome;
    const files = Object.entries(checked.files);
    this.#urls = Object.fromEntries(files.map(([name, blob]) => [name, URL.createObjectURL(blob)]));
    const [conclusion, ...others] = sectionsOf(checked.sections, this.#urls["frame.jpg"]);
    conclusion?.querySelector("h2")?.setAttribute("tabindex", "-1");
    const buttons = actions(this.item.photo?.name ?? this.item.name, checked, this.#urls, () => this.#print());
    this.#fill(...(conclusion ? [conclusion] : []), buttons, ...others);
    return ["holds", "doubtful"].find((look) => conclusion?.classList.contains(look)) ?? "fails";
  }

  focus() {
    this.article.querySelector("h2")?.focus();
  }

  /** The page holds none of its files any more. */
  release() {
    delete this.article.dataset["outcome"];
    for (const url of Object.values(this.#urls)) URL.revokeObjectURL(url);
    this.#urls = {};
  }

  /** @param {...Node} contents */
  #fill(...contents) {
    const name = element("p", { id: `${this.article.id}-file`, class: "file" }, ...fileName(this.item.name));
    this.article.replaceChildren(name, ...contents);
  }

  /** Prints this result alone. */
  #print() {
    forgetPrinted();
    this.article.toggleAttribute("data-printed", true);
    addEventListener("afterprint", forgetPrinted, { once: true });
    print();
    // Where a browser does not say when paper is done, `print` has returned when it is.
    if (!("onafterprint" in window)) forgetPrinted();
  }
}

// On paper nothing is folded.
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

/** No result is printed alone any more. */
function forgetPrinted() {
  for (const printed of document.querySelectorAll("[data-printed]")) printed.removeAttribute("data-printed");
}

/**
 * The module's sections. It escapes what the photo's file says, and the page's policy runs no script of theirs.
 * @param {string} html
 * @param {string | undefined} frame the picture's URL
 */
function sectionsOf(html, frame) {
  // Nothing of a parsed document is loaded, so that the picture gets its address in time.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const picture of parsed.querySelectorAll("img")) {
    if (frame) picture.src = frame;
    else picture.remove();
  }
  return [...parsed.body.children].filter(({ localName }) => localName === "section").map((section) => document.adoptNode(section));
}
