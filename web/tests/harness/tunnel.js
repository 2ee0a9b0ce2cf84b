// A proxy to the service that can be cut, to simulate a network failure between two requests.

import { connect, createServer } from "node:net";

/**
 * @param {import("./service.js").Scope} scope
 * @param {string} url target of the proxy
 * @returns {Promise<{ url: string, cut: () => void }>}
 */
export async function tunnel(scope, url) {
  const { hostname, port } = new URL(url);
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      // If one end breaks, both are closed.
      socket.on("error", () => {}).on("close", () => [near, far].forEach((end) => end.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  scope.after(cut);
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${address.port}`, cut };
}
