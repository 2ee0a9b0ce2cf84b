// Messages about completed actions: shown above the page until the next navigation, and announced to screen
// readers.

import { find } from "../shared/elements.js";

/** @param {string} text */
export function notify(text) {
  const notice = find("#notice", HTMLElement);
  notice.textContent = text;
}

/** The message for the next page. */
let pending = "";

/** Shows a message on the next page. @param {string} text */
export function notifyOnArrival(text) {
  pending = text;
}

/** Replaces the message after navigation. */
export function silence() {
  find("#notice", HTMLElement).textContent = pending;
  pending = "";
}

/** Announces a text to screen readers without showing it, for changes that are visible anyway. @param {string} text */
export function announce(text) {
  find("#announcement", HTMLElement).textContent = text;
}
