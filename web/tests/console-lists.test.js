// Lists: pagination, searches, empty and failed lists, and late responses.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { holderOf } from "../console/records.js";
import { startBrowser } from "./harness/browser.js";
import { Console, newLicense } from "./harness/console.js";
import { LocalService } from "./harness/service.js";

const browser = await startBrowser({ after }, { camera: false });

test("pages through 120 clients both ways", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const names = Array.from({ length: 120 }, (_, index) => `Zebra ${String(index).padStart(3, "0")}`);
  for (let start = 0; start < names.length; start += 10) {
    await Promise.all(names.slice(start, start + 10).map((name) => operator.api("POST", "clients", { name })));
  }
  await operator.visit("clients");
  await operator.page.getByRole("searchbox").fill("zébra");
  await operator.press("Search");
  await operator.page.getByText("Zebra 000").waitFor();
  await operator.ready();
  assert.equal(await operator.page.evaluate(() => document.activeElement?.id), "search", "the focus stays in the search");

  const seen = [];
  for (const count of [50, 50, 20]) {
    const rows = await operator.rows();
    assert.equal(rows.length, count);
    seen.push(...rows.map((row) => row.slice(0, 9)));
    const next = operator.page.getByRole("link", { name: "Next", exact: true });
    if (count === 20) assert.equal(await next.count(), 0);
    else {
      await next.click();
      await operator.page.getByText(`Zebra ${String(seen.length).padStart(3, "0")}`).waitFor();
      await operator.ready();
    }
  }
  assert.deepEqual(seen, names);
  await operator.page.getByRole("link", { name: "Previous", exact: true }).click();
  await operator.page.getByText("Zebra 050").waitFor();
  await operator.page.goBack();
  await operator.page.getByText("Zebra 119").waitFor();
  await operator.page.getByRole("link", { name: "First page" }).click();
  await operator.page.getByText("Zebra 000").waitFor();
  await operator.page.reload();
  await operator.page.getByText("Zebra 000").waitFor();
  assert.deepEqual(operator.problems, []);
});

test("finds licenses by client and ids", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { client, license } = await newLicense(operator, { name: "Água Ltda" });
  for (const search of ["agua", client.id, license.id, license.key_id.slice(0, 8)]) {
    await operator.visit(`licenses?search=${encodeURIComponent(search)}`);
    const rows = await operator.rows();
    assert.equal(rows.length, 1, search);
    assert.match(rows[0] ?? "", /Água Ltda Staging Active 0 of 100 \(0%\)/);
  }
  await operator.visit("licenses?search=nobody");
  await operator.page.getByText("Nothing matches the search.").waitFor();
  await operator.visit(`clients/${client.id}/webhooks`);
  await operator.page.getByText("No webhooks.").waitFor();
  await operator.visit(`licenses/${crypto.randomUUID()}`);
  await operator.page.getByText("It does not exist, or the id is wrong.").first().waitFor();
});

test("shows why keys are refused", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  for (const [name, state] of /** @type {const} */ ([
    ["LICENSE_KEY", "Active"], ["LICENSE_KEY_REVOKED", "Revoked"], ["LICENSE_KEY_SUSPENDED", "Client suspended"],
    ["LICENSE_KEY_EXPIRED", "Expired"], ["LICENSE_KEY_OVER_VOLUME", "Volume used up"],
  ])) {
    await operator.visit("licenses");
    const key = `svc_${service.get(name).slice(4, 8)}_…${service.get(name).slice(-4)}`;
    const row = operator.page.getByRole("row").filter({ hasText: key });
    assert.equal(await row.locator(".state").innerText(), state);
    assert.equal(await row.locator(".state.good").count(), state === "Active" ? 1 : 0);
    await row.getByRole("link", { name: key }).click();
    await operator.arrive(`License ${key}`);
    assert.equal(await operator.page.locator(".state").first().innerText(), state);
  }
  await operator.visit("clients?search=suspended");
  await operator.page.getByRole("link", { name: "Suspended Company" }).click();
  await operator.arrive("Suspended Company");
  assert.match((await operator.rows())[0] ?? "", /Sandbox Client suspended/);
  assert.equal(await operator.page.locator(".state.good").count(), 0);
  await operator.visit(`${(await operator.page.evaluate(() => location.hash)).slice(2)}/licenses`);
  assert.match((await operator.rows())[0] ?? "", /Sandbox Client suspended/);
  assert.deepEqual(operator.problems, []);
});

test("offers another license for hosted sessions", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const [current, other] = /** @type {[string, string]} */ (
    ["LICENSE_KEY_HOSTED", "LICENSE_KEY_HOSTED_OTHER"].map((name) => `svc_sand_…${service.get(name).slice(-4)}`));
  const offer = operator.page.getByRole("button", { name: "Use for hosted sessions" });
  const visit = async (/** @type {string} */ key) => {
    await operator.visit("licenses");
    await operator.page.getByRole("link", { name: key }).click();
    await operator.arrive(`License ${key}`);
    return operator.page.locator("dl").first().innerText();
  };
  assert.match(await visit(current), /Hosted flow\s+New sessions use this license/);
  assert.equal(await offer.count(), 0);
  assert.match(await visit(other), /Hosted flow\s+New sessions do not use this license/);
  await offer.click();
  await operator.submit.click();
  await operator.notice("New hosted sessions use this license.");
  assert.equal(await offer.count(), 0);
  await visit(current);
  assert.equal(await offer.count(), 1);
  assert.doesNotMatch(await visit(`svc_sand_…${service.get("LICENSE_KEY").slice(-4)}`), /Hosted flow/);
  assert.deepEqual(operator.problems, []);
});

test("names certificates by their holder", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  const { certificates } = await operator.api("GET", "overview");
  const cells = await operator.page.getByRole("row").locator("td details").all();
  assert.equal(cells.length, certificates.length);
  for (const [index, cell] of cells.entries()) {
    const { subject } = certificates[index];
    const { name, cnpj } = holderOf(subject);
    const summary = cell.locator("summary");
    assert.equal(await summary.innerText(), cnpj ? `${name} CNPJ\u00a0${cnpj}` : name);
    assert.equal(await cell.getByText(subject, { exact: true }).isVisible(), false);
    await summary.press("Enter");
    assert.equal(await cell.getByText(subject, { exact: true }).isVisible(), true);
  }
  await operator.visit("signers");
  const summaries = operator.page.locator("details summary");
  assert.ok((await summaries.count()) > certificates.length);
  assert.doesNotMatch(await operator.page.locator("#page").innerText(), /\bCN=/);
  for (const summary of await summaries.all()) await summary.click();
  await operator.page.setViewportSize({ width: 390, height: 844 });
  await operator.inspect("signers-subjects-narrow");
  for (const [subject, name, cnpj] of /** @type {const} */ ([
    ["CN=EXEMPLO LTDA:12345678000195,OU=AC Exemplo,O=ICP-Brasil,C=BR", "EXEMPLO LTDA", "12.345.678/0001-95"],
    ["CN=LETRAS LTDA:12ABC34501DE35,C=BR", "LETRAS LTDA", "12.ABC.345/01DE-35"],
    ["CN=PESSOA:12345678909,C=BR", "PESSOA:12345678909", undefined],
    ["C=BR,O=A\\,CN=B,CN=Um\\, dois \\+ três", "Um, dois + três", undefined],
    ["O=No Name,C=BR", "O=No Name,C=BR", undefined],
  ])) {
    const holder = holderOf(subject);
    assert.equal(holder.name, name);
    assert.equal(holder.cnpj, cnpj);
  }
});

for (const timezoneId of ["Pacific/Kiritimati", "America/Sao_Paulo"]) {
  // A time of day is shown in the browser's time zone, or in UTC, and names it.
  test(`shows days in UTC: ${timezoneId}`, async (t) => {
    const service = await LocalService.start(t);
    const operator = await Console.open(t, browser, service, { timezoneId });
    // The agreement ends at 2099-12-31T23:59:59Z, which is in 2100 in time zones east of UTC.
    const { client, license } = await newLicense(operator, { name: "Zones" });
    await operator.visit("licenses?search=zones");
    assert.match((await operator.rows())[0] ?? "", /Dec 31, 2099$/);
    await operator.visit(`licenses/${license.id}`);
    await operator.page.getByText("Dec 31, 2099, 11:59 PM UTC", { exact: true }).waitFor();
    await operator.press("Configure");
    assert.equal(await operator.dialog.locator("[name=expires_at]").inputValue(), "2099-12-31");
    await operator.press("Cancel");
    const [{ id: entry }] = (await operator.api("GET", `audit?client=${client.id}`)).audit;
    for (const path of ["", `clients/${client.id}`, "licenses", `licenses/${license.id}`, "signers", "audit", `audit/${entry}`]) {
      await operator.visit(path);
      for (const time of await operator.page.locator("time").all()) {
        const [shown, at] = [await time.innerText(), (await time.getAttribute("datetime")) ?? ""];
        const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(at));
        assert.ok(shown === day || / (UTC|GMT[+-]\d+)$/.test(shown), `${path}: ${shown} is ${at}`);
      }
    }
  });
}

test("ignores answers for abandoned pages", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => { release = () => resolve(undefined); });
  /** @type {Promise<void> | undefined} */
  let answered;
  await operator.page.route("**/api/admin/licenses", (route) => {
    answered = route.fetch().then((response) => held.then(() => route.fulfill({ response }))).catch(() => {});
    return answered;
  });
  const cancelled = operator.page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/admin/licenses"));
  await operator.page.evaluate(() => { location.hash = "#/licenses"; });
  await operator.page.locator('h1:text-is("Licenses")').waitFor();
  assert.equal(await operator.page.locator('[aria-busy="true"]').count(), 1);
  await operator.visit("clients");
  assert.match((await cancelled).failure()?.errorText ?? "", /ABORTED/);
  release();
  await answered;
  await operator.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => drawn(undefined))));
  assert.equal(await operator.page.locator("h1").innerText(), "Clients");
  assert.equal(await operator.page.getByText("svc_").count(), 0);
});

test("a failed list offers a retry", async (t) => {
  const service = await LocalService.start(t);
  const operator = await Console.open(t, browser, service);
  await operator.page.route("**/api/admin/clients", (route) => route.abort(), { times: 1 });
  await operator.visit("clients");
  await operator.page.getByRole("alert").getByText("There was no answer.").waitFor();
  await operator.press("Retry");
  await operator.page.getByText("Lacre Development").waitFor();
});
