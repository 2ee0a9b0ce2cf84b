// Accessibility, as axe-core judges it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { PACKAGE } from "./places.js";

const AXE = readFileSync(join(PACKAGE, "node_modules/axe-core/axe.min.js"), "utf8");

/**
 * What axe-core finds wrong with what the page shows now.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>} a line for each fault
 */
export async function faults(page) {
  // By the debugger's protocol, for the page's policy runs no scripts of others.
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Runtime.evaluate", { expression: `window.axe || (() => { ${AXE} })()` });
  const { result, exceptionDetails } = await protocol.send("Runtime.evaluate", {
    expression: "axe.run().then(({ violations, passes }) => ({ violations, passes: passes.length }))",
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description}`);
  if (!result.value.passes) throw new Error("axe found nothing to judge");
  /** @type {import("axe-core").Result[]} */
  const violations = result.value.violations;
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(" "))})`);
}
