/** `pnpm write-docs`: writes the parts of the documents that are generated from the code. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readApi } from "./docs/api/read-api.ts";
import { generatedFiles, generators, regenerated, textAt } from "./docs/generated.ts";
import { pagesOf } from "./docs/pages.ts";
import { refilled } from "./docs/shown-code.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
const made = generators(readApi(root));
for (const { path, text } of pagesOf(root)) {
  const fresh = refilled(regenerated(text, made), root);
  if (fresh === text) continue;
  writeFileSync(join(root, path), fresh);
  console.log(`${path} is written anew`);
}
for (const { path, text } of generatedFiles(root)) {
  if (textAt(join(root, path)) === text) continue;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`${path} is written anew`);
}
