// What a page pays for the component.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { PACKAGE } from "./harness/places.js";

const LIMIT = 20_480;

test("the element with its primitives is at most 20 KB, minified and gzipped", async (t) => {
  const { outputFiles: [bundle] } = await build({
    entryPoints: [join(PACKAGE, "src/index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  assert.ok(bundle);
  const size = gzipSync(bundle.contents, { level: 9 }).length;
  t.diagnostic(`${bundle.contents.length} bytes minified, ${size} gzipped, of ${LIMIT}`);
  assert.ok(size <= LIMIT);
});

test("it depends on nothing at run time", async () => {
  const manifest = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  assert.equal(dependencies, undefined);
  // React is the hook's, and only who uses that has it.
  assert.deepEqual(Object.keys(peerDependencies), ["react"]);
  assert.equal(peerDependenciesMeta.react.optional, true);
});
