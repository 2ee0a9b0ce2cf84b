// Evidence: a search by one field or by a copy of a photo, and the record of a capture.

import { Failure, at, read } from "./api.js";
import { copySearch } from "./copy-search.js";
import { element } from "../shared/elements.js";
import { bytes, moment, monthName, number } from "./formats.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { clientLink, environmentMark, licenseLink, principalMark, shortened, stateMark, wholeId } from "./marks.js";
import { href } from "./router.js";
import { searchForm } from "./searching.js";
import { stack } from "./stack.js";
import { facts, table } from "./tables.js";
import { titleOf } from "./terms.js";
import { TEXTS } from "./texts.js";
import { named } from "./values.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").Act} Act */
/** @typedef {import("./records.js").Capture} Capture */

/** The form of a capture id and of a frame hash. */
const HASH = /^[0-9a-f]{64}$/;

/** @param {Visit} visit */
export function evidencePage(visit) {
  visit.entitle(phrase(TEXTS.evidence));
  const wanted = (visit.query.get("q") ?? "").trim();
  const search = searchForm(visit, { name: "q", label: TEXTS.searchEvidence, hint: TEXTS.searchEvidenceHint });
  if (!wanted) return [search, ...copySearch(visit, columns(visit))];
  const hash = wanted.toLowerCase();
  return [search, HASH.test(hash) ? byHash(visit, hash) : list(visit, { reference_id: wanted })];
}

/** @param {Visit} visit */
export function capturePage(visit) {
  const [id = ""] = visit.names;
  visit.entitle(phrase(TEXTS.capture));
  return [visit.region((signal) => read(at("captures", id), signal), (capture) => record(visit, capture))];
}

/** Searches a hash as a capture id, then as a frame hash. @param {Visit} visit @param {string} hash */
function byHash(visit, hash) {
  const load = (/** @type {AbortSignal} */ signal) => read(at("captures", hash), signal).catch((error) => {
    if (error instanceof Failure && error.kind === "missing") return undefined;
    throw error;
  });
  return visit.region(load, (capture) => (capture ? record(visit, capture) : [list(visit, { frame_hash: hash })]));
}

/** @param {Visit} visit @param {Record<string, string>} query */
function list(visit, query) {
  return listing(visit, {
    path: ["captures"], name: "captures", query, caption: TEXTS.captures, empty: TEXTS.noCaptures, columns: columns(visit),
  });
}

/** @param {Visit} visit @returns {import("./tables.js").Column<Capture>[]} */
function columns(visit) {
  return [
    { title: TEXTS.capture, cell: ({ capture_id: id }) => element("a", { href: href(`evidence/${id}`) }, shortened(id)) },
    { title: TEXTS.ingestedAt, cell: ({ ingested_at }) => moment(ingested_at) },
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.client, cell: ({ client_id }) => clientLink(visit, client_id) },
    { title: TEXTS.license, cell: ({ license_id }) => licenseLink(license_id) },
    { title: TEXTS.photoOrder, cell: ({ photo_order }) => number(photo_order), kind: "number" },
    { title: TEXTS.state, cell: ({ state }) => stateMark(state) },
  ];
}

/** @param {Visit} visit @param {Capture} capture */
function record(visit, capture) {
  const scores = Object.entries(capture.recapture_scores).map(([name, score]) => {
    return element("li", {}, element("code", {}, name), " ", number(score, { maximumFractionDigits: 4 }));
  });
  const { asked_for: asked } = capture;
  const whole = facts([
    [TEXTS.captureId, wholeId(capture.capture_id)],
    [TEXTS.state, stateMark(capture.state)],
    [TEXTS.environment, environmentMark(capture.environment)],
    [TEXTS.client, clientLink(visit, capture.client_id)],
    [TEXTS.license, licenseLink(capture.license_id)],
    [TEXTS.ingestedAt, moment(capture.ingested_at)],
    [TEXTS.month, monthName(capture.month)],
    [TEXTS.photoOrder, number(capture.photo_order)],
    [TEXTS.webhooks, element("a", { href: href(`clients/${capture.client_id}/webhooks`) }, phrase(TEXTS.webhooksOfClient))],
    [TEXTS.askedFor, asked ? [kitLink(capture, asked), `: ${asked.step}`] : null],
    [TEXTS.origin, capture.origin],
    [TEXTS.frameHash, wholeId(capture.frame_hash)],
    [TEXTS.frameBytes, bytes(capture.frame_bytes)],
    [titleOf("gps_mode"), named("gps_mode", capture.gps_mode)],
    [TEXTS.gpsResult, named("position", capture.gps_result)],
    [titleOf("recapture_gate"), named("recapture_gate", capture.recapture_gate)],
    [TEXTS.recaptureRisk, named("risk", capture.recapture_risk)],
    [titleOf("recapture_threshold"), capture.recapture_threshold === undefined ? null : number(capture.recapture_threshold)],
    [TEXTS.recaptureScores, scores.length ? element("ul", { class: "plain" }, ...scores) : null],
    [titleOf("store_asset_policy"), named("store_asset_policy", capture.store_asset_policy)],
    [TEXTS.icpBrasil, phrase(capture.icp_brasil ? TEXTS.yes : TEXTS.no)],
    [TEXTS.signaturePolicy, capture.signature_policy],
    [TEXTS.signerVersion, number(capture.signer_version)],
    [TEXTS.serviceVersion, capture.service_version],
    [TEXTS.manifestHash, wholeId(capture.manifest_sha256)],
    [TEXTS.jpegHash, wholeId(capture.jpeg_sha256)],
  ]);
  const title = element("h2", {}, phrase(TEXTS.record));
  return [element("section", { class: "card" }, title, whole), ...acts(capture.acts ?? []), ...verify()];
}

/** @param {Capture} capture @param {NonNullable<Capture["asked_for"]>} asked */
function kitLink({ client_id, environment }, { kit, version }) {
  const to = href(`clients/${client_id}/kits/${environment}/${kit}`, { version: `${version}` });
  return element("a", { href: to }, `${kit}@${version}`);
}

/** Operators' actions on the evidence after the capture. @param {Act[]} rows */
function acts(rows) {
  if (!rows.length) return [];
  return [table(TEXTS.acts, [
    { title: TEXTS.time, cell: ({ at }) => moment(at) },
    { title: TEXTS.state, cell: ({ state }) => stateMark(state) },
    { title: TEXTS.reason, cell: ({ reason }) => reason },
    { title: TEXTS.principal, cell: ({ principal }) => principalMark(principal) },
  ], rows, { isCaptionShown: true })];
}

/** A link to the verification page, for readers who have the photo. */
function verify() {
  const { verify_url } = stack();
  if (!verify_url || !/^https?:/.test(verify_url)) return [];
  const link = element("a", { href: verify_url, target: "_blank", rel: "noopener noreferrer" }, phrase(TEXTS.verifyPage));
  return [element("p", {}, phrase(TEXTS.verifyHint), " ", link)];
}
