// Reads and writes the buffers of a WebAssembly module without imports.

/**
 * Exports of every module.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(slot: number, length: number) => number} input reserves a buffer and returns its address
 * @property {() => number} run returns 1 if an input is invalid
 * @property {(slot: number) => number} output address of an output, valid until the next `run` or `input(0, …)`
 * @property {(slot: number) => number} output_length
 */

/** The browser cannot read a file. */
export class Unreadable extends Error {}

export class Buffers {
  #exports;

  /** @param {Exports} exports */
  constructor(exports) {
    this.#exports = exports;
  }

  /**
   * Writes an input chunk by chunk, so that the page never holds a whole photo.
   * @param {number} slot
   * @param {Blob} blob
   */
  async give(slot, blob) {
    const start = this.#exports.input(slot, blob.size);
    const reader = blob.stream().getReader();
    // Browsers report differently that a file was removed or changed.
    const read = () => reader.read().catch((cause) => Promise.reject(new Unreadable(String(cause))));
    let written = 0;
    for (let part = await read(); !part.done; part = await read()) {
      // If a file has grown since it was chosen, its end must not overwrite the memory after the buffer.
      if (written + part.value.length > blob.size) throw new Unreadable("it has grown");
      new Uint8Array(this.#exports.memory.buffer, (start >>> 0) + written, part.value.length).set(part.value);
      written += part.value.length;
    }
    if (written !== blob.size) throw new Unreadable("it has shrunk");
  }

  /** @param {number} slot */
  bytes(slot) {
    const [start, length] = [this.#exports.output(slot), this.#exports.output_length(slot)];
    // WebAssembly addresses arrive as signed numbers; `>>> 0` makes them unsigned.
    return new Uint8Array(this.#exports.memory.buffer, start >>> 0, length);
  }

  /** @param {number} slot */
  text(slot) {
    return new TextDecoder().decode(this.bytes(slot));
  }
}
