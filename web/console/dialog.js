// Modal dialogs. Closing one returns the focus to the button that opened it, also when that was drawn anew meanwhile.

import { element } from "./elements.js";
import { focusKey } from "./focus.js";

/** @typedef {import("./elements.js").Content} Content */

/** @type {Set<Dialog>} */
const open = new Set();
let count = 0;

export class Dialog {
  #element;
  #opener = document.activeElement;
  #mayClose;

  /**
   * @param {string} title
   * @param {Content[]} contents
   * @param {{ isWide?: boolean, mayClose?: (isNavigation: boolean) => boolean }} [options] `mayClose` is asked by the Escape
   * key and when the reader goes to another page
   */
  constructor(title, contents, { isWide = false, mayClose = () => true } = {}) {
    const id = `dialog-${++count}`;
    const heading = element("h2", { id, tabindex: "-1" }, title);
    this.#element = element("dialog", { "aria-labelledby": id, class: isWide ? "wide" : "" }, heading, ...contents);
    this.#mayClose = mayClose;
    // The browser closes without asking at the second Escape, so the key is handled here.
    this.#element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      if (mayClose(false)) this.close();
    });
    this.#element.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(this.#element);
    open.add(this);
    this.#element.showModal();
    // Without a field the heading is read first, and a second Enter confirms nothing.
    const field = this.#element.querySelector("input, select, textarea");
    (field instanceof HTMLElement ? field : heading).focus();
  }

  /** The reader goes to another page. */
  leave() {
    if (this.#mayClose(true)) this.close();
  }

  close() {
    if (!open.delete(this)) return;
    this.#element.close();
    this.#element.remove();
    if (this.#opener?.isConnected && this.#opener !== document.body) return;
    focusKey(this.#opener?.getAttribute("data-key"), document.querySelector("#page h1"));
  }
}

/** The reader went to another page: what is under way stays open. */
export function closeDialogs() {
  for (const dialog of open) dialog.leave();
}
