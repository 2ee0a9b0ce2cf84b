// Small elements that many pages show: environments, states, ids, certificates' holders, links to clients
// and licenses.

import { copyButton } from "./copy.js";
import { element } from "../shared/elements.js";
import { clientName } from "./names.js";
import { holderOf } from "./records.js";
import { href } from "./router.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */

/** An environment's name, distinguished by the form of its frame as well as its color. @param {string} environment */
export function environmentMark(environment) {
  return element("span", { class: `mark ${environment.toLowerCase()}` }, named("environment", environment));
}

/** @type {Record<string, string>} */
const LOOKS = {
  active: "good", live: "good", held: "good", delivered: "good", done: "good", ok: "good",
  pending: "plain", in_progress: "plain", withheld: "doubtful", unknown: "doubtful", warning: "doubtful", refused: "doubtful",
  suspended: "bad", revoked: "bad", retired: "bad", failed: "bad", erased: "bad", broken: "bad",
  client_suspended: "bad", expired: "bad", volume_exceeded: "bad",
};

/**
 * A state's name, with a sign before it.
 * @param {string} state
 * @param {"state" | "client" | "kit"} [kind] grammatical gender of the word
 */
export function stateMark(state, kind = "state") {
  return element("span", { class: `state ${LOOKS[state] ?? "plain"}` }, named(kind, state));
}

/** A license's state, or the reason for which the service refuses it. @param {import("./records.js").License} license */
export function licenseMark({ status, refusal }) {
  return stateMark(refusal?.toLowerCase() ?? status);
}

/** An API key's state. The keys of a suspended client are refused. @param {import("./records.js").ApiKey} key */
export function apiKeyMark({ status, client_status }) {
  return stateMark(status === "active" && client_status === "suspended" ? "client_suspended" : status);
}

/** A shortened id with a copy button; the title shows it in full. @param {string} id */
export function idMark(id) {
  return element("span", { class: "id" }, shortened(id), " ", copyButton(id));
}

/** A full id with a copy button. @param {string} id */
export function wholeId(id) {
  return element("span", { class: "id" }, element("code", {}, id), " ", copyButton(id));
}

/** @param {string} id */
export function shortened(id) {
  return id.length > 16 ? element("code", { title: id }, `${id.slice(0, 8)}…`) : element("code", {}, id);
}

/** Elements one below the other. @param {...import("../shared/elements.js").Content} parts */
export function stacked(...parts) {
  return element("span", { class: "stacked" }, ...parts);
}

/** A certificate's holder by name. Opening it shows the whole subject. @param {string} subject */
export function holderMark(subject) {
  const { name, cnpj } = holderOf(subject);
  const number = cnpj ? [" ", element("span", { class: "help" }, `CNPJ\u00a0${cnpj}`)] : [];
  return element("details", { class: "long" }, element("summary", {}, name, ...number), element("span", { class: "help" }, subject));
}

/** The last part of an ARN, which names the role or user. @param {string} arn */
export function principalMark(arn) {
  const [first = "", ...others] = arn.includes("/") ? arn.split("/").slice(1) : [arn];
  // A line break is allowed before the session name of a role.
  const rest = others.flatMap((part) => ["/", element("wbr"), part]);
  return element("span", { class: "long", title: arn }, first, ...rest);
}

/**
 * A link to a client. It shows the id until the name is loaded.
 * @param {Visit} visit
 * @param {string} id
 */
export function clientLink(visit, id) {
  const link = element("a", { href: href(`clients/${id}`) }, shortened(id));
  clientName(id).then((name) => {
    if (name && !visit.signal.aborted) link.replaceChildren(name);
  });
  return link;
}

/** @param {string} id @param {import("../shared/elements.js").Content} [content] */
export function licenseLink(id, content = shortened(id)) {
  return element("a", { href: href(`licenses/${id}`) }, content);
}
