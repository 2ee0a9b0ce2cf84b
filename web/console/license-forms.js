// Forms for a new license and for the terms of an existing one.

import { element } from "../shared/elements.js";
import { Field, checkAll } from "./fields.js";
import { phrase } from "./language.js";
import { termFields, textsOf, valueOf } from "./terms.js";
import { TEXTS } from "./texts.js";
import { choices } from "./values.js";

/** @typedef {import("./records.js").License} License */

/** The form of a new license. The environment determines which terms it shows. */
export function newLicenseForm() {
  const environment = new Field({
    name: "environment", label: TEXTS.environment, help: TEXTS.licenseEnvironmentHelp, kind: "choice",
    options: choices("environment"), text: "SANDBOX",
  });
  const fields = termFields({}, () => environment.text, true);
  const adapt = () => hideVolume(fields, environment.text);
  environment.input.addEventListener("input", adapt);
  adapt();
  const read = () => {
    if (!checkAll(fields)) return undefined;
    const given = fields.filter(({ input, text, node }) => !node.hidden && (text || !(input instanceof HTMLSelectElement)));
    return { environment: environment.text, ...Object.fromEntries(given.map((field) => [field.name, valueOf(field)])) };
  };
  return { nodes: [environment.node, ...fields.map(({ node }) => node)], read };
}

/** @param {readonly Field[]} fields @param {string} environment */
function hideVolume(fields, environment) {
  for (const { name, node } of fields) if (name === "volume_limit") node.hidden = environment === "SANDBOX";
}

/** The form for the terms of an existing license. It sends only the changed terms. */
export class TermsForm {
  #current;
  #fields;

  /** @param {License} license */
  constructor(license) {
    this.#current = textsOf(license);
    this.#fields = termFields(this.#current, () => license.environment, false);
    hideVolume(this.#fields, license.environment);
    this.unchanged = element("p", { class: "error" });
    this.nodes = [...this.#fields.map(({ node }) => node), this.unchanged];
  }

  /** @param {Field} field */
  #isChanged(field) {
    return !field.node.hidden && normal(field.text) !== normal(this.#current[field.name]);
  }

  /** @returns {Record<string, unknown> | undefined} */
  read() {
    this.unchanged.textContent = "";
    if (!checkAll(this.#fields)) return undefined;
    const changed = this.#fields.filter((field) => this.#isChanged(field));
    if (!changed.length) this.unchanged.textContent = phrase(TEXTS.nothingChanged);
    return changed.length ? Object.fromEntries(changed.map((field) => [field.name, valueOf(field)])) : undefined;
  }

  /**
   * Updates the form after another change of the license: untouched fields get the current terms, edited ones keep
   * what was typed.
   * @param {License} license
   * @returns {string[]} one line for each term that changed
   */
  rebase(license) {
    const now = textsOf(license);
    return this.#fields.flatMap((field) => {
      const [before, after] = [this.#current[field.name] ?? "", now[field.name] ?? ""];
      const isTouched = this.#isChanged(field);
      this.#current[field.name] = after;
      if (before === after || field.node.hidden) return [];
      if (!isTouched) field.text = after;
      field.note(phrase(TEXTS.nowIs, { now: shown(field, after) }));
      return [phrase(TEXTS.changedTo, { name: phrase(field.label), before: shown(field, before), now: shown(field, after) })];
    });
  }
}

/** A term's value as the field displays it. @param {Field} field @param {string} text */
function shown({ input }, text) {
  const option = input instanceof HTMLSelectElement ? [...input.options].find(({ value }) => value === text) : undefined;
  return option?.text ?? (text.split("\n").join(", ") || "—");
}

/** @param {string | undefined} text lines of origins; whitespace and empty lines are ignored */
function normal(text = "") {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).join("\n");
}
