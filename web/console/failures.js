// Explains failures to the reader, with what to do about them.

import { Failure } from "./api.js";
import { element } from "../shared/elements.js";
import { momentText } from "./formats.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./api.js").FailureKind} FailureKind */
/** @typedef {import("./texts.js").Words} Words */

/** @type {Record<FailureKind, Words>} */
const READING = {
  session: TEXTS.sessionEnded,
  credentials: TEXTS.credentials,
  denied: TEXTS.denied,
  throttled: TEXTS.throttled,
  unreachable: TEXTS.unreachable,
  undone: TEXTS.undone,
  unknown: TEXTS.noAnswer,
  stale: TEXTS.stale,
  repeated: TEXTS.repeated,
  conflict: TEXTS.conflict,
  missing: TEXTS.missing,
  refused: TEXTS.refused,
  broken: TEXTS.broken,
};

/** @type {Record<FailureKind, Words>} */
const CHANGING = { ...READING, unknown: TEXTS.lost, broken: TEXTS.brokenChange, unreachable: TEXTS.unreachableChange };

/** Kinds of failure for which the API's message is more specific than ours. @type {readonly FailureKind[]} */
const DETAILED = ["conflict", "refused", "missing", "broken", "denied"];

/**
 * Paragraphs that explain a failure: our text, and the API's if it adds something. The API's texts are in English.
 * @param {unknown} error
 * @param {boolean} isChange whether the request was a change
 */
export function explain(error, isChange) {
  const failure = error instanceof Failure ? error : new Failure("broken", String(error));
  const words = (isChange ? CHANGING : READING)[failure.kind];
  const at = failure.carriedOutAt ? momentText(failure.carriedOutAt) : "";
  const text = element("p", {}, phrase(words, { at }));
  if (!failure.detail || !DETAILED.includes(failure.kind)) return [text];
  return [text, element("p", { class: "detail", lang: "en" }, failure.detail)];
}
