// Files that are chosen, dropped or pasted.

/** @typedef {(files: File[], folders: string[]) => void} Take */

/**
 * Hands on what comes in.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} zone shows that a drop is possible
 * @param {Take} take gets nothing where there is no file in what came
 */
export function receive(input, zone, take) {
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    // The same file can be chosen again.
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
 * Drops are accepted anywhere, for a browser shows a file that is dropped beside the zone, and the page is gone.
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

/** Whether a text field has the focus, to which a pasted text belongs. @param {EventTarget | null} target */
function isWriting(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
