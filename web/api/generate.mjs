// Writes the types of the API's bodies, a file for each document in openapi/ whose routes a page calls. With --check it changes
// nothing, and fails if a file differs from what its document produces.

import { readFile, readdir, writeFile } from "node:fs/promises";

import generate, { astToString } from "openapi-typescript";
import ts from "typescript";

const DOCUMENTS = new URL("../../openapi/", import.meta.url);
/** The documents of routes that only backends call. */
const OF_BACKENDS = ["proofs.yaml"];

/**
 * Whether a declaration holds schemas. The other declarations repeat the schemas for each operation and status, and no page
 * uses them.
 * @param {ts.Node} declaration
 */
const holdsSchemas = (declaration) => ts.isInterfaceDeclaration(declaration) && declaration.name.text === "components";

const documents = (await readdir(DOCUMENTS)).filter((name) => name.endsWith(".yaml") && !OF_BACKENDS.includes(name));
for (const document of documents) {
  const name = document.replace(/\.yaml$/, ".d.ts");
  const file = new URL(name, import.meta.url);
  const declarations = await generate(new URL(document, DOCUMENTS));
  const types = `// Made from openapi/${document} by scripts/generate.\n\n${astToString(declarations.filter(holdsSchemas))}`;
  if (!process.argv.includes("--check")) {
    await writeFile(file, types);
  } else if (types !== (await readFile(file, "utf8").catch(() => ""))) {
    console.error(`web/api/${name} is not what openapi/${document} makes: run scripts/generate`);
    process.exitCode = 1;
  }
}
