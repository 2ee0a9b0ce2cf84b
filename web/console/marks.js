// Small parts that many pages show: environments, states, ids, links to a client or a license.

import { copyButton } from "./copy.js";
import { element } from "./elements.js";
import { clientName } from "./names.js";
import { href } from "./router.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */

/** The environment in words, and by the form of its frame, not only by its color. @param {string} environment */
export function environmentMark(environment) {
  return element("span", { class: `mark ${environment.toLowerCase()}` }, named("environment", environment));
}

/** @type {Record<string, string>} */
const LOOKS = {
  active: "good", held: "good", delivered: "good", done: "good", ok: "good",
  pending: "plain", in_progress: "plain", withheld: "doubtful", unknown: "doubtful", warning: "doubtful", refused: "doubtful",
  suspended: "bad", revoked: "bad", failed: "bad", erased: "bad", broken: "bad",
  client_suspended: "bad", expired: "bad", volume_exceeded: "bad",
};

/**
 * A state in words, with a sign before it.
 * @param {string} state
 * @param {"state" | "client"} [kind] words have a gender
 */
export function stateMark(state, kind = "state") {
  return element("span", { class: `state ${LOOKS[state] ?? "plain"}` }, named(kind, state));
}

/** Why the service refuses a license now, or that it does not. @param {import("./records.js").License} license */
export function licenseMark({ status, refusal }) {
  return stateMark(refusal?.toLowerCase() ?? status);
}

/** An API key's state: those of a suspended client are refused. @param {import("./records.js").ApiKey} key */
export function apiKeyMark({ status, client_status }) {
  return stateMark(status === "active" && client_status === "suspended" ? "client_suspended" : status);
}

/** An id, shortened; the whole of it is in the title and can be copied. @param {string} id */
export function idMark(id) {
  return element("span", { class: "id" }, shortened(id), " ", copyButton(id));
}

/** An id in full. @param {string} id */
export function wholeId(id) {
  return element("span", { class: "id" }, element("code", {}, id), " ", copyButton(id));
}

/** @param {string} id */
export function shortened(id) {
  return id.length > 16 ? element("code", { title: id }, `${id.slice(0, 8)}…`) : element("code", {}, id);
}

/** Parts below each other. @param {...import("./elements.js").Content} parts */
export function stacked(...parts) {
  return element("span", { class: "stacked" }, ...parts);
}

/** The end of an ARN, which names the role or user. @param {string} arn */
export function principalMark(arn) {
  const [first = "", ...others] = arn.includes("/") ? arn.split("/").slice(1) : [arn];
  // A role's session may be on the next line.
  const rest = others.flatMap((part) => ["/", element("wbr"), part]);
  return element("span", { class: "long", title: arn }, first, ...rest);
}

/**
 * A link to a client: by its id at first, and by its name once that is known.
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

/** @param {string} id @param {import("./elements.js").Content} [content] */
export function licenseLink(id, content = shortened(id)) {
  return element("a", { href: href(`licenses/${id}`) }, content);
}
