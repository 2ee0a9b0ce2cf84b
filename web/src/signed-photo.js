// The signed photo, as the service's answer carries it.

/**
 * @param {unknown} base64 `signed_image_base64` of a receipt
 * @returns {Blob | null} null without one: the photo is signed all the same, and the session's results have its manifest
 */
export function signedPhotoOf(base64) {
  try {
    const text = atob(/** @type {string} */ (base64));
    const bytes = new Uint8Array(text.length);
    // One by one: a photo has more bytes than a call may have arguments.
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return new Blob([bytes], { type: "image/jpeg" });
  } catch {
    return null;
  }
}
