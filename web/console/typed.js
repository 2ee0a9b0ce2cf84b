// A typed confirmation, which prevents accidental revocations and suspensions.

import { element } from "../shared/elements.js";

/** @typedef {{ expected: string, label: string }} Confirmation */

export class Typed {
  #input = element("input", { type: "text", id: "typed", autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  #label = element("label", { for: "typed" });
  #expected = "";

  /**
   * @param {Confirmation} typed
   * @param {() => void} changed
   */
  constructor(typed, changed) {
    this.node = element("div", { class: "field typed" }, this.#label, this.#input);
    this.#input.addEventListener("input", changed);
    this.expect(typed);
  }

  /** Asks for a text. If it differs from the previous one, the field is cleared. @param {Confirmation} typed */
  expect({ expected, label }) {
    if (expected !== this.#expected) this.#input.value = "";
    this.#expected = expected;
    this.#label.textContent = label;
  }

  matches() {
    const plain = (/** @type {string} */ text) => text.trim().normalize("NFC");
    return plain(this.#input.value) === plain(this.#expected);
  }
}
