// Debian's WebKitGTK, the engine of Safari, with a simulated camera and microphone, controlled by WebDriver.

import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { Builder, Capabilities } from "selenium-webdriver";

import { userAgent } from "./phone.js";

/** @typedef {import("./service.js").Scope} Scope */

const LIBRARIES = "/usr/lib";

/** Path of the engine's MiniBrowser, such as `…/webkit2gtk-4.1/MiniBrowser`. */
function miniBrowser() {
  for (const machine of readdirSync(LIBRARIES).filter((name) => name.endsWith("-linux-gnu"))) {
    const engine = readdirSync(join(LIBRARIES, machine)).find((name) => /^webkit2gtk-[\d.]+$/.test(name));
    if (engine) return join(LIBRARIES, machine, engine, "MiniBrowser");
  }
  throw new Error("WebKitGTK is missing: apt-get install webkit2gtk-driver");
}

/** Programs that are missing on this machine; empty if WebKit can run. */
export const MISSING = ["WebKitWebDriver", "xvfb-run"]
  .filter((program) => spawnSync(program, ["--help"], { stdio: "ignore" }).error)
  .join(", ");

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts a browser that presents itself as Safari on an iPhone, until the scope ends.
 * @param {Scope} scope
 * @returns {Promise<import("selenium-webdriver").WebDriver>}
 */
export async function startWebKit(scope) {
  const port = await freePort();
  const program = spawn("xvfb-run", ["--auto-servernum", "WebKitWebDriver", `--port=${port}`], {
    stdio: "ignore", detached: true,
  });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  /** @type {import("selenium-webdriver").WebDriver | undefined} */
  let driver;
  scope.after(async () => {
    await driver?.quit();
    // The display and the browser are child processes.
    if (program.pid) process.kill(-program.pid);
    await ended;
  });
  const server = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (await fetch(`${server}/status`).then((answer) => answer.ok, () => false)) break;
    if (tries === 100) throw new Error("WebKitWebDriver did not start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const options = {
    binary: miniBrowser(),
    args: [
      "--automation", "--enable-mock-capture-devices=true", "--enable-media-stream=true",
      `--user-agent=${userAgent("Safari on iPhone")}`,
    ],
  };
  const capabilities = new Capabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": options });
  driver = await new Builder().usingServer(server).withCapabilities(capabilities).build();
  await driver.manage().setTimeouts({ script: 30_000 });
  return driver;
}
