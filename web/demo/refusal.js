// For browsers that the service refuses: explains why, shows the way to a phone, and offers to simulate one.

import { find } from "../shared/elements.js";

/** @typedef {import("./backend.js").Config} Config */

/**
 * Shows the card. `onSwitch` receives whether a phone is simulated, which is only possible on the service's
 * machine.
 * @param {Config} config
 * @param {(simulated: boolean) => void} onSwitch
 */
export function showRefusal(config, onSwitch) {
  const address = `${location.origin}${location.pathname}`;
  find("#browser", HTMLElement).textContent = navigator.userAgent;
  find("#address", HTMLElement).textContent = address;
  find("#qr", HTMLImageElement).src = `qr.svg?text=${encodeURIComponent(address)}`;
  for (const selector of ["#switch", "#ways"]) find(selector, HTMLElement).hidden = !config.phone;
  find("#reverse", HTMLElement).textContent = reverseCommands(config);
  find("#simulate", HTMLInputElement).addEventListener("change", ({ target }) => {
    onSwitch(target instanceof HTMLInputElement && target.checked);
  });
  find("#refusal", HTMLElement).hidden = false;
}

/**
 * The `adb` commands that let a phone reach this machine's ports under its own `localhost`.
 * @param {Config} config
 */
function reverseCommands({ base_url, license_url, upload_url }) {
  const ports = [location.origin, base_url, license_url, upload_url].map((url) => new URL(url).port);
  return ports.map((port) => `adb reverse tcp:${port} tcp:${port}`).join("\n");
}

/**
 * Makes this browser report the phone's user agent and touch points, or its own again.
 * @param {Config["phone"] | undefined} phone
 */
export function present(phone) {
  const said = { userAgent: phone?.user_agent, maxTouchPoints: phone?.touch_points };
  for (const [name, value] of Object.entries(said)) {
    // The browser's own value is on the prototype, so deleting the override restores it.
    if (value === undefined) Reflect.deleteProperty(navigator, name);
    else Object.defineProperty(navigator, name, { value, configurable: true });
  }
}
