// Measures how long a person waits for the component in Chromium, at three networks and three sizes of photos: from
// `open()` to the first preview frame, and from the tap on "use this photo" to the signed one. Prints a Markdown
// table of medians in seconds, with the least and the most, and of the bytes that the phone gets from the service. `--before FOLDER` alternates with another version of web/src
// in the same run.
//
// usage: node lab/waiting/measure.mjs [--before FOLDER] [--rounds N]   (after lab/scripts/measure-waiting has built)

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { startBrowser } from "../../web/tests/harness/browser.js";
import { scene } from "../../web/tests/harness/scene.js";
import { LocalService } from "../../web/tests/harness/service.js";

/** Round trips in milliseconds, and bits a second. */
const NETWORKS = {
  "3G": { latency: 100, bits: 750_000 },
  "4G": { latency: 40, bits: 9_000_000 },
  "Wi-Fi": { latency: 5, bits: 50_000_000 },
};
/** Sizes of photos, with the resolution in the license's terms. */
const SIZES = [
  { width: 1280, height: 720, resolution: "SD" },
  { width: 1920, height: 1080, resolution: "HD" },
  { width: 4000, height: 3000, resolution: "MAX" },
];

const { values } = parseArgs({ options: { before: { type: "string" }, rounds: { type: "string", default: "3" } } });
const versions = values.before ? { before: values.before, now: undefined } : { now: undefined };
/** What ends with the run, last first. @type {(() => void | Promise<void>)[]} */
const endings = [];
const run = { after: (ended) => endings.push(ended) };

const columns = Object.keys(versions).map((name) => `to the preview, ${name} | to done, ${name} | kB, ${name}`);
console.log(`| Photo | Network | ${columns.join(" | ")} |`);
console.log(`|---|---|${"---:|---:|---:|".repeat(columns.length)}`);
try {
  for (const size of SIZES) await measureSize(size);
} finally {
  for (const end of endings.reverse()) await end();
}

async function measureSize({ resolution, ...frames }) {
  const service = await LocalService.start(run);
  const { clients } = await service.administer("client", "list");
  const { id } = clients.find(({ name }) => name === "Lacre Development");
  const terms = ["--expires-at", "2099-01-01", "--origin", "http://localhost:*", "--recapture-gate", "OFF", "--resolution", resolution];
  const { license_key } = await service.administer("license", "issue", "--client", id, "--environment", "sand", ...terms);
  service.variables["WAITING_KEY"] = license_key;
  const browser = await startBrowser(run, { frames });
  for (const [network, { latency, bits }] of Object.entries(NETWORKS)) {
    const waits = Object.fromEntries(Object.keys(versions).map((name) => [name, []]));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, folder] of Object.entries(versions)) {
        waits[name].push(await capture({ service, browser, folder, network: { latency, download: bits / 8, upload: bits / 8 } }));
      }
    }
    const cells = Object.values(waits).flatMap((rounds) => [
      ...[0, 1].map((step) => seconds(rounds.map((each) => each[step]))),
      (Math.max(...rounds.map(([, , bytes]) => bytes)) / 1000).toFixed(0),
    ]);
    console.log(`| ${frames.width} × ${frames.height} | ${network} | ${cells.join(" | ")} |`);
  }
}

/** One capture; returns both waits in milliseconds, and the bytes that the phone got. */
async function capture({ service, browser, folder, network }) {
  const ends = [];
  const scope = { after: (ended) => ends.push(ended) };
  try {
    const { phone } = await scene(scope, browser, { service, attributes: { "license-key": service.get("WAITING_KEY") } });
    // Twelve megapixels over 3G take more than the default half minute.
    phone.page.setDefaultTimeout(180_000);
    if (folder) {
      await phone.page.route("**/src/**", async (route) => {
        const path = new URL(route.request().url()).pathname.replace("/src/", "");
        await route.fulfill({ contentType: "text/javascript", body: await readFile(join(folder, path), "utf8") });
      });
      await phone.visit(phone.page.url());
    }
    const token = await service.createSession("WAITING_KEY");
    await phone.limitNetwork(network);
    const received = await receivedBy(phone, new URL(phone.page.url()).origin);
    const opening = performance.now();
    await phone.openCamera({ token });
    await phone.page.waitForFunction(() => (window.camera.shadowRoot?.querySelector("video")?.currentTime ?? 0) > 0);
    const previewed = performance.now();
    await phone.tap("shutter");
    await phone.waitForState("review");
    const confirming = performance.now();
    await phone.tap("confirm");
    await phone.event("uploaded");
    const done = performance.now();
    return [previewed - opening, done - confirming, await received()];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Counts the bytes on the network of responses to a phone, headers included, except those of the page itself. */
async function receivedBy(phone, page) {
  /** The bytes of each request, which the component may abort once it has the body. */
  const received = new Map();
  const pending = new Set();
  const debugging = await phone.protocol();
  await debugging.send("Network.enable");
  const add = (requestId, bytes) => {
    if (received.has(requestId)) received.set(requestId, received.get(requestId) + bytes);
  };
  debugging.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (!request.url.startsWith("http") || request.url.startsWith(page)) return;
    pending.add(requestId);
    received.set(requestId, 0);
  });
  debugging.on("Network.responseReceived", ({ requestId, response }) => add(requestId, response.encodedDataLength));
  debugging.on("Network.dataReceived", ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  debugging.on("Network.loadingFailed", ({ requestId }) => pending.delete(requestId));
  debugging.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (pending.delete(requestId)) received.set(requestId, encodedDataLength);
  });
  return async () => {
    while (pending.size) await new Promise((resolve) => setTimeout(resolve, 50));
    return [...received.values()].reduce((sum, bytes) => sum + bytes, 0);
  };
}

/** The median in seconds, and of several rounds the least and the most. @param {number[]} milliseconds */
function seconds(milliseconds) {
  const sorted = [...milliseconds].sort((a, b) => a - b).map((each) => (each / 1000).toFixed(1));
  const median = sorted[Math.floor(sorted.length / 2)];
  return sorted.length > 1 ? `${median} (${sorted[0]} to ${sorted.at(-1)})` : median;
}
