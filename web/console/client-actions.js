// Dialogs for changing a client: create, suspend, resume.

import { act } from "./action.js";
import { at, change } from "./api.js";
import { element } from "../shared/elements.js";
import { Field, checkAll } from "./fields.js";
import { phrase } from "./language.js";
import { noteName } from "./names.js";
import { notify, notifyOnArrival } from "./notice.js";
import { href } from "./router.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Client} Client */

const LONGEST_NAME = 100;

/** Checks a name: the service accepts 1 to 100 characters. @param {string} text */
export function checkName(text) {
  return text && [...text].length <= LONGEST_NAME ? undefined : TEXTS.badName;
}

/** @param {Visit} visit */
export function createClient(visit) {
  const name = new Field({ name: "name", label: TEXTS.clientName, help: TEXTS.clientNameHelp, check: checkName });
  act({
    title: phrase(TEXTS.newClient),
    form: { nodes: [name.node], read: () => (checkAll([name]) ? { name: name.text } : undefined) },
    submit: TEXTS.create,
    send: (body, key) => change("POST", at("clients"), { key, body }),
    changed: () => visit.refresh(),
    done: (/** @type {Client} */ client) => {
      noteName(client);
      notifyOnArrival(phrase(TEXTS.clientCreated, { name: client.name }));
      location.hash = href(`clients/${client.id}`);
    },
  });
}

/** @param {Visit} visit @param {Client} client */
export function suspendClient(visit, client) {
  act({
    title: phrase(TEXTS.suspendNamed, { name: client.name }),
    about: [element("p", {}, phrase(TEXTS.suspendHint))],
    typed: { expected: client.name, label: phrase(TEXTS.typeName, { name: client.name }) },
    submit: TEXTS.suspend,
    isGrave: true,
    send: (_, key) => change("POST", at("clients", client.id, "suspend"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.suspended, { name: client.name }));
      void visit.refresh();
    },
  });
}

/** @param {Visit} visit @param {Client} client */
export function resumeClient(visit, client) {
  act({
    title: phrase(TEXTS.resumeNamed, { name: client.name }),
    about: [element("p", {}, phrase(TEXTS.resumeHint))],
    submit: TEXTS.resume,
    send: (_, key) => change("POST", at("clients", client.id, "resume"), { key }),
    changed: () => visit.refresh(),
    done: () => {
      notify(phrase(TEXTS.resumed, { name: client.name }));
      void visit.refresh();
    },
  });
}
