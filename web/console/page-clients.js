// The list of clients, sorted by name.

import { createClient } from "./client-actions.js";
import { button, element } from "../shared/elements.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { idMark, stateMark } from "./marks.js";
import { href } from "./router.js";
import { searchForm } from "./searching.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./records.js").Client} Client */

/** @param {import("./router.js").Visit} visit */
export function clientsPage(visit) {
  visit.entitle(phrase(TEXTS.clients));
  const search = visit.query.get("search") ?? undefined;
  const create = button(phrase(TEXTS.newClient), () => createClient(visit), { class: "primary", "data-key": "create" });
  /** @type {import("./tables.js").Column<Client>[]} */
  const columns = [
    { title: TEXTS.name, cell: ({ id, name }) => element("a", { href: href(`clients/${id}`) }, name) },
    { title: TEXTS.status, cell: ({ status }) => stateMark(status, "client") },
    { title: TEXTS.id, cell: ({ id }) => idMark(id) },
  ];
  return [
    element("div", { class: "toolbar" }, searchForm(visit, { name: "search", label: TEXTS.searchClients }), create),
    listing(visit, {
      path: ["clients"], name: "clients", query: { search }, caption: TEXTS.clients,
      empty: search ? TEXTS.nothingFound : TEXTS.noClients, columns,
    }),
  ];
}
