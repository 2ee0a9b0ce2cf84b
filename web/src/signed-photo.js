// Decodes the signed photo in the response of an ingest.

/**
 * @param {unknown} base64 `signed_image_base64` of a receipt
 * @returns {Blob | null} null if it cannot be decoded; the photo is signed nevertheless, and the session's results have
 *   its manifest
 */
export function signedPhotoOf(base64) {
  try {
    const text = atob(/** @type {string} */ (base64));
    const bytes = new Uint8Array(text.length);
    // A loop, because a photo has more bytes than a function call may have arguments.
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return new Blob([bytes], { type: "image/jpeg" });
  } catch {
    return null;
  }
}
