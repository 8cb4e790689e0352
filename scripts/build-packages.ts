/** `node scripts/build-packages.ts [NAME…]`: builds the packages as they are published, into the `dist` folder of each; all of them by default. */

import { relative } from "node:path";
import { buildLibrary } from "./build/library.ts";
import { isProgram, listPublishedPackages, root } from "./build/packages.ts";
import { buildProgram } from "./build/program.ts";

const names = process.argv.slice(2);
const packages = listPublishedPackages().filter(({ manifest }) => names.length === 0 || names.includes(manifest.name));
if (packages.length < names.length) throw new Error(`one of these is not a published package: ${names.join(", ")}`);

for (const each of packages) {
  const chunks = isProgram(each) ? await buildProgram() : await buildLibrary(each);
  const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  console.log(`${relative(root, each.folder)}: ${chunks.length} files, ${Math.round(bytes / 1000)} KB`);
}
