// A public log with two captures: its key, and proofs that a capture is in it.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const ORIGIN = "log.example/sandbox";

/** @param {...Buffer} parts */
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();

/** A log with a new key. */
export function publicLog() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const id = sha256(Buffer.from(`${ORIGIN}\n\x01`), raw).subarray(0, 4);
  const key = `${ORIGIN}+${id.toString("hex")}+${Buffer.concat([Buffer.of(1), raw]).toString("base64")}`;
  /** Proves that the capture with this manifest is the second leaf. @param {Buffer} manifest */
  const prove = (manifest) => {
    const [salt, record, sibling] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const entry = sha256(Buffer.from("lacre.capture.v1\0"), salt, sha256(manifest), record);
    const root = sha256(Buffer.of(1), sibling, sha256(Buffer.of(0), entry));
    const checkpoint = `${ORIGIN}\n2\n${root.toString("base64")}\n`;
    const signature = Buffer.concat([id, sign(null, Buffer.from(checkpoint), privateKey)]).toString("base64");
    const extra = Buffer.concat([salt, record]).toString("base64");
    const head = `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex 1\n${sibling.toString("base64")}\n`;
    return Buffer.from(`${head}\n${checkpoint}\n\u2014 ${ORIGIN} ${signature}\n`);
  };
  return { key, prove };
}
