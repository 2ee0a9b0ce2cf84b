// A form field for a file with a JSON document. The service judges the document; here it is only read.

import { Field } from "./fields.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./texts.js").Words} Words */

export class DocumentField extends Field {
  /** The document in the chosen file. @type {unknown} */
  document;
  /** @type {Words | undefined} */
  #fault = TEXTS.noFile;

  /** @param {{ name: string, label: Words, help: Words }} settings */
  constructor(settings) {
    super({ ...settings, kind: "file", attributes: { accept: ".json,application/json" }, check: () => this.#fault });
    // A browser reports no change if the same file is chosen again, so a corrected file could not be sent.
    this.input.addEventListener("click", () => this.#forget());
    this.input.addEventListener("change", () => void this.#read());
  }

  #forget() {
    this.text = "";
    this.#fault = TEXTS.noFile;
  }

  async #read() {
    const [file] = this.input instanceof HTMLInputElement ? this.input.files ?? [] : [];
    if (!file) return;
    try {
      this.document = JSON.parse(await file.text());
      this.#fault = undefined;
    } catch {
      this.#fault = TEXTS.noDocument;
    }
    this.show(this.#fault);
  }
}
