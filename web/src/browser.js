// Which browsers may capture: Safari on iPhone and iPad, Chrome on Android.
//
// The service decides by the same rule (and the same table of user agents tests both): a user agent is accepted when it is
// made of exactly the products that these browsers name, in their order. What is built on them names one more, or one fewer.

const SHAPE = /^Mozilla\/5\.0 \(([^)]*)\) AppleWebKit\/\S+ \(KHTML, like Gecko\) (.+)$/;
const PRODUCT = /^(?:([^/]+)\/[^/]+|Mobile)$/;

/**
 * Whether the service accepts a browser: one by its user agent, or else the current one, which must have what is used
 * here, too; Safari has since 15.4.
 * @param {string} [userAgent]
 * @param {number} [touchPoints] by which an iPad that presents itself as a Macintosh is known
 * @returns {boolean}
 */
export function isUserAgentSupported(userAgent, touchPoints = globalThis.navigator?.maxTouchPoints ?? 0) {
  if (userAgent !== undefined) return isAccepted(userAgent, touchPoints);
  // Where pages are rendered on a server there is no video, and no camera.
  const video = globalThis.HTMLVideoElement?.prototype ?? {};
  return "requestVideoFrameCallback" in video && isAccepted(navigator.userAgent, touchPoints);
}

/**
 * Whether this may be Chrome on an Android tablet that asks for desktop sites, the default of large ones: its user agent is
 * then that of Chrome on Linux. A Linux computer with a touch screen has the same.
 */
export function isDesktopSite() {
  return navigator.maxTouchPoints > 1 && /\(X11; Linux [^)]*\) .* Chrome\/\S+ Safari\/\S+$/.test(navigator.userAgent);
}

/** Whether a browser that is supported is Safari, and no Chrome. */
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
 * `Version/17.4 Safari/604.1` → `Version Safari`. What is no list of products gives no name that a browser has.
 * @param {string} products
 */
function productNames(products) {
  return products.split(" ").map((product) => {
    const match = PRODUCT.exec(product);
    return match ? (match[1] ?? product) : "?";
  }).join(" ");
}
