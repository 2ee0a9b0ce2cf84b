// License terms as form fields and facts: their content, checks, and values for the API. `license-terms.js` lists
// the terms; this module defines the kinds of values and the checks between terms.

import { element } from "../shared/elements.js";
import { Field } from "./fields.js";
import { moment, number } from "./formats.js";
import { fill, phrase } from "./language.js";
import { LICENSE_TERMS } from "./license-terms.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./records.js").License} License */
/** @typedef {import("./fields.js").FieldSettings} FieldSettings */
/** @typedef {import("./texts.js").Words} Words */

/**
 * A license term. A bound is `null` if there is none; a default is `null` if the term must be set.
 * @typedef {object} Term
 * @property {string} name name in the API
 * @property {keyof typeof KINDS} kind
 * @property {readonly string[]} options allowed words
 * @property {number | null} least
 * @property {number | null} most
 * @property {number | null} above exclusive lower bound
 * @property {Readonly<Record<string, string | null>>} defaults default of each environment, as the field's text
 * @property {Words} title
 * @property {Words} help
 */

/**
 * A kind of value: how a value is written into its field, shown as a fact, and read from the field for the API.
 * @typedef {object} Kind
 * @property {(value: any) => string} write
 * @property {(value: any, term: Term) => string | Element} show
 * @property {(field: Field) => unknown} read
 * @property {(term: Term) => Partial<FieldSettings>} field
 * @property {Words} [hint] how to fill in the field
 */

/** @type {(value: any) => string} */
const text = (value) => String(value ?? "");

const KINDS = {
  /** @type {Kind} */
  time: {
    write: (value) => new Date(value).toISOString().slice(0, 10),
    show: (value) => moment(value, "UTC"),
    // An agreement ends at the end of the given day in UTC.
    read: (field) => `${field.text}T23:59:59Z`,
    field: () => ({ kind: "date" }),
    hint: TEXTS.wholeDay,
  },
  /** @type {Kind} */
  count: {
    write: text,
    show: (value) => number(value),
    read: (field) => Number(field.text),
    field: (term) => ({ kind: "number", attributes: limits(term, "1"), check: (text) => checkCount(text, term, TEXTS.badCount) }),
  },
  /** @type {Kind} */
  count_or_null: {
    write: text,
    show: (value) => (value === null ? phrase(TEXTS.unlimited) : number(value)),
    read: (field) => (field.text ? Number(field.text) : null),
    field: (term) => ({
      kind: "number", attributes: limits(term, "1"),
      check: (text) => (text ? checkCount(text, term, TEXTS.badCountOrEmpty) : undefined),
    }),
    hint: TEXTS.emptyIsUnlimited,
  },
  /** @type {Kind} */
  number: {
    write: text,
    show: (value) => number(value),
    read: (field) => Number(field.text),
    field: (term) => ({ kind: "number", attributes: limits(term, "any"), check: (text) => checkNumber(text, term) }),
  },
  /** @type {Kind} */
  flag: {
    write: text,
    show: (value) => phrase(value ? TEXTS.yes : TEXTS.no),
    read: (field) => field.text === "true",
    field: () => ({ kind: "choice", options: [["true", phrase(TEXTS.yes)], ["false", phrase(TEXTS.no)]] }),
  },
  /** @type {Kind} */
  origins: {
    write: (value) => value.join("\n"),
    show: (/** @type {string[]} */ origins) => {
      const items = origins.map((origin) => element("li", {}, element("code", {}, origin)));
      return items.length ? element("ul", { class: "plain" }, ...items) : phrase(TEXTS.none);
    },
    read: (field) => field.lines,
    field: () => ({ kind: "lines" }),
    hint: TEXTS.onePerLine,
  },
  /** @type {Kind} */
  word: {
    write: text,
    show: (value, term) => named(term.name, value),
    read: (field) => field.text,
    field: (term) => ({ kind: "choice", options: term.options.map((option) => [option, named(term.name, option)]) }),
  },
};

/** @type {readonly Term[]} */
const TERMS = LICENSE_TERMS;

/** @param {License} license */
const valuesOf = (license) => /** @type {Record<string, unknown>} */ (license);

/** The title of a term. @param {string} name */
export function titleOf(name) {
  return TERMS.find((term) => term.name === name)?.title ?? { pt: name, en: name };
}

/** The terms of a license with their titles. @param {License} license @returns {[Words, string | Element][]} */
export function factsOf(license) {
  return TERMS.map((term) => {
    const value = valuesOf(license)[term.name];
    const isUnlimited = term.kind === "count" && value === Number(term.defaults[license.environment] ?? NaN);
    return [term.title, isUnlimited ? phrase(TEXTS.unlimited) : KINDS[term.kind].show(value, term)];
  });
}

/** @param {License} license @returns {Record<string, string>} */
export function textsOf(license) {
  return Object.fromEntries(TERMS.map(({ name, kind }) => [name, KINDS[kind].write(valuesOf(license)[name])]));
}

/** @param {Field} field */
export function valueOf(field) {
  const term = TERMS.find(({ name }) => name === field.name);
  return term ? KINDS[term.kind].read(field) : field.text;
}

/** Whether the default depends on the environment; the API then applies it. @param {Term} term */
const variesByEnvironment = ({ defaults }) => new Set(Object.values(defaults)).size > 1;

/**
 * @param {Record<string, string>} texts content of the fields
 * @param {() => string} environment
 * @param {boolean} isNew
 */
export function termFields(texts, environment, isNew) {
  const redirects = () => fields.find(({ name }) => name === "redirect_origins")?.lines ?? [];
  /** Checks beyond those of the term's kind. @type {Record<string, (text: string) => Words | undefined>} */
  const rules = {
    expires_at: (text) => checkEnd(text, isNew),
    authorized_origins: (text) => checkOrigins(text, environment()),
    redirect_origins: (text) => (text.includes("*.") ? TEXTS.wildcardRedirect : checkOrigins(text, environment())),
    store_asset_policy: (text) => (redirects().length && text !== "ALWAYS" ? TEXTS.hostedNeedsStorage : undefined),
  };
  const fields = TERMS.map((term) => {
    const { name, title: label, kind } = term;
    const { field, hint = { pt: "", en: "" } } = KINDS[kind];
    const help = { pt: `${term.help.pt} ${hint.pt}`, en: `${term.help.en} ${hint.en}` };
    const settings = field(term);
    const check = rules[name] ?? settings.check ?? (() => undefined);
    const varies = variesByEnvironment(term);
    /** @type {[string, string][]} */
    const byDefault = isNew && varies ? [["", phrase(TEXTS.environmentDefault)]] : [];
    const options = [...byDefault, ...(settings.options ?? [])];
    const text = texts[name] ?? (varies ? "" : Object.values(term.defaults)[0] ?? "");
    return new Field({ name, label, help, ...settings, check, options, text });
  });
  return fields;
}

/** @param {Term} term @param {string} step @returns {Record<string, string>} */
function limits({ least, most, above }, step) {
  const min = least ?? above;
  return { ...(min === null ? {} : { min: String(min) }), ...(most === null ? {} : { max: String(most) }), step };
}

/** @param {string} text @param {Term} term @param {Words} fault */
function checkCount(text, { least }, fault) {
  const isCount = /^\d+$/.test(text) && Number(text) >= (least ?? 0) && Number.isSafeInteger(Number(text));
  return isCount ? undefined : fill(fault, { least: least ?? 0 });
}

/** @param {string} text @param {Term} term */
function checkNumber(text, { least, most, above }) {
  const value = Number(text || NaN);
  if (above !== null) return value > above ? undefined : fill(TEXTS.badNumberAbove, { above });
  const [from, to] = [least ?? -Infinity, most ?? Infinity];
  return value >= from && value <= to ? undefined : fill(TEXTS.badNumberWithin, { least: from, most: to });
}

/** @param {string} text @param {boolean} isNew for an existing license a past date is allowed; it ends the agreement */
function checkEnd(text, isNew) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return TEXTS.badEnd;
  return isNew && text < new Date().toISOString().slice(0, 10) ? TEXTS.pastEnd : undefined;
}

/** @param {string} text @param {string} environment */
function checkOrigins(text, environment) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.every((line) => /^https?:\/\/[^\s/?#@]+$/.test(line))) return TEXTS.badOrigin;
  return environment !== "SANDBOX" && lines.some((line) => line.startsWith("http:")) ? TEXTS.insecureOrigin : undefined;
}
