// A WebAssembly module in place of the verifier, assembled byte by byte: it returns fixed outputs, and traps on a
// photo that begins with T.

const PAGE = 65_536;
/** Addresses of the inputs, one mebibyte each. */
const INPUTS = 1 << 20;
/** Address of the table of output addresses and lengths, and of the outputs. */
const TABLE = 1024;
const TEXTS = 2048;

const [I32, VOID] = [0x7f, 0x40];
const END = 0x0b;

/** @param {number} value @returns {number[]} LEB128, signed */
function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 0x7f;
    const isLast = (rest >> 7 === 0 && !(low & 0x40)) || (rest >> 7 === -1 && Boolean(low & 0x40));
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

/** @param {number} value @returns {number[]} LEB128, unsigned */
function unsigned(value) {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** @param {number[]} bytes */
const sized = (bytes) => [...unsigned(bytes.length), ...bytes];
/** @param {number[][]} items */
const vector = (items) => [...unsigned(items.length), ...items.flat()];
/** @param {number} id @param {number[][]} items */
const section = (id, items) => [id, ...sized(vector(items))];
/** @param {string} text */
const name = (text) => sized([...Buffer.from(text)]);
/** @param {number} value */
const constant = (value) => [0x41, ...signed(value)];
/** @param {number} address @param {number} value */
const store = (address, value) => [...constant(address), ...constant(value), 0x36, 2, 0];
/** A function without locals. @param {number[]} code */
const body = (code) => sized([0, ...code, END]);
const argument = (/** @type {number} */ index) => [0x20, index];

/**
 * Builds a module with these outputs of `lists` and `run`.
 * @param {{ facts: object, result: object, sections: string, report: string }} outputs
 */
export function standIn({ facts, result, sections, report }) {
  const texts = [JSON.stringify(facts), JSON.stringify(result), sections, report].map((text) => Buffer.from(text));
  const starts = texts.map((_, index) => TEXTS + texts.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const inAnswer = (/** @type {number} */ text) => entry(0, text);
  /** A table entry that points to one of the texts. @param {number} slot @param {number} text */
  function entry(slot, text) {
    return [...store(TABLE + 8 * slot, starts[text] ?? 0), ...store(TABLE + 8 * slot + 4, texts[text]?.length ?? 0)];
  }
  const element = (/** @type {number} */ offset) => [...argument(0), ...constant(3), 0x74, 0x28, 2, ...unsigned(TABLE + offset)];
  const trap = [...constant(INPUTS), 0x2d, 0, 0, ...constant("T".charCodeAt(0)), 0x46, 0x04, VOID, 0x00, END];
  const functions = [
    [...argument(0), ...constant(20), 0x74, ...constant(INPUTS), 0x6a],
    [...trap, ...inAnswer(1), ...entry(1, 2), ...entry(2, 3), ...constant(0)],
    element(0),
    element(4),
    inAnswer(0),
  ];
  const types = [[[I32, I32], [I32]], [[], [I32]], [[I32], [I32]], [[], []]];
  const exports = ["input", "run", "output", "output_length", "lists"];
  return Buffer.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, types.map(([from = [], to = []]) => [0x60, ...sized(from), ...sized(to)])),
    ...section(3, [0, 1, 2, 2, 3].map((type) => [type])),
    ...section(5, [[0, ...unsigned((4 * INPUTS) / PAGE)]]),
    ...section(7, [[...name("memory"), 2, 0], ...exports.map((text, index) => [...name(text), 0, index])]),
    ...section(10, functions.map(body)),
    ...section(11, [[0, ...constant(TEXTS), END, ...sized([...Buffer.concat(texts)])]]),
  ]);
}
