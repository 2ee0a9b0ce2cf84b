// Groups incoming files: photos with their sidecar manifests, their proofs of a public log and the evidence for these.

/** @typedef {"empty" | "tooBig" | "folder" | "noFrame" | "noPhoto" | "noLogProof" | "noRecord" | "severalRecords" | "bundlesTooBig" | "certificate"} Problem why an item cannot be checked */

/**
 * One result of the page: a photo, or files that cannot be checked.
 * @typedef {object} Item
 * @property {string} name
 * @property {File} [photo]
 * @property {File} [sidecar] the manifest, if it is a separate file
 * @property {File} [logProof] proof that the capture is in a public log
 * @property {File} [record] evidence record of the timestamp in that proof
 * @property {File} [second] evidence record of a second timestamp
 * @property {File[]} [bundles] evidence bundles of the timestamps in these records
 * @property {Problem} [problem] why it is not checked
 */

/**
 * Maximum size of a file, and of all evidence bundles together, in bytes. Larger files cannot be photos of the service.
 * `verify` has the same limit for a file.
 */
export const LARGEST = 64 * 1024 * 1024;

const SIDECAR = /\.c2pa$/i;
const LOG_PROOF = /\.tlog-proof$/i;
const RECORD = /(?<!-second)\.ers$/i;
const SECOND = /-second\.ers$/i;
/** Evidence bundles. Their names are those of days and renewals of the log, not of photos. */
const BUNDLE = /\.p7b$/i;
/**
 * File names of certificates. Certificates among the photos are never trusted, because anyone may have sent them;
 * trusted roots are added in a separate field.
 */
const CERTIFICATE = /\.(pem|crt|cer)$/i;

/**
 * @param {readonly File[]} files
 * @param {readonly string[]} [folders] names
 * @returns {Item[]}
 */
export function group(files, folders = []) {
  const named = (/** @type {RegExp} */ kind) => files.filter(({ name }) => kind.test(name));
  const [certificates, sidecars, logProofs] = [named(CERTIFICATE), named(SIDECAR), named(LOG_PROOF)];
  const [records, seconds, bundles] = [named(RECORD), named(SECOND), named(BUNDLE)];
  const others = [certificates, sidecars, logProofs, records, seconds, bundles].flat();
  const photos = files.filter((file) => !others.includes(file));
  const [ofSidecars, ofProofs] = [pair(photos, sidecars, SIDECAR), pair(photos, logProofs, LOG_PROOF)];
  // A record says nothing without the proof whose timestamp it renews.
  const withProof = (/** @type {Map<File, File>} */ pairs) => new Map([...pairs].filter(([photo]) => ofProofs.has(photo)));
  const [ofRecords, ofSeconds] = [withProof(pair(photos, records, RECORD)), withProof(pair(photos, seconds, SECOND))];
  // Which photo a bundle belongs to is in no name: only one photo can have them.
  const recorded = photos.filter((photo) => ofRecords.has(photo) || ofSeconds.has(photo));
  const withBundles = recorded.length === 1 ? recorded[0] : undefined;
  const beside = (/** @type {File} */ photo) => ({
    sidecar: ofSidecars.get(photo),
    logProof: ofProofs.get(photo),
    record: ofRecords.get(photo),
    second: ofSeconds.get(photo),
    bundles: photo === withBundles && bundles.length ? bundles : undefined,
  });
  return [
    ...photos.map((photo) => itemOf(photo, beside(photo))),
    ...alone(sidecars, ofSidecars).map(({ name }) => refused(name, "noFrame")),
    ...alone(logProofs, ofProofs).map(({ name }) => refused(name, "noPhoto")),
    ...[...alone(records, ofRecords), ...alone(seconds, ofSeconds)].map(({ name }) => refused(name, "noLogProof")),
    ...(withBundles ? [] : bundles).map(({ name }) => refused(name, recorded.length ? "severalRecords" : "noRecord")),
    ...certificates.map(({ name }) => refused(name, "certificate")),
    ...folders.map((name) => refused(name, "folder")),
  ];
}

/** @param {string} name @param {Problem} problem @returns {Item} */
function refused(name, problem) {
  return { name, problem };
}

/** @param {readonly File[]} files @param {Map<File, File>} pairs @returns those that belong to no photo */
function alone(files, pairs) {
  return files.filter((file) => ![...pairs.values()].includes(file));
}

/**
 * Pairs photos with accompanying files. One photo and one file belong together. Several are paired by name:
 * `photo.jpg` with `photo.c2pa` or `photo.jpg.c2pa`.
 * @param {readonly File[]} photos
 * @param {readonly File[]} others
 * @param {RegExp} ending file extension of the accompanying files
 */
function pair(photos, others, ending) {
  /** @type {Map<File, File>} */
  const pairs = new Map();
  const [photo, other] = [photos[0], others[0]];
  if (photos.length === 1 && others.length === 1 && photo && other) return pairs.set(photo, other);
  for (const each of others) {
    const base = each.name.replace(ending, "");
    const found = photos.find((candidate) => !pairs.has(candidate) && [candidate.name, baseOf(candidate.name)].includes(base));
    if (found) pairs.set(found, each);
  }
  return pairs;
}

/**
 * @param {File} photo
 * @param {Record<"sidecar" | "logProof" | "record" | "second", File | undefined> & { bundles: File[] | undefined }} beside
 * @returns {Item}
 */
function itemOf(photo, beside) {
  const { sidecar, bundles = [] } = beside;
  const name = sidecar ? `${photo.name} + ${sidecar.name}` : photo.name;
  const parts = [photo, ...Object.values(beside).flat()].filter((part) => part !== undefined);
  if (bundles.reduce((sum, { size }) => sum + size, 0) > LARGEST) return refused(name, "bundlesTooBig");
  if (parts.some(({ size }) => size > LARGEST)) return refused(name, "tooBig");
  if (parts.some(({ size }) => size === 0)) return refused(name, "empty");
  return { name, photo, ...Object.fromEntries(Object.entries(beside).filter(([, part]) => part)) };
}

/** A file's name without its extension. @param {string} name */
export function baseOf(name) {
  return name.replace(/(?<=.)\.[^.]*$/, "");
}
