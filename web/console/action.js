// A dialog that changes the service's state: it asks for confirmation, sends the request, and explains the result.

import { Failure, settle } from "./api.js";
import { Dialog } from "./dialog.js";
import { button, element } from "../shared/elements.js";
import { explain } from "./failures.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";
import { Typed } from "./typed.js";

/** @typedef {import("../shared/elements.js").Content} Content */
/** @typedef {import("./texts.js").Words} Words */
/** @typedef {import("./typed.js").Confirmation} Confirmation */

/**
 * @typedef {object} Intent
 * @property {string} title
 * @property {Content[]} [about]
 * @property {{ nodes: Content[], read: () => Record<string, unknown> | undefined }} [form] `read` shows errors in the
 *   form and then returns undefined
 * @property {Confirmation} [typed] text that the operator types to confirm
 * @property {Words} submit
 * @property {boolean} [isGrave]
 * @property {boolean} [isWide]
 * @property {(body: Record<string, unknown>, key: string) => Promise<any>} send
 * @property {(answer: any) => void} done
 * @property {() => void} changed called when the page shows an outdated state
 * @property {() => Promise<{ nodes: Content[], typed?: Confirmation }>} [lookAgain] reads the current state after 412
 *   and 409, for the next attempt
 * @property {Words} [lostSecret] what to do if the response with the secret was lost
 */

/** The service definitely refused the request. The next attempt is a new intent with a new idempotency key. */
const REFUSALS = ["stale", "conflict", "refused", "missing", "undone"];
/** The state differs from the one that the operator saw. */
const OUTDATED = ["stale", "conflict"];
/** The outcome of the request is unknown. A retry must send the same body and idempotency key. */
const UNCERTAIN = ["unknown", "broken"];

export class Action {
  #intent;
  /** Idempotency key of all attempts of this intent, so that it is carried out only once. */
  #key = crypto.randomUUID();
  #isBusy = false;
  #isUncertain = false;
  #message = element("div", { class: "message", tabindex: "-1", role: "alert" });
  #submit;
  #cancel;
  #fields;
  #typed;
  #dialog;

  /** @param {Intent} intent */
  constructor(intent) {
    this.#intent = intent;
    const { title, about = [], form, typed, submit, isGrave, isWide = false } = intent;
    this.#submit = element("button", { class: isGrave ? "grave" : "primary" }, phrase(submit));
    this.#cancel = button(phrase(TEXTS.cancel), () => this.#close());
    this.#typed = typed ? new Typed(typed, () => this.#enable()) : undefined;
    const fields = [...(form?.nodes ?? []), ...(this.#typed ? [this.#typed.node] : [])];
    this.#fields = element("fieldset", { class: "fields" }, ...fields);
    const actions = element("div", { class: "actions" }, this.#submit, this.#cancel);
    const asked = fields.length ? [this.#fields] : [];
    const contents = element("form", { novalidate: "" }, ...about, ...asked, this.#message, actions);
    contents.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#attempt();
    });
    this.#enable();
    this.#dialog = new Dialog(title, [contents], { isWide, mayClose: (isNavigation) => this.#mayClose(isNavigation) });
  }

  /**
   * Whether the dialog may close. A pending request keeps it open, because the response may contain a secret.
   * @param {boolean} isNavigation
   */
  #mayClose(isNavigation) {
    if (this.#isBusy || (isNavigation && this.#isUncertain)) return false;
    if (!isNavigation) this.#refreshIfUncertain();
    return true;
  }

  #close() {
    if (this.#isBusy) return;
    this.#dialog.close();
    this.#refreshIfUncertain();
  }

  #refreshIfUncertain() {
    if (this.#isUncertain) this.#intent.changed();
  }

  #enable() {
    this.#submit.disabled = this.#isBusy || this.#typed?.matches() === false;
    this.#cancel.disabled = this.#isBusy;
    this.#fields.disabled = this.#isBusy || this.#isUncertain;
  }

  async #attempt() {
    if (this.#isBusy) return;
    const body = this.#intent.form ? this.#intent.form.read() : {};
    if (!body) return;
    const focused = document.activeElement;
    this.#isBusy = true;
    this.#enable();
    this.#message.replaceChildren(element("p", { class: "working" }, phrase(TEXTS.working)));
    try {
      const answer = await this.#intent.send(body, this.#key);
      this.#isBusy = this.#isUncertain = false;
      this.#dialog.close();
      this.#intent.done(answer);
    } catch (error) {
      await this.#explain(error);
      if (focused instanceof HTMLElement && document.activeElement === document.body) focused.focus();
    }
  }

  /** @param {unknown} thrown */
  async #explain(thrown) {
    const first = thrown instanceof Failure ? thrown : new Failure("broken", String(thrown));
    const error = this.#isUncertain && REFUSALS.includes(first.kind) ? await settle(first, this.#key) : first;
    const { kind } = error;
    if (kind === "session") return void this.#end();
    const now = OUTDATED.includes(kind) ? await this.#lookAgain() : [];
    this.#isBusy = false;
    // A failure before the service was reached (such as expired credentials) says nothing about an earlier attempt
    // whose response was lost.
    if (UNCERTAIN.includes(kind)) this.#isUncertain = true;
    if (REFUSALS.includes(kind)) [this.#key, this.#isUncertain] = [crypto.randomUUID(), false];
    const lost = kind === "repeated" && this.#intent.lostSecret;
    const advice = lost ? [element("p", {}, phrase(lost))] : [];
    this.#message.replaceChildren(element("div", { class: "failure" }, ...explain(error, true), ...advice, ...now));
    if (kind === "repeated") return void this.#conclude();
    this.#submit.textContent = phrase(REFUSALS.includes(kind) ? this.#intent.submit : TEXTS.tryAgain);
    this.#enable();
    this.#message.focus();
  }

  /** Closes the dialog because the session ended; the page explains it. */
  #end() {
    this.#isBusy = false;
    this.#dialog.close();
  }

  /** Closes the dialog because an earlier attempt had been carried out; the page shows its result. */
  #conclude() {
    this.#isUncertain = false;
    this.#intent.changed();
    this.#fields.remove();
    this.#submit.remove();
    this.#cancel.textContent = phrase(TEXTS.close);
    this.#cancel.disabled = false;
    this.#cancel.focus();
  }

  /** @returns {Promise<Content[]>} */
  async #lookAgain() {
    try {
      const now = await this.#intent.lookAgain?.();
      this.#intent.changed();
      if (now?.typed) this.#typed?.expect(now.typed);
      return now?.nodes ?? [];
    } catch (error) {
      return explain(error, false);
    }
  }
}

/** Opens the dialog of a change. @param {Intent} intent */
export function act(intent) {
  return new Action(intent);
}
