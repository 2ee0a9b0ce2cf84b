// The terms of a license as fields: what they contain, what is wrong with them, and what the API gets.

import { Field } from "./fields.js";
import { TEXTS } from "./texts.js";
import { choices } from "./values.js";
import { phrase } from "./language.js";

/** @typedef {import("./records.js").License} License */
/** @typedef {import("./records.js").Terms} Terms */
/** @typedef {import("./fields.js").FieldSettings} FieldSettings */
/** @typedef {import("./texts.js").Words} Words */

/** The defaults of the API; the other fields are empty. @type {Record<string, string>} */
const DEFAULTS = {
  store_asset_policy: "NEVER", capture_resolution: "FHD", gps_mode: "OBSERVE", gps_max_accuracy_m: "150",
  recapture_gate: "BLOCK", recapture_threshold: "2.5",
};

/** How a term is written in its field. @type {Record<keyof Terms, (license: License) => string>} */
const TO_TEXT = {
  expires_at: ({ expires_at }) => new Date(expires_at).toISOString().slice(0, 10),
  volume_limit: ({ volume_limit }) => String(volume_limit),
  authorized_origins: ({ authorized_origins }) => authorized_origins.join("\n"),
  redirect_origins: ({ redirect_origins }) => redirect_origins.join("\n"),
  store_asset_policy: ({ store_asset_policy }) => store_asset_policy,
  gps_mode: ({ gps_mode }) => gps_mode,
  gps_max_accuracy_m: ({ gps_max_accuracy_m }) => String(gps_max_accuracy_m),
  recapture_gate: ({ recapture_gate }) => recapture_gate,
  recapture_threshold: ({ recapture_threshold }) => String(recapture_threshold),
  capture_resolution: ({ capture_resolution }) => capture_resolution,
  tsa_required: ({ tsa_required }) => String(tsa_required),
  max_captures_per_session: ({ max_captures_per_session }) => String(max_captures_per_session ?? ""),
};

/** What the API gets of a field. @type {Record<string, (field: Field) => unknown>} */
const TO_VALUE = {
  // A contract until a day includes that day, in UTC.
  expires_at: ({ text }) => `${text}T23:59:59Z`,
  volume_limit: ({ text }) => Number(text),
  authorized_origins: ({ lines }) => lines,
  redirect_origins: ({ lines }) => lines,
  gps_max_accuracy_m: ({ text }) => Number(text),
  recapture_threshold: ({ text }) => Number(text),
  tsa_required: ({ text }) => text === "true",
  max_captures_per_session: ({ text }) => (text ? Number(text) : null),
};

/** @param {License} license @returns {Record<string, string>} */
export function textsOf(license) {
  return Object.fromEntries(Object.entries(TO_TEXT).map(([name, write]) => [name, write(license)]));
}

/** @param {Field} field */
export function valueOf(field) {
  return TO_VALUE[field.name]?.(field) ?? (field.name in TO_VALUE ? null : field.text);
}

/**
 * @param {Record<string, string>} texts what the fields contain
 * @param {() => string} environment
 * @param {boolean} isNew
 */
export function termFields(texts, environment, isNew) {
  const yesOrNo = /** @type {[string, string][]} */ ([["true", phrase(TEXTS.yes)], ["false", phrase(TEXTS.no)]]);
  /** @type {[string, string][]} */
  const byDefault = isNew ? [["", phrase(TEXTS.tsaDefault)]] : [];
  const redirects = () => fields.find(({ name }) => name === "redirect_origins")?.lines ?? [];
  /** @type {FieldSettings[]} */
  const settings = [
    { name: "expires_at", label: TEXTS.expiresAt, help: TEXTS.expiresAtHelp, kind: "date",
      check: (text) => checkEnd(text, isNew) },
    { name: "volume_limit", label: TEXTS.volumeLimit, help: TEXTS.volumeLimitHelp, kind: "number",
      attributes: { min: "0", step: "1" }, check: (text) => (isWhole(text, 0) ? undefined : TEXTS.badVolume) },
    { name: "authorized_origins", label: TEXTS.authorizedOrigins, help: TEXTS.authorizedOriginsHelp, kind: "lines",
      check: (text) => checkOrigins(text, environment()) },
    { name: "redirect_origins", label: TEXTS.redirectOrigins, help: TEXTS.redirectOriginsHelp, kind: "lines",
      check: (text) => (text.includes("*.") ? TEXTS.wildcardRedirect : checkOrigins(text, environment())) },
    { name: "store_asset_policy", label: TEXTS.storage, help: TEXTS.storageHelp, kind: "choice", options: choices("storage"),
      check: (text) => (redirects().length && text !== "ALWAYS" ? TEXTS.hostedNeedsStorage : undefined) },
    { name: "capture_resolution", label: TEXTS.resolution, kind: "choice", options: choices("resolution") },
    { name: "gps_mode", label: TEXTS.gpsMode, kind: "choice", options: choices("gps") },
    { name: "gps_max_accuracy_m", label: TEXTS.gpsAccuracy, help: TEXTS.gpsAccuracyHelp, kind: "number",
      attributes: { min: "0", step: "any" }, check: (text) => (Number(text) > 0 ? undefined : TEXTS.badAccuracy) },
    { name: "recapture_gate", label: TEXTS.recaptureGate, help: TEXTS.recaptureGateHelp, kind: "choice",
      options: choices("gate") },
    { name: "recapture_threshold", label: TEXTS.recaptureThreshold, help: TEXTS.recaptureThresholdHelp, kind: "number",
      attributes: { min: "1", max: "4", step: "any" },
      check: (text) => (Number(text) >= 1 && Number(text) <= 4 ? undefined : TEXTS.badThreshold) },
    { name: "tsa_required", label: TEXTS.tsaRequired, help: TEXTS.tsaHelp, kind: "choice",
      options: [...byDefault, ...yesOrNo] },
    { name: "max_captures_per_session", label: TEXTS.maxCaptures, help: TEXTS.maxCapturesHelp, kind: "number",
      attributes: { min: "1", step: "1" }, check: (text) => (!text || isWhole(text, 1) ? undefined : TEXTS.badMaxCaptures) },
  ];
  const fields = settings.map((each) => new Field({ ...each, text: texts[each.name] ?? DEFAULTS[each.name] ?? "" }));
  return fields;
}

/** @param {string} text @param {number} least */
function isWhole(text, least) {
  return /^\d+$/.test(text) && Number(text) >= least && Number.isSafeInteger(Number(text));
}

/** @param {string} text @param {boolean} isNew an existing contract may end in the past, which ends it now */
function checkEnd(text, isNew) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return TEXTS.badEnd;
  return isNew && text < new Date().toISOString().slice(0, 10) ? TEXTS.pastEnd : undefined;
}

/** @param {string} text @param {string} environment */
function checkOrigins(text, environment) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.every((line) => /^https?:\/\/[^\s/?#@]+$/.test(line))) return TEXTS.badOrigin;
  return environment !== "SANDBOX" && lines.some((line) => line.startsWith("http:")) ? TEXTS.insecureOrigin : undefined;
}
