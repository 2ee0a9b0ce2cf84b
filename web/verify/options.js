// The form of requirements for a proof, and the errors at its fields.

import { element, find } from "../shared/elements.js";
import { say, unsay } from "./language.js";
import { TEXTS } from "./texts.js";
import { escaped } from "./visible.js";

/** @typedef {{ environment: string, seal_holder?: string, claim_subject?: string, log_key?: string, at?: string }} Required */

/** Form fields, named like the module's options. */
const FIELDS = ["environment", "seal_holder", "claim_subject", "at", "log_key", "add_trust"];

const form = () => find("#requirements", HTMLFormElement);
const field = (/** @type {string} */ name) => find(`#${name}`, HTMLElement);

/**
 * The values of the form; `undefined` if a field is incomplete, which is then shown.
 * @returns {Required | undefined}
 */
export function readOptions() {
  // Errors of added roots stay until other roots are added.
  clearFaults(FIELDS.filter((name) => name !== "add_trust"));
  const at = find("#at", HTMLInputElement);
  if (!at.validity.valid) {
    showFault({ option: "at", message: TEXTS.atIncomplete });
    return undefined;
  }
  const written = (/** @type {string} */ name) => find(`#${name}`, HTMLInputElement).value.trim();
  const [sealHolder, claimSubject, logKey] = [written("seal_holder"), written("claim_subject"), written("log_key")];
  return {
    environment: find("#environment", HTMLSelectElement).value,
    ...(sealHolder ? { seal_holder: sealHolder } : {}),
    ...(claimSubject ? { claim_subject: claimSubject } : {}),
    ...(logKey ? { log_key: logKey } : {}),
    // The typed time is local; the module takes UTC.
    ...(at.value ? { at: new Date(at.value).toISOString() } : {}),
  };
}

/** @param {string} environment */
export function requireEnvironment(environment) {
  find("#environment", HTMLSelectElement).value = environment;
}

/** @param {string} key */
export function setLogKey(key) {
  find("#log_key", HTMLInputElement).value = key;
}

/** @param {() => void} changed called after a field was left with a changed value */
export function followOptions(changed) {
  form().addEventListener("submit", (event) => event.preventDefault());
  form().addEventListener("change", ({ target }) => {
    // Added roots are files, which must be read first.
    if (target !== field("add_trust")) changed();
  });
}

/**
 * Shows an option's error at its field.
 * @param {{ option: string, message: string | import("./texts.js").Words, values?: import("./language.js").Values }} fault
 */
export function showFault({ option, message, values }) {
  const place = find(`#${option}-error`, HTMLElement);
  find("#options", HTMLDetailsElement).open = true;
  field(option).setAttribute("aria-invalid", "true");
  unsay(place);
  if (typeof message !== "string") return void say(place, message, values);
  // The module's messages are in English and may contain file names.
  return place.append(element("bdi", { lang: "en" }, escaped(message)));
}

/** @param {readonly string[]} names fields whose errors are removed */
export function clearFaults(names) {
  for (const name of names) {
    field(name).removeAttribute("aria-invalid");
    unsay(find(`#${name}-error`, HTMLElement));
  }
}
