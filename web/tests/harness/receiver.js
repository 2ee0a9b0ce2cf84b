// A receiver of webhooks in place of an integrator's.

import { once } from "node:events";
import { createServer } from "node:http";

/** @typedef {{ headers: Record<string, string>, body: string }} Message */

/**
 * A receiver that stores raw bodies.
 * @param {import("./service.js").Scope} scope
 */
export async function receive(scope) {
  /** @type {Message[]} */
  const messages = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    messages.push({ headers: /** @type {Record<string, string>} */ (request.headers), body });
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.after(() => { server.close(); });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const message = async (/** @type {number} */ nth) => {
    while (messages.length < nth) await new Promise((resolve) => setTimeout(resolve, 100));
    return /** @type {Message} */ (messages[nth - 1]);
  };
  return { url: `http://127.0.0.1:${port}/lacre`, messages, message };
}
