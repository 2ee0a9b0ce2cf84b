// Shows information about the page: its version, its module, and the trust lists built into the module.

import { element, find } from "../shared/elements.js";
import { say } from "./language.js";
import { wantedHash } from "./sources.js";
import { TEXTS } from "./texts.js";

/** @type {Record<import("./module.js").Role, "seal" | "sealTimestamp" | "claim" | "claimTimestamp">} */
const ROLES = { seal: "seal", seal_timestamp: "sealTimestamp", claim: "claim", claim_timestamp: "claimTimestamp" };

/** @param {import("./worker.js").Started} started */
export function showAbout({ sha256, facts: { version, lists } }) {
  find("#version", HTMLElement).textContent = version;
  const hash = find("#module-hash", HTMLElement);
  if (sha256) hash.textContent = sha256;
  else say(hash, TEXTS.hashUnknown, { wanted: wantedHash("verify") });
  // The comparison is loaded when it is first asked for, and works only if it has this hash.
  find("#compare-hash", HTMLElement).textContent = wantedHash("compare");
  const lines = lists.length ? lists.map(lineOf) : [say(element("li"), TEXTS.noLists)];
  find("#lists", HTMLElement).replaceChildren(...lines);
}

/** One trust list: its title, origin and purposes. @param {import("./module.js").TrustList} list */
function lineOf({ title, date, source, certificates, unchecked, roles = [] }) {
  /** @type {Node[]} */
  const parts = [english("strong", title)];
  if (date) parts.push(say(element("span"), TEXTS.listDate, { date }));
  parts.push(say(element("span"), TEXTS.certificates, { count: certificates }));
  if (source) parts.push(element("span", {}, say(element("span"), TEXTS.listSource), " ", english("span", source)));
  const line = element("li", {}, ...joined(parts), ".");
  if (roles.length) line.append(purposes(roles));
  if (unchecked) line.append(english("p", unchecked));
  return line;
}

/** An element for texts of the lists, which are in English. @param {"strong" | "span" | "p"} name @param {string} text */
function english(name, text) {
  return element(name, { lang: "en" }, text);
}

/** The purposes for which a list is trusted. @param {readonly import("./module.js").Role[]} roles */
function purposes(roles) {
  const names = roles.map((role) => say(element("span"), TEXTS[ROLES[role]]));
  return element("p", {}, say(element("span"), TEXTS.listRoles), " ", ...joined(names), ".");
}

/** @param {readonly Node[]} parts */
function joined(parts) {
  return parts.flatMap((part, index) => (index ? [", ", part] : [part]));
}
