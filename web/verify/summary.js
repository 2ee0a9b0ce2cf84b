// Lists the conclusions of several photos above their results.

import { element, find } from "../shared/elements.js";
import { say } from "./language.js";
import { TEXTS } from "./texts.js";
import { fileName } from "./visible.js";

/** @typedef {import("./result.js").Result} Result */
/** @typedef {import("./texts.js").Words} Words */

export class Summary {
  /** @type {Map<Result, HTMLElement>} */
  #lines = new Map();

  /** Lists the results if there are several. @param {readonly Result[]} results */
  list(results) {
    this.#lines = new Map(results.map((result) => [result, element("li")]));
    for (const result of results) this.wait(result);
    find("#summary-list", HTMLElement).replaceChildren(...this.#lines.values());
    find("#summary", HTMLElement).hidden = results.length < 2;
  }

  /** @param {Result} result */
  wait(result) {
    this.#write(result, "waiting", TEXTS.checkingOne);
  }

  /**
   * Shows that a photo could not be checked.
   * @param {Result} result
   * @param {Words} reason
   */
  fail(result, reason) {
    this.#write(result, "unchecked", TEXTS.notChecked, say(element("span", { class: "reason" }), reason));
  }

  /**
   * Shows the conclusion and the holder of the seal.
   * @param {Result} result
   * @param {string} look
   * @param {Words} conclusion
   */
  show(result, look, conclusion) {
    this.#write(result, look, conclusion);
  }

  /**
   * @param {Result} result
   * @param {string} look
   * @param {Words} words
   * @param {...Node} more
   */
  #write(result, look, words, ...more) {
    const link = element("a", { href: `#${result.article.id}` }, ...fileName(result.item.name));
    const line = this.#lines.get(result);
    line?.replaceChildren(link, say(element("strong", { class: look }), words), ...more);
  }
}
