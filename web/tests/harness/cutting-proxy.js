// A proxy that cuts the connection of the first ingest, and of each request for `LOST`.

import { createServer, request as send } from "node:http";

/**
 * When the connection is cut: before the service gets the request, after it has responded, or within its response.
 * `shortened` is a response that was cut, as WebKit passes it to the page: without an error.
 */
/** @typedef {"before" | "after" | "within" | "shortened"} Cut */

/** A path at which every connection is cut. */
export const LOST = "/lost";

/**
 * @param {import("./service.js").Scope} scope
 * @param {string} target the service's URL
 * @param {Cut} [cut] by default, only requests for `LOST` are cut
 * @returns {Promise<{ url: string }>}
 */
export async function cuttingProxy(scope, target, cut) {
  let isWhole = !cut;
  const server = createServer(async (request, response) => {
    if (request.url === LOST) return response.destroy();
    const isCut = !isWhole && request.method === "POST" && request.url === "/web/ingest";
    if (isCut) isWhole = true;
    // A page that is closed aborts its requests.
    const chunks = await request.toArray().catch(() => undefined);
    if (!chunks) return;
    const body = Buffer.concat(chunks);
    if (isCut && cut === "before") return response.destroy();
    const { status, headers, answer } = await forward(`${target}${request.url}`, request, body);
    if (isCut && cut === "after") return response.destroy();
    // Browsers repeat a request by themselves if its kept-alive connection turns out to be closed, so connections are
    // closed.
    const half = answer.subarray(0, answer.length / 2);
    const length = isCut && cut === "shortened" ? half.length : answer.length;
    response.writeHead(status, { ...headers, "content-length": length, connection: "close" });
    if (!isCut) return response.end(answer);
    return response.write(half, () => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}` };
}

/**
 * @param {string} url
 * @param {import("node:http").IncomingMessage} request
 * @param {Buffer} body
 * @returns {Promise<{ status: number, headers: import("node:http").IncomingHttpHeaders, answer: Buffer }>}
 */
function forward(url, { method = "GET", headers }, body) {
  return new Promise((resolve, reject) => {
    const forwarded = send(url, { method, headers: { ...headers, host: new URL(url).host } }, async (response) => {
      const { statusCode = 502, headers } = response;
      delete headers["transfer-encoding"];
      resolve({ status: statusCode, headers, answer: Buffer.concat(await response.toArray()) });
    });
    forwarded.on("error", reject).end(body);
  });
}
