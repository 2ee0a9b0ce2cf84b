// The size of the component.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { PACKAGE } from "./harness/places.js";

const LIMIT = 20_480;
/** Limit for the hints and for the outline, which are loaded once they are needed, each, in bytes. */
const LATER = 2_048;

test("the component fits in 20 KB", async (t) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(PACKAGE, "src/index.js")],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    outdir: "out",
    metafile: true,
    write: false,
  });
  const [index, ...later] = outputFiles.map(({ contents }) => gzipSync(contents, { level: 9 }).length);
  t.diagnostic(`${index} bytes minified and gzipped, of ${LIMIT}; later: ${later}`);
  // The first output is the entry, which loads only these two dynamically.
  const [entry] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint?.endsWith("src/index.js"));
  assert.deepEqual(entry?.imports.map(({ kind }) => kind), ["dynamic-import", "dynamic-import"]);
  assert.ok(index && index <= LIMIT);
  assert.ok(later.length === 2 && later.every((size) => size <= LATER));
});

test("has no dependencies at run time", async () => {
  const manifest = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  assert.equal(dependencies, undefined);
  // Only users of the hook need React.
  assert.deepEqual(Object.keys(peerDependencies), ["react"]);
  assert.equal(peerDependenciesMeta.react.optional, true);
});
