// Names of clients by their ids: alerts, webhooks and the audit log have only ids. Names do not change.

import { at, read } from "./api.js";

/** How many are asked for at a time: the API's rate limit is shared with the pages. */
const AT_ONCE = 4;

/** @type {Map<string, Promise<string>>} */
const names = new Map();
/** @type {(() => void)[]} */
const waiting = [];
let running = 0;

/** @param {string} id @returns {Promise<string>} empty where it cannot be read */
export function clientName(id) {
  const known = names.get(id);
  if (known) return known;
  const name = ask(id);
  names.set(id, name);
  return name;
}

/** A name that is known from elsewhere. @param {{ id: string, name: string }} client */
export function noteName({ id, name }) {
  names.set(id, Promise.resolve(name));
}

/** @param {string} id */
async function ask(id) {
  if (running >= AT_ONCE) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  running += 1;
  try {
    return String((await read(at("clients", id))).name);
  } catch {
    names.delete(id);
    return "";
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
