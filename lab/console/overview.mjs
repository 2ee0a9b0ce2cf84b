// Measures in Chromium how long an operator waits for the console's overview, from navigation until everything is
// loaded, and lists the requests of one load. The first load opens the session, later ones reuse it; the browser's
// cache is empty each time.
//
// usage: node lab/console/overview.mjs CONSOLE_URL

import { launch } from "../../web/tests/harness/browser.js";

const LOADS = 21;

/** Runs in the page: milliseconds from navigation until the heading is shown and no part is loading. */
function usable() {
  return /** @type {Promise<number>} */ (new Promise((resolve) => {
    const look = () => {
      const isUsable = document.querySelector("#page h1") && !document.querySelector('[aria-busy="true"]');
      if (isUsable) resolve(performance.now()); else requestAnimationFrame(look);
    };
    look();
  }));
}

const [, , opening = ""] = process.argv;
const origin = new URL(opening).origin;
const browser = await launch();
try {
  const context = await browser.newContext();
  await load(opening);
  const loads = [];
  for (let done = 0; done < LOADS; done += 1) loads.push(await load(origin));
  const times = loads.map(({ time }) => time).sort((a, b) => a - b);
  const [{ requests } = { requests: [] }] = loads;
  const reads = requests.filter((path) => path.startsWith("/api/"));
  const [least, median, most] = [0, LOADS >> 1, LOADS - 1].map((place) => times[place]?.toFixed(0));
  console.log(`Overview: ${median} ms (${least} to ${most}), median of ${LOADS} loads.`);
  console.log(`Requests: ${requests.length}, of which to the admin API: ${reads.length} (${reads.join(", ")}).`);

  /** Loads the overview in a new page. @param {string} url */
  async function load(url) {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    /** @type {string[]} */
    const requests = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.goto(url);
    const time = await page.evaluate(usable);
    await page.close();
    return { time, requests };
  }
} finally {
  await browser.close();
}
