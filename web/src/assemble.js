// Reassembles a signed photo from the uploaded frame and its manifest. It splits the manifest into segments exactly
// as the service does (shared/proof/src/app11.rs), so the result is byte for byte the photo that the service
// signed.

/** Maximum payload of one APP11 segment, in bytes. */
const SLICE = 64_000;
/** Length of the JUMBF box header (size and type), which every segment after the first repeats, in bytes. */
const BOX_HEAD = 8;
/** The common identifier `JP` and the box instance number. */
const NAME = [0x4a, 0x50, 0x02, 0x11];
const [START, APP0, APP1, APP11] = [0xd8, 0xe0, 0xe1, 0xeb];

/**
 * Inserts a manifest into the frame that it was made for.
 * @param {Blob} frame the uploaded bytes, unchanged
 * @param {ArrayBuffer} manifest the content of `manifest_url`
 * @returns {Promise<Blob>} the signed photo; if manifest and frame do not belong together, it does not verify
 */
export async function assemble(frame, manifest) {
  const bytes = new DataView(await frame.arrayBuffer());
  // The manifest follows the JFIF and EXIF segments, which must come first.
  let place = 2;
  while (bytes.getUint8(place) === 0xff && [APP0, APP1].includes(bytes.getUint8(place + 1))) {
    place += 2 + bytes.getUint16(place + 2);
  }
  if (bytes.getUint8(1) !== START) throw new TypeError("the frame is not a JPEG");
  const segments = [];
  for (let at = 0; at < manifest.byteLength; at += SLICE) {
    const repeated = at ? manifest.slice(0, BOX_HEAD) : new ArrayBuffer(0);
    const slice = manifest.slice(at, at + SLICE);
    const head = new DataView(new ArrayBuffer(12));
    head.setUint16(0, 0xff00 | APP11);
    head.setUint16(2, 10 + repeated.byteLength + slice.byteLength);
    for (const [index, byte] of NAME.entries()) head.setUint8(4 + index, byte);
    head.setUint32(8, at / SLICE + 1);
    segments.push(head, repeated, slice);
  }
  return new Blob([frame.slice(0, place), ...segments, frame.slice(place)], { type: "image/jpeg" });
}
