// Copying to the clipboard.

import { button, svg } from "../shared/elements.js";
import { phrase } from "./language.js";
import { announce } from "./notice.js";
import { TEXTS } from "./texts.js";

/** How long the button shows that it copied, in milliseconds. */
const CONFIRMED = 2_000;

/** A small button that copies the text beside it. @param {string} text */
export function copyButton(text) {
  const created = button("", async () => {
    const copied = await copy(text);
    announce(phrase(copied ? TEXTS.copied : TEXTS.notCopied));
    created.replaceChildren(copied ? "✓" : "✕");
    setTimeout(() => created.replaceChildren(icon()), CONFIRMED);
  }, { class: "copy", "aria-label": phrase(TEXTS.copyNamed, { text }), title: phrase(TEXTS.copy) });
  created.append(icon());
  return created;
}

/** The icon: two overlapping sheets. */
function icon() {
  const sheets = [["2", "2"], ["6", "5"]].map(([x = "", y = ""]) => svg("rect", { x, y, width: "8", height: "9", rx: "1.5" }));
  return svg("svg", { viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true" }, ...sheets);
}

/** @param {string} text @returns {Promise<boolean>} whether the browser allowed it */
export function copy(text) {
  return navigator.clipboard.writeText(text).then(() => true, () => false);
}
