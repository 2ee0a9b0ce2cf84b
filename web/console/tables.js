// Tables with a caption and with headers for columns and rows. On narrow screens each row becomes a block that
// repeats the column names.

import { element } from "../shared/elements.js";
import { phrase } from "./language.js";

/** @typedef {import("../shared/elements.js").Content} Content */
/** @typedef {import("./texts.js").Words} Words */

/**
 * @template Row
 * @typedef {object} Column
 * @property {Words} title
 * @property {(row: Row) => Content | null | undefined} cell
 * @property {"number" | "act"} [kind]
 */

/**
 * @template Row
 * @param {Words} caption
 * @param {readonly Column<Row>[]} columns the first column is the row header
 * @param {readonly Row[]} rows
 * @param {{ isCaptionShown?: boolean }} [options]
 */
export function table(caption, columns, rows, { isCaptionShown = false } = {}) {
  const heads = columns.map(({ title, kind = "" }) => element("th", { scope: "col", class: kind }, phrase(title)));
  const name = element("caption", isCaptionShown ? {} : { class: "unseen" }, phrase(caption));
  const lines = rows.map((row) => element("tr", {}, ...columns.map((column, index) => cell(column, row, index === 0))));
  const head = element("thead", {}, element("tr", {}, ...heads));
  return element("table", {}, name, head, element("tbody", {}, ...lines));
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {Row} row
 * @param {boolean} isFirst
 */
function cell({ title, cell: draw, kind }, row, isFirst) {
  const label = element("span", { class: "label", "aria-hidden": "true" }, phrase(title));
  const contents = [label, element("div", {}, draw(row) ?? "—")];
  return isFirst ? element("th", { scope: "row" }, ...contents) : element("td", { class: kind ?? "" }, ...contents);
}

/**
 * A list of names and values.
 * @param {[name: Words, value: Content | Content[] | null | undefined][]} pairs pairs without a value are left out
 */
export function facts(pairs) {
  const rows = pairs.flatMap(([name, value]) => {
    if (value === null || value === undefined || value === "") return [];
    const values = Array.isArray(value) ? value : [value];
    return [element("div", {}, element("dt", {}, phrase(name)), element("dd", {}, ...values))];
  });
  return element("dl", { class: "facts" }, ...rows);
}
