// Decides which browsers may capture: Safari on iPhone and iPad, Chrome on Android.
//
// The service applies the same rule, and one table of user agents tests both. A user agent is accepted if it
// contains exactly the products that these browsers name, in their order. Browsers and apps built on them add or
// omit products.

const SHAPE = /^Mozilla\/5\.0 \(([^)]*)\) AppleWebKit\/\S+ \(KHTML, like Gecko\) (.+)$/;
const PRODUCT = /^(?:([^/]+)\/[^/]+|Mobile)$/;

/**
 * Whether the service accepts a browser, given by its user agent or else the current one. The current browser must
 * also support `requestVideoFrameCallback`, which Safari has since 15.4.
 * @param {string} [userAgent]
 * @param {number} [touchPoints] more than one identifies an iPad whose user agent is a Macintosh's
 * @returns {boolean}
 */
export function isUserAgentSupported(userAgent, touchPoints = globalThis.navigator?.maxTouchPoints ?? 0) {
  if (userAgent !== undefined) return isAccepted(userAgent, touchPoints);
  // Server-side rendering has no video element and no camera.
  const video = globalThis.HTMLVideoElement?.prototype ?? {};
  return "requestVideoFrameCallback" in video && isAccepted(navigator.userAgent, touchPoints);
}

/**
 * Whether this may be Chrome on an Android tablet that requests desktop sites, the default on large tablets: its
 * user agent is then Chrome's on Linux. A Linux computer with a touch screen has the same user agent.
 */
export function isDesktopSite() {
  return navigator.maxTouchPoints > 1 && /\(X11; Linux [^)]*\) .* Chrome\/\S+ Safari\/\S+$/.test(navigator.userAgent);
}

/** Whether a supported browser is Safari, as opposed to Chrome. */
export function isApple() {
  return !/Android/.test(navigator.userAgent);
}

/**
 * @param {string} userAgent
 * @param {number} touchPoints
 */
function isAccepted(userAgent, touchPoints) {
  const [, platform, products] = SHAPE.exec(userAgent) ?? [];
  if (platform === undefined || products === undefined) return false;
  const names = productNames(products);
  const [device, ...rest] = platform.split("; ");
  switch (device) {
    case "iPhone":
    case "iPad":
      return names === "Version Mobile Safari";
    case "Macintosh":
      return names === "Version Safari" && touchPoints > 1;
    case "Linux":
      return /^Chrome (Mobile )?Safari$/.test(names) && /^Android /.test(rest[0] ?? "") && !rest.includes("wv");
    default:
      return false;
  }
}

/**
 * Product names of a user agent: `Version/17.4 Safari/604.1` → `Version Safari`. Parts that are not products become
 * a name that no browser has.
 * @param {string} products
 */
function productNames(products) {
  return products.split(" ").map((product) => {
    const match = PRODUCT.exec(product);
    return match ? (match[1] ?? product) : "?";
  }).join(" ");
}
