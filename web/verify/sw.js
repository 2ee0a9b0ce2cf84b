// Service worker that caches exactly the page's own files, so that the page opens offline. The build fills in the
// two constants below.

const CACHE = "lacre-verify-BUILD";
const FILES = ["FILES"];

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Extendable */
/** @typedef {Extendable & { request: Request, respondWith: (response: Promise<Response>) => void }} Fetched */

const PREFIX = "lacre-verify-";
const ADDRESSES = new Set(FILES.map((file) => new URL(file, location.href).href));

addEventListener("install", (event) => {
  // Bypasses the browser's cache, which may contain files of another version.
  const requests = [...ADDRESSES].map((address) => new Request(address, { cache: "no-cache" }));
  /** @type {Extendable} */ (event).waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

// A new version activates once no page of the old version is open, so that a page never gets files of two versions.
addEventListener("activate", (event) => {
  /** @type {Extendable} */ (event).waitUntil(dropOthers());
});

addEventListener("fetch", (event) => {
  const { request, respondWith } = /** @type {Fetched} */ (event);
  const address = addressOf(request);
  if (ADDRESSES.has(address)) respondWith.call(event, answer(address, request));
});

async function dropOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
  await /** @type {any} */ (globalThis).clients.claim();
}

/**
 * The cache key of a request. The page itself has two addresses, with any query; other files have one.
 * @param {Request} request
 */
function addressOf({ method, mode, url }) {
  if (method !== "GET") return "";
  const { origin, pathname } = new URL(url);
  return mode === "navigate" ? `${origin}${pathname}`.replace(/\/index\.html$/, "/") : url;
}

/**
 * @param {string} address
 * @param {Request} request
 */
async function answer(address, request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(address)) ?? fetch(request);
}
