// Dialogs for changing API keys: issue, revoke.

import { act } from "./action.js";
import { at, change } from "./api.js";
import { checkName } from "./client-actions.js";
import { element } from "../shared/elements.js";
import { Field, checkAll } from "./fields.js";
import { phrase } from "./language.js";
import { notify } from "./notice.js";
import { confirmationOf, shortKey } from "./records.js";
import { showSecret } from "./secret.js";
import { TEXTS } from "./texts.js";
import { choices } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").ApiKey} ApiKey */

/** @param {Visit} visit @param {string} client its id */
export function issueApiKey(visit, client) {
  const environment = new Field({
    name: "environment", label: TEXTS.environment, help: TEXTS.keyEnvironmentHelp, kind: "choice",
    options: choices("environment"), text: "SANDBOX",
  });
  const name = new Field({ name: "name", label: TEXTS.keyName, help: TEXTS.keyNameHelp, check: checkName });
  const read = () => (checkAll([name]) ? { environment: environment.text, name: name.text } : undefined);
  act({
    title: phrase(TEXTS.newApiKey),
    form: { nodes: [name.node, environment.node], read },
    submit: TEXTS.issue,
    send: (body, key) => change("POST", at("clients", client, "api-keys"), { key, body }),
    changed: () => visit.refresh(),
    lostSecret: TEXTS.lostApiKey,
    done: ({ api_key }) => {
      showSecret({ title: phrase(TEXTS.apiKeyIssued), secret: api_key });
      notify(phrase(TEXTS.apiKeyIssued));
      void visit.refresh();
    },
  });
}

/** @param {Visit} visit @param {ApiKey} apiKey */
export function revokeApiKey(visit, apiKey) {
  const characters = confirmationOf(apiKey);
  act({
    title: phrase(TEXTS.revokeNamed, { name: apiKey.name }),
    about: [element("p", {}, phrase(TEXTS.revokeApiKeyHint, { key: shortKey(apiKey) }))],
    typed: { expected: characters, label: phrase(apiKey.key_suffix ? TEXTS.typeKeyEnd : TEXTS.typeIdEnd, { characters }) },
    submit: TEXTS.revoke,
    isGrave: true,
    send: (_, key) => change("POST", at("clients", apiKey.client_id, "api-keys", apiKey.id, "revoke"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.apiKeyRevoked, { name: apiKey.name }));
      void visit.refresh();
    },
  });
}
