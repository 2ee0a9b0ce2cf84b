// Decodes Base64.

/**
 * @param {string} [base64]
 * @returns {ArrayBuffer | undefined} `undefined` if there is no text, or if it is not Base64
 */
export function bytesOf(base64) {
  try {
    return base64 ? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer : undefined;
  } catch {
    return undefined;
  }
}
