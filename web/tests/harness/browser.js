// Debian's Chromium with a camera that plays a clip.

import { chromium } from "playwright-core";

import { clip } from "./clip.js";

export const PROGRAM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @typedef {import("./service.js").Scope} Scope */

/**
 * A browser that plays the clip, or has no camera at all. It is closed with the scope.
 * @param {Scope} scope
 * @param {object} [options]
 * @param {boolean} [options.camera]
 * @param {import("./clip.js").Size} [options.frames] size of the camera's frames
 * @param {number} [options.fontSize] of texts whose size the page leaves to the browser, in pixels
 * @param {Record<string, number>} [options.hosts] ports of this test's https pages, by the internet host names under
 *   which the browser finds them; every other host under `.test` is this machine
 */
export async function startBrowser(scope, { camera = true, frames, fontSize = 16, hosts = {} } = {}) {
  const devices = camera ? ["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${await clip(frames)}`] : [];
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host}:443 127.0.0.1:${port}`);
  const browser = await launch([...devices, `--blink-settings=defaultFontSize=${fontSize}`, `--host-resolver-rules=${[...rules, "MAP *.test 127.0.0.1"].join(",")}`]);
  scope.after(() => browser.close());
  return browser;
}

/** @param {string[]} flags */
export function launch(flags = []) {
  return chromium.launch({ executablePath: PROGRAM, args: [...FLAGS, ...flags] });
}
