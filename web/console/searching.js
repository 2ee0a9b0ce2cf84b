// Controls that filter a list: a search field, a choice of month, links between views. Each leads to another
// address.

import { element } from "../shared/elements.js";
import { lastMonths, monthName } from "./formats.js";
import { phrase } from "./language.js";
import { href } from "./router.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./texts.js").Words} Words */

/** How many months the choice goes back. */
const MONTHS = 36;

/**
 * @param {Visit} visit
 * @param {{ name: string, label: Words, hint?: Words, submit?: Words }} settings `name` is the query parameter in the address
 */
export function searchForm(visit, { name, label, hint, submit = TEXTS.search }) {
  const input = element("input", {
    type: "search", id: "search", "data-key": "search", autocomplete: "off", spellcheck: "false",
    ...(hint ? { "aria-describedby": "search-hint" } : {}),
  });
  input.value = visit.query.get(name) ?? "";
  const field = element("div", { class: "field" }, element("label", { for: "search" }, phrase(label)), input);
  const help = hint ? [element("p", { class: "help", id: "search-hint" }, phrase(hint))] : [];
  const parts = [field, element("button", {}, phrase(submit)), ...help];
  const form = element("form", { role: "search", class: "search", novalidate: "" }, ...parts);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = href(visit.path, { ...Object.fromEntries(visit.query), cursor: undefined, [name]: input.value.trim() });
    input.focus();
    location.hash = wanted;
  });
  return form;
}

/** The month that a list shows: that of the address, or else the current one. @param {Visit} visit */
export function monthOf(visit) {
  const month = visit.query.get("month") ?? "";
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : lastMonths(1)[0] ?? "";
}

/**
 * A choice of month with a button. Without the button, the list would change with every arrow key.
 * @param {Visit} visit
 */
export function monthForm(visit) {
  const chosen = monthOf(visit);
  const months = lastMonths(MONTHS);
  const known = months.includes(chosen) ? months : [...months, chosen];
  const options = known.map((month) => element("option", { value: month }, monthName(month)));
  const select = element("select", { id: "month", "data-key": "month" }, ...options);
  select.value = chosen;
  const field = element("div", { class: "field" }, element("label", { for: "month" }, phrase(TEXTS.month)), select);
  const form = element("form", { class: "search" }, field, element("button", {}, phrase(TEXTS.show)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = href(visit.path, { ...Object.fromEntries(visit.query), cursor: undefined, month: select.value });
  });
  return form;
}

/**
 * Links between the views of a page.
 * @param {Words} label
 * @param {[text: Words, href: string, isCurrent: boolean][]} views
 */
export function views(label, views) {
  const links = views.map(([text, to, isCurrent]) => {
    return element("a", { href: to, ...(isCurrent ? { "aria-current": "page" } : {}) }, phrase(text));
  });
  return element("nav", { class: "views", "aria-label": phrase(label) }, ...links);
}
