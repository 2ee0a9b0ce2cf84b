// Downloads of a result: the report, the parts of the file, and printing.

import { element } from "../shared/elements.js";
import { baseOf } from "./grouping.js";
import { label, phrase, say } from "./language.js";
import { TEXTS } from "./texts.js";
import { escaped } from "./visible.js";

/** @typedef {import("./worker.js").Checked} Checked */

/** Placeholder of the picture in the report. */
const PICTURE = 'src="photo:"';

/**
 * The buttons of a result.
 * @param {string} name name of the photo's file
 * @param {Checked} checked
 * @param {Record<string, string>} urls object URLs of its files by name
 * @param {() => void} print
 */
export function actions(name, { report, files }, urls, print) {
  const asReport = element("button", { type: "button" });
  asReport.addEventListener("click", async () => {
    const page = await withPicture(report, files["frame.jpg"]);
    save(page, phrase(TEXTS.reportName, { name: baseOf(escaped(name)) }));
  });
  const links = Object.entries(urls).map(([file, href]) => element("a", { class: "button", href, download: file }, file));
  const asPaper = element("button", { type: "button" });
  asPaper.addEventListener("click", print);
  say(asReport, TEXTS.report);
  say(asPaper, TEXTS.print);
  return label(element("div", { class: "actions", role: "group" }, asReport, asPaper, ...links), TEXTS.files, { name: escaped(name) });
}

/**
 * The report with the picture embedded, so that it is self-contained. It is built on demand, because it is as large
 * as the photo.
 * @param {Blob} report
 * @param {Blob | undefined} frame
 */
async function withPicture(report, frame) {
  const html = await report.text();
  const at = html.indexOf(PICTURE);
  if (at < 0 || !frame) return report;
  const parts = [html.slice(0, at), `src="${await dataUrlOf(frame)}"`, html.slice(at + PICTURE.length)];
  return new Blob(parts, { type: report.type });
}

/** @param {Blob} blob @returns {Promise<string>} */
function dataUrlOf(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function save(file, name) {
  const href = URL.createObjectURL(file);
  element("a", { href, download: name }).click();
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
