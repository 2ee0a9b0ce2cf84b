// A part of a page that is read from the service: loading, drawn, or failed with a retry button.

import { button, element } from "../shared/elements.js";
import { Failure } from "./api.js";
import { explain } from "./failures.js";
import { focusKey } from "./focus.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("../shared/elements.js").Content} Content */

export class Region {
  #visit;
  #load;
  #draw;
  /** Number of the latest read. The response of an earlier read is dropped. */
  #round = 0;

  /**
   * @param {{ signal: AbortSignal, heading: HTMLElement }} visit
   * @param {(signal: AbortSignal) => Promise<any>} load
   * @param {(data: any) => Content[]} draw
   */
  constructor(visit, load, draw) {
    this.#visit = visit;
    this.#load = load;
    this.#draw = draw;
    this.element = element("div", { class: "region" });
    this.element.append(...skeleton());
    void this.read();
  }

  /** Reads and draws. The previous content stays visible until then. */
  async read() {
    const round = ++this.#round;
    const isOvertaken = () => this.#visit.signal.aborted || round !== this.#round;
    this.element.setAttribute("aria-busy", "true");
    try {
      const data = await this.#load(this.#visit.signal);
      if (!isOvertaken()) this.#fill(this.#draw(data));
    } catch (error) {
      if (isOvertaken()) return;
      if (!(error instanceof Failure)) console.error(error);
      this.#fill([this.#failed(error)]);
    }
  }

  /**
   * Replaces the content. If the region had the focus, it moves to the button with the same key.
   * @param {Content[]} contents
   */
  #fill(contents) {
    const focused = document.activeElement;
    const hadFocus = focused !== null && this.element.contains(focused);
    this.element.replaceChildren(...contents);
    this.element.setAttribute("aria-busy", "false");
    if (hadFocus) focusKey(focused.getAttribute("data-key"), this.#visit.heading);
  }

  /** @param {unknown} error */
  #failed(error) {
    const retry = button(phrase(TEXTS.retry), () => {
      this.element.replaceChildren(...skeleton());
      this.#visit.heading.focus();
      void this.read();
    });
    return element("div", { class: "failure", role: "alert" }, ...explain(error, false), retry);
  }
}

function skeleton() {
  const lines = element("div", { class: "skeleton", "aria-hidden": "true" });
  lines.append(element("span"), element("span"), element("span"));
  return [element("p", { class: "unseen" }, phrase(TEXTS.loading)), lines];
}
