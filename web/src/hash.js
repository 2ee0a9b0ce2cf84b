// SHA-256 with WebCrypto, which runs off the main thread.

/**
 * The SHA-256 of bytes, as 64 lower-case hexadecimal characters.
 * @param {BufferSource} bytes
 * @returns {Promise<string>}
 */
export async function hashBuffer(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
