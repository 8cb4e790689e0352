/** `pnpm write-docs`: writes the parts of the documents that are generated from the code. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readApi } from "./docs/api/read-api.ts";
import { createGenerators, listGeneratedFiles, readIfExists, regeneratePage } from "./docs/generated.ts";
import { readPages } from "./docs/pages.ts";
import { fillFences } from "./docs/shown-code.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const generators = createGenerators(readApi(root));
for (const { path, text } of readPages(root)) {
  const fresh = fillFences(regeneratePage(text, generators), root);
  if (fresh === text) continue;
  writeFileSync(join(root, path), fresh);
  console.log(`${path} is written anew`);
}
for (const { path, text } of listGeneratedFiles(root)) {
  if (readIfExists(join(root, path)) === text) continue;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`${path} is written anew`);
}
