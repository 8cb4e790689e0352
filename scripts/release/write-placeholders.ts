/** `node scripts/release/write-placeholders.ts FOLDER`: writes an empty package 0.0.0 for each name that is published, to reserve the names once. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { listPublishedPackages } from "../build/packages.ts";

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node scripts/release/write-placeholders.ts FOLDER");
  process.exit(2);
}
for (const { manifest } of listPublishedPackages()) {
  const { name, repository } = manifest;
  const place = join(resolve(folder), name.replace(/^@/, "").replace("/", "-"));
  mkdirSync(place, { recursive: true });
  const placeholder = {
    name,
    version: "0.0.0",
    description: "Reserved; the first release follows.",
    license: "MIT",
    repository,
  };
  writeFileSync(join(place, "package.json"), `${JSON.stringify(placeholder, null, 2)}\n`);
  writeFileSync(join(place, "README.md"), `# ${name}\n\nThis name is reserved. The first release follows.\n`);
  console.log(`npm publish ${place} --access public`);
}
