// A separate local service with fresh data on free ports; the same program that developers run.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { PROGRAMS } from "./places.js";

/**
 * A test or test file; what is registered here ends with it.
 * @typedef {{ after: (ended: () => void | Promise<void>) => void }} Scope
 */

export class LocalService {
  /** The content of `service.env`. @type {Record<string, string>} */
  variables;
  #folder;

  /**
   * @param {string} folder
   * @param {Record<string, string>} variables
   */
  constructor(folder, variables) {
    this.#folder = folder;
    this.variables = variables;
  }

  /**
   * Starts a service that stops with the scope, on a copy of the data that scripts/test-web prepares, or on new data.
   * @param {Scope} scope
   * @param {string[]} [options] options of `local` in addition to port and data
   */
  static async start(scope, options = []) {
    const folder = await mkdtemp(join(tmpdir(), "lacre-web-"));
    const [file, data] = [join(folder, "service.env"), join(folder, "data")];
    await access(join(PROGRAMS, "local"));
    if (process.env.PREPARED_DATA) await cp(process.env.PREPARED_DATA, data, { recursive: true });
    const program = spawn(join(PROGRAMS, "local"), ["--port", "0", "--data", data, "--env", file, ...options], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(program, "exit");
    scope.after(async () => {
      program.kill();
      await ended;
      await rm(folder, { recursive: true });
    });
    let ready = false;
    for await (const line of createInterface(program.stdout)) {
      ready = line === "READY";
      if (ready) break;
    }
    if (!ready) throw new Error("the local service did not start");
    // Discards the remaining output, so that the process does not block.
    program.stdout.resume();
    return new LocalService(folder, readVariables(await readFile(file, "utf8")));
  }

  /** @param {string} name */
  get(name) {
    const value = this.variables[name];
    if (value === undefined) throw new Error(`service.env has no ${name}`);
    return value;
  }

  /**
   * Creates a session as an integrator's backend does.
   * @param {string} [license] the name of its variable
   * @param {string} [apiKey] the name of its variable
   * @returns {Promise<string>} the token
   */
  async createSession(license = "LICENSE_KEY", apiKey = "API_KEY") {
    const response = await fetch(`${this.get("BASE_URL")}/web/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.get(apiKey) },
      body: JSON.stringify({ reference_id: "browser test", license_key: this.get(license) }),
    });
    const { token } = await response.json();
    if (response.status !== 200) throw new Error(`create: ${response.status}`);
    return token;
  }

  /**
   * Creates a hosted session.
   * @param {string} [profile]
   * @param {string} [redirect]
   * @param {string} [webhook]
   * @param {{ id: string, note?: string }[]} [steps] that the session asks for, if not for all
   * @returns {Promise<string>} the token
   */
  async createHosted(profile = "demo", redirect = "http://localhost:3999/done?claim=42%20a&b", webhook = "http://127.0.0.1:9/", steps) {
    const response = await fetch(`${this.get("CAPTURE_URL")}/web/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.get("API_KEY") },
      body: JSON.stringify({
        reference_id: "browser test", profile, redirect_uri: redirect, webhook_url: webhook, ...(steps ? { steps } : {}),
      }),
    });
    const { token } = await response.json();
    if (response.status !== 201) throw new Error(`create: ${response.status}`);
    return token;
  }

  /**
   * @param {string} token
   * @returns {Promise<any>} the results of a hosted session
   */
  async hostedResults(token) {
    return (await fetch(`${this.get("CAPTURE_URL")}/web/session-results/${token}`)).json();
  }

  /**
   * @param {string} token
   * @returns {Promise<any>} the results of a session
   */
  async results(token) {
    return (await fetch(`${this.get("BASE_URL")}/web/session-results/${token}`)).json();
  }

  /**
   * Verifies a delivered photo with the `verify` command.
   * @param {Uint8Array} photo
   * @param {string[]} options further options of `verify`
   * @returns {Promise<any>} its report
   */
  async verify(photo, ...options) {
    const file = join(this.#folder, "photo.jpg");
    await writeFile(file, photo);
    const command = [file, "--trust", this.get("TRUST_ANCHORS"), "--environment", "sandbox", "--seal-holder", this.get("SEAL_HOLDER"), "--json", ...options];
    const { stdout } = await promisify(execFile)(join(PROGRAMS, "verify"), command, { maxBuffer: 1 << 24 });
    return JSON.parse(stdout);
  }

  /**
   * Runs a `lacre-admin` command.
   * @param {string[]} command of `lacre-admin`
   * @returns {Promise<any>} its JSON
   */
  async administer(...command) {
    const options = ["--env-file", join(this.#folder, "service.env"), "--json", ...command];
    return JSON.parse((await promisify(execFile)(join(PROGRAMS, "lacre-admin"), options)).stdout);
  }

  /** Makes the storage of uploads fail; returns a function that restores it. */
  async breakUploads() {
    const bucket = join(this.#folder, "data/s3", this.get("UPLOADS_BUCKET"));
    await rename(bucket, `${bucket}.away`);
    return () => rename(`${bucket}.away`, bucket);
  }
}

/** @param {string} text KEY=value lines; values may stand in single quotes */
function readVariables(text) {
  const lines = text.trim().split("\n").map((line) => /^(\w+)='?(.*?)'?$/.exec(line) ?? []);
  return Object.fromEntries(lines.map(([, name, value]) => [name, value]));
}
