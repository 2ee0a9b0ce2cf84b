// Formats numbers, dates and times in the reader's language.

import { element } from "../shared/elements.js";
import { languageTag } from "./language.js";

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
export function number(value, options) {
  return new Intl.NumberFormat(languageTag(), options).format(value);
}

/**
 * Formats a fraction as a percentage, rounded down so that 100 % appears only when it is reached.
 * @param {number} share
 */
export function percent(share) {
  return number(Math.floor(share * 100 + 1e-9) / 100, { style: "percent" });
}

/** @param {number} count */
export function bytes(count) {
  const large = count >= 1_000_000;
  const unit = large ? "megabyte" : "kilobyte";
  return number(count / (large ? 1e6 : 1e3), { style: "unit", unit, maximumFractionDigits: 1 });
}

/** @param {number} count negative if the end has passed */
export function days(count) {
  return number(count, { style: "unit", unit: "day", unitDisplay: "long" });
}

/** @type {Intl.DateTimeFormatOptions} */
const MOMENT = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" };

/**
 * A time with its time zone; the title shows it in UTC.
 * @param {string} iso
 * @param {"UTC"} [timeZone] instead of the reader's time zone
 */
export function moment(iso, timeZone) {
  return timed(iso, { ...MOMENT, timeZone });
}

/** A time as plain text, in the reader's time zone. @param {string} iso */
export function momentText(iso) {
  return new Intl.DateTimeFormat(languageTag(), MOMENT).format(new Date(iso));
}

/** The day of a time in UTC, as used for agreements, certificates and counts. @param {string} iso */
export function day(iso) {
  return timed(iso, { dateStyle: "medium", timeZone: "UTC" });
}

/** @param {string} iso @param {Intl.DateTimeFormatOptions} options */
function timed(iso, options) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return element("span", {}, iso);
  const text = new Intl.DateTimeFormat(languageTag(), options).format(date);
  return element("time", { datetime: iso, title: `${date.toISOString().slice(0, 19).replace("T", " ")} UTC` }, text);
}

/** @param {string} month `2026-11` @param {"long" | "short"} [length] */
export function monthName(month, length = "long") {
  const options = /** @type {const} */ ({ month: length, year: "numeric", timeZone: "UTC" });
  return new Intl.DateTimeFormat(languageTag(), options).format(firstDay(month));
}

/** The abbreviated month, for the axis of a chart. @param {string} month */
export function monthInitial(month) {
  return new Intl.DateTimeFormat(languageTag(), { month: "short", timeZone: "UTC" }).format(firstDay(month)).replace(".", "");
}

/** The last months in UTC, as the service counts them, the current one first. @param {number} count */
export function lastMonths(count) {
  const now = new Date();
  const back = (/** @type {number} */ months) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
  return Array.from({ length: count }, (_, months) => back(months).toISOString().slice(0, 7));
}

/** @param {string} month */
const firstDay = (month) => new Date(`${month}-01T00:00:00Z`);
