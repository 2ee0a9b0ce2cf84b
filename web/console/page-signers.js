// The signers page: certificates and the findings of the signer check. The check makes test signatures and takes
// seconds, so its report is cached.

import { read } from "./api.js";
import { button, element } from "../shared/elements.js";
import { day, moment } from "./formats.js";
import { phrase } from "./language.js";
import { environmentMark, holderMark, stateMark } from "./marks.js";
import { daysLeft } from "./page-overview.js";
import { facts, table } from "./tables.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("../shared/elements.js").Content} Content */
/** @typedef {{ subject: string, not_after: string, days_left: number }} Certificate */
/** @typedef {{ key_arn: string, certificates: Certificate[], policy?: string, icp_brasil?: boolean }} Signer */
/** @typedef {{ authorities: string[], roots: Certificate[], policy: string }} Timestamps */
/** @typedef {{ environment: string | null, check: string, status: string, detail: string, fix?: string }} Finding */

/**
 * @typedef {{ seal: Signer | null, claim: Signer | null, timestamps: Timestamps | null }} Signers
 * @typedef {Signers & { environment: string, version: number | null, draft?: Signers }} Environment
 */

/** @typedef {{ healthy: boolean, environments: Environment[], findings: Finding[] }} Report */

/**
 * The last report, also while it is being made; leaving the page does not cancel it.
 * @type {Promise<[Report, Date]> | undefined}
 */
let last;

/** @param {Visit} visit */
export function signersPage(visit) {
  visit.entitle(phrase(TEXTS.signers));
  return [
    element("p", {}, phrase(TEXTS.signersHint)),
    visit.region(() => (last ??= examine()), ([report, at]) => draw(visit, report, at)),
  ];
}

/** @returns {Promise<[Report, Date]>} */
async function examine() {
  try {
    return [await read("signers"), new Date()];
  } catch (error) {
    last = undefined;
    throw error;
  }
}

/** @param {Visit} visit @param {Report} report @param {Date} at */
function draw(visit, report, at) {
  const again = button(phrase(TEXTS.examineAgain), () => {
    last = undefined;
    void visit.refresh();
  }, { "data-key": "examine" });
  const [look, words] = report.healthy ? ["good", TEXTS.healthy] : ["bad", TEXTS.unhealthy];
  const verdict = element("strong", { class: `state ${look}` }, phrase(words));
  const time = element("p", { class: "asOf" }, verdict, " ", phrase(TEXTS.asOf), " ", moment(at.toISOString()), " ", again);
  // Findings that need attention come first.
  const order = ["broken", "warning", "ok"];
  const findings = [...report.findings].sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  return [time, ...report.environments.map(drawEnvironment), element("h2", {}, phrase(TEXTS.findings)), findingTable(findings)];
}

/** @param {Environment} each */
function drawEnvironment({ environment, version, draft, ...inForce }) {
  const title = element("h2", {}, environmentMark(environment));
  const state = version === null ? phrase(TEXTS.notInForce) : phrase(TEXTS.profileVersion, { version });
  const waiting = draft ? [element("p", { class: "help" }, phrase(TEXTS.signersDraft)), ...parts(draft)] : [];
  return element("section", { class: "card" }, title, element("p", { class: "help" }, state), ...parts(inForce), ...waiting);
}

/** @param {Signers} signers */
function parts({ seal, claim, timestamps }) {
  return [
    ...(seal ? signer(TEXTS.seal, seal) : []),
    ...(claim ? signer(TEXTS.claim, claim) : []),
    ...(timestamps ? authorities(timestamps) : []),
  ];
}

/** @param {import("./texts.js").Words} title @param {Signer} signer */
function signer(title, { key_arn, certificates, policy, icp_brasil }) {
  const isIcp = icp_brasil === undefined ? null : phrase(icp_brasil ? TEXTS.yes : TEXTS.no);
  return [
    element("h3", {}, phrase(title)),
    facts([[TEXTS.signaturePolicy, policy], [TEXTS.icpBrasil, isIcp], [TEXTS.kmsKey, element("code", {}, key_arn)]]),
    ...certificateTable(title, certificates),
  ];
}

/** @param {Timestamps} timestamps */
function authorities({ authorities, roots, policy }) {
  const list = element("ul", { class: "plain" }, ...authorities.map((url) => element("li", {}, url)));
  return [
    element("h3", {}, phrase(TEXTS.timestamps)),
    facts([[TEXTS.authorities, list], [TEXTS.signaturePolicy, policy]]),
    ...certificateTable(TEXTS.timestamps, roots),
  ];
}

/** @param {import("./texts.js").Words} caption @param {Certificate[]} rows @returns {Content[]} */
function certificateTable(caption, rows) {
  if (!rows.length) return [element("p", { class: "empty" }, phrase(TEXTS.noCertificates))];
  return [table(caption, [
    { title: TEXTS.subject, cell: ({ subject }) => holderMark(subject) },
    { title: TEXTS.validUntil, cell: ({ not_after }) => day(not_after) },
    { title: TEXTS.left, cell: ({ days_left }) => daysLeft(days_left) },
  ], rows)];
}

/** Whether a finding's detail is only a certificate's subject. @param {string} status @param {string} detail */
const isSubject = (status, detail) => status === "ok" && /^\w+=/.test(detail);

/** A table of findings, whose texts are in English. @param {Finding[]} rows */
function findingTable(rows) {
  const english = (/** @type {string} */ text) => element("span", { class: "long", lang: "en" }, text);
  return table(TEXTS.findings, [
    { title: TEXTS.check, cell: ({ check }) => english(check) },
    { title: TEXTS.environment, cell: ({ environment: one }) => (one ? environmentMark(one) : phrase(TEXTS.all)) },
    { title: TEXTS.status, cell: ({ status }) => stateMark(status) },
    { title: TEXTS.detail, cell: ({ status, detail }) => (isSubject(status, detail) ? holderMark(detail) : english(detail)) },
    { title: TEXTS.fix, cell: ({ fix }) => (fix ? english(fix) : null) },
  ], rows);
}
