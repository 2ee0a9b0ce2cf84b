// The console of `lacre-admin` with a profile whose credentials expire during use.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console } from "./harness/console.js";
import { PROGRAMS } from "./harness/places.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

test("continues after expired credentials are renewed", async (t) => {
  const service = await LocalService.start(t);
  const folder = await mkdtemp(join(tmpdir(), "lacre-profile-"));
  t.after(() => rm(folder, { recursive: true }));
  const [config, credentials, variables] = ["config", "credentials.json", "service.env"].map((name) => join(folder, name));
  // Simulates signing in. The credentials expire so soon that every request reads them again.
  const signIn = (/** @type {number} */ seconds) => writeFile(credentials ?? "", JSON.stringify({
    Version: 1,
    AccessKeyId: service.get("AWS_ACCESS_KEY_ID"),
    SecretAccessKey: service.get("AWS_SECRET_ACCESS_KEY"),
    Expiration: new Date(Date.now() + seconds * 1000).toISOString(),
  }));
  await signIn(50);
  await writeFile(config ?? "", `[profile operator]\nregion = ${service.get("AWS_REGION")}\ncredential_process = cat ${credentials}\n`);
  const lines = Object.entries(service.variables).filter(([name]) => !name.startsWith("AWS_") || name.startsWith("AWS_ENDPOINT"));
  await writeFile(variables ?? "", lines.map(([name, value]) => `${name}='${value}'\n`).join(""));

  const options = ["--env-file", variables ?? "", "--profile", "operator", "console", "--no-browser"];
  const program = spawn(join(PROGRAMS, "lacre-admin"), options, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: "/dev/null" },
  });
  const ended = once(program, "exit");
  t.after(() => { program.kill("SIGKILL"); });
  const { value: address } = await createInterface(program.stdout)[Symbol.asyncIterator]().next();
  const context = await browser.newContext({ locale: "en-US" });
  t.after(() => context.close());
  const operator = new Console(await context.newPage(), new URL(address).origin);
  await operator.page.goto(address);
  await operator.ready();

  await operator.visit("clients");
  await operator.press("New client");
  await operator.fill({ name: "Signed In Again" });
  await signIn(-1);
  await operator.submit.click();
  await operator.dialog.getByText("AWS credentials have expired").waitFor();
  await operator.inspect("dialog-credentials");
  await signIn(50);
  await operator.press("Try again");
  await operator.notice("Client “Signed In Again” created.");
  const { clients } = await operator.api("GET", "clients?search=signed%20in");
  assert.equal(clients.length, 1);

  program.kill("SIGINT");
  assert.deepEqual(await ended, [0, null], "Ctrl-C ends it");
});
