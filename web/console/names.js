// Looks up clients' names by id, because alerts, webhooks and the audit log only contain ids. Names do not change,
// so they are cached.

import { at, read } from "./api.js";

/** Maximum concurrent lookups, because the pages share the API's rate limit. */
const AT_ONCE = 4;

/** @type {Map<string, Promise<string>>} */
const names = new Map();
/** @type {(() => void)[]} */
const waiting = [];
let running = 0;

/** @param {string} id @returns {Promise<string>} empty if the name cannot be read */
export function clientName(id) {
  const known = names.get(id);
  if (known) return known;
  const name = ask(id);
  names.set(id, name);
  return name;
}

/** Adds a name that is already known to the cache. @param {{ id: string, name: string }} client */
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
