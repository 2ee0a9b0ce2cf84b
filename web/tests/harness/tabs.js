// A browser whose tabs hide each other, as a person's do: playwright's own browser pretends that every page is in front.

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
 * The tabs of a phone's browser that plays the clip.
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

/** @param {import("node:stream").Readable} output where the browser prints its address */
async function addressOf(output) {
  for await (const line of createInterface(output)) {
    const [, address] = /listening on (ws:\S+)/.exec(line) ?? [];
    if (!address) continue;
    // What else it prints is not read, and must not stop it.
    output.resume();
    return address;
  }
  throw new Error("the browser did not start");
}
