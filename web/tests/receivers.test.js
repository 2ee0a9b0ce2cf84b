// The receivers of webhooks in docs/guides/receive-a-webhook.md, as they stand there: each accepts what is signed, and nothing else.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Webhook } from "standardwebhooks";

import { PACKAGE, ROOT } from "./harness/places.js";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const BODY = '{"session_id": "é", "reference_id": "sinistro-42"}';
const page = await readFile(join(ROOT, "docs/guides/receive-a-webhook.md"), "utf8");

/** The code block of a language. @param {string} language */
function block(language) {
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page);
  assert.ok(found?.[1], language);
  return found[1];
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return port;
}

/**
 * @param {Date} at
 * @param {string[]} secrets secrets that sign the message
 */
function signed(at, ...secrets) {
  const signature = secrets.map((secret) => new Webhook(secret).sign("msg_1", at, BODY)).join(" ");
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature };
}

const missing = spawnSync("php", ["--version"]).error ? "missing: php" : false;
for (const [language, file, skip] of /** @type {[string, string, string | false][]} */ ([
  ["js", "receiver.mjs", false], ["python", "receiver.py", false], ["php", "receiver.php", missing],
])) {
  test(`accepts only signed messages: ${language}`, { skip }, async (t) => {
    // In the package's folder, where Node finds the installed libraries.
    const folder = await mkdtemp(join(language === "js" ? join(PACKAGE, "node_modules") : tmpdir(), ".receiver-"));
    t.after(() => rm(folder, { recursive: true }));
    const [script, port] = [join(folder, file), await freePort()];
    await writeFile(script, block(language));
    const python = () => join(execFileSync(join(ROOT, "scripts/setup-python"), ["checks"], { encoding: "utf8" }).trim(), "bin/python");
    const command = language === "js" ? ["node", script] : language === "python" ? [python(), script] : ["php", "-S", `127.0.0.1:${port}`, script];
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET };
    const receiver = spawn(command[0] ?? "", command.slice(1), { env, stdio: "ignore" });
    t.after(() => { receiver.kill(); });
    const url = `http://127.0.0.1:${port}/`;
    const post = async (/** @type {Record<string, string>} */ headers, body = BODY) =>
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })).status;
    const now = new Date();
    for (const until = Date.now() + 20_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 100))) {
      if (await post(signed(now, SECRET)).catch(() => 0)) break;
    }
    assert.equal(await post(signed(now, SECRET)), 204);
    assert.equal(await post(signed(now, OTHER, SECRET)), 204, "a rotation");
    assert.equal(await post(signed(now, OTHER)), 401, "another secret");
    assert.equal(await post(signed(now, SECRET), `${BODY} `), 401, "a changed byte");
    assert.equal(await post(signed(new Date(now.getTime() - 600_000), SECRET)), 401, "an old message");
    assert.equal(await post({ ...signed(now, SECRET), "webhook-id": "msg_2" }), 401, "another message");
  });
}
