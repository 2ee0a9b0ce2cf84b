// The overview: captures, pending tasks for operators, and the certificates that expire first.

import { at, read } from "./api.js";
import { button, element } from "../shared/elements.js";
import { day, days, moment, number } from "./formats.js";
import { phrase } from "./language.js";
import { environmentMark, holderMark } from "./marks.js";
import { href } from "./router.js";
import { table } from "./tables.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Overview} Overview */

/** @param {Visit} visit */
export function overviewPage(visit) {
  visit.entitle(phrase(TEXTS.overview));
  return [visit.region((signal) => read(at("overview"), signal), (overview) => draw(visit, overview))];
}

/** @param {Visit} visit @param {Overview} overview */
function draw(visit, overview) {
  const again = button(phrase(TEXTS.refresh), () => void visit.refresh(), { "data-key": "refresh" });
  const time = element("p", { class: "asOf" }, phrase(TEXTS.asOf), " ", moment(overview.at), " ", again);
  const cards = [
    card(TEXTS.openAlerts, overview.open_alerts, href("alerts"), TEXTS.noOpenAlerts),
    card(TEXTS.failingWebhooks, overview.failing_webhooks, href("webhooks"), TEXTS.noFailingWebhooks),
  ];
  return [time, element("ul", { class: "cards" }, ...cards), captures(overview.captures), certificates(overview.certificates)];
}

/**
 * @param {import("./texts.js").Words} title
 * @param {import("./records.js").Count} count
 * @param {string} to
 * @param {import("./texts.js").Words} none
 */
function card(title, { count, more }, to, none) {
  const look = count ? "count doubtful" : "count good";
  const value = element("strong", { class: look }, more ? `${number(count)}+` : number(count));
  const link = element("a", { href: to }, phrase(title));
  const hint = element("span", { class: "help" }, phrase(count ? TEXTS.look : none));
  return element("li", { class: "card" }, value, link, hint);
}

/** @param {Overview["captures"]} rows */
function captures(rows) {
  const counts = table(TEXTS.captures, [
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.today, cell: ({ today }) => number(today), kind: "number" },
    { title: TEXTS.thisMonth, cell: ({ month }) => number(month), kind: "number" },
  ], rows);
  const hint = element("p", { class: "help" }, phrase(TEXTS.capturesHint));
  return element("section", { class: "card" }, element("h2", {}, phrase(TEXTS.captures)), counts, hint);
}

/** @param {Overview["certificates"]} rows */
function certificates(rows) {
  const list = table(TEXTS.certificates, [
    { title: TEXTS.signer, cell: ({ signer }) => named("signer", signer) },
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.subject, cell: ({ subject }) => subject && holderMark(subject) },
    { title: TEXTS.validUntil, cell: ({ not_after }) => not_after && day(not_after) },
    { title: TEXTS.left, cell: ({ days_left }) => daysLeft(days_left) },
  ], rows);
  const none = element("p", { class: "empty" }, phrase(TEXTS.noCertificates));
  return element("section", { class: "card" }, element("h2", {}, phrase(TEXTS.certificates)), rows.length ? list : none);
}

/** Days until a certificate expires, with a warning early enough to obtain another. @param {number} left */
export function daysLeft(left) {
  if (left < 0) return element("span", { class: "state bad" }, phrase(TEXTS.expired));
  return element("span", { class: `state ${left < 15 ? "bad" : left < 45 ? "doubtful" : "good"}` }, days(left));
}
