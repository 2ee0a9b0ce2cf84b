// The guide: who asks for the photos, which ones, what has become of each, and how long there is. The page loads it
// while it asks for the session's progress.

import { element } from "../shared/elements.js";
import { guideTextsFor } from "./guide-texts.js";
import { receiptOf } from "./receipt.js";

/** @typedef {import("./service.js").Progress} Progress */
/** @typedef {import("./service.js").Results} Results */
/** @typedef {{ photo_order: number, total_photos: number, captured_count: number, steps?: import("../src/delivery.js").Session["steps"] }} Asked */
/**
 * Functions of the page. A module that both files imported would be a file of its own, for which the page would wait.
 * @typedef {{ filled: typeof import("../src/texts.js").filled, textIn: typeof import("../src/translations.js").textIn }} Wording
 */
/** @typedef {{ title: string, state: "captured" | "skipped" | "asked" | "pending" }} Place */

const MINUTE = 60_000;
/** How often the time that is left is written, in milliseconds. */
const TICK = 5_000;
/** Minutes before the end at which the person is told, politely. */
const ALARMS = [2, 5];
/** Time for the service's clock to pass the end, too, in milliseconds. */
const GRACE = 2_000;

export class Guide {
  texts;
  /** @type {Progress} */
  #progress = /** @type {never} */ (undefined);
  /** @type {NonNullable<Progress["introduction"]>["sender"]} */
  #sender;
  #wording;
  /** The places of the session, in order. @type {Place[]} */
  #places = [];
  #strip = element("div");
  #alarm = element("p", { class: "unseen", role: "status" });
  /** The last alarm that was given, in minutes. */
  #told = Infinity;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /**
   * @param {string} language
   * @param {Wording} wording
   */
  constructor(language, wording) {
    this.#wording = wording;
    this.texts = guideTextsFor(language);
  }

  /** Learns how far the session is. @param {Progress} progress with the introduction */
  learn(progress) {
    this.#progress = progress;
    this.#sender = progress.introduction?.sender;
    const { titles = [] } = progress.introduction ?? {};
    // The titles are those of the places that were not skipped. Only the session's steps name the skipped ones.
    const isKnown = this.#places.filter(({ state }) => state !== "skipped").length === titles.length;
    if (!isKnown) this.#places = titles.map((title) => ({ title: this.#own(title), state: "pending" }));
    this.#count(progress.captured_count);
  }

  /** The sender's name, if it is known. */
  get sender() {
    return this.#sender?.name;
  }

  /** Whether the session has steps of its own: their titles are the labels of its photos. */
  get isLabelled() {
    return Boolean(this.#progress.kit || this.#progress.step);
  }

  /** The places of the session. */
  get places() {
    return this.#places;
  }

  /** Whether the time is over. */
  get isOver() {
    return Date.now() >= this.#progress.endsAt;
  }

  /** What the camera's dialog shows beside the picture. */
  get content() {
    this.#showPlaces();
    return [this.#strip, this.time(), this.#alarm];
  }

  /** Follows what the session asks for. @param {Asked} asked */
  follow({ steps, photo_order, captured_count }) {
    if (steps) {
      this.#places = steps.map(({ step, state }, index) => ({
        title: this.#own(step.title), state: state === "pending" && index + 1 === photo_order ? "asked" : state,
      }));
    } else this.#count(captured_count);
    this.#showPlaces();
  }

  /** All photos have arrived. */
  complete() {
    this.stop();
    this.#count(Infinity);
  }

  /**
   * Writes how long there is, until the end or `stop`.
   * @param {(text: string) => void} onAlarm called when little time is left
   * @param {() => void} onEnd
   */
  watch(onAlarm, onEnd) {
    this.stop();
    const tick = () => {
      const minutes = (this.#progress.endsAt - Date.now()) / MINUTE;
      for (const shown of document.querySelectorAll(".time")) shown.textContent = this.#untilWhen();
      const alarm = ALARMS.find((least) => minutes <= least);
      if (alarm !== undefined && alarm < this.#told && minutes > 0) {
        this.#told = alarm;
        const text = this.#filled(this.texts.alarm, { left: this.#left() });
        this.#alarm.textContent = text;
        onAlarm(text);
      }
      if (minutes * MINUTE > -GRACE) return;
      this.stop();
      onEnd();
    };
    this.#timer = setInterval(tick, TICK);
    tick();
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** A paragraph that says until when the link is valid; `watch` keeps it current. */
  time() {
    return element("p", { class: "time" }, this.#untilWhen());
  }

  /** The sender's logo, or else the name. @returns {Element[]} */
  head() {
    if (!this.#sender) return [];
    const { name, logo } = this.#sender;
    if (!logo) return [element("p", {}, name)];
    const bytes = Uint8Array.from(atob(logo), (character) => character.charCodeAt(0));
    const src = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    return [element("img", { src, alt: name })];
  }

  /** Title of the page before the first photo, if the sender is known. */
  title() {
    const { length } = this.#places;
    const [one, many] = this.texts.asks;
    return this.sender && length ? this.#filled(length === 1 ? one : many, { sender: this.sender, count: length }) : undefined;
  }

  /** What the person is told before the first photo: what for, which photos, and how long there is. */
  introduction() {
    const { texts } = this;
    const paragraphs = [];
    if (this.#sender) {
      paragraphs.push(element("p", {}, element("strong", {}, texts.purpose), ` ${this.#own(this.#sender.purpose)}`));
    }
    const { length } = this.#places;
    if (length) {
      const text = this.#filled(texts.photos[length === 1 ? 0 : 1], { count: length, titles: this.#listed(this.#places) });
      paragraphs.push(element("p", {}, text));
    }
    const condition = this.#sender?.condition;
    if (condition) paragraphs.push(element("p", {}, element("strong", {}, this.#own(condition))));
    return [...paragraphs, this.time()];
  }

  /** What to do if one cannot take the photos now, and the privacy notice. */
  more() {
    const { texts } = this;
    const cannot = element("p", {}, this.#filled(texts.cannot, { time: this.#end(), sender: this.#asker() }));
    if (!this.#sender) return [cannot];
    const { controller, contact, duration, sharing, responsibilities, notice_url } = this.#sender;
    const link = notice_url && element("a", { href: notice_url, rel: "noreferrer", target: "_blank" }, texts.notice);
    /** @type {[keyof typeof texts.terms, (string | Node)[] | undefined][]} */
    const entries = [
      ["controller", [controller]], ["contact", [contact]], ["data", [texts.data]], ["duration", [this.#own(duration)]],
      ["sharing", [this.#own(sharing)]], ["responsibilities", [this.#own(responsibilities)]],
      ["rights", texts.rights], ["notice", link ? [link] : undefined],
    ];
    const terms = entries.flatMap(([name, told = []]) =>
      told.length ? [element("dt", {}, texts.terms[name]), ...told.map((text) => element("dd", {}, text))] : []);
    return [cannot, element("details", {}, element("summary", {}, texts.privacy), element("dl", {}, ...terms))];
  }

  /** The places with what became of each, as a list. @param {Record<string, string>} [attributes] */
  list(attributes = {}) {
    const { list, states } = this.texts;
    const marks = { captured: "✓", skipped: "–" };
    const items = this.#places.map(({ title, state }, index) => element("li",
      { "data-state": state, ...(state === "asked" ? { "aria-current": "step" } : {}) },
      element("span", { class: "mark", "aria-hidden": "true" }, state in marks ? marks[/** @type {keyof typeof marks} */ (state)] : String(index + 1)),
      element("span", { class: "title" }, title, element("span", { class: "state" }, ` (${states[state]})`))));
    return element("ol", { class: "strip", "aria-label": list, ...attributes }, ...items);
  }

  /** How many photos were skipped, to be added to how many were sent. */
  skipped() {
    const count = this.#places.filter(({ state }) => state === "skipped").length;
    const [one, many] = this.texts.skipped;
    return count ? this.#filled(count === 1 ? one : many, { count }) : "";
  }

  /** How many photos are left, for a person who goes on here with what another device began. */
  left() {
    const count = this.#places.filter(({ state }) => state === "asked" || state === "pending").length;
    const [one, many] = this.texts.elsewhere;
    return this.#filled(count === 1 ? one : many, { count });
  }

  /** The session has expired: what has arrived, and what is missing. */
  ended() {
    const { texts } = this;
    this.#places = this.#places.map(({ title, state }) => ({ title, state: state === "asked" ? "pending" : state }));
    const asked = this.#places.filter(({ state }) => state !== "skipped");
    const count = asked.filter(({ state }) => state === "captured").length;
    const missing = asked.filter(({ state }) => state !== "captured");
    return [
      count ? this.#filled(texts.received, { count, total: asked.length }) : texts.none,
      this.#filled(texts.missing, { titles: this.#listed(missing) }),
    ];
  }

  /**
   * The receipt: to read on the page, to save, and to share where the browser can.
   * @param {Results} results
   * @param {(text: string) => void} say
   * @returns {{ paper: Element, actions: import("./page.js").Action[] }}
   */
  receipt(results, say) {
    const { texts } = this;
    const text = receiptOf(results, this.#places, this.#sender, texts, this.#wording);
    const name = `${texts.file}-${results.reference_id.replace(/[^\w-]+/g, "-")}.txt`;
    // Some programs that open the file take it for another encoding without the byte order mark.
    const file = new File(["\ufeff", text], name, { type: "text/plain" });
    const paper = element("details", {}, element("summary", {}, texts.see), element("pre", {}, text));
    // The person may close the sheet without sharing.
    const share = () => { navigator.share({ files: [file] }).catch(() => {}); };
    const actions = [{ label: texts.keep, href: URL.createObjectURL(file), download: name, act: () => say(texts.kept) }];
    return { paper, actions: navigator.canShare?.({ files: [file] }) ? [...actions, { label: texts.share, act: share }] : actions };
  }

  /** @param {import("../src/translations.js").Translations} text */
  #own(text) {
    return this.#wording.textIn(text, this.texts.language);
  }

  /** @param {string} text @param {Record<string, string | number>} values */
  #filled(text, values) {
    return this.#wording.filled(text, values);
  }

  /** Marks the first places as captured, but for skipped ones. @param {number} captured */
  #count(captured) {
    let index = 0;
    this.#places = this.#places.map(({ title, state }) => {
      if (state === "skipped") return { title, state };
      index += 1;
      return { title, state: index <= captured ? "captured" : index === captured + 1 ? "asked" : "pending" };
    });
  }

  #showPlaces() {
    const list = this.list({ tabindex: "0" });
    this.#strip.replaceChildren(...(this.#places.length > 1 ? [list] : []));
    // The place before the one that is asked for stays in view.
    const current = list.querySelector("[aria-current]");
    const first = current?.previousElementSibling ?? current;
    if (first) list.scrollLeft += first.getBoundingClientRect().left - list.getBoundingClientRect().left;
  }

  #asker() {
    const { someone } = this.texts;
    return this.sender ? `${someone} (${this.sender})` : someone;
  }

  /** @param {Place[]} places */
  #listed(places) {
    return places.map(({ title }) => title).join("; ");
  }

  #end() {
    return new Date(this.#progress.expires_at).toLocaleTimeString(this.texts.language, { hour: "2-digit", minute: "2-digit" });
  }

  #untilWhen() {
    return this.#filled(this.texts.until, { time: this.#end(), left: this.#left() });
  }

  #left() {
    const minutes = Math.floor((this.#progress.endsAt - Date.now()) / MINUTE);
    const [less, one, many] = this.texts.left;
    return minutes < 1 ? less : minutes === 1 ? one : this.#filled(many, { count: minutes });
  }
}
