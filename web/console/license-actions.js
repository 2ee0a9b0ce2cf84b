// Dialogs for changing licenses: issue, configure, rotate, revoke, host. All except issue send the revision that
// the operator saw.

import { act } from "./action.js";
import { at, change, read } from "./api.js";
import { element } from "../shared/elements.js";
import { phrase } from "./language.js";
import { TermsForm, newLicenseForm } from "./license-forms.js";
import { notify } from "./notice.js";
import { confirmationOf, shortKey } from "./records.js";
import { showSecret } from "./secret.js";
import { facts } from "./tables.js";
import { TEXTS } from "./texts.js";
import { licenseMark } from "./marks.js";

/** @typedef {import("./router.js").Visit} Visit */
/** @typedef {import("./records.js").License} License */
/** @typedef {import("./texts.js").Words} Words */

/** @param {Visit} visit @param {string} client its id */
export function issueLicense(visit, client) {
  act({
    title: phrase(TEXTS.newLicense),
    form: newLicenseForm(),
    isWide: true,
    submit: TEXTS.issue,
    send: (body, key) => change("POST", at("clients", client, "licenses"), { key, body }),
    changed: () => visit.refresh(),
    lostSecret: TEXTS.lostLicenseKey,
    done: ({ license_key, store_asset_policy }) => {
      const more = store_asset_policy === "ALWAYS" ? {} : { more: TEXTS.photosNotKept };
      showSecret({ title: phrase(TEXTS.licenseIssued), secret: license_key, ...more });
      finish(visit, TEXTS.licenseIssued);
    },
  });
}

/** @param {Visit} visit @param {License} license */
export function configureLicense(visit, license) {
  const form = new TermsForm(license);
  let { revision } = license;
  act({
    title: phrase(TEXTS.configureLicense),
    form: { nodes: form.nodes, read: () => form.read() },
    isWide: true,
    submit: TEXTS.save,
    send: (body, key) => change("PATCH", at("licenses", license.id), { key, revision, body }),
    changed: () => visit.refresh(),
    lookAgain: async () => {
      const now = await current(license);
      revision = now.revision;
      const changes = form.rebase(now).map((line) => element("li", {}, line));
      return { nodes: [element("ul", {}, ...changes), state(now)] };
    },
    done: () => finish(visit, TEXTS.licenseConfigured),
  });
}

/** @param {Visit} visit @param {License} license */
export function rotateLicense(visit, license) {
  confirmed(visit, license, {
    path: at("licenses", license.id, "rotate"), title: TEXTS.rotateLicense, hint: TEXTS.rotateHint, submit: TEXTS.rotate,
    lostSecret: TEXTS.lostRotation,
    done: ({ license_key }) => {
      showSecret({ title: phrase(TEXTS.licenseRotated), secret: license_key, more: TEXTS.rotatedMore });
      finish(visit, TEXTS.licenseRotated);
    },
  });
}

/** @param {Visit} visit @param {License} license */
export function revokeLicense(visit, license) {
  confirmed(visit, license, {
    path: at("licenses", license.id, "revoke"), title: TEXTS.revokeLicense, hint: TEXTS.revokeLicenseHint,
    submit: TEXTS.revoke,
    done: () => finish(visit, TEXTS.licenseRevoked),
  });
}

/** @param {Visit} visit @param {License} license */
export function hostLicense(visit, license) {
  confirmed(visit, license, {
    path: at("licenses", license.id, "host"), title: TEXTS.hostLicense, hint: TEXTS.hostHint, submit: TEXTS.host,
    isLight: true,
    done: () => finish(visit, TEXTS.licenseHosted),
  });
}

/**
 * @param {Visit} visit
 * @param {License} license
 * @param {{ path: string, title: Words, hint: Words, submit: Words, done: (answer: any) => void, isLight?: boolean,
 *   lostSecret?: Words }} settings `isLight` changes need no typed confirmation
 */
function confirmed(visit, license, { path, title, hint, submit, done, isLight = false, lostSecret }) {
  let { revision } = license;
  act({
    title: phrase(title),
    about: [element("p", {}, phrase(hint)), state(license)],
    ...(isLight ? {} : { typed: typed(license) }),
    ...(lostSecret ? { lostSecret } : {}),
    submit,
    isGrave: !isLight,
    send: (_, key) => change("POST", path, { key, revision }),
    changed: () => visit.refresh(),
    lookAgain: async () => {
      const now = await current(license);
      revision = now.revision;
      return { nodes: [state(now)], ...(isLight ? {} : { typed: typed(now) }) };
    },
    done,
  });
}

/** @param {License} license @returns {Promise<License>} */
const current = ({ id }) => read(at("licenses", id));

/** Facts for the operator to compare before the key is replaced. @param {License} license */
function state(license) {
  return facts([
    [TEXTS.key, element("code", {}, shortKey(license))],
    [TEXTS.status, licenseMark(license)],
    [TEXTS.revision, String(license.revision)],
  ]);
}

/** @param {License} license */
function typed(license) {
  const characters = confirmationOf(license);
  return { expected: characters, label: phrase(license.key_suffix ? TEXTS.typeKeyEnd : TEXTS.typeIdEnd, { characters }) };
}

/** @param {Visit} visit @param {Words} words */
function finish(visit, words) {
  notify(phrase(words));
  void visit.refresh();
}
