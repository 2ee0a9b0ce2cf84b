// Form fields: a label, a help text, a check, and an error beside the field.

import { element } from "../shared/elements.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input */

/**
 * @typedef {object} FieldSettings
 * @property {string} name
 * @property {Words} label
 * @property {Words} [help]
 * @property {"text" | "number" | "date" | "lines" | "choice" | "file"} [kind]
 * @property {string} [text] initial content
 * @property {readonly (readonly [value: string, text: string])[]} [options] options of a `choice`
 * @property {Record<string, string>} [attributes] attributes of the input element
 * @property {(text: string) => Words | undefined} [check] returns the error, if any
 */

let count = 0;

export class Field {
  #fault = element("p", { class: "error" });
  #note = element("p", { class: "note" });
  #check;

  /** @param {FieldSettings} settings */
  constructor({ name, label, help, kind = "text", text = "", options = [], attributes = {}, check = () => undefined }) {
    const id = `field-${++count}`;
    this.name = name;
    this.label = label;
    this.#check = check;
    this.#fault.id = `${id}-fault`;
    const helped = help ? [element("p", { class: "help", id: `${id}-help` }, phrase(help))] : [];
    const described = [...helped, this.#fault].map(({ id }) => id).join(" ");
    this.input = input(kind, options, { id, name, "aria-describedby": described, autocomplete: "off", ...attributes });
    this.text = text;
    const shown = element("label", { for: id }, phrase(label));
    const isWide = kind === "lines";
    const about = [...helped, this.#note, this.#fault];
    this.node = element("div", { class: isWide ? "field whole" : "field" }, shown, this.input, ...about);
    this.input.addEventListener("input", () => this.show(undefined));
  }

  /** The content without surrounding whitespace. */
  get text() {
    return this.input.value.trim();
  }

  set text(text) {
    this.input.value = text;
  }

  /** The non-empty lines. */
  get lines() {
    return this.text.split("\n").map((line) => line.trim()).filter(Boolean);
  }

  /** Checks the content and shows the error, if any. @returns {boolean} */
  check() {
    const isUnreadable = this.input.validity.badInput;
    const fault = isUnreadable ? TEXTS.noNumber : this.node.hidden ? undefined : this.#check(this.text);
    this.show(fault);
    return !fault;
  }

  /** @param {Words | undefined} fault */
  show(fault) {
    this.#fault.textContent = fault ? phrase(fault) : "";
    if (fault) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  /** Shows what changed meanwhile. @param {string} text */
  note(text) {
    this.#note.textContent = text;
  }
}

/**
 * Checks all fields, and focuses the first one with an error.
 * @param {readonly Field[]} fields
 */
export function checkAll(fields) {
  const wrong = fields.filter((field) => !field.check());
  wrong[0]?.input.focus();
  return wrong.length === 0;
}

/**
 * @param {string} kind
 * @param {readonly (readonly [string, string])[]} options
 * @param {Record<string, string>} attributes
 * @returns {Input}
 */
function input(kind, options, attributes) {
  if (kind === "lines") return element("textarea", { rows: "3", spellcheck: "false", ...attributes });
  if (kind !== "choice") return element("input", { type: kind, spellcheck: "false", ...attributes });
  return element("select", attributes, ...options.map(([value, text]) => element("option", { value }, text)));
}
