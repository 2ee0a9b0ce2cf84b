// Failures before the camera shows: each error code with its real cause.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { LOADS_PER_SESSION } from "../src/limits.js";
import { ENGLISH, PORTUGUESE, SPANISH } from "../src/texts.js";
import { startBrowser } from "./harness/browser.js";
import { certificate } from "./harness/certificate.js";
import { captureByHttp, loadByHttp } from "./harness/http-capture.js";
import { unreachable } from "./harness/unreachable.js";
import { servePage } from "./harness/pages.js";
import { Phone } from "./harness/phone.js";
import { PACKAGE } from "./harness/places.js";
import { scene } from "./harness/scene.js";
import { LocalService } from "./harness/service.js";

const service = await LocalService.start({ after });
const remotePort = await servePage({ after }, service, {
  tls: await certificate(),
  attributes: { "license-key": service.get("LICENSE_KEY_STAGING") },
});
const browser = await startBrowser({ after }, { hosts: { "app.example.com": remotePort, "other.test": remotePort } });

/** A well-formed license key that was never issued: the prefix of another environment. */
const UNKNOWN_KEY = service.get("LICENSE_KEY").replace("svc_sand_", "svc_stag_");
const NO_SESSION = "5f0f7a4e-3c1d-4b8e-9a52-7d6c1e2f3a4b";

/**
 * Checks that the attempt failed with this error, reported as one event without stack, and that the camera never
 * opened.
 * @param {Phone} phone
 * @param {{ code: number, name: string, details?: object, message?: string }} expected an answer's details with its
 *   request's id
 */
async function refused(phone, { code, name, details, message }) {
  const error = await phone.error();
  assert.deepEqual(Object.keys(error), ["name", "code", "message", "details"]);
  const expected = details ? { ...details, requestId: phone.answerId() } : {};
  assert.deepEqual({ code: error.code, name: error.name, details: error.details }, { code, name, details: expected });
  if (message) assert.equal(error.message, message);
  assert.deepEqual((await phone.events()).map(({ type }) => type), ["error"]);
  assert.deepEqual(await phone.complaints(), []);
}

describe("fails before any request", () => {
  test("5002 reports a missing token", async (t) => {
    const { phone } = await scene(t, browser, { service });
    await phone.openCamera(undefined);
    await refused(phone, { code: 5002, name: "SessionError" });
    assert.equal(await phone.part("dialog").count(), 0);
  });

  for (const label of ["<b>Frente</b>", "Frente\u202e", "a\u2028b", "é".repeat(33)]) {
    test(`4002 reports an invalid label: ${JSON.stringify(label)}`, async (t) => {
      const { phone } = await scene(t, browser, { service });
      await phone.openCamera({ token: NO_SESSION, overlay: { label } });
      const { code, name, message, details } = await phone.error();
      assert.deepEqual({ code, name, message, details }, {
        code: 4002, name: "IngestError", message: "Rótulo inválido", details: { name: "DataError" },
      });
      assert.equal(await phone.part("dialog").count(), 0);
    });
  }

  for (const agent of ["Chrome on Linux", "Firefox on Android", "Instagram on iPhone"]) {
    test(`2002 reports an unsupported browser: ${agent}`, async (t) => {
      const { phone } = await scene(t, browser, { service, agent });
      await phone.openCamera({ token: NO_SESSION });
      await refused(phone, { code: 2002, name: "BrowserError" });
      assert.equal(await phone.part("dialog").count(), 0);
    });
  }

  for (const { language, otherBrowser, desktopSite } of [PORTUGUESE, ENGLISH, SPANISH]) {
    test(`2002 says what to do: ${language}`, async (t) => {
      for (const [agent, message] of /** @type {const} */ ([
        ["Firefox on Android", otherBrowser], ["Chrome on an Android tablet, desktop site", desktopSite],
      ])) {
        const { phone } = await scene(t, browser, { service, agent, attributes: { lang: language } });
        await phone.openCamera(undefined);
        await refused(phone, { code: 2002, name: "BrowserError", message });
      }
    });
  }

  test("8001 reports a missing license key", async (t) => {
    const { phone } = await scene(t, browser, { service, attributes: { "license-key": "" } });
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 8001, name: "LicenseError" });
    assert.equal(await phone.part("dialog").count(), 0);
  });
});

describe("8002: the license is refused", () => {
  const refusals = {
    INVALID_KEY: UNKNOWN_KEY,
    REVOKED: service.get("LICENSE_KEY_REVOKED"),
    EXPIRED: service.get("LICENSE_KEY_EXPIRED"),
    CLIENT_SUSPENDED: service.get("LICENSE_KEY_SUSPENDED"),
    ORIGIN_NOT_ALLOWED: service.get("LICENSE_KEY_NO_ORIGIN"),
  };
  for (const [reason, key] of Object.entries(refusals)) {
    test(`names the reason: ${reason}`, async (t) => {
      const { phone } = await scene(t, browser, { service, attributes: { "license-key": key } });
      await phone.openCamera({ token: await service.createSession() });
      await refused(phone, { code: 8002, name: "LicenseError", details: { reason } });
      await phone.waitForState("failed");
    });
  }

  test("names the reason: VOLUME_EXCEEDED", async (t) => {
    const phone = await Phone.open(t, browser, "https://app.example.com/");
    await phone.openCamera({ token: NO_SESSION, licenseKey: service.get("LICENSE_KEY_OVER_VOLUME") });
    await refused(phone, { code: 8002, name: "LicenseError", details: { reason: "VOLUME_EXCEEDED" } });
  });

  test("refuses pages of other origins", async (t) => {
    const phone = await Phone.open(t, browser, "https://other.test/");
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 8002, name: "LicenseError", details: { reason: "ORIGIN_NOT_ALLOWED" } });
  });

  test("a refusal is not remembered", async (t) => {
    const { phone } = await scene(t, browser, { service });
    const asked = phone.requests("/validate");
    for (const licenseKey of [UNKNOWN_KEY, UNKNOWN_KEY]) await phone.openCamera({ token: NO_SESSION, licenseKey });
    assert.equal(asked.length, 2);
  });
});

describe("8003: the license verdict is missing", () => {
  test("reports an unreachable server", async (t) => {
    const { phone } = await scene(t, browser, { service, attributes: { "license-url": await unreachable() } });
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 8003, name: "LicenseError" });
  });

  test("reports an offline phone", async (t) => {
    const { phone } = await scene(t, browser, { service });
    await phone.page.context().setOffline(true);
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 8003, name: "LicenseError" });
  });

  test("reports a response without a verdict", async (t) => {
    // The other gateway has no route /validate.
    const { phone } = await scene(t, browser, { service, attributes: { "license-url": service.get("BASE_URL") } });
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 8003, name: "LicenseError", details: { status: 404, gateway: true } });
  });
});

describe("4001: the session cannot be loaded", () => {
  /** @param {import("node:test").TestContext} t @param {string} token @param {object} expected */
  async function refusedSession(t, token, expected) {
    const { phone } = await scene(t, browser, { service });
    await phone.openCamera({ token });
    await refused(phone, { code: 4001, name: "SessionError", ...expected });
  }

  test("404 reports an unknown session", async (t) => {
    await refusedSession(t, NO_SESSION, { details: { status: 404 }, message: "Sessão não encontrada" });
  });

  test("410 reports a used session", async (t) => {
    const token = await service.createSession();
    await captureByHttp(service, token);
    await refusedSession(t, token, { details: { status: 410 }, message: "Sessão expirada ou já utilizada" });
  });

  test("429 reports too many loads", async (t) => {
    const token = await service.createSession();
    for (let load = 0; load < LOADS_PER_SESSION; load += 1) assert.equal((await loadByHttp(service, token)).status, 200);
    const message = "Limite de tentativas atingido para esta sessão";
    await refusedSession(t, token, { details: { status: 429 }, message });
  });

  test("403 reports another page's license", async (t) => {
    const token = await service.createSession("LICENSE_KEY_STAGING", "API_KEY_STAGING");
    const message = "Origem não autorizada para esta licença — fale com a Lacre para habilitar este domínio.";
    await refusedSession(t, token, { details: { status: 403, blockReason: "web_origin_not_allowed" }, message });
  });

  test("network failures have no status", async (t) => {
    const { phone } = await scene(t, browser, { service, attributes: { "base-url": await unreachable() } });
    await phone.openCamera({ token: NO_SESSION });
    await refused(phone, { code: 4001, name: "SessionError" });
  });

  test("encodes the token in the path", async (t) => {
    await refusedSession(t, "../validate?", { details: { status: 404 } });
  });
});

test("the license's page opens the camera", async (t) => {
  const phone = await Phone.open(t, browser, "https://app.example.com/");
  await phone.openCamera({ token: await service.createSession("LICENSE_KEY_STAGING", "API_KEY_STAGING") });
  await phone.event("opened");
  assert.equal(await phone.liveTracks(), 1);
});

test("errors have classes and hide stacks", async (t) => {
  const { phone } = await scene(t, browser, { service });
  const seen = await phone.page.evaluate(async () => {
    const { LicenseError, SessionError, SvcCameraError } = await import(String("/src/index.js"));
    /** @type {any} */
    let error;
    window.camera.addEventListener("error", (event) => { error = /** @type {any} */ (event).detail.error; });
    await window.camera.open({ token: "" });
    const classes = [Error, SvcCameraError, SessionError, LicenseError].map((type) => error instanceof type);
    return { classes, written: JSON.stringify(error), stack: error.stack };
  });
  assert.deepEqual(seen.classes, [true, true, true, false]);
  assert.match(seen.stack, /SvcCamera\.open/);
  assert.doesNotMatch(seen.written, /stack|\.js/);
});

/** The error codes of web/README.md#errors, which pages compare. */
const CODES = {
  2002: "BROWSER_NOT_SUPPORTED",
  3001: "STREAM_OPEN_FAILED",
  5002: "TOKEN_REQUIRED",
  8001: "LICENSE_KEY_MISSING",
  8002: "LICENSE_INVALID",
  8003: "LICENSE_NETWORK_ERROR",
  4001: "SESSION_FETCH_FAILED",
  4002: "INGEST_FAILED",
};

test("the README names the error codes", async () => {
  const { ErrorCode } = await import("../src/errors.js");
  const named = Object.entries(ErrorCode).filter(([name]) => !name.startsWith("RESERVED_"));
  assert.deepEqual(Object.fromEntries(named.map(([name, code]) => [code, name])), CODES);
  const rows = (await readFile(join(PACKAGE, "README.md"), "utf8")).matchAll(/^\| (\d{4}) \| `(\w+)` \|/gm);
  assert.deepEqual(Object.fromEntries([...rows].map(([, code, name]) => [code, name])), CODES);
});

test("nothing raises the reserved codes", async () => {
  const { ErrorCode } = await import("../src/errors.js");
  const sources = join(PACKAGE, "src");
  const named = [];
  for (const file of await readdir(sources)) {
    const source = await readFile(join(sources, file), "utf8");
    named.push(...(source.match(/ErrorCode\.\w+/g) ?? []));
  }
  const raised = new Set(named.map((name) => /** @type {any} */ (ErrorCode)[name.slice("ErrorCode.".length)]));
  const reserved = Object.values(ErrorCode).filter((code) => !raised.has(code));
  assert.deepEqual([...raised].toSorted(), [2002, 3001, 4001, 4002, 5002, 8001, 8002, 8003]);
  assert.deepEqual(reserved, [1000, 3002, 5001, 6001, 6002, 6003, 7001]);
});
