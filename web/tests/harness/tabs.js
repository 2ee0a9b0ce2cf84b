// A browser whose background tabs are really hidden; in playwright's own browser every page reports to be visible.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

import { FLAGS, PROGRAM } from "./browser.js";
import { clip } from "./clip.js";
import { userAgent } from "./phone.js";

/**
 * Starts a phone's browser with the clip as camera.
 * @param {import("./service.js").Scope} scope
 * @returns {Promise<import("playwright-core").BrowserContext>}
 */
export async function startTabs(scope) {
  const profile = await mkdtemp(join(tmpdir(), "lacre-web-"));
  const program = spawn(PROGRAM, [
    ...FLAGS,
    "--headless",
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
    `--user-agent=${userAgent("Chrome on an Android phone")}`,
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-video-capture=${await clip()}`,
  ], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(program, "exit");
  scope.after(async () => {
    program.kill();
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const browser = await chromium.connectOverCDP(await addressOf(program.stderr), { noDefaults: true });
  const [tabs] = browser.contexts();
  if (!tabs) throw new Error("the browser has no profile");
  return tabs;
}

/** @param {import("node:stream").Readable} output output in which the browser prints its address */
async function addressOf(output) {
  for await (const line of createInterface(output)) {
    const [, address] = /listening on (ws:\S+)/.exec(line) ?? [];
    if (!address) continue;
    // Discards the remaining output, so that the process does not block.
    output.resume();
    return address;
  }
  throw new Error("the browser did not start");
}
