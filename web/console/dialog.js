// Modal dialogs. Closing a dialog returns the focus to the button that opened it, even if that was redrawn
// meanwhile.

import { element } from "../shared/elements.js";
import { focusKey } from "./focus.js";

/** @typedef {import("../shared/elements.js").Content} Content */

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
   * @param {{ isWide?: boolean, mayClose?: (isNavigation: boolean) => boolean }} [options] `mayClose` is called for the Escape
   * key and when the reader navigates to another page
   */
  constructor(title, contents, { isWide = false, mayClose = () => true } = {}) {
    const id = `dialog-${++count}`;
    const heading = element("h2", { id, tabindex: "-1" }, title);
    this.#element = element("dialog", { "aria-labelledby": id, class: isWide ? "wide" : "" }, heading, ...contents);
    this.#mayClose = mayClose;
    // Browsers close a dialog without a `cancel` event on a second Escape, so the key is handled here.
    this.#element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      if (mayClose(false)) this.close();
    });
    this.#element.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(this.#element);
    open.add(this);
    this.#element.showModal();
    // Without a field, the focus goes to the heading: it is read first, and a second Enter confirms nothing.
    const field = this.#element.querySelector("input, select, textarea");
    (field instanceof HTMLElement ? field : heading).focus();
  }

  /** Closes the dialog because the reader navigated to another page, if it may close. */
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

/** Closes dialogs after navigation. Those with a pending request stay open. */
export function closeDialogs() {
  for (const dialog of open) dialog.leave();
}
