// Bundles the hosted page into functions/capture-page/assets, from where it is compiled into the function. With --check it
// changes nothing, and fails if the bundle differs from what the sources produce. The name of each file contains a hash of
// its content, because browsers cache the files for a year.

import { createHash } from "node:crypto";
import { readFile, readdir, rm, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { CSS } from "./src/styles.js";

const WEB = fileURLToPath(new URL(".", import.meta.url));
const ASSETS = join(WEB, "../functions/capture-page/assets");
/** The source of the component's `<style>` in a Content-Security-Policy, for browsers without constructed style sheets. */
const STYLE_SOURCE = join(ASSETS, "../style-source.txt");
const ENTRIES = ["page.js", "page.css"];

const { outputFiles, metafile } = await build({
  entryPoints: ENTRIES.map((name) => join(WEB, "hosted", name)),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  outdir: ASSETS,
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2022", "safari15.4", "chrome100"],
  legalComments: "none",
  metafile: true,
  write: false,
  absWorkingDir: WEB,
});
const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
let page = await readFile(join(WEB, "hosted/index.html"), "utf8");
for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
  const entry = ENTRIES.find((name) => entryPoint === `hosted/${name}`);
  if (entry) page = page.replace(`"${entry}"`, `"/assets/${basename(path)}"`);
}
files.set("index.html", page);

const styleSource = `'sha256-${createHash("sha256").update(CSS).digest("base64")}'`;

if (process.argv.includes("--check")) {
  const found = await readdir(ASSETS).catch(() => []);
  const same = await Promise.all(found.map(async (name) => files.get(name) === (await readFile(join(ASSETS, name), "utf8"))));
  same.push(styleSource === (await readFile(STYLE_SOURCE, "utf8").catch(() => "")));
  if (found.length !== files.size || same.includes(false)) {
    console.error("functions/capture-page is not what web/hosted makes: run node web/build-hosted.mjs");
    process.exit(1);
  }
} else {
  await rm(ASSETS, { recursive: true, force: true });
  await mkdir(ASSETS, { recursive: true });
  await writeFile(STYLE_SOURCE, styleSource);
  for (const [name, text] of files) await writeFile(join(ASSETS, name), text);
  console.log([...files].map(([name, text]) => `${name}: ${Buffer.byteLength(text)} bytes`).join("\n"));
}
