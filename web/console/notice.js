// Results of what the reader did: shown above the page until the next page, and announced.

import { find } from "./elements.js";

/** @param {string} text */
export function notify(text) {
  const notice = find("#notice", HTMLElement);
  notice.textContent = text;
}

/** What the next page shows. */
let pending = "";

/** Shows a result on the page that the reader arrives at next. @param {string} text */
export function notifyOnArrival(text) {
  pending = text;
}

/** The reader arrived at another page. */
export function silence() {
  find("#notice", HTMLElement).textContent = pending;
  pending = "";
}

/** Announces without showing, for what the eye sees anyway. @param {string} text */
export function announce(text) {
  find("#announcement", HTMLElement).textContent = text;
}
