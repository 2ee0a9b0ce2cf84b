// Dialogs for changing webhook secrets: issue, rotate, revoke.

import { act } from "./action.js";
import { at, change, read } from "./api.js";
import { element } from "../shared/elements.js";
import { Field, checkAll } from "./fields.js";
import { phrase } from "./language.js";
import { notify } from "./notice.js";
import { confirmationOf, isLastToSign, shortSecret } from "./records.js";
import { showSecret } from "./secret.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").WebhookSecret} WebhookSecret */
/** @typedef {import("./texts.js").Words} Words */

/** The default and the maximum of `overlap_hours`. */
const OVERLAP = { usual: 24, most: 168 };

/** @param {Visit} visit @param {string} client its id @param {string} environment */
export function issueWebhookSecret(visit, client, environment) {
  act({
    title: phrase(TEXTS.issueSecretIn, { environment: named("environment", environment) }),
    about: [element("p", {}, phrase(TEXTS.issueSecretHint))],
    submit: TEXTS.issue,
    send: (_, key) => change("POST", at("clients", client, "webhook-secrets"), { key, body: { environment } }),
    changed: () => visit.refresh(),
    lostSecret: TEXTS.lostWebhookSecret,
    done: ({ webhook_secret: secret }) => show(visit, TEXTS.webhookSecretIssued, { secret }),
  });
}

/** @param {Visit} visit @param {string} client its id @param {string} environment */
export function rotateWebhookSecret(visit, client, environment) {
  const name = named("environment", environment);
  const overlap = new Field({
    name: "overlap_hours", label: TEXTS.overlap, help: TEXTS.overlapHelp, kind: "number", text: String(OVERLAP.usual),
    attributes: { min: "0", max: String(OVERLAP.most), step: "1" },
    check: (text) => (/^\d+$/.test(text) && Number(text) <= OVERLAP.most ? undefined : TEXTS.badOverlap),
  });
  act({
    title: phrase(TEXTS.rotateSecretIn, { environment: name }),
    form: {
      nodes: [overlap.node],
      read: () => (checkAll([overlap]) ? { environment, overlap_hours: Number(overlap.text) } : undefined),
    },
    typed: { expected: name, label: phrase(TEXTS.typeEnvironment, { environment: name }) },
    submit: TEXTS.rotateSecret,
    isGrave: true,
    send: (body, key) => change("POST", at("clients", client, "webhook-secrets", "rotate"), { key, body }),
    changed: () => visit.refresh(),
    lostSecret: TEXTS.lostWebhookSecret,
    done: ({ webhook_secret: secret }) => show(visit, TEXTS.webhookSecretRotated, { secret, more: TEXTS.rotatedSecretMore }),
  });
}

/** @param {Visit} visit @param {Words} title @param {{ secret: string, more?: Words }} issued */
function show(visit, title, issued) {
  showSecret({ title: phrase(title), ...issued });
  notify(phrase(title));
  void visit.refresh();
}

/** @param {Visit} visit @param {WebhookSecret} secret @param {readonly WebhookSecret[]} all the client's */
export function revokeWebhookSecret(visit, secret, all) {
  let last = isLastToSign(secret, all);
  const asked = () => {
    const words = { secret: shortSecret(secret), environment: named("environment", secret.environment) };
    const characters = confirmationOf(secret);
    return {
      nodes: [element("p", last ? { class: "warning" } : {}, phrase(last ? TEXTS.revokeLastHint : TEXTS.revokeSecretHint, words))],
      typed: last
        ? { expected: words.environment, label: phrase(TEXTS.typeLast, words) }
        : { expected: characters, label: phrase(TEXTS.typeIdEnd, { characters }) },
    };
  };
  const { nodes, typed } = asked();
  act({
    title: phrase(TEXTS.revokeNamed, { name: shortSecret(secret) }),
    about: nodes,
    typed,
    submit: TEXTS.revoke,
    isGrave: true,
    send: (_, key) => change("POST", at("clients", secret.client_id, "webhook-secrets", secret.id, "revoke"), { key, body: { last } }),
    changed: () => visit.refresh(),
    lookAgain: async () => {
      last = isLastToSign(secret, (await read(at("clients", secret.client_id, "webhook-secrets"))).webhook_secrets);
      return asked();
    },
    done: () => {
      notify(phrase(TEXTS.webhookSecretRevoked, { secret: shortSecret(secret) }));
      void visit.refresh();
    },
  });
}
