// The signed photo from its two parts: the frame as it was uploaded, and the manifest that the service made. The segments are
// those of the service (shared/proof/src/app11.rs), so the result is byte for byte the photo that it signed.

/** Of a box in one segment, in bytes. */
const SLICE = 64_000;
/** The box's own length and type, which each segment but the first repeats. */
const BOX_HEAD = 8;
/** `JP`, and a number for the box. */
const NAME = [0x4a, 0x50, 0x02, 0x11];
const [START, APP0, APP1, APP11] = [0xd8, 0xe0, 0xe1, 0xeb];

/**
 * Puts a manifest into the frame that it was made for.
 * @param {Blob} frame the uploaded bytes, unchanged
 * @param {ArrayBuffer} manifest as `manifest_url` returns it
 * @returns {Promise<Blob>} the signed photo; where either part is not the other's, it does not verify
 */
export async function assemble(frame, manifest) {
  const bytes = new DataView(await frame.arrayBuffer());
  // After JFIF's segment and EXIF's, which want to be the first.
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
