// A self-signed certificate for pages that a test serves under internet host names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** @returns {Promise<{ key: string, cert: string }>} in PEM */
export async function certificate() {
  const folder = await mkdtemp(join(tmpdir(), "lacre-web-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert];
    await promisify(execFile)("openssl", ["req", "-x509", "-subj", "/CN=page", "-days", "2", ...made]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}
