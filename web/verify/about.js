// What the page says of itself: its version, its module, and the lists that the module trusts.

import { element, find } from "./elements.js";
import { say } from "./language.js";
import { wantedHash } from "./sources.js";
import { TEXTS } from "./texts.js";

/** @param {import("./worker.js").Started} started */
export function showAbout({ sha256, facts: { version, lists } }) {
  find("#version", HTMLElement).textContent = version;
  const hash = find("#module-hash", HTMLElement);
  if (sha256) hash.textContent = sha256;
  else say(hash, TEXTS.hashUnknown, { wanted: wantedHash() });
  const lines = lists.length ? lists.map(lineOf) : [say(element("li"), TEXTS.noLists)];
  find("#lists", HTMLElement).replaceChildren(...lines);
}

/** @param {import("./module.js").TrustList} list */
function lineOf({ title, date, source, certificates, unchecked }) {
  const parts = [say(element("span"), TEXTS.list, { title, count: certificates })];
  if (date) parts.push(say(element("span"), TEXTS.listDate, { date }));
  if (source) parts.push(say(element("span"), TEXTS.listSource, { source }));
  const line = element("li", {}, ...parts.flatMap((part, index) => (index ? [", ", part] : [part])), ".");
  // The lists say it in English.
  if (unchecked) line.append(element("p", { class: "note", lang: "en" }, unchecked));
  return line;
}
