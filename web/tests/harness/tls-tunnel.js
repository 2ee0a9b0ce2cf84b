// A TLS-terminating tunnel, like those on the internet: phones reach it under its own name, and the service gets
// plain HTTP.

import { request } from "node:http";
import { createServer } from "node:https";

import { certificate } from "./certificate.js";

/**
 * @param {import("./service.js").Scope} scope
 * @returns {Promise<{ port: number, leadTo: (url: string) => void }>}
 */
export async function tlsTunnel(scope) {
  let target = "";
  const server = createServer(await certificate(), (asked, answer) => {
    const { method, headers } = asked;
    const handedOn = { ...headers, host: new URL(target).host, "x-forwarded-proto": "https", "x-forwarded-host": headers.host };
    const forward = request(`${target}${asked.url}`, { method, headers: handedOn }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    forward.on("error", () => answer.destroy());
    asked.pipe(forward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  scope.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { port, leadTo: (url) => { target = url; } };
}
