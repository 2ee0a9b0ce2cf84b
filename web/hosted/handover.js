// Shown where no photo can be taken: leads to a browser that can take it, on this device or another, and follows
// the session's progress there. Loaded only in this case.

import { qrCode } from "./qr.js";
import { addressOutside, surroundings } from "./surroundings.js";
import { handoverTextsFor } from "./handover-texts.js";

/**
 * Polling of the session's progress: first interval, longest interval, growth factor, and total duration; times in
 * milliseconds.
 */
const POLL = { first: 3_000, last: 15_000, growth: 1.05, during: 35 * 60 * 1000 };
/** An app that opens a link in the browser does so within this time, in milliseconds. */
const LEAVING = 2_000;

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {import("./page.js").Action} Action */
/** @typedef {import("./service.js").Progress} Progress */

/**
 * Functions and facts of the page that this module uses.
 * @typedef {object} Page
 * @property {string} language
 * @property {boolean} isOld whether the browser could take photos in a newer version
 * @property {boolean} isDesktopSite
 * @property {() => Promise<Progress | null | undefined>} ask asks for the session's progress
 * @property {(words: Words, actions: Action[], picture?: Element) => void} show
 * @property {(text: string) => void} say
 * @property {(progress: Progress | null) => boolean} ends shows the end of the session if it has ended, and returns
 *   whether it has
 * @property {(progress: Progress) => boolean} counts whether more photos have arrived since the last call
 */

/**
 * Shows the way to another browser and follows the session.
 * @param {string} address the session's link
 * @param {Page} page
 */
export async function handOver(address, page) {
  const texts = handoverTextsFor(page.language);
  const { system, name } = surroundings(navigator.userAgent, navigator.maxTouchPoints);
  const copy = {
    label: texts.copy,
    // If copying fails, the address is shown as text.
    act: () => navigator.clipboard.writeText(address).then(() => page.say(texts.copied), () => page.say(address)),
  };
  const code = () => qrCode(address, texts.code);
  if (page.isOld) page.show(texts.oldBrowser, [copy], code());
  else if (system) {
    const { title, inside, elsewhere, open, stays, steps } = texts[system];
    const where = name ? inside.replace("{app}", name) : elsewhere;
    /** @type {Action} */
    const leave = {
      label: open,
      href: addressOutside(system, address),
      act: () => setTimeout(() => {
        if (!document.hidden) page.show({ title: stays, body: [...steps, texts.otherDevice] }, [leave, copy], code());
      }, LEAVING),
    };
    page.show({ title, body: [where] }, [leave, copy]);
  } else page.show(page.isDesktopSite ? texts.desktopSite : texts.computer, [copy], code());

  const until = Date.now() + POLL.during;
  for (let wait = POLL.first; Date.now() < until; wait = Math.min(wait * POLL.growth, POLL.last)) {
    const progress = document.hidden ? undefined : await page.ask();
    if (progress !== undefined && page.ends(progress)) return;
    if (progress && page.counts(progress)) page.show(texts.following, [copy]);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
