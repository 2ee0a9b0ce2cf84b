// The used part of a license's monthly volume: a bar with the alert thresholds, and the same as text.

import { element, svg } from "../shared/elements.js";
import { monthInitial, monthName, number, percent } from "./formats.js";
import { phrase } from "./language.js";
import { isUnlimited } from "./records.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./records.js").License} License */

/** Alert thresholds, in percent. */
const MARKS = [70, 90, 100];

/**
 * @param {License} license
 * @param {{ hasMarks?: boolean }} [options]
 */
export function volumeBar(license, { hasMarks = false } = {}) {
  const used = license.usage.captures_used;
  if (isUnlimited(license)) return element("span", { class: "volume" }, phrase(TEXTS.usedUnlimited, { used: number(used) }));
  const limit = license.volume_limit;
  // A limit of zero counts as fully used.
  const share = limit ? used / limit : 1;
  const values = { used: number(used), limit: number(limit), share: percent(share) };
  const text = element("span", {}, phrase(TEXTS.usedOf, values));
  return element("span", { class: `volume ${look(share)}` }, bar(share), ...(hasMarks ? [scale()] : []), text);
}

/** @param {number} share */
function look(share) {
  if (share >= 1) return "full";
  return share >= 0.9 ? "high" : share >= 0.7 ? "raised" : "";
}

/** The bar. It is hidden from screen readers because the text beside it says the same. @param {number} share */
function bar(share) {
  const width = String(Math.min(100, share * 100));
  const marks = MARKS.slice(0, 2).map((x) => svg("line", { x1: `${x}`, x2: `${x}`, y1: "0", y2: "10" }));
  const track = svg("rect", { class: "track", width: "100", height: "10" });
  const full = svg("rect", { class: "used", width, height: "10" });
  const shape = { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
  return svg("svg", shape, track, full, ...marks);
}

/** Labels of the thresholds, below the bar. */
function scale() {
  // The last two labels are right-aligned because they are close together.
  const end = (/** @type {number} */ x) => ({ x: `${x === 90 ? 365 : x * 4}`, y: "12", "text-anchor": "end" });
  const names = MARKS.map((x) => svg("text", end(x), percent(x / 100)));
  return svg("svg", { class: "scale", viewBox: "0 0 400 16", "aria-hidden": "true" }, ...names);
}

const [WIDTH, HEIGHT, BASE] = [384, 132, 112];

/**
 * A chart with a column for each month, and a line at the limit if it is in range. The table beside it has the
 * numbers.
 * @param {import("./records.js").Usage[]} usage
 * @param {License} license
 */
export function monthsChart(usage, license) {
  const most = Math.max(1, ...usage.map(({ captures_used }) => captures_used));
  const limit = isUnlimited(license) ? 0 : license.volume_limit;
  const top = limit && limit <= most * 2 ? Math.max(most, limit) : most;
  const step = WIDTH / usage.length;
  const columns = usage.flatMap(({ month, captures_used }, index) => {
    const height = (captures_used / top) * (BASE - 16);
    const at = { x: `${index * step + step * 0.15}`, width: `${step * 0.7}` };
    const rect = svg("rect", { class: "used", ...at, y: `${BASE - height}`, height: `${height}` },
      svg("title", {}, `${monthName(month)}: ${number(captures_used)}`));
    const place = { x: `${index * step + step / 2}`, y: `${HEIGHT - 5}`, "text-anchor": "middle" };
    return [rect, svg("text", place, monthInitial(month))];
  });
  const axis = svg("line", { class: "axis", x1: "0", x2: `${WIDTH}`, y1: `${BASE}`, y2: `${BASE}` });
  const chart = svg("svg", { class: "months", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...columns, axis);
  if (limit && limit <= top) chart.append(...limitLine(limit, top));
  return chart;
}

/** @param {number} limit @param {number} top */
function limitLine(limit, top) {
  const y = BASE - (limit / top) * (BASE - 16);
  const line = svg("line", { class: "limit", x1: "0", x2: `${WIDTH}`, y1: `${y}`, y2: `${y}` });
  return [line, svg("text", { class: "limit", x: "0", y: `${y - 4}` }, phrase(TEXTS.limitAt, { limit: number(limit) }))];
}
