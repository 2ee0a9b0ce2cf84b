// Accessibility checks with axe-core.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { PACKAGE } from "./places.js";

const AXE = readFileSync(join(PACKAGE, "node_modules/axe-core/axe.min.js"), "utf8");

/**
 * Violations that axe-core finds in the current page.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>} a line for each fault
 */
export async function faults(page) {
  // The script runs through the debugger protocol, because the page's Content-Security-Policy blocks foreign scripts.
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
