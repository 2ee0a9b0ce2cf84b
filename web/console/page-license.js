// A license's page: its key, terms, volume, monthly usage, alerts and actions.

import { at, read } from "./api.js";
import { button, element } from "../shared/elements.js";
import { moment, monthName, number } from "./formats.js";
import { phrase } from "./language.js";
import { configureLicense, hostLicense, revokeLicense, rotateLicense } from "./license-actions.js";
import { clientLink, environmentMark, licenseMark, wholeId } from "./marks.js";
import { alertColumns } from "./page-alerts.js";
import { shortKey } from "./records.js";
import { facts, table } from "./tables.js";
import { factsOf } from "./terms.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";
import { monthsChart, volumeBar } from "./volume.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").License} License */
/** @typedef {import("./records.js").Alert} Alert */
/** @typedef {import("./records.js").Usage} Usage */
/** @typedef {import("./records.js").HostedLicense} HostedLicense */

/** Number of months in the chart. */
const MONTHS = "12";

/** @param {Visit} visit */
export function licensePage(visit) {
  const [id = ""] = visit.names;
  visit.entitle(phrase(TEXTS.license));
  const load = async (/** @type {AbortSignal} */ signal) => {
    const [license, { usage }] = await Promise.all([
      read(at("licenses", id), signal),
      read(at("licenses", id, "usage"), signal, { months: MONTHS }),
    ]);
    return { license, usage, isHosted: await isHosted(license, signal) };
  };
  return [
    visit.region(load, (loaded) => draw(visit, loaded)),
    element("h2", {}, phrase(TEXTS.alerts)),
    visit.region((signal) => read(at("alerts"), signal, { license: id }), (answer) => alerts(visit, answer.alerts)),
  ];
}

/**
 * Whether new hosted sessions use the license; `undefined` if it has no redirect origins.
 * @param {License} license
 * @param {AbortSignal} signal
 */
async function isHosted({ id, client_id, redirect_origins }, signal) {
  if (!redirect_origins.length) return undefined;
  const { hosted_licenses } = await read(at("clients", client_id, "hosted-licenses"), signal);
  return hosted_licenses.some((/** @type {HostedLicense} */ { license_id }) => license_id === id);
}

/** @param {Visit} visit @param {{ license: License, usage: Usage[], isHosted: boolean | undefined }} loaded */
function draw(visit, { license, usage, isHosted }) {
  visit.entitle(phrase(TEXTS.licenseNamed, { key: shortKey(license) }));
  const identity = facts([
    [TEXTS.client, clientLink(visit, license.client_id)],
    [TEXTS.environment, environmentMark(license.environment)],
    [TEXTS.status, licenseMark(license)],
    [TEXTS.hostedFlow, isHosted === undefined ? null : phrase(isHosted ? TEXTS.isHosted : TEXTS.isNotHosted)],
    [TEXTS.id, wholeId(license.id)],
  ]);
  return [element("div", { class: "toolbar" }, identity, actions(visit, license, isHosted)), volume(license, usage), terms(license)];
}

/** @param {Visit} visit @param {License} license @param {boolean | undefined} isHosted */
function actions(visit, license, isHosted) {
  if (license.status === "revoked") return element("p", { class: "help" }, phrase(TEXTS.revokedForGood));
  const host = button(phrase(TEXTS.host), () => hostLicense(visit, license), { "data-key": "host" });
  return element("div", { class: "actions" },
    button(phrase(TEXTS.configure), () => configureLicense(visit, license), { "data-key": "configure" }),
    ...(isHosted === false ? [host] : []),
    button(phrase(TEXTS.rotate), () => rotateLicense(visit, license), { class: "grave", "data-key": "rotate" }),
    button(phrase(TEXTS.revoke), () => revokeLicense(visit, license), { class: "grave", "data-key": "revoke" }));
}

/** @param {License} license @param {Usage[]} usage */
function volume(license, usage) {
  const rows = [...usage].reverse();
  const months = table(TEXTS.twelveMonths, [
    { title: TEXTS.month, cell: ({ month }) => monthName(month) },
    { title: TEXTS.captures, cell: ({ captures_used }) => number(captures_used), kind: "number" },
  ], rows);
  const chart = element("figure", {}, monthsChart(usage, license), element("figcaption", {}, phrase(TEXTS.twelveMonths)));
  const numbers = element("details", {}, element("summary", {}, phrase(TEXTS.asTable)), months);
  return element("section", { class: "card" },
    element("h2", {}, phrase(TEXTS.volumeThisMonth)), volumeBar(license, { hasMarks: true }), chart, numbers);
}

/** @param {License} license */
function terms(license) {
  return element("section", { class: "card" }, element("h2", {}, phrase(TEXTS.terms)), facts([
    ...factsOf(license),
    [TEXTS.integrity, named("integrity", license.integrity_enforcement)],
    [TEXTS.issuedAt, moment(license.issued_at)],
    [TEXTS.keyId, wholeId(license.key_id)],
    [TEXTS.revision, number(license.revision)],
  ]));
}

/** @param {Visit} visit @param {Alert[]} rows */
function alerts(visit, rows) {
  if (!rows.length) return [element("p", { class: "empty" }, phrase(TEXTS.noAlertsOfLicense))];
  return [table(TEXTS.alerts, alertColumns(visit, false), rows)];
}
