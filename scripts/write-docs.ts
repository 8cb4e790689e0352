/** `pnpm docs`: writes the parts of the documents that are made from the code. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { regenerated } from "./docs/doc-faults.ts";

const folder = resolve(import.meta.dirname, "../docs");
for (const name of readdirSync(folder).filter((each) => each.endsWith(".md"))) {
  const path = join(folder, name);
  const text = readFileSync(path, "utf8");
  const fresh = regenerated(text);
  if (fresh === text) continue;
  writeFileSync(path, fresh);
  console.log(`docs/${name} is written anew`);
}
