// The records of the admin API by their short names, and what is read from them.

/** @typedef {import("../api/admin.js").components["schemas"]} Schemas */
/** @typedef {Schemas["Client"]} Client */
/** @typedef {Schemas["ApiKey"]} ApiKey */
/** @typedef {Schemas["ListedLicense"]} License */
/** @typedef {Pick<License, keyof Schemas["Terms"]>} Terms the terms that an operator sets, as a license has them */
/** @typedef {Pick<ApiKey | License, "key_prefix" | "key_suffix" | "id">} Key */
/** @typedef {Schemas["Usage"]} Usage */
/** @typedef {Schemas["HostedLicense"]} HostedLicense */
/** @typedef {Schemas["Alert"]} Alert */
/** @typedef {Schemas["Attempt"]} Attempt */
/** @typedef {Schemas["AuditEntry"]} Entry */
/** @typedef {Schemas["Capture"]} Capture */
/** @typedef {NonNullable<Capture["acts"]>[number]} Act */
/** @typedef {Schemas["Overview"]} Overview */
/** @typedef {Schemas["Count"]} Count counts stop at a number, then `more` is true */
/** @typedef {Schemas["CarriedOut"]} CarriedOut */

/** What is shown of a key after it was issued. @param {Key} key */
export function shortKey({ key_prefix, key_suffix }) {
  return `${key_prefix}…${key_suffix ?? ""}`;
}

/** What the operator types before the key is replaced or revoked: old keys have no known end. @param {Key} key */
export function confirmationOf({ key_suffix, id }) {
  return key_suffix ?? id.slice(-4);
}

/** The common name of a certificate's holder; the whole subject where it has none. @param {string} subject RFC 4514 */
export function holderOf(subject) {
  const names = (subject.match(/(?:\\.|[^\\,+])+/g) ?? []).map((name) => name.trimStart());
  const common = names.find((name) => /^CN=/i.test(name));
  return common ? common.slice(3).replace(/\\([^0-9a-f])/gi, "$1") : subject;
}

/** The sandbox has no limit; the API writes a huge number. @param {{ environment: string }} license */
export const isUnlimited = ({ environment }) => environment === "SANDBOX";
