// What a client's customers see in the hosted flow, by environment: its kits, and its sender. A kit has a page of its own.

import { Failure, at, read } from "./api.js";
import { button, element } from "../shared/elements.js";
import { moment, number } from "./formats.js";
import { putKit, retireKit, setSender } from "./kit-actions.js";
import { previewLanguage, previewLanguages, senderPreview, stepsPreview } from "./kit-preview.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { clientLink, environmentMark, stateMark, wholeId } from "./marks.js";
import { href } from "./router.js";
import { views } from "./searching.js";
import { facts } from "./tables.js";
import { TEXTS } from "./texts.js";
import { VALUES } from "./texts-of-values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Kit} Kit */
/** @typedef {import("./records.js").KitVersion} KitVersion */
/** @typedef {import("./records.js").SenderOfClient} SenderOfClient */
/** @typedef {import("./kit-actions.js").Environment} Environment */

const ENVIRONMENTS = /** @type {Environment[]} */ (Object.keys(VALUES.environment));

/** The environment that the address names. @param {Visit} visit */
function environmentOf(visit) {
  const wanted = visit.query.get("environment");
  return ENVIRONMENTS.find((environment) => environment === wanted) ?? "PRODUCTION";
}

/** The view of a client's page. @param {Visit} visit @param {string} id the client's */
export function kits(visit, id) {
  const environment = environmentOf(visit);
  const to = (/** @type {string} */ environment) => href(visit.path, { environment });
  const put = button(phrase(TEXTS.putKit), () => putKit(visit, id, environment), { class: "primary", "data-key": "put" });
  /** @type {import("./tables.js").Column<Kit>[]} */
  const columns = [
    { title: TEXTS.name, cell: (kit) => element("a", { href: pathOf(kit) }, kit.name) },
    { title: TEXTS.kitVersion, cell: ({ current_version }) => number(current_version), kind: "number" },
    { title: TEXTS.status, cell: kitMark },
    { title: TEXTS.actions, kind: "act", cell: (kit) => (kit.retired ? "" : retire(visit, kit)) },
  ];
  return [
    views(TEXTS.environment, ENVIRONMENTS.map((each) => [VALUES.environment[each], to(each), each === environment])),
    element("div", { class: "toolbar" }, element("h2", {}, phrase(TEXTS.kits)), put),
    listing(visit, {
      path: ["clients", id, "kits"], name: "kits", query: { environment }, caption: TEXTS.kits, empty: TEXTS.noKits, columns,
    }),
    element("h2", {}, phrase(TEXTS.sender)),
    visit.region((signal) => sender(id, environment, signal), (found) => drawSender(visit, id, environment, found)),
  ];
}

/** @param {Kit} kit */
const pathOf = ({ client_id, environment, name }) => href(`clients/${client_id}/kits/${environment}/${name}`);

/** @param {{ retired: boolean }} kit */
const kitMark = ({ retired }) => stateMark(retired ? "retired" : "active", "kit");

/** @param {Visit} visit @param {Kit} kit */
function retire(visit, kit) {
  const label = phrase(TEXTS.retireNamed, { name: kit.name });
  const attributes = { class: "grave", "data-key": `retire-${kit.name}`, "aria-label": label };
  return button(phrase(TEXTS.retire), () => retireKit(visit, kit), attributes);
}

/**
 * The sender of an environment; `undefined` if there is none.
 * @param {string} id
 * @param {Environment} environment
 * @param {AbortSignal} signal
 * @returns {Promise<SenderOfClient | undefined>}
 */
async function sender(id, environment, signal) {
  try {
    return await read(at("clients", id, "senders", environment), signal);
  } catch (error) {
    if (error instanceof Failure && error.kind === "missing") return undefined;
    throw error;
  }
}

/** @param {Visit} visit @param {string} id @param {Environment} environment @param {SenderOfClient | undefined} found */
function drawSender(visit, id, environment, found) {
  const set = button(phrase(TEXTS.setSender), () => setSender(visit, id, environment), { "data-key": "sender" });
  if (!found) return [element("p", { class: "empty" }, phrase(TEXTS.noSender)), set];
  return [
    previewLanguages(visit),
    senderPreview(found.sender, previewLanguage(visit)),
    facts([[TEXTS.setAt, moment(found.set_at)]]),
    set,
  ];
}

/** The page of a kit: a version of it, as customers see it. @param {Visit} visit */
export function kitPage(visit) {
  const [id = "", environment = "", name = ""] = visit.names;
  visit.entitle(phrase(TEXTS.kitNamed, { name }));
  const version = visit.query.get("version") ?? undefined;
  const load = (/** @type {AbortSignal} */ signal) => read(at("clients", id, "kits", environment, name), signal, { version });
  return [visit.region(load, (/** @type {KitVersion} */ shown) => drawKit(visit, shown))];
}

/** @param {Visit} visit @param {KitVersion} shown */
function drawKit(visit, shown) {
  const { client_id, environment, current_version, version, sha256, put_at, retired, kit } = shown;
  const to = (/** @type {number} */ version) => href(visit.path, { ...Object.fromEntries(visit.query), version: `${version}` });
  const other = (/** @type {number} */ version) =>
    element("a", { class: "button", href: to(version) }, phrase(TEXTS.versionNumber, { version: number(version) }));
  const identity = facts([
    [TEXTS.client, clientLink(visit, client_id)],
    [TEXTS.environment, environmentMark(environment)],
    [TEXTS.status, kitMark(shown)],
    [TEXTS.kitVersion, phrase(TEXTS.versionOf, { version: number(version), current: number(current_version) })],
    [TEXTS.putAt, moment(put_at)],
    [TEXTS.kitHash, wholeId(sha256)],
  ]);
  const actions = element("div", { class: "actions" },
    ...(version > 1 ? [other(version - 1)] : []),
    ...(version < current_version ? [other(current_version)] : []),
    ...(retired ? [] : [retire(visit, shown)]));
  return [
    element("div", { class: "toolbar" }, identity, actions),
    previewLanguages(visit),
    stepsPreview(kit.steps, previewLanguage(visit)),
  ];
}
