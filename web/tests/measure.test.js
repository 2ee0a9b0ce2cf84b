// Measures and prints how long a person waits, and how much of it is due to the service. It never fails for slowness,
// because machines differ.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { startBrowser } from "./harness/browser.js";
import { scene } from "./harness/scene.js";

const RUNS = 3;
const browser = await startBrowser({ after });

/** Runs in the page before its scripts: records tasks that block the main thread for more than 50 ms. */
function watchLongTasks() {
  window.longTasks = [];
  const watch = (/** @type {PerformanceObserverEntryList} */ list) =>
    window.longTasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })));
  new PerformanceObserver(watch).observe({ type: "longtask", buffered: true });
}

/** Runs in the page: returns performance marks, network requests and long tasks. */
function readTimings() {
  const part = (/** @type {PerformanceEntry} */ { name, startTime, duration }) => ({ name, startTime, duration });
  return {
    marks: Object.fromEntries(performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime])),
    encodings: performance.getEntriesByName("svc-camera:encode", "measure").map(part),
    requests: performance.getEntriesByType("resource").map(part),
    longTasks: window.longTasks,
  };
}

test("measures how long a person waits", async (t) => {
  for (let run = 1; run <= RUNS; run += 1) {
    const { service, phone } = await scene(t, browser, { before: watchLongTasks });
    await phone.openCamera({ token: await service.createSession() });
    await phone.capture();
    await phone.event("uploaded");
    const { marks, encodings, requests, longTasks } = await phone.page.evaluate(readTimings);

    /** @param {string} name */
    const mark = (name) => {
      const at = marks[`svc-camera:${name}`];
      assert.ok(at !== undefined, name);
      return at;
    };
    /** @param {string} part of its address */
    const request = (part) => {
      const found = requests.filter(({ name }) => name.includes(part));
      assert.equal(found.length, 1, part);
      return found[0]?.duration ?? NaN;
    };
    const ms = (/** @type {number} */ time) => `${Math.round(time)} ms`;
    const share = (/** @type {number} */ part, /** @type {number} */ whole) => `${Math.round((100 * part) / whole)} %`;

    const opening = mark("preview") - mark("open");
    const [validate, load] = [request("/validate"), request("/web/sessions/")];
    t.diagnostic(`run ${run}: open → preview ${ms(opening)}, in the service ${share(validate + load, opening)} `
      + `(validate ${ms(validate)}, load ${ms(load)})`);
    const sending = mark("uploaded") - mark("confirm");
    const [upload, ingest] = [request(service.get("AWS_ENDPOINT_URL_S3")), request("/web/ingest")];
    t.diagnostic(`run ${run}: confirm → uploaded ${ms(sending)}, in the service ${share(upload + ingest, sending)} `
      + `(upload ${ms(upload)}, ingest ${ms(ingest)})`);

    /** @param {{ startTime: number, duration: number }} one @param {{ startTime: number, duration: number }} other */
    const overlap = (one, other) =>
      one.startTime < other.startTime + other.duration && other.startTime < one.startTime + one.duration;
    const inUse = longTasks.filter(({ startTime }) => startTime >= mark("open"));
    const outside = inUse.filter((task) => !encodings.some((encoding) => overlap(task, encoding)));
    const durations = inUse.map(({ duration }) => ms(duration)).join(", ");
    const elsewhere = outside.map(({ startTime }) => `${ms(startTime - mark("open"))} after open()`).join(", ");
    assert.equal(encodings.length, 1);
    t.diagnostic(`run ${run}: encoding ${ms(encodings[0]?.duration ?? NaN)}; `
      + `tasks over 50 ms: ${inUse.length} [${durations}], outside of the encoding: ${outside.length} [${elsewhere}]`);
  }
});
