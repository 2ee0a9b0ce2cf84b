// Where the page is open, by what the user agent says: which system, and which app or browser. It is only said to the person, and
// decides where a tap leads; whether a browser may capture is the component's rule.

/**
 * What an app's or a browser's user agent has, in the order in which they are looked for: apps name the browser, too, whose
 * engine they use.
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
 * @property {string | undefined} name of the app or browser, where it is known
 */

/**
 * @param {string} userAgent
 * @param {number} touchPoints by which an iPad that presents itself as a Macintosh is known
 * @returns {Surroundings}
 */
export function surroundings(userAgent, touchPoints) {
  const isApple = /iPhone|iPad/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);
  const system = /Android/.test(userAgent) ? "Android" : isApple ? "iOS" : undefined;
  return { system, name: NAMES.find(([, sign]) => sign.test(userAgent))?.[0] };
}

/**
 * The address that opens a page in the browser that takes the photos: Chrome on Android, Safari on iOS 17 and later. Without a
 * fallback, which would open the page here again.
 * @param {"Android" | "iOS"} system
 * @param {string} address
 */
export function addressOutside(system, address) {
  const { protocol, host, pathname, search } = new URL(address);
  if (system === "iOS") return `x-safari-${address}`;
  return `intent://${host}${pathname}${search}#Intent;scheme=${protocol.slice(0, -1)};package=com.android.chrome;end`;
}
