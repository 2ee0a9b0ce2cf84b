// An integrator's page with the Content-Security-Policy that README.md recommends: the element, and a script that
// records its events. No styles are allowed, because the element needs none from the page.

import { readFile } from "node:fs/promises";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import { basename, extname, join, normalize } from "node:path";

import { build } from "esbuild";

import { PACKAGE } from "./places.js";

/** @typedef {import("./service.js").LocalService} LocalService */
/** @typedef {import("./service.js").Scope} Scope */

/** @type {Record<string, string>} */
const TYPES = { ".js": "text/javascript", ".html": "text/html; charset=utf-8" };

const SENSORS = ["camera", "geolocation", "accelerometer", "gyroscope", "magnetometer", "screen-wake-lock"];

const RECORDER = `
  const camera = document.querySelector("svc-camera");
  window.camera = camera;
  window.pageEvents = [];
  for (const type of ["opened", "captured", "uploading", "uploaded", "error", "closed"]) {
    camera.addEventListener(type, ({ detail }) => window.pageEvents.push({ type, detail: JSON.parse(JSON.stringify(detail)) }));
  }
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
  window.failures = [];
  addEventListener("unhandledrejection", (event) => window.failures.push(String(event.reason)));
  addEventListener("error", (event) => window.failures.push(event.message));
`;

/** The modules that pages of tests load by their paths. */
const ENTRIES = ["index.js", "primitives.js", "hints.js", "outline.js"].map((name) => `/src/${name}`);

/**
 * The package's modules by their paths, bundled once: loading thirty modules would take longer than most tests.
 * @type {Promise<Record<string, Uint8Array>> | undefined}
 */
let modules;

async function bundle() {
  const entryPoints = ENTRIES.map((path) => join(PACKAGE, path));
  const { outputFiles } = await build({ entryPoints, bundle: true, splitting: true, format: "esm", outdir: "src", write: false });
  return Object.fromEntries(outputFiles.map(({ path, contents }) => [`/src/${basename(path)}`, contents]));
}

/** @param {string[]} connect origins that the page connects to */
function policies(connect) {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      `connect-src 'self' ${connect.join(" ")}`,
      "img-src blob:",
      "media-src 'self' blob:",
      "require-trusted-types-for 'script'",
    ].join("; "),
    "permissions-policy": SENSORS.map((sensor) => `${sensor}=(self)`).join(", "),
  };
}

/**
 * @param {Record<string, string>} attributes
 * @param {string} scripts
 */
function page(attributes, scripts) {
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`).join(" ");
  return `<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, viewport-fit=cover">
    <title>Vistoria</title>
  </head>
  <body>
    <main><h1>Vistoria</h1><button id="before">Tirar foto</button><svc-camera ${written}></svc-camera></main>
    ${scripts}
  </body>
</html>`;
}

/**
 * Serves the page on loopback until the scope ends.
 * @param {Scope} scope
 * @param {LocalService} service
 * @param {object} [options]
 * @param {Record<string, string>} [options.attributes] of the element, in addition to its URLs or in place of them
 * @param {{ key: string, cert: string }} [options.tls] the certificate, if the page is served over https
 * @param {Record<string, string>} [options.scripts] modules by their path, which the page loads in place of the element
 * @returns {Promise<number>} the port
 */
export async function servePage(scope, service, { attributes = {}, tls, scripts = {} } = {}) {
  const urls = { "base-url": service.get("BASE_URL"), "license-url": service.get("LICENSE_URL"), ...attributes };
  const headers = policies([urls["base-url"], urls["license-url"], service.get("AWS_ENDPOINT_URL_S3")]);
  const named = Object.keys(scripts).length ? Object.keys(scripts) : ["/src/index.js", "/recorder.js"];
  const html = page(urls, named.map((path) => `<script type="module" src="${path}"></script>`).join("\n    "));
  /** @type {import("node:http").RequestListener} */
  const answer = async (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    modules ??= bundle();
    const known = { "/": html, "/recorder.js": RECORDER, ...(await modules), ...scripts }[path];
    const body = known ?? (await readFile(join(PACKAGE, path)).catch(() => null));
    const type = TYPES[extname(path)] ?? TYPES[".html"] ?? "";
    response.writeHead(body === null ? 404 : 200, { "content-type": type, ...headers }).end(body ?? "");
  };
  const server = tls ? createHttps(tls, answer) : createHttp(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}
