// The page: receives files, checks them one after the other, and shows each result as soon as it is available.

import { showAbout } from "./about.js";
import { Checker, OtherModule } from "./checker.js";
import { Comparison } from "./comparison.js";
import { find } from "../shared/elements.js";
import { group } from "./grouping.js";
import { receive } from "./intake.js";
import { say, start as startLanguage, unsay } from "./language.js";
import { keepForOffline } from "./offline.js";
import { clearFaults, followOptions, readOptions, requireEnvironment, setLogKey, showFault } from "./options.js";
import { Result } from "./result.js";
import { LARGEST_ROOTS, addRoot, addedLists, givenRoots, pemOf } from "./roots.js";
import { wantedHash } from "./sources.js";
import { Summary } from "./summary.js";
import { TEXTS } from "./texts.js";
import { escaped } from "./visible.js";

/** @typedef {import("./grouping.js").Item} Item */
/** @typedef {import("./module.js").Options} Options */
/** @typedef {import("./texts.js").Words} Words */

/** Texts for files beside a photo that cannot be used. */
const WRONG = /** @type {const} */ ({ manifest: "badSidecar", bundles: "badBundle" });

const checker = new Checker();
const summary = new Summary();
const comparison = new Comparison();
const status = find("#status", HTMLElement);

/** Results on the page. @type {Result[]} */
let results = [];
/** Number of the current round of checks; a later round supersedes earlier ones. */
let round = 0;

startLanguage(find("#languages", HTMLElement));
// Runs before the verifier is loaded, so that the browser never opens a dropped file in place of the page.
receive(find("#choose", HTMLInputElement), find("#drop", HTMLElement), (files, folders) => void takeIn(files, folders));
followOptions(checkAgain);
followRoots();
/** Resolves to whether the verifier is available. Files that arrive earlier wait for it. */
const started = start();

async function start() {
  say(status, TEXTS.loading);
  try {
    showAbout(await checker.start());
  } catch (error) {
    unsay(status);
    showFailure(error);
    return false;
  }
  unsay(status);
  await addGivenRoots();
  document.documentElement.dataset["ready"] = "";
  void keepForOffline();
  return true;
}

/** Shows that the module is missing or has a wrong hash, so that nothing can be checked. @param {unknown} error */
function showFailure(error) {
  const failure = find("#failure", HTMLElement);
  failure.hidden = false;
  if (error instanceof OtherModule) say(failure, TEXTS.otherModule, { found: error.found, wanted: wantedHash("verify") });
  else say(failure, TEXTS.noModule, { message: String(error instanceof Error ? error.message : error) });
  for (const control of document.querySelectorAll("main :is(input, select)")) control.toggleAttribute("disabled", true);
}

/** Adds the development roots that the local service provides. */
async function addGivenRoots() {
  try {
    const given = await givenRoots();
    if (!given) return;
    addRoot({ file: "roots.pem", name: TEXTS.developmentRoots, pem: given.pem }, afterRemoval);
    if (given.environment) requireEnvironment(given.environment);
    if (given.logKey) setLogKey(given.logKey);
  } catch {
    say(status, TEXTS.developmentMissing);
  }
}

/**
 * Replaces the files on the page with new ones.
 * @param {File[]} files
 * @param {string[]} folders
 */
async function takeIn(files, folders) {
  const items = group(files, folders);
  if (!items.length) return void say(status, TEXTS.nothingThere);
  setBusy(true);
  if (!(await started)) return refuseAll();
  replaceResults(items);
  return checkAll(true);
}

/** Marks all results as not checked, because there is no verifier; the page shows the reason above. */
function refuseAll() {
  setBusy(false);
  say(status, TEXTS.notLoaded);
}

/** Announces whether results are pending. @param {boolean} isBusy */
function setBusy(isBusy) {
  find("#results", HTMLElement).setAttribute("aria-busy", String(isBusy));
}

/** @param {readonly Item[]} items */
function replaceResults(items) {
  round += 1;
  for (const result of results) result.release();
  results = items.map((item, index) => new Result(item, `result-${index + 1}`));
  find("#results", HTMLElement).replaceChildren(...results.map(({ article }) => article));
  summary.list(results);
}

/** Checks all photos again after the requirements changed. */
async function checkAgain() {
  if (!(await started)) return undefined;
  return results.length ? checkAll(false) : tryRequired();
}

/** Shows errors of the requirements, unless they changed meanwhile. */
async function tryRequired() {
  const mine = ++round;
  const required = readOptions();
  const fault = required && (await tryOptions(required));
  if (fault && mine === round) showFault(fault);
}

/**
 * Checks every photo on the page.
 * @param {boolean} isNew whether the photos are new; the page then scrolls to the result of a single photo
 */
async function checkAll(isNew) {
  const [current, mine] = [results, ++round];
  setBusy(true);
  comparison.withdraw();
  for (const result of current) [summary.wait(result), result.wait()];
  const required = readOptions();
  for (const [index, result] of current.entries()) {
    if (current.length > 1) say(status, TEXTS.checking, { number: index + 1, total: current.length });
    else say(status, TEXTS.checkingOne);
    const fault = await checkOne(result, required, () => mine === round);
    if (mine !== round) return;
    if (fault) showFault(fault);
    if (fault || !required) return failAll(current);
  }
  setBusy(false);
  comparison.offer(current);
  say(status, current.length > 1 ? TEXTS.done : TEXTS.doneOne, { total: current.length });
  if (isNew && current.length === 1) current[0]?.focus();
}

/**
 * @param {Result} result
 * @param {ReturnType<typeof readOptions>} required
 * @param {() => boolean} isWanted whether this round is still the current one
 * @returns {Promise<import("./module.js").OptionError | undefined>} the error of the options, if any
 */
async function checkOne(result, required, isWanted) {
  const { photo, problem, name, ...beside } = result.item;
  if (!photo || !required) return void fail(result, TEXTS[problem ?? "badOption"]);
  const answer = await checker.check({ photo, beside, options: optionsOf(name, required) });
  if (!isWanted()) return undefined;
  if (answer.kind === "option") return answer.error;
  if (answer.kind === "beside") return void fail(result, TEXTS[WRONG[answer.file]], escaped(answer.message));
  if (answer.kind === "crashed") return void fail(result, TEXTS.crashed, answer.message);
  if (answer.kind === "unreadable") return void fail(result, TEXTS.unreadable);
  summary.show(result, result.show(answer), answer.conclusion.conclusion);
  return undefined;
}

/** @param {readonly Result[]} current */
function failAll(current) {
  for (const result of current) fail(result, TEXTS[result.item.problem ?? "badOption"]);
  setBusy(false);
  say(status, TEXTS.correctOption);
}

/** @param {Result} result @param {Words} reason @param {string} [detail] */
function fail(result, reason, detail) {
  result.fail(reason, detail);
  summary.fail(result, reason);
}

/**
 * @param {string} name
 * @param {Partial<Options>} required
 * @returns {Options}
 */
function optionsOf(name, required) {
  return { name, now_ms: Date.now(), environment: "production", add_trust: addedLists(), ...required };
}

/**
 * The error of options, if any. It is found by checking an empty photo.
 * @param {Partial<Options>} options
 */
async function tryOptions(options) {
  const answer = await checker.check({ photo: new Blob(), beside: {}, options: optionsOf("", options) });
  return answer.kind === "option" ? answer.error : undefined;
}

function followRoots() {
  const input = find("#add_trust", HTMLInputElement);
  input.addEventListener("change", async () => {
    const files = [...(input.files ?? [])];
    input.value = "";
    if (!(await started)) return;
    await addRoots(files);
    await checkAgain();
  });
}

/** Adds the root files that the module can read, and shows errors of the others. @param {readonly File[]} files */
async function addRoots(files) {
  clearFaults(["add_trust"]);
  for (const file of files) {
    if (file.size > LARGEST_ROOTS) showFault({ option: "add_trust", message: TEXTS.rootsTooBig, values: { name: escaped(file.name) } });
    else await addReadable(file);
  }
}

/** @param {File} file */
async function addReadable(file) {
  const pem = await pemOf(file).catch(() => "");
  const fault = await tryOptions({ add_trust: [{ title: file.name, pem }] });
  if (fault) showFault(fault);
  else addRoot({ file: file.name, pem }, afterRemoval);
}

async function afterRemoval() {
  // The button that had the focus was removed.
  find("#add_trust", HTMLElement).closest("details")?.querySelector("summary")?.focus();
  await checkAgain();
  if (!results.length) say(status, TEXTS.rootRemoved);
}
