// Which deployment the console is for, as its server says.

import { read } from "./api.js";

/**
 * @typedef {object} Stack
 * @property {string} stack
 * @property {string} region
 * @property {string} admin_url
 * @property {string | null} verify_url
 * @property {string | null} principal
 * @property {string} version
 */

/** @type {Stack} */
let known = { stack: "", region: "", admin_url: "", verify_url: null, principal: null, version: "" };

/** What is known of it; empty before it was read. */
export const stack = () => known;

/** @returns {Promise<Stack>} */
export async function readStack() {
  known = await read("console");
  return known;
}
