// Root certificates that are trusted for this session beside the module's lists.

import { element, find } from "./elements.js";
import { label, say } from "./language.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {{ name: string | Words, pem: string }} Root */

/** @type {Root[]} */
let added = [];

/** All of them, each with the title that a report names. */
export function addedLists() {
  return added.map((root) => ({ title: namedAs(root).en, pem: root.pem }));
}

/**
 * Adds a file of roots, and shows it until it is removed.
 * @param {Root} root
 * @param {(root: Root) => void} removed
 */
export function addRoot(root, removed) {
  // The same file once more changes nothing.
  if (added.some(({ pem }) => pem === root.pem)) return;
  added.push(root);
  const name = namedAs(root);
  const count = root.pem.split("-----BEGIN CERTIFICATE-----").length - 1;
  const button = element("button", { type: "button" });
  say(button, TEXTS.remove);
  label(button, TEXTS.removeNamed, { name });
  const line = element("li", {}, say(element("span"), name), " ", say(element("span", { class: "hint" }), TEXTS.certificates, { count }), " ", button);
  button.addEventListener("click", () => {
    added = added.filter((other) => other !== root);
    line.remove();
    show();
    removed(root);
  });
  find("#roots-list", HTMLElement).append(line);
  show();
}

/** @param {Root} root @returns {Words} */
export function namedAs({ name }) {
  return typeof name === "string" ? { pt: name, en: name } : name;
}

/**
 * A file of certificates as PEM: one in DER is written as PEM.
 * @param {Blob} file
 */
export async function pemOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isDer = bytes[0] === 0x30;
  if (!isDer) return new TextDecoder().decode(bytes);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/**
 * The roots that the local service gives its page. Nothing where there are none.
 * @returns {Promise<{ pem: string, environment: string | null } | undefined>}
 */
export async function givenRoots() {
  const link = document.querySelector("link[rel=lacre-roots]");
  if (!(link instanceof HTMLLinkElement)) return undefined;
  const response = await fetch(link.href);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return { pem: await response.text(), environment: link.dataset["environment"] ?? null };
}

function show() {
  find("#roots", HTMLElement).hidden = added.length === 0;
}
