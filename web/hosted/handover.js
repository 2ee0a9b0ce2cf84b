// Where no photo can be taken: the way to the browser that takes them, on this device or on another one, which is followed from
// here. Loaded only there.

import { qrCode } from "./qr.js";
import { addressOutside, surroundings } from "./surroundings.js";
import { handoverTextsFor } from "./handover-texts.js";

/** A computer asks so often how far the phone is, at first and at last, and so long; in milliseconds. */
const POLL = { first: 3_000, last: 15_000, growth: 1.05, during: 35 * 60 * 1000 };
/** An app that lets a link out does so within this, in milliseconds. */
const LEAVING = 2_000;

/** @typedef {import("./texts.js").Words} Words */
/** @typedef {import("./page.js").Action} Action */
/** @typedef {import("./service.js").Progress} Progress */

/**
 * What this needs of the page, which is loaded already.
 * @typedef {object} Page
 * @property {string} language
 * @property {boolean} isOld whether the browser takes photos, but for its version
 * @property {boolean} isDesktopSite
 * @property {() => Promise<Progress | null | undefined>} ask how far the session is
 * @property {(words: Words, actions: Action[], picture?: Element) => void} show
 * @property {(text: string) => void} say
 * @property {(progress: Progress | null) => boolean} ends shows how the session ended, where it did
 * @property {(progress: Progress) => boolean} counts whether more photos have arrived than before
 */

/**
 * Shows the way, and follows the session.
 * @param {string} address the link
 * @param {Page} page
 */
export async function handOver(address, page) {
  const texts = handoverTextsFor(page.language);
  const { system, name } = surroundings(navigator.userAgent, navigator.maxTouchPoints);
  const copy = {
    label: texts.copy,
    // What cannot be copied can be read.
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
