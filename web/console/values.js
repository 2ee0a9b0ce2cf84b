// Labels for the API's values.

import { phrase } from "./language.js";
import { VALUES } from "./texts-of-values.js";

/**
 * @param {string} kind
 * @param {string} value an unknown value is shown unchanged
 */
export function named(kind, value) {
  /** @type {Record<string, Record<string, import("./texts.js").Words>>} */
  const known = VALUES;
  const words = new Map(Object.entries(known[kind] ?? {})).get(value);
  return words ? phrase(words) : value;
}

/**
 * @param {keyof typeof VALUES} kind
 * @returns {[value: string, text: string][]}
 */
export function choices(kind) {
  return Object.keys(VALUES[kind]).map((value) => [value, named(kind, value)]);
}
