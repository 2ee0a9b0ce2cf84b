// Detects from the user agent on which system and in which app or browser the page is open. This is only used to
// explain it and to choose where a tap leads; the component decides whether a browser may capture.

/**
 * Patterns of apps and browsers, in the order in which they are tested. Apps come first because their user agents
 * also name the browser engine that they use.
 * @type {[string, RegExp][]}
 */
const NAMES = [
  ["Messenger", /FBAN\/Messenger|FB_IAB\/(Orca|MESSENGER)/],
  ["Threads", /Barcelona/],
  ["Instagram", /Instagram/],
  ["Facebook", /FBA[NV]\/|FB_IAB/],
  ["TikTok", /TikTok|musical_ly|BytedanceWebview|trill_/i],
  ["WhatsApp", /WhatsApp/],
  ["Telegram", /Telegram/],
  ["LinkedIn", /LinkedInApp/],
  ["X", /Twitter/],
  ["Snapchat", /Snapchat/],
  ["Pinterest", /Pinterest/],
  ["LINE", / Line\//],
  ["Google", /GSA\//],
  ["Samsung Internet", /SamsungBrowser/],
  ["Firefox", /Firefox|FxiOS/],
  ["Microsoft Edge", /Edg(A|iOS)?\//],
  ["Opera", /OPR\/|OPT\/|OPiOS/],
  ["DuckDuckGo", /DuckDuckGo|Ddg\//],
  ["Mi Browser", /MiuiBrowser/],
  ["Huawei Browser", /HuaweiBrowser/],
  ["Chrome", /CriOS/],
];

/**
 * @typedef {object} Surroundings
 * @property {"Android" | "iOS" | undefined} system undefined on a computer
 * @property {string | undefined} name name of the app or browser, if known
 */

/**
 * @param {string} userAgent
 * @param {number} touchPoints more than one identifies an iPad whose user agent is a Macintosh's
 * @returns {Surroundings}
 */
export function surroundings(userAgent, touchPoints) {
  const isApple = /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);
  const system = /Android/.test(userAgent) ? "Android" : isApple ? "iOS" : undefined;
  return { system, name: NAMES.find(([, sign]) => sign.test(userAgent))?.[0] };
}

/**
 * An address that opens a page in a browser that can take photos: Chrome on Android, Safari on iOS 17 and later. It
 * has no fallback, because that would reopen the page here.
 * @param {"Android" | "iOS"} system
 * @param {string} address
 */
export function addressOutside(system, address) {
  const { protocol, host, pathname, search } = new URL(address);
  if (system === "iOS") return `x-safari-${address}`;
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};package=com.android.chrome;end`;
}
