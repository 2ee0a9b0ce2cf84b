// Selects pages by the address after `#`. A visit is one stay on a page; navigating away aborts its pending reads.

import { element, find } from "../shared/elements.js";
import { phrase } from "./language.js";
import { closeDialogs } from "./dialog.js";
import { silence } from "./notice.js";
import { Region } from "./region.js";
import { stack } from "./stack.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("../shared/elements.js").Content} Content */
/** @typedef {(visit: Visit) => Content[]} Page */
/** @typedef {[pattern: RegExp, page: Page, section: string]} Route the pattern's groups become the visit's names */

export class Visit {
  #abort = new AbortController();
  /** @type {Region[]} */
  #regions = [];

  /**
   * @param {string} path
   * @param {string[]} names variable parts of the path
   * @param {URLSearchParams} query
   */
  constructor(path, names, query) {
    this.path = path;
    this.names = names;
    this.query = query;
    this.heading = element("h1", { tabindex: "-1" });
  }

  get signal() {
    return this.#abort.signal;
  }

  /** @param {string} title */
  entitle(title) {
    if (this.signal.aborted) return;
    this.heading.textContent = title;
    document.title = [title, "Lacre", stack().stack].filter(Boolean).join(" · ");
  }

  /**
   * Adds a part of the page that is read from the service.
   * @template Data
   * @param {(signal: AbortSignal) => Promise<Data>} load
   * @param {(data: Data) => Content[]} draw
   * @returns {HTMLElement}
   */
  region(load, draw) {
    const region = new Region(this, load, draw);
    this.#regions.push(region);
    return region.element;
  }

  /** Reads the page's regions again, in place. */
  async refresh() {
    await Promise.all(this.#regions.map((region) => region.read()));
  }

  end() {
    this.#abort.abort();
  }
}

/**
 * An address of the console.
 * @param {string} path
 * @param {Record<string, string | undefined>} [query] empty parameters are left out
 */
export function href(path, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = new URLSearchParams(given).toString();
  return `#/${path}${search && "?"}${search}`;
}

export class Router {
  #routes;
  /** @type {Visit | undefined} */
  #visit;

  /** @param {readonly Route[]} routes */
  constructor(routes) {
    this.#routes = routes;
  }

  start() {
    addEventListener("hashchange", () => this.#arrive());
    this.#show();
  }

  /** Aborts the pending reads of the current page. */
  stop() {
    this.#visit?.end();
  }

  /** Redraws the current page in another language. */
  redraw() {
    this.#show();
  }

  /** Updates the title after the deployment's name became known. */
  entitle() {
    this.#visit?.entitle(this.#visit.heading.textContent);
  }

  /** After navigation: closes dialogs, and moves the focus to the heading unless it is in the search field. */
  #arrive() {
    closeDialogs();
    silence();
    const focused = document.activeElement?.getAttribute("data-key");
    const [before, visit] = [this.#visit, this.#show()];
    const stays = before?.path === visit.path && focused === "search";
    const field = stays ? document.querySelector('[data-key="search"]') : undefined;
    (field instanceof HTMLElement ? field : visit.heading).focus();
    if (!stays) scrollTo(0, 0);
  }

  #show() {
    this.#visit?.end();
    const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const route = this.#routes.find(([pattern]) => pattern.test(path));
    const names = (route?.[0].exec(path) ?? []).slice(1);
    const visit = new Visit(path, names, new URLSearchParams(search));
    this.#visit = visit;
    for (const link of document.querySelectorAll("#navigation a")) mark(link, route?.[2]);
    const contents = route ? route[1](visit) : nowhere(visit);
    find("#page", HTMLElement).replaceChildren(visit.heading, ...contents);
    return visit;
  }
}

/** @param {Element} link @param {string | undefined} section */
function mark(link, section) {
  if (link.getAttribute("href") === `#/${section}`) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** @param {Visit} visit */
function nowhere(visit) {
  visit.entitle(phrase(TEXTS.noPage));
  return [element("p", {}, phrase(TEXTS.noPageHint))];
}
