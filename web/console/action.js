// A change of the service's state, in a dialog: it asks, sends, and explains what became of the request.

import { Failure, settle } from "./api.js";
import { Dialog } from "./dialog.js";
import { button, element } from "./elements.js";
import { explain } from "./failures.js";
import { phrase } from "./language.js";
import { TEXTS } from "./texts.js";
import { Typed } from "./typed.js";

/** @typedef {import("./elements.js").Content} Content */
/** @typedef {import("./texts.js").Words} Words */
/** @typedef {import("./typed.js").Confirmation} Confirmation */

/**
 * @typedef {object} Intent
 * @property {string} title
 * @property {Content[]} [about]
 * @property {{ nodes: Content[], read: () => Record<string, unknown> | undefined }} [form] `read` shows what is wrong
 * @property {Confirmation} [typed] what the operator types as a confirmation
 * @property {Words} submit
 * @property {boolean} [isGrave]
 * @property {boolean} [isWide]
 * @property {(body: Record<string, unknown>, key: string) => Promise<any>} send
 * @property {(answer: any) => void} done
 * @property {() => void} changed the state of the page is old
 * @property {() => Promise<{ nodes: Content[], typed?: Confirmation }>} [lookAgain] after 412 and 409: the current state, to
 * which the next attempt refers
 * @property {Words} [lostSecret] what to do when the answer with the secret was lost
 */

/** The service looked at the request and refused it: the intent is over, and the next attempt is another one. */
const REFUSALS = ["stale", "conflict", "refused", "missing", "undone"];
/** The state is another one than the operator saw. */
const OUTDATED = ["stale", "conflict"];
/** After these it is not known whether it was done: what is sent must stay the same. */
const UNCERTAIN = ["unknown", "broken"];

export class Action {
  #intent;
  /** One for all attempts of the intent, so that it is carried out once. */
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

  /** A request under way is waited for: its answer may contain a secret. @param {boolean} isNavigation */
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
    // What did not reach the service (credentials, for example) says nothing about an earlier attempt whose answer was lost.
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

  /** The session ended, as the page says. */
  #end() {
    this.#isBusy = false;
    this.#dialog.close();
  }

  /** The first request was carried out: the page shows its result, and nothing is left to do here. */
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
