// The usual setup of a test: a service, a page that uses it, and a phone that shows the page. They end with the test.

import { makeFramesUnique } from "./clip.js";
import { servePage } from "./pages.js";
import { Phone } from "./phone.js";
import { LocalService } from "./service.js";

/**
 * @typedef {object} SceneOptions
 * @property {LocalService} [service] by default a new one. A service accepts each frame only once, so the frames of scenes
 *   that share a service are made unique.
 * @property {Record<string, string>} [attributes] of the element, in addition to its URLs and `license-key`, or in place of
 *   them
 * @property {Record<string, string>} [scripts] see `servePage`
 */

/**
 * @param {import("./service.js").Scope} scope
 * @param {import("playwright-core").Browser} browser
 * @param {SceneOptions & import("./phone.js").PhoneOptions} [options]
 */
export async function scene(scope, browser, { service, attributes, scripts, ...phoneOptions } = {}) {
  const used = service ?? (await LocalService.start(scope));
  const port = await servePage(scope, used, {
    attributes: { "license-key": used.get("LICENSE_KEY"), ...attributes },
    ...(scripts ? { scripts } : {}),
  });
  const unique = service ? { before: makeFramesUnique } : {};
  const phone = await Phone.open(scope, browser, `http://localhost:${port}/`, { ...unique, ...phoneOptions });
  return { service: used, phone };
}
