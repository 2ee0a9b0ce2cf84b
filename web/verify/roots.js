// Root certificates that the reader trusts for this session in addition to the module's lists.

import { element, find } from "../shared/elements.js";
import { label, say } from "./language.js";
import { TEXTS } from "./texts.js";
import { escaped, fileName } from "./visible.js";

/** @typedef {import("./texts.js").Words} Words */

/**
 * @typedef {object} Root
 * @property {string} file file name, as named in reports
 * @property {Words} [name] name on the page, in place of the file name
 * @property {string} pem
 */

/** Maximum size of a certificate file, in bytes. */
export const LARGEST_ROOTS = 1024 * 1024;

/** @type {Root[]} */
let added = [];

/** All added lists, with the titles that reports name. */
export function addedLists() {
  return added.map(({ file, pem }) => ({ title: file, pem }));
}

/**
 * Adds a file of roots, and shows it until it is removed.
 * @param {Root} root
 * @param {() => void} removed
 */
export function addRoot(root, removed) {
  // Adding the same file again has no effect.
  if (added.some(({ pem }) => pem === root.pem)) return;
  added.push(root);
  const { file, name } = root;
  const count = root.pem.split("-----BEGIN CERTIFICATE-----").length - 1;
  const button = element("button", { type: "button" });
  say(button, TEXTS.remove);
  label(button, TEXTS.removeNamed, { name: name ?? escaped(file) });
  const title = element("span", {}, ...(name ? [say(element("span"), name)] : fileName(file)));
  const line = element("li", {}, title, " ", say(element("span", { class: "hint" }), TEXTS.certificates, { count }), " ", button);
  button.addEventListener("click", () => {
    added = added.filter((other) => other !== root);
    line.remove();
    show();
    removed();
  });
  find("#roots-list", HTMLElement).append(line);
  show();
}

/**
 * A file of certificates as PEM. DER is converted.
 * @param {Blob} file
 */
export async function pemOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!isDer(bytes)) return new TextDecoder().decode(bytes);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** Whether bytes start like a DER certificate: a SEQUENCE of at least 128 bytes. @param {Uint8Array} bytes */
function isDer([tag = 0, length = 0]) {
  return tag === 0x30 && length >= 0x81 && length <= 0x83;
}

/**
 * The roots that the local service provides for its page, and the key of its log; `undefined` if there are none.
 * @returns {Promise<{ pem: string, environment: string | undefined, logKey: string | undefined } | undefined>}
 */
export async function givenRoots() {
  const link = document.querySelector("link[rel=lacre-roots]");
  if (!(link instanceof HTMLLinkElement)) return undefined;
  const response = await fetch(link.href);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { environment, logKey } = link.dataset;
  return { pem: await response.text(), environment, logKey };
}

function show() {
  find("#roots", HTMLElement).hidden = added.length === 0;
}
