// An address on which nothing listens.

import { createServer } from "node:net";

/** @returns {Promise<string>} a URL of a port that was free a moment ago */
export async function unreachable() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
