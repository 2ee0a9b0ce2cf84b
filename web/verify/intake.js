// Receives files that are chosen, dropped or pasted.

/** @typedef {(files: File[], folders: string[]) => void} Take */

/**
 * Passes incoming files to `take`.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} zone the element that indicates a possible drop
 * @param {Take} take called with empty lists if the transfer contains no file
 */
export function receive(input, zone, take) {
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    // Resetting the input allows the same file to be chosen again.
    input.value = "";
    if (files.length) take(files, []);
  });
  followDrag(zone, take);
  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) event.preventDefault();
    if (files.length || !isWriting(event.target)) take(files, []);
  });
}

/**
 * Accepts drops anywhere on the page. A file dropped outside the zone would otherwise be opened by the browser in
 * place of the page.
 * @param {HTMLElement} zone
 * @param {Take} take
 */
function followDrag(zone, take) {
  const mark = (/** @type {boolean} */ over) => zone.toggleAttribute("data-over", over);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) mark(false);
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    const { files, folders } = contentsOf(event.dataTransfer);
    take(files, folders);
  });
}

/** @param {DataTransfer | null} transfer */
function contentsOf(transfer) {
  /** @type {{ files: File[], folders: string[] }} */
  const contents = { files: [], folders: [] };
  for (const item of transfer?.items ?? []) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry?.();
    const file = entry?.isDirectory ? null : item.getAsFile();
    if (file) contents.files.push(file);
    if (entry?.isDirectory) contents.folders.push(entry.name);
  }
  return contents;
}

/** Whether a text field has the focus, so that pasted text belongs there. @param {EventTarget | null} target */
function isWriting(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
