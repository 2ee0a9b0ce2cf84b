// The admin API, the console and the command line do the same operations, except those in a table of docs/reference/admin.md.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

import { PROGRAMS, ROOT } from "./harness/places.js";

/** The command of `lacre-admin` that does an operation of the API. @type {Record<string, string>} */
const COMMANDS = {
  acknowledgeAlert: "alert acknowledge", capture: "evidence show", configureLicense: "license configure",
  createClient: "client create", findCopy: "evidence find", hostLicense: "license host", issueApiKey: "api-key issue",
  issueLicense: "license issue", issueWebhookSecret: "webhook-secret issue", kit: "kit show", license: "license show",
  listAlerts: "alert list", listApiKeys: "api-key list", listAudit: "audit", listClients: "client list",
  listHostedLicenses: "license hosted", listKits: "kit list", listLicenses: "license list",
  listWebhookSecrets: "webhook-secret list", listWebhooks: "webhook list", probeSigners: "signer probe", putKit: "kit put",
  redeliverWebhook: "webhook redeliver", resumeClient: "client resume", retireKit: "kit retire",
  revokeApiKey: "api-key revoke", revokeLicense: "license revoke", revokeWebhookSecret: "webhook-secret revoke",
  rotateLicenseKey: "license rotate", rotateWebhookSecret: "webhook-secret rotate", sender: "sender show",
  setSender: "sender set", suspendClient: "client suspend",
};

/** The API's operations by `operationId`, as `GET /clients/{}`. */
const OPERATIONS = new Map(operations(await readFile(join(ROOT, "openapi/admin.yaml"), "utf8")));

/** Operations and commands that are not everywhere, with the places that have them, from the table. */
const EXCEPTIONS = new Map(exceptions(await readFile(join(ROOT, "docs/reference/admin.md"), "utf8")));

/** @param {string} openapi @returns {[id: string, operation: string][]} */
function operations(openapi) {
  const paths = openapi.split(/^ {2}(?="?\/)/m).slice(1);
  return paths.flatMap((text) => {
    const path = anyId(/^"?([^":]+)/.exec(text)?.[1] ?? "");
    const methods = [...text.matchAll(/^ {4}(get|post|patch|put|delete):\n {6}operationId: (\w+)$/gm)];
    return methods.map(([, method = "", id = ""]) => /** @type {[string, string]} */ ([id, `${method.toUpperCase()} ${path}`]));
  });
}

/** @param {string} page @returns {[name: string, places: string][]} */
function exceptions(page) {
  const [, table = ""] = /\| Operation or command \|[^\n]*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? [];
  return table.trim().split("\n").flatMap((row) => {
    const [, names = "", places = "", why = ""] = row.split("|").map((cell) => cell.trim());
    assert.ok(why, `a reason: ${row}`);
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => /** @type {[string, string]} */ ([anyId(name), places]));
  });
}

/** @param {string} path */
function anyId(path) {
  return path.replaceAll(/\{\w+\}/g, "{}");
}

/** The operations that the console's pages ask for. A path that is kept for a change counts for its methods. */
async function asked() {
  const folder = join(ROOT, "web/console");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js") && name !== "api.js");
  const code = (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
  const calls = code.matchAll(/(?:(?:(read)\(|change\("(\w+)", )?\bat\(|(path): \[)("[^)\]]*)/g);
  const found = [...calls].flatMap(([, reads, method, isList, segments = ""]) => {
    const path = segments.split(",").map((each) => /^"(.*)"$/.exec(each.trim())?.[1] ?? "{}").join("/");
    const methods = method ? [method] : reads || isList ? ["GET"] : ["POST", "PATCH"];
    return methods.map((each) => `${each} /${path}`);
  });
  return new Set(found);
}

/** The commands below a command of `lacre-admin`; none if it is itself an action. @param {string[]} path */
async function commands(...path) {
  const { stdout } = await promisify(execFile)(join(PROGRAMS, "lacre-admin"), [...path, "--help"]);
  const [, list = ""] = /^Commands:\n((?: .*\n)+)/m.exec(stdout) ?? [];
  return [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
}

test("the console does what the API does", async () => {
  const has = await asked();
  assert.ok(OPERATIONS.size > 30);
  for (const operation of OPERATIONS.values()) {
    const places = EXCEPTIONS.get(operation) ?? "console";
    assert.equal(has.has(operation), places.includes("console"), `${operation}: in the console, or an exception in admin.md`);
  }
});

test("the command line does what the API does", async () => {
  const groups = await commands();
  const all = (await Promise.all(groups.map(async (group) => {
    const actions = await commands(group);
    return actions.length ? actions.map((action) => `${group} ${action}`) : [group];
  }))).flat();
  for (const [id, operation] of OPERATIONS) {
    const places = EXCEPTIONS.get(operation) ?? "command line";
    assert.equal(id in COMMANDS, places.includes("command line"), `${operation}: has a command, or is an exception in admin.md`);
  }
  for (const [id, command] of Object.entries(COMMANDS)) {
    assert.ok(OPERATIONS.has(id), `${id} is an operation`);
    assert.ok(all.includes(command), `lacre-admin has ${command}`);
  }
  const alone = all.filter((command) => !Object.values(COMMANDS).includes(command));
  const isException = (/** @type {string} */ command) => [command, command.split(" ")[0] ?? ""].some((name) => EXCEPTIONS.get(name) === "command line");
  assert.deepEqual(alone.filter((command) => !isException(command)), [], "commands without an operation are exceptions in admin.md");
  const names = new Set([...OPERATIONS.values(), ...alone, ...alone.map((command) => command.split(" ")[0] ?? "")]);
  assert.deepEqual([...EXCEPTIONS.keys()].filter((name) => !names.has(name)), [], "exceptions that are none");
});
