// A client's page: its state, with views for its API keys, licenses, kits, webhooks, webhook secrets and audit
// entries.

import { at, read } from "./api.js";
import { auditColumns } from "./page-audit.js";
import { resumeClient, suspendClient } from "./client-actions.js";
import { button, element } from "../shared/elements.js";
import { moment } from "./formats.js";
import { issueApiKey, revokeApiKey } from "./key-actions.js";
import { phrase } from "./language.js";
import { issueLicense } from "./license-actions.js";
import { listing } from "./listing.js";
import { apiKeyMark, environmentMark, stateMark, wholeId } from "./marks.js";
import { noteName } from "./names.js";
import { kits } from "./page-kits.js";
import { licenseColumns } from "./page-licenses.js";
import { webhookSecrets } from "./page-webhook-secrets.js";
import { webhookColumns } from "./page-webhooks.js";
import { shortKey } from "./records.js";
import { href } from "./router.js";
import { views } from "./searching.js";
import { facts } from "./tables.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Client} Client */
/** @typedef {import("./records.js").ApiKey} ApiKey */

/** The views, by the last segment of the address. */
const VIEWS = { "": apiKeys, licenses, kits, webhooks, "webhook-secrets": webhookSecrets, audit };

/** @param {Visit} visit */
export function clientPage(visit) {
  const [id = "", view = ""] = visit.names;
  visit.entitle(phrase(TEXTS.client));
  const draw = (/** @type {Client} */ client) => {
    noteName(client);
    visit.entitle(client.name);
    return drawClient(visit, client);
  };
  const to = (/** @type {string} */ name) => href(`clients/${id}${name && "/"}${name}`);
  return [
    visit.region((signal) => read(at("clients", id), signal), draw),
    views(TEXTS.client, [
      [TEXTS.apiKeys, to(""), view === ""],
      [TEXTS.licenses, to("licenses"), view === "licenses"],
      [TEXTS.kits, to("kits"), view === "kits"],
      [TEXTS.webhooks, to("webhooks"), view === "webhooks"],
      [TEXTS.webhookSecrets, to("webhook-secrets"), view === "webhook-secrets"],
      [TEXTS.audit, to("audit"), view === "audit"],
    ]),
    ...VIEWS[/** @type {keyof typeof VIEWS} */ (view)](visit, id),
  ];
}

/** @param {Visit} visit @param {Client} client */
function drawClient(visit, client) {
  const isActive = client.status === "active";
  const change = isActive
    ? button(phrase(TEXTS.suspend), () => suspendClient(visit, client), { class: "grave", "data-key": "status" })
    : button(phrase(TEXTS.resume), () => resumeClient(visit, client), { "data-key": "status" });
  const identity = facts([[TEXTS.status, stateMark(client.status, "client")], [TEXTS.id, wholeId(client.id)]]);
  const find = element("a", { class: "button", href: href("evidence", { client: client.id }) }, phrase(TEXTS.findCopy));
  return [
    element("div", { class: "toolbar" }, identity, element("div", { class: "actions" }, find, change)),
  ];
}

/** @param {Visit} visit @param {string} id */
function apiKeys(visit, id) {
  const issue = button(phrase(TEXTS.newApiKey), () => issueApiKey(visit, id), { class: "primary", "data-key": "issue" });
  /** @type {import("./tables.js").Column<ApiKey>[]} */
  const columns = [
    { title: TEXTS.name, cell: ({ name }) => name },
    { title: TEXTS.key, cell: (key) => element("code", {}, shortKey(key)) },
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.status, cell: apiKeyMark },
    { title: TEXTS.issuedAt, cell: ({ issued_at }) => moment(issued_at) },
    { title: TEXTS.actions, kind: "act", cell: (key) => (key.status === "active" ? revoke(visit, key) : "") },
  ];
  return [
    element("div", { class: "toolbar" }, element("h2", {}, phrase(TEXTS.apiKeys)), issue),
    listing(visit, {
      path: ["clients", id, "api-keys"], name: "api_keys", caption: TEXTS.apiKeys, empty: TEXTS.noApiKeys, columns,
    }),
  ];
}

/** @param {Visit} visit @param {ApiKey} key */
function revoke(visit, key) {
  const label = phrase(TEXTS.revokeNamed, { name: key.name });
  const attributes = { class: "grave", "data-key": `revoke-${key.id}`, "aria-label": label };
  return button(phrase(TEXTS.revoke), () => revokeApiKey(visit, key), attributes);
}

/** @param {Visit} visit @param {string} id */
function licenses(visit, id) {
  const issue = button(phrase(TEXTS.newLicense), () => issueLicense(visit, id), { class: "primary", "data-key": "issue" });
  return [
    element("div", { class: "toolbar" }, element("h2", {}, phrase(TEXTS.licenses)), issue),
    listing(visit, {
      path: ["clients", id, "licenses"], name: "licenses", caption: TEXTS.licenses, empty: TEXTS.noLicenses,
      columns: licenseColumns(false),
    }),
  ];
}

/** @param {Visit} visit @param {string} id */
function webhooks(visit, id) {
  const state = visit.query.get("state") ?? "";
  const to = (/** @type {string} */ state) => href(`clients/${id}/webhooks`, { state });
  return [
    element("h2", {}, phrase(TEXTS.webhooks)),
    views(TEXTS.webhooks, [[TEXTS.all, to(""), !state], [TEXTS.failed, to("failed"), state === "failed"]]),
    listing(visit, {
      path: ["clients", id, "webhooks"], name: "webhooks", query: { state }, caption: TEXTS.webhooks,
      empty: TEXTS.noWebhooks, columns: webhookColumns(visit, false),
    }),
  ];
}

/** @param {Visit} visit @param {string} id */
function audit(visit, id) {
  return [
    element("h2", {}, phrase(TEXTS.audit)),
    listing(visit, {
      path: ["audit"], name: "audit", query: { client: id }, caption: TEXTS.audit, empty: TEXTS.noAudit,
      columns: auditColumns(visit, false),
    }),
  ];
}
