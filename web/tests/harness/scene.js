// The usual setup of a test: a service, a page that uses it, and a phone that shows the page. They end with the test.

import { makeFramesUnique } from "./clip.js";
import { servePage } from "./pages.js";
import { Phone } from "./phone.js";
import { LocalService } from "./service.js";

/**
 * @typedef {object} SceneOptions
 * @property {LocalService} [service] by default a new one; one that several scenes share takes a frame once, so that theirs are
 *   made unique
 * @property {Record<string, string>} [attributes] of the element, beside or instead of its URLs and `license-key`
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
