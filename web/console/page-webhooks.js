// Failed webhooks of all clients, and their redelivery.

import { act } from "./action.js";
import { at, change } from "./api.js";
import { button, element } from "../shared/elements.js";
import { moment, number } from "./formats.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { clientLink, environmentMark, idMark, stacked, stateMark } from "./marks.js";
import { notify } from "./notice.js";
import { href } from "./router.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Attempt} Attempt */

/** States in which an attempt has ended, so that another can be made. */
const ENDED = ["delivered", "failed", "unknown"];

/** @param {Visit} visit */
export function webhooksPage(visit) {
  visit.entitle(phrase(TEXTS.webhooks));
  return [
    element("p", {}, phrase(TEXTS.webhooksHint)),
    listing(visit, {
      path: ["webhooks"], name: "webhooks", caption: TEXTS.failingWebhooks, empty: TEXTS.noFailingWebhooks,
      columns: webhookColumns(visit, true),
    }),
  ];
}

/**
 * @param {Visit} visit
 * @param {boolean} isOfMany whether the list contains several clients
 * @returns {import("./tables.js").Column<Attempt>[]}
 */
export function webhookColumns(visit, isOfMany) {
  /** @type {import("./tables.js").Column<Attempt>} */
  const client = { title: TEXTS.client, cell: ({ client_id }) => clientLink(visit, client_id) };
  return [
    { title: TEXTS.receiver, cell: ({ receiver }) => element("span", { class: "long" }, receiver) },
    ...(isOfMany ? [client] : []),
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.state, cell: outcome },
    { title: TEXTS.requestedAt, cell: ({ requested_at }) => moment(requested_at) },
    { title: TEXTS.message, cell: message },
    { title: TEXTS.actions, kind: "act", cell: (attempt) => (ENDED.includes(attempt.state) ? again(visit, attempt) : "") },
  ];
}

/** @param {Attempt} attempt */
function message({ message_id, attempt }) {
  return stacked(idMark(message_id), element("span", { class: "help" }, phrase(TEXTS.attempt, { number: number(attempt) })));
}

/** @param {Attempt} attempt */
function outcome({ client_id, state, result, status, duration_ms, detail }) {
  const took = duration_ms === null ? "" : number(duration_ms, { style: "unit", unit: "millisecond" });
  const reason = result && result !== state ? named("result", result) : "";
  const facts = [reason, status === null ? "" : `HTTP ${status}`, took].filter(Boolean).join(" · ");
  const why = detail ? [element("span", { class: "help long", lang: "en" }, detail)] : [];
  const secrets = element("a", { href: href(`clients/${client_id}/webhook-secrets`) }, phrase(TEXTS.webhookSecrets));
  const remedy = result === "unsigned" ? [secrets] : [];
  return stacked(stateMark(state), ...(facts ? [element("span", {}, facts)] : []), ...why, ...remedy);
}

/** @param {Visit} visit @param {Attempt} attempt */
function again(visit, attempt) {
  const key = `redeliver-${attempt.message_id}-${attempt.attempt}`;
  return button(phrase(TEXTS.redeliver), () => redeliver(visit, attempt), { "data-key": key });
}

/** @param {Visit} visit @param {Attempt} attempt */
function redeliver(visit, { client_id, message_id, receiver }) {
  act({
    title: phrase(TEXTS.redeliverTitle),
    about: [element("p", {}, phrase(TEXTS.redeliverHint, { receiver }))],
    submit: TEXTS.redeliver,
    send: (_, key) => change("POST", at("clients", client_id, "webhooks", message_id, "redeliver"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.redelivered));
      void visit.refresh();
    },
  });
}
