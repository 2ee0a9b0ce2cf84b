// The console responds only to the browser that opened it, at its own address, with cookie and token.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { Console } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

/**
 * Sends a request with headers that a page cannot set.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string> }} [options]
 * @returns {Promise<{ status: number, body: string, headers: import("node:http").IncomingHttpHeaders }>}
 */
function ask(url, { method = "GET", headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, body, headers: response.headers });
    });
    sent.on("error", reject).end(method === "GET" ? undefined : "{}");
  });
}

/** @param {{ status: number, body: string }} answer */
const reasonOf = ({ status, body }) => [status, JSON.parse(body).reason];

/** The session's cookie and token in the browser. @param {Console} operator */
async function credentials(operator) {
  const [cookie] = await operator.page.context().cookies();
  assert.ok(cookie?.httpOnly);
  assert.equal(cookie.sameSite, "Strict");
  const token = await operator.page.evaluate(() => localStorage.getItem("lacre-console:session") ?? "");
  assert.ok(token.length >= 43 && !cookie.value.includes(token));
  return { cookie: `${cookie.name}=${cookie.value}`, "x-console-session": token };
}

test("refuses forged hosts, origins and credentials", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const [origin, own] = [operator.origin, await credentials(operator)];
  const { host, port } = new URL(origin);
  const list = `${origin}/api/admin/clients`;
  assert.equal((await ask(list, { headers: own })).status, 200);
  for (const forged of ["127.0.0.1.evil.example", `evil.example:${port}`, "127.0.0.1", "127.0.0.1:1"]) {
    assert.deepEqual(reasonOf(await ask(list, { headers: { ...own, host: forged } })), [403, "host"], forged);
  }
  for (const forged of ["http://127.0.0.1:1", `https://${host}`, "null", "https://evil.example"]) {
    assert.deepEqual(reasonOf(await ask(list, { headers: { ...own, origin: forged } })), [403, "origin"], forged);
  }
  for (const site of ["cross-site", "same-site"]) {
    assert.deepEqual(reasonOf(await ask(list, { headers: { ...own, "sec-fetch-site": site } })), [403, "origin"], site);
  }
  const posted = await ask(list, { method: "POST", headers: own });
  assert.deepEqual(reasonOf(posted), [403, "origin"], "a change without an origin");
  const { cookie, "x-console-session": token } = own;
  const [name] = cookie.split("=");
  for (const headers of [
    { cookie }, { "x-console-session": token }, { cookie, "x-console-session": `${token.slice(0, -1)}_` },
    { cookie, "x-console-session": "" }, { cookie: `${name}=${token}`, "x-console-session": token },
  ]) {
    assert.deepEqual(reasonOf(await ask(list, { headers: /** @type {Record<string, string>} */ (headers) })), [401, "session"]);
  }
  assert.equal((await ask(`${origin}/main.js`)).status, 401, "a file without the cookie");
  assert.equal((await ask(`${origin}/main.js`, { headers: { cookie } })).status, 200);
});

test("a code opens the console once", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const context = await browser.newContext({ locale: "en-US" });
  t.after(() => context.close());
  const page = await context.newPage();
  const response = await page.goto(service.get("CONSOLE_URL"));
  assert.equal(response?.status(), 401);
  assert.match(await page.locator("body").innerText(), /lacre-admin console/);
  assert.deepEqual(await context.cookies(), []);
  assert.equal((await page.goto(operator.origin))?.status(), 401);
  // It is unknown which of the two browsers is the operator's, so the session ends for both.
  await operator.visit("clients");
  await operator.page.getByText("This session has ended. Run lacre-admin console again.").waitFor();
});

test("an ended session hides all data", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  await operator.page.evaluate(() => localStorage.setItem("lacre-console:session", "another"));
  await operator.visit("licenses");
  await operator.page.getByText("This session has ended. Run lacre-admin console again.").waitFor();
  assert.equal(await operator.page.getByRole("navigation").count(), 0);
  assert.equal(await operator.page.locator("table").count(), 0);
  await operator.inspect("session-ended");
  await operator.press("Português");
  await operator.page.getByText("Esta sessão terminou. Execute lacre-admin console novamente.").waitFor();
  assert.deepEqual(operator.problems, []);
});

test("a second tab shares the session", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const tab = await operator.page.context().newPage();
  const second = new Console(tab, operator.origin);
  await tab.goto(`${operator.origin}/#/clients`);
  await second.ready();
  assert.ok((await second.rows()).length >= 3);
  const { "x-console-session": token } = await credentials(operator);
  await operator.page.goBack();
  for (const { url } of [operator.page, tab].map((page) => ({ url: page.url() }))) assert.ok(!url.includes(token), url);
});
