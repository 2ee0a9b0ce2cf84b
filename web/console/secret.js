// Shows a secret that the service returns only once. It is kept nowhere else in the page, and removed when the
// dialog closes.

import { copy } from "./copy.js";
import { Dialog } from "./dialog.js";
import { button, element } from "../shared/elements.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";

/**
 * @param {object} issued
 * @param {string} issued.title
 * @param {string} issued.secret
 * @param {import("./texts.js").Words} [issued.more] what the secret replaces, or where it leads
 */
export function showSecret({ title, secret, more }) {
  let isCopied = false;
  let isAsked = false;
  const code = element("code", { class: "secret", id: "secret", tabindex: "0" }, secret);
  const message = element("p", { class: "message", role: "status" });
  const copying = button(phrase(TEXTS.copy), async () => {
    isCopied = (await copy(secret)) || isCopied;
    message.textContent = phrase(isCopied ? TEXTS.copied : TEXTS.notCopied);
  }, { class: "primary" });
  const closing = button(phrase(TEXTS.close), () => {
    if (mayClose()) finish();
  });
  const note = element("p", { class: "warning" }, phrase(TEXTS.secretOnce));
  const about = more ? [element("p", {}, phrase(more))] : [];
  const actions = element("div", { class: "actions" }, copying, closing);
  const contents = [...about, note, code, message, actions];
  // Copying the selected text by hand counts too.
  code.addEventListener("copy", () => { isCopied = true; });

  function mayClose() {
    if (isCopied || isAsked) return true;
    isAsked = true;
    message.textContent = phrase(TEXTS.secretNotCopied);
    closing.textContent = phrase(TEXTS.closeAnyway);
    return false;
  }

  const finish = () => {
    removeEventListener("beforeunload", warn);
    dialog.close();
  };
  const dialog = new Dialog(title, contents, { mayClose: (isNavigation) => !isNavigation && mayClose() });
  const warn = (/** @type {BeforeUnloadEvent} */ event) => {
    if (!isCopied && code.isConnected) event.preventDefault();
  };
  addEventListener("beforeunload", warn);
}
