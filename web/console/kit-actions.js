// Dialogs for changing kits and senders: put and retire a kit, set the sender.

import { act } from "./action.js";
import { at, change } from "./api.js";
import { DocumentField } from "./document-field.js";
import { element } from "../shared/elements.js";
import { phrase } from "./language.js";
import { notify } from "./notice.js";
import { TEXTS } from "./texts.js";
import { VALUES } from "./texts-of-values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Kit} Kit */
/** @typedef {keyof typeof VALUES.environment} Environment */

/** @param {Visit} visit @param {string} client its id @param {Environment} environment */
export function putKit(visit, client, environment) {
  const file = new DocumentField({ name: "kit", label: TEXTS.kitFile, help: TEXTS.kitFileHelp });
  act({
    title: phrase(TEXTS.putKitIn, { environment: phrase(VALUES.environment[environment]) }),
    form: { nodes: [file.node], read: () => (file.check() ? { environment, kit: file.document } : undefined) },
    submit: TEXTS.putKit,
    send: (body, key) => change("POST", at("clients", client, "kits"), { key, body }),
    changed: () => visit.refresh(),
    done: ({ name, version }) => {
      notify(phrase(TEXTS.kitPut, { name, version }));
      void visit.refresh();
    },
  });
}

/** @param {Visit} visit @param {Kit} kit */
export function retireKit(visit, { client_id, environment, name }) {
  act({
    title: phrase(TEXTS.retireNamed, { name }),
    about: [element("p", {}, phrase(TEXTS.retireHint))],
    typed: { expected: name, label: phrase(TEXTS.typeKitName, { name }) },
    submit: TEXTS.retire,
    isGrave: true,
    send: (_, key) => change("POST", at("clients", client_id, "kits", environment, name, "retire"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.kitRetired, { name }));
      void visit.refresh();
    },
  });
}

/** @param {Visit} visit @param {string} client its id @param {Environment} environment */
export function setSender(visit, client, environment) {
  const file = new DocumentField({ name: "sender", label: TEXTS.senderFile, help: TEXTS.senderFileHelp });
  act({
    title: phrase(TEXTS.setSenderIn, { environment: phrase(VALUES.environment[environment]) }),
    about: [element("p", {}, phrase(TEXTS.senderLawyer))],
    form: { nodes: [file.node], read: () => (file.check() ? { environment, sender: file.document } : undefined) },
    submit: TEXTS.setSender,
    send: (body, key) => change("POST", at("clients", client, "senders"), { key, body }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.senderSet));
      void visit.refresh();
    },
  });
}
