// The alerts page: unacknowledged alerts, or those of a month.

import { act } from "./action.js";
import { at, change } from "./api.js";
import { button, element } from "../shared/elements.js";
import { moment, monthName, number } from "./formats.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { clientLink, environmentMark, licenseLink, principalMark, stacked } from "./marks.js";
import { notify } from "./notice.js";
import { href } from "./router.js";
import { monthForm, monthOf, views } from "./searching.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Alert} Alert */

/** @param {Visit} visit */
export function alertsPage(visit) {
  const isMonth = visit.query.has("month");
  visit.entitle(phrase(TEXTS.alerts));
  const month = monthOf(visit);
  return [
    views(TEXTS.alerts, [[TEXTS.open, href("alerts"), !isMonth], [TEXTS.byMonth, href("alerts", { month }), isMonth]]),
    ...(isMonth ? [monthForm(visit)] : []),
    listing(visit, {
      path: ["alerts"], name: "alerts", query: isMonth ? { month } : { state: "open" }, caption: TEXTS.alerts,
      empty: isMonth ? TEXTS.noAlertsOfMonth : TEXTS.noOpenAlerts, columns: alertColumns(visit, true),
    }),
  ];
}

/**
 * @param {Visit} visit
 * @param {boolean} isOfMany whether the list contains several licenses
 * @returns {import("./tables.js").Column<Alert>[]}
 */
export function alertColumns(visit, isOfMany) {
  /** @type {import("./tables.js").Column<Alert>[]} */
  const owners = [
    { title: TEXTS.client, cell: ({ client_id }) => clientLink(visit, client_id) },
    { title: TEXTS.license, cell: ({ license_id: id, environment }) => stacked(licenseLink(id), environmentMark(environment)) },
  ];
  return [
    { title: TEXTS.alert, cell: ({ alert }) => named("alert", alert) },
    ...(isOfMany ? owners : []),
    { title: TEXTS.month, cell: ({ month }) => monthName(month) },
    { title: TEXTS.volumeThen, cell: volumeThen },
    { title: TEXTS.raisedAt, cell: raised },
    { title: TEXTS.acknowledged, kind: "act", cell: (alert) => acknowledged(visit, alert) },
  ];
}

/** When the alert was raised, and when its webhook was published. @param {Alert} alert */
function raised({ raised_at, published_at }) {
  const published = published_at ? [phrase(TEXTS.publishedAt), " ", moment(published_at)] : [phrase(TEXTS.notPublished)];
  return stacked(moment(raised_at), element("span", { class: "help" }, ...published));
}

/** @param {Alert} alert */
function volumeThen({ captures_used, volume_limit }) {
  if (captures_used === undefined || volume_limit === undefined) return null;
  return phrase(TEXTS.countOf, { used: number(captures_used), limit: number(volume_limit) });
}

/** @param {Visit} visit @param {Alert} alert */
function acknowledged(visit, alert) {
  const { acknowledged_at, acknowledged_by, license_id, month } = alert;
  if (acknowledged_at) {
    return stacked(moment(acknowledged_at), ...(acknowledged_by ? [principalMark(acknowledged_by)] : []));
  }
  const key = `acknowledge-${license_id}-${month}-${alert.alert}`;
  return button(phrase(TEXTS.acknowledge), () => acknowledge(visit, alert), { "data-key": key });
}

/** @param {Visit} visit @param {Alert} alert */
function acknowledge(visit, { alert, license_id, month }) {
  act({
    title: phrase(TEXTS.acknowledgeNamed, { alert: named("alert", alert), month: monthName(month) }),
    about: [element("p", {}, phrase(TEXTS.acknowledgeHint))],
    submit: TEXTS.acknowledge,
    send: (_, key) => change("POST", at("licenses", license_id, "alerts", month, alert, "acknowledge"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.alertAcknowledged));
      void visit.refresh();
    },
  });
}
