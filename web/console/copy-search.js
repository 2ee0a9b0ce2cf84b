// The search for the captures that a copy of a photo may show. A file cannot be part of an address, so the result is shown
// below the form.

import { at, sendPhoto } from "./api.js";
import { element } from "../shared/elements.js";
import { Field, checkAll } from "./fields.js";
import { number } from "./formats.js";
import { phrase } from "./language.js";
import { announce } from "./notice.js";
import { table } from "./tables.js";
import { TEXTS } from "./texts.js";
import { choices } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Capture} Capture */
/** @typedef {import("./records.js").CopyMatches} CopyMatches */
/** @typedef {CopyMatches["matches"][number]} Match */

const TYPES = ["image/jpeg", "image/png", "image/webp"];
/** The largest copy that the service accepts, in bytes. */
const LARGEST = 4_194_304;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The form and its result. The client of the address is filled in.
 * @param {Visit} visit
 * @param {readonly import("./tables.js").Column<Capture>[]} columns
 */
export function copySearch(visit, columns) {
  const photo = () => (copy.input instanceof HTMLInputElement ? copy.input.files?.[0] : undefined);
  const isUsable = (/** @type {File | undefined} */ file) => file && TYPES.includes(file.type) && file.size <= LARGEST;
  const copy = new Field({
    name: "copy", label: TEXTS.copyOfPhoto, kind: "file", attributes: { accept: TYPES.join(",") },
    check: () => (isUsable(photo()) ? undefined : TEXTS.noCopy),
  });
  const client = new Field({
    name: "client", label: TEXTS.clientId, text: visit.query.get("client") ?? "",
    check: (text) => (UUID.test(text) ? undefined : TEXTS.noClientId),
  });
  const environment = new Field({
    name: "environment", label: TEXTS.environment, kind: "choice", options: choices("environment"), text: "PRODUCTION",
  });
  const fields = [copy, client, environment];
  const result = element("div", { class: "matches" });
  const submit = element("button", {}, phrase(TEXTS.searchByCopy));
  const hint = element("p", { class: "help" }, phrase(TEXTS.findCopyHint));
  const form = element("form", { class: "search", novalidate: "" }, ...fields.map(({ node }) => node), submit, hint);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const file = photo();
    if (!checkAll(fields) || !file) return;
    const path = at("clients", client.text, "captures", environment.text, "matches");
    result.replaceChildren(visit.region((signal) => sendPhoto(path, file, signal), (found) => matches(found, columns)));
  });
  return [element("section", {}, element("h2", {}, phrase(TEXTS.findCopy)), form, result)];
}

/** @param {CopyMatches} found @param {readonly import("./tables.js").Column<Capture>[]} columns */
function matches({ matches, truncated }, columns) {
  announce(phrase(TEXTS.shown, { count: number(matches.length) }));
  const cut = truncated ? [element("p", {}, phrase(TEXTS.matchesTruncated))] : [];
  if (!matches.length) return [element("p", { class: "empty" }, phrase(TEXTS.noMatches)), ...cut];
  const ofCapture = columns.map((column) => ({ ...column, cell: (/** @type {Match} */ { capture }) => column.cell(capture) }));
  /** @type {import("./tables.js").Column<Match>[]} */
  const all = [
    ...ofCapture,
    { title: TEXTS.similarity, cell: ({ similarity_score }) => number(similarity_score), kind: "number" },
  ];
  return [table(TEXTS.matches, all, matches), element("p", { class: "help" }, phrase(TEXTS.matchesHint)), ...cut];
}
