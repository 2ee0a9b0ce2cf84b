// A client's webhook secrets, by environment.

import { at, read } from "./api.js";
import { copyButton } from "./copy.js";
import { button, element } from "../shared/elements.js";
import { moment } from "./formats.js";
import { phrase } from "./language.js";
import { environmentMark, stateMark } from "./marks.js";
import { shortSecret } from "./records.js";
import { table } from "./tables.js";
import { TEXTS } from "./texts.js";
import { choices } from "./values.js";
import { issueWebhookSecret, revokeWebhookSecret, rotateWebhookSecret } from "./webhook-secret-actions.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").WebhookSecret} WebhookSecret */

/** The view of a client's page. @param {Visit} visit @param {string} id the client's */
export function webhookSecrets(visit, id) {
  const load = (/** @type {AbortSignal} */ signal) => read(at("clients", id, "webhook-secrets"), signal);
  return [visit.region(load, ({ webhook_secrets: all }) => {
    return choices("environment").map(([environment, name]) => drawEnvironment(visit, { client: id, environment, name }, all));
  })];
}

/**
 * @param {Visit} visit
 * @param {{ client: string, environment: string, name: string }} place
 * @param {WebhookSecret[]} all the client's
 */
function drawEnvironment(visit, { client, environment, name }, all) {
  const rows = all.filter((secret) => secret.environment === environment);
  const isSigned = rows.some(({ state }) => state === "live");
  const [text, label, open] = isSigned
    ? [TEXTS.rotateSecret, TEXTS.rotateSecretIn, rotateWebhookSecret]
    : [TEXTS.issueSecret, TEXTS.issueSecretIn, issueWebhookSecret];
  const change = button(phrase(text), () => open(visit, client, environment), {
    "data-key": `secret-${environment}`, "aria-label": phrase(label, { environment: name }),
  });
  /** @type {import("./tables.js").Column<WebhookSecret>[]} */
  const columns = [
    { title: TEXTS.id, cell: (secret) => element("span", { class: "id" }, idEnd(secret), " ", copyButton(secret.id)) },
    { title: TEXTS.status, cell: ({ state }) => stateMark(state) },
    { title: TEXTS.issuedAtOfSecret, cell: ({ issued_at }) => moment(issued_at) },
    { title: TEXTS.signsUntil, cell: ({ ends_at }) => ends_at && moment(ends_at) },
    { title: TEXTS.actions, kind: "act", cell: (secret) => (secret.state === "live" ? revoke(visit, secret, all) : "") },
  ];
  return element("section", { class: "card" },
    element("div", { class: "toolbar" }, element("h2", {}, environmentMark(environment)), change),
    ...(isSigned ? [] : [element("p", {}, phrase(TEXTS.noWebhookSecret))]),
    ...(rows.length ? [table(TEXTS.webhookSecrets, columns, rows)] : []));
}

/** The end of the id, which differs among secrets that were issued together. @param {WebhookSecret} secret */
const idEnd = (secret) => element("code", { title: secret.id }, shortSecret(secret));

/** @param {Visit} visit @param {WebhookSecret} secret @param {WebhookSecret[]} all */
function revoke(visit, secret, all) {
  const label = phrase(TEXTS.revokeNamed, { name: shortSecret(secret) });
  const attributes = { class: "grave", "data-key": `revoke-${secret.id}`, "aria-label": label };
  return button(phrase(TEXTS.revoke), () => revokeWebhookSecret(visit, secret, all), attributes);
}
