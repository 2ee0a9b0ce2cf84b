// A paginated list of the API. The cursor is in the address, so that the browser's back and forward buttons work.

import { at, read } from "./api.js";
import { element } from "../shared/elements.js";
import { number } from "./formats.js";
import { phrase } from "./language.js";
import { announce } from "./notice.js";
import { href } from "./router.js";
import { table } from "./tables.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./texts.js").Words} Words */

/**
 * The address from which each page of a list was reached, by the page's address; lost after a reload.
 * @type {Map<string, string>}
 */
const previous = new Map();

/**
 * @template Row
 * @param {Visit} visit
 * @param {object} list
 * @param {string[]} list.path segments of the admin API's path
 * @param {string} list.name name of the list in the response
 * @param {Record<string, string | undefined>} [list.query] query parameters in addition to the cursor
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
    // With a filter, a page can be empty although there is a next one.
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
