// Assembles the verification page from web/verify and the modules of the verifier and of the comparison
// (`scripts/build-verify-page` compiles them):
//
//   node web/build-verify.mjs --module verify.wasm --compare compare.wasm --output FOLDER [--single-file FILE.html]
//
// The folder is served as it is. The one file holds everything, and works from disk. The same inputs give the same bytes.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { build } from "esbuild";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const SOURCES = join(WEB, "verify");
/** The policy of the page of one file; the two lists are its own script and style, by their hashes. */
const SINGLE_POLICY = "default-src 'none'; script-src SCRIPT 'wasm-unsafe-eval'; style-src STYLE; img-src blob: data:; " +
  "connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'";

/** What the page loads only when a comparison is asked for; its service worker keeps it for offline use. */
const LATER = ["compare-worker.js", "compare.wasm"];

/** @typedef {Map<string, Buffer>} Files by their names */

const { module, compare, output, single } = readArguments();
const files = await assemble(await readFile(module), await readFile(compare));
if (output) await writeFolder(output, files);
if (single) await writeFileWithFolder(single, asSingleFile(files));
report(files);

function readArguments() {
  const { values } = parseArgs({
    options: {
      module: { type: "string" }, compare: { type: "string" }, output: { type: "string" }, "single-file": { type: "string" },
    },
  });
  const { module, compare, output, "single-file": single } = values;
  if (module && compare && (output || single)) return { module, compare, output, single };
  console.error("usage: node web/build-verify.mjs --module verify.wasm --compare compare.wasm [--output FOLDER] [--single-file FILE.html]");
  return process.exit(2);
}

/**
 * The page's files. The page names the hashes of its modules, and the service worker's cache the hash of everything.
 * @param {Buffer} module
 * @param {Buffer} compare
 * @returns {Promise<Files>}
 */
async function assemble(module, compare) {
  const named = fill(await source("index.html"), "MODULE_SHA256", hashOf([module], "hex"));
  const page = fill(named, "COMPARE_SHA256", hashOf([compare], "hex"));
  /** @type {Files} */
  const files = new Map([
    ["index.html", Buffer.from(page)],
    ["page.css", Buffer.from(await source("page.css"))],
    ["page.js", await bundle("page.js")],
    ["worker.js", await bundle("worker.js")],
    ["verify.wasm", module],
    ["compare-worker.js", await bundle("compare-worker.js")],
    ["compare.wasm", compare],
    ["icon.svg", Buffer.from(await source("icon.svg"))],
  ]);
  const worker = await source("sw.js");
  const names = [...files.keys()].map((name) => (name === "index.html" ? "./" : name));
  const parts = [...files].flatMap(([name, bytes]) => [Buffer.from(`${name}\0${bytes.length}\0`), bytes]);
  const everything = hashOf([...parts, Buffer.from(worker)], "hex").slice(0, 16);
  return files.set("sw.js", Buffer.from(fill(fill(worker, "BUILD", everything), '["FILES"]', JSON.stringify(names))));
}

/**
 * One readable module of an entry and what it imports.
 * @param {string} name
 */
async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, name)],
    bundle: true,
    format: "esm",
    target: ["es2022", "safari15.4", "chrome100", "firefox114"],
    charset: "utf8",
    legalComments: "none",
    write: false,
    absWorkingDir: WEB,
  });
  return Buffer.from(outputFiles[0]?.text ?? "");
}

/**
 * The page with everything in it: what a browser loads are blobs that the page makes of its own text.
 * @param {Files} files
 */
function asSingleFile(files) {
  const text = (/** @type {string} */ name) => files.get(name)?.toString() ?? "";
  const base64 = (/** @type {string} */ name) => files.get(name)?.toString("base64") ?? "";
  const icon = `data:image/svg+xml;base64,${base64("icon.svg")}`;
  const [style, script] = [text("page.css"), text("page.js")];
  const [worker, compareWorker] = [text("worker.js"), text("compare-worker.js")];
  for (const inline of [script, worker, compareWorker]) if (/<\/script|<!--/i.test(inline)) throw new Error("a script ends itself");
  const policy = fill(fill(SINGLE_POLICY, "SCRIPT", sourceOf(script)), "STYLE", sourceOf(style));
  let page = text("index.html").replaceAll('"icon.svg"', `"${icon}"`);
  page = fill(page, /content="default-src[^"]*"/, `content="${policy}"`);
  page = fill(page, '<link rel="stylesheet" href="page.css">', `<style>${style}</style>`);
  page = fill(page, '<script type="module" src="page.js"></script>', "");
  // Data and script come last: the script runs when the rest is there.
  const inline = [
    `<script id="lacre-module" type="text/plain">${base64("verify.wasm")}</script>`,
    `<script id="lacre-worker" type="text/plain">${worker}</script>`,
    `<script id="lacre-compare-module" type="text/plain">${base64("compare.wasm")}</script>`,
    `<script id="lacre-compare-worker" type="text/plain">${compareWorker}</script>`,
    `<script type="module">${script}</script>`,
  ];
  return Buffer.from(fill(page, "</body>", `${inline.join("\n")}\n</body>`));
}

/** A script or style in a policy. @param {string} text */
function sourceOf(text) {
  return `'sha256-${hashOf([Buffer.from(text)], "base64")}'`;
}

/**
 * Replaces the only place of a mark.
 * @param {string} text
 * @param {string | RegExp} mark
 * @param {string} value
 */
function fill(text, mark, value) {
  if (text.split(mark).length !== 2) throw new Error(`${mark} is not there exactly once`);
  return text.replace(mark, () => value);
}

/**
 * @param {Buffer[]} parts
 * @param {import("node:crypto").BinaryToTextEncoding} encoding
 */
function hashOf(parts, encoding) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest(encoding);
}

/** @param {string} name */
function source(name) {
  return readFile(join(SOURCES, name), "utf8");
}

/** @param {string} folder @param {Files} files */
async function writeFolder(folder, files) {
  const isOwn = await holdsPage(folder);
  for (const [name, bytes] of files) await writeFileWithFolder(join(folder, name), bytes);
  if (isOwn) await removeOthers(folder, files);
}

/** Whether a build wrote the folder before: only then are its files the page's. @param {string} folder */
async function holdsPage(folder) {
  const page = await readFile(join(folder, "index.html"), "utf8").catch(() => "");
  return page.includes('<meta name="lacre-module"');
}

/** Removes the files of earlier builds: a folder is served as it is. @param {string} folder @param {Files} files */
async function removeOthers(folder, files) {
  const others = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile() && !files.has(entry.name));
  for (const { name } of others) await unlink(join(folder, name));
}

/** @param {string} path @param {Buffer} bytes */
async function writeFileWithFolder(path, bytes) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

/** @param {Files} files */
function report(files) {
  const [first, later] = [[0, 0, 0], [0, 0, 0]];
  for (const [name, bytes] of files) {
    const [sizes, totals] = [sizesOf(bytes), LATER.includes(name) ? later : first];
    sizes.forEach((size, index) => (totals[index] = (totals[index] ?? 0) + size));
    print(name, sizes);
  }
  print("together, to show the page", first);
  print("together, to compare a copy", later);
  for (const [name, bytes] of files) if (name.endsWith(".wasm")) console.log(`SHA-256 of ${name}: ${hashOf([bytes], "hex")}`);
}

/** @param {Buffer} bytes */
function sizesOf(bytes) {
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli.length];
}

/** @param {string} name @param {number[]} sizes */
function print(name, [raw = 0, gzip = 0, brotli = 0]) {
  console.log(`${name}: ${raw} bytes, ${gzip} gzip, ${brotli} brotli`);
}
