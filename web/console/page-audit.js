// The audit log: the changes of a month, latest first, and a page for each entry.

import { at, read } from "./api.js";
import { element } from "../shared/elements.js";
import { moment } from "./formats.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { clientLink, licenseLink, principalMark, shortened, stateMark, wholeId } from "./marks.js";
import { href } from "./router.js";
import { monthForm, monthOf } from "./searching.js";
import { facts } from "./tables.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Entry} Entry */

/** The view of a client that shows what an operation is about. */
const VIEWS = new Map([
  ["api_key", ""], ["webhook_secret", "/webhook-secrets"], ["webhook", "/webhooks"], ["kit", "/kits"], ["sender", "/kits"],
]);

/** @param {Visit} visit */
export function auditPage(visit) {
  visit.entitle(phrase(TEXTS.audit));
  return [
    monthForm(visit),
    listing(visit, {
      path: ["audit"], name: "audit", query: { month: monthOf(visit) }, caption: TEXTS.audit, empty: TEXTS.noAudit,
      columns: auditColumns(visit, true),
    }),
  ];
}

/**
 * @param {Visit} visit
 * @param {boolean} isOfMany whether the list contains several clients
 * @returns {import("./tables.js").Column<Entry>[]}
 */
export function auditColumns(visit, isOfMany) {
  /** @type {import("./tables.js").Column<Entry>} */
  const client = { title: TEXTS.client, cell: ({ client_id }) => (client_id ? clientLink(visit, client_id) : null) };
  return [
    { title: TEXTS.operation, cell: entryLink },
    { title: TEXTS.time, cell: ({ at }) => moment(at) },
    { title: TEXTS.outcome, cell: ({ outcome }) => stateMark(outcome) },
    { title: TEXTS.principal, cell: ({ principal }) => principalMark(principal) },
    ...(isOfMany ? [client] : []),
    { title: TEXTS.subjectOf, cell: (entry) => entry.subject && subjectOf(entry, shortened(entry.subject)) },
    { title: TEXTS.detail, cell: ({ detail }) => (detail ? element("span", { class: "long", lang: "en" }, detail) : null) },
  ];
}

/** @param {Entry} entry */
function entryLink({ id, operation }) {
  return element("a", { href: href(`audit/${id}`) }, named("operation", operation));
}

/** An entry's subject, with a link to its page if it has one. @param {Entry} entry @param {HTMLElement} content */
function subjectOf({ operation, subject, client_id }, content) {
  const [kind = ""] = operation.split(".");
  const view = VIEWS.get(kind);
  if (view !== undefined && client_id) {
    const query = view === "/kits" && subject ? { environment: subject } : {};
    return element("a", { href: href(`clients/${client_id}${view}`, query) }, content);
  }
  if (kind === "license" || kind === "alert") return licenseLink(subject ?? "", content);
  return kind === "evidence" ? element("a", { href: href(`evidence/${subject}`) }, content) : content;
}

/** @param {Visit} visit */
export function entryPage(visit) {
  const [id = ""] = visit.names;
  visit.entitle(phrase(TEXTS.entry));
  return [visit.region((signal) => read(at("audit", id), signal), (/** @type {Entry} */ entry) => drawEntry(visit, entry))];
}

/** @param {Visit} visit @param {Entry} entry */
function drawEntry(visit, entry) {
  return [element("section", { class: "card" }, facts([
    [TEXTS.operation, named("operation", entry.operation)],
    [TEXTS.time, moment(entry.at)],
    [TEXTS.outcome, stateMark(entry.outcome)],
    [TEXTS.principal, element("code", {}, entry.principal)],
    [TEXTS.via, named("via", entry.via)],
    [TEXTS.source, entry.source],
    [TEXTS.client, entry.client_id ? clientLink(visit, entry.client_id) : null],
    [TEXTS.subjectOf, entry.subject ? subjectOf(entry, element("code", {}, entry.subject)) : null],
    [TEXTS.detail, entry.detail ? element("span", { lang: "en" }, entry.detail) : null],
    [TEXTS.id, wholeId(entry.id)],
  ]))];
}
