// Facts about the console's deployment, from its server.

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

/** The known facts; empty until they are read. */
export const stack = () => known;

/** @returns {Promise<Stack>} */
export async function readStack() {
  known = await read("console");
  return known;
}
