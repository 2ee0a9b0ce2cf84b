// Short names for the admin API's records, and values derived from them.

/** @typedef {import("../api/admin.js").components["schemas"]} Schemas */
/** @typedef {Schemas["Client"]} Client */
/** @typedef {Schemas["ApiKey"]} ApiKey */
/** @typedef {Schemas["ListedLicense"]} License */
/** @typedef {Pick<License, keyof Schemas["Terms"]>} Terms the license terms that an operator sets */
/** @typedef {Pick<ApiKey | License, "key_prefix" | "key_suffix" | "id">} Key */
/** @typedef {Schemas["WebhookSecret"]} WebhookSecret */
/** @typedef {Schemas["Usage"]} Usage */
/** @typedef {Schemas["HostedLicense"]} HostedLicense */
/** @typedef {Schemas["ListedKit"]} Kit */
/** @typedef {Schemas["KitVersion"]} KitVersion */
/** @typedef {Schemas["KitStep"]} KitStep */
/** @typedef {Schemas["SenderOfClient"]} SenderOfClient */
/** @typedef {Schemas["Sender"]} Sender */
/** @typedef {Schemas["Alert"]} Alert */
/** @typedef {Schemas["Attempt"]} Attempt */
/** @typedef {Schemas["AuditEntry"]} Entry */
/** @typedef {Schemas["Capture"]} Capture */
/** @typedef {Schemas["CopyMatches"]} CopyMatches */
/** @typedef {NonNullable<Capture["acts"]>[number]} Act */
/** @typedef {Schemas["Overview"]} Overview */
/** @typedef {Schemas["Count"]} Count counting stops at a limit; `more` is then true */
/** @typedef {Schemas["CarriedOut"]} CarriedOut */

/** The displayed part of a key after it was issued. @param {Key} key */
export function shortKey({ key_prefix, key_suffix }) {
  return `${key_prefix}…${key_suffix ?? ""}`;
}

/**
 * The text that the operator types before a key is replaced or revoked. Old keys and webhook secrets have no known
 * suffix, so the end of the id is used.
 * @param {{ key_suffix?: Key["key_suffix"], id: string }} key
 */
export function confirmationOf({ key_suffix, id }) {
  return key_suffix ?? id.slice(-4);
}

/** What is shown of a webhook secret: the end of its id. @param {{ id: string }} secret */
export function shortSecret(secret) {
  return `…${confirmationOf(secret)}`;
}

/**
 * Whether a webhook secret signs and no other one in its environment does.
 * @param {WebhookSecret} secret
 * @param {readonly WebhookSecret[]} all the client's
 */
export function isLastToSign({ id, environment }, all) {
  const live = all.filter((other) => other.environment === environment && other.state === "live");
  return live.length === 1 && live[0]?.id === id;
}

/**
 * The common name in a certificate's subject, or the whole subject if it has none; and the CNPJ that ICP-Brasil appends
 * to the name of a company.
 * @param {string} subject RFC 4514
 * @returns {{ name: string, cnpj?: string }}
 */
export function holderOf(subject) {
  const names = (subject.match(/(?:\\.|[^\\,+])+/g) ?? []).map((name) => name.trimStart());
  const common = names.find((name) => /^CN=/i.test(name));
  const name = common ? common.slice(3).replace(/\\([^0-9a-f])/gi, "$1") : subject;
  const [, company, ...digits] = /^(.+):([\dA-Z]{2})([\dA-Z]{3})([\dA-Z]{3})([\dA-Z]{4})(\d{2})$/.exec(name) ?? [];
  if (!company) return { name };
  const [first, second, third, branch, check] = digits;
  return { name: company, cnpj: `${first}.${second}.${third}/${branch}-${check}` };
}

/**
 * Whether a license has no volume limit. In the sandbox the API returns a very large number.
 * @param {{ environment: string }} license
 */
export const isUnlimited = ({ environment }) => environment === "SANDBOX";
