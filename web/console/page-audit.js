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
    { title: TEXTS.subjectOf, cell: ({ operation, subject }) => subject && subjectOf(operation, shortened(subject), subject) },
    { title: TEXTS.detail, cell: ({ detail }) => (detail ? element("span", { class: "long", lang: "en" }, detail) : null) },
  ];
}

/** @param {Entry} entry */
function entryLink({ id, operation }) {
  return element("a", { href: href(`audit/${id}`) }, named("operation", operation));
}

/** @param {string} operation @param {import("../shared/elements.js").Content} content @param {string} subject */
function subjectOf(operation, content, subject) {
  return operation.startsWith("license.") ? licenseLink(subject, content) : content;
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
    [TEXTS.subjectOf, entry.subject ? subjectOf(entry.operation, element("code", {}, entry.subject), entry.subject) : null],
    [TEXTS.detail, entry.detail ? element("span", { lang: "en" }, entry.detail) : null],
    [TEXTS.id, wholeId(entry.id)],
  ]))];
}
