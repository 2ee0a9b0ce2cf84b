// What belongs together of the files that came in: photos with their sidecar manifests.

/** @typedef {"empty" | "tooBig" | "folder" | "noFrame" | "certificate"} Problem why there is no conclusion */

/**
 * What the page answers for: a photo, or what cannot be one.
 * @typedef {object} Item
 * @property {string} name
 * @property {File} [photo]
 * @property {File} [sidecar] its manifest, where that is a file of its own
 * @property {Problem} [problem] it is not checked
 */

/** Larger files cannot be photos of the service. `verify` has the same limit. */
export const LARGEST = 64 * 1024 * 1024;

const SIDECAR = /\.c2pa$/i;
/** Certificates among photos, whoever sent them, are never trusted: the reader adds roots at their own field. */
const CERTIFICATE = /\.(pem|crt|cer)$/i;

/**
 * @param {readonly File[]} files
 * @param {readonly string[]} [folders] names
 * @returns {Item[]}
 */
export function group(files, folders = []) {
  const certificates = files.filter(({ name }) => CERTIFICATE.test(name));
  const sidecars = files.filter(({ name }) => SIDECAR.test(name));
  const photos = files.filter((file) => !certificates.includes(file) && !sidecars.includes(file));
  const pairs = pair(photos, sidecars);
  const alone = sidecars.filter((sidecar) => ![...pairs.values()].includes(sidecar));
  return [
    ...photos.map((photo) => itemOf(photo, pairs.get(photo))),
    ...alone.map(({ name }) => refused(name, "noFrame")),
    ...certificates.map(({ name }) => refused(name, "certificate")),
    ...folders.map((name) => refused(name, "folder")),
  ];
}

/** @param {string} name @param {Problem} problem @returns {Item} */
function refused(name, problem) {
  return { name, problem };
}

/**
 * One photo and one sidecar belong together. Of more, those of one name do: `photo.jpg` with `photo.c2pa` or `photo.jpg.c2pa`.
 * @param {readonly File[]} photos
 * @param {readonly File[]} sidecars
 */
function pair(photos, sidecars) {
  /** @type {Map<File, File>} */
  const pairs = new Map();
  const [photo, sidecar] = [photos[0], sidecars[0]];
  if (photos.length === 1 && sidecars.length === 1 && photo && sidecar) return pairs.set(photo, sidecar);
  for (const each of sidecars) {
    const base = each.name.replace(SIDECAR, "");
    const found = photos.find((candidate) => !pairs.has(candidate) && [candidate.name, baseOf(candidate.name)].includes(base));
    if (found) pairs.set(found, each);
  }
  return pairs;
}

/**
 * @param {File} photo
 * @param {File | undefined} sidecar
 * @returns {Item}
 */
function itemOf(photo, sidecar) {
  const name = sidecar ? `${photo.name} + ${sidecar.name}` : photo.name;
  const parts = sidecar ? [photo, sidecar] : [photo];
  if (parts.some(({ size }) => size > LARGEST)) return refused(name, "tooBig");
  if (parts.some(({ size }) => size === 0)) return refused(name, "empty");
  return sidecar ? { name, photo, sidecar } : { name, photo };
}

/** A file's name without its extension. @param {string} name */
export function baseOf(name) {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}
