// A list of the API, page by page. The cursor is in the address, so that the browser's back and forward work.

import { at, read } from "./api.js";
import { element } from "./elements.js";
import { number } from "./formats.js";
import { phrase } from "./language.js";
import { announce } from "./notice.js";
import { href } from "./router.js";
import { table } from "./tables.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./texts.js").Words} Words */

/** The address that led to a page of a list, by the page's address; unknown after a reload. @type {Map<string, string>} */
const previous = new Map();

/**
 * @template Row
 * @param {Visit} visit
 * @param {object} list
 * @param {string[]} list.path of the admin API
 * @param {string} list.name of the list in the answer
 * @param {Record<string, string | undefined>} [list.query] of the API, beside the cursor
 * @param {Words} list.caption
 * @param {Words} list.empty
 * @param {readonly import("./tables.js").Column<Row>[]} list.columns
 */
export function listing(visit, { path, name, query = {}, caption, empty, columns }) {
  const cursor = visit.query.get("cursor") ?? undefined;
  const load = async (/** @type {AbortSignal} */ signal) => read(at(...path), signal, { ...query, cursor });
  return visit.region(load, (answer) => {
    /** @type {Row[]} */
    const rows = answer[name];
    announce(phrase(TEXTS.shown, { count: number(rows.length) }));
    const pages = paging(visit, answer.next);
    if (rows.length) return [table(caption, columns, rows), ...pages];
    // A filter may leave a page empty that has a next one.
    return [element("p", { class: "empty" }, phrase(answer.next ? TEXTS.emptyPage : empty)), ...pages];
  });
}

/**
 * @param {Visit} visit
 * @param {string | null | undefined} next
 */
function paging(visit, next) {
  const query = Object.fromEntries(visit.query);
  const here = href(visit.path, query);
  const links = [];
  if (query["cursor"]) {
    const first = href(visit.path, { ...query, cursor: undefined });
    links.push(element("a", { class: "button", href: first }, phrase(TEXTS.firstPage)));
    const before = previous.get(here);
    if (before && before !== first) links.push(element("a", { class: "button", href: before }, phrase(TEXTS.previousPage)));
  }
  if (next) {
    const after = href(visit.path, { ...query, cursor: next });
    previous.set(after, here);
    links.push(element("a", { class: "button", href: after }, phrase(TEXTS.nextPage)));
  }
  return links.length ? [element("nav", { class: "paging", "aria-label": phrase(TEXTS.paging) }, ...links)] : [];
}
