// The list of all clients' licenses.

import { element } from "../shared/elements.js";
import { day } from "./formats.js";
import { phrase } from "./language.js";
import { listing } from "./listing.js";
import { environmentMark, licenseLink, licenseMark } from "./marks.js";
import { shortKey } from "./records.js";
import { href } from "./router.js";
import { searchForm } from "./searching.js";
import { TEXTS } from "./texts.js";
import { volumeBar } from "./volume.js";

/** @typedef {import("./records.js").License} License */

/** @param {import("./router.js").Visit} visit */
export function licensesPage(visit) {
  visit.entitle(phrase(TEXTS.licenses));
  const search = visit.query.get("search") ?? undefined;
  return [
    searchForm(visit, { name: "search", label: TEXTS.searchLicenses, hint: TEXTS.searchLicensesHint }),
    listing(visit, {
      path: ["licenses"], name: "licenses", query: { search }, caption: TEXTS.licenses,
      empty: search ? TEXTS.nothingFound : TEXTS.noLicensesAtAll, columns: licenseColumns(true),
    }),
  ];
}

/**
 * @param {boolean} hasClient whether to show the client's column
 * @returns {import("./tables.js").Column<License>[]}
 */
export function licenseColumns(hasClient) {
  /** @type {import("./tables.js").Column<License>} */
  const client = {
    title: TEXTS.client,
    cell: ({ client_id: id, client_name }) => element("a", { href: href(`clients/${id}/licenses`) }, client_name ?? id),
  };
  return [
    { title: TEXTS.key, cell: (license) => licenseLink(license.id, element("code", {}, shortKey(license))) },
    ...(hasClient ? [client] : []),
    { title: TEXTS.environment, cell: ({ environment }) => environmentMark(environment) },
    { title: TEXTS.status, cell: licenseMark },
    { title: TEXTS.volume, cell: (license) => volumeBar(license) },
    { title: TEXTS.expires, cell: ({ expires_at }) => day(expires_at) },
  ];
}
