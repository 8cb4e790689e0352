/** `node scripts/release/check-tarballs.ts FOLDER`: checks the packed packages of a folder before they are published. */

import { existsSync } from "node:fs";
import { listPublishedPackages, readVersion } from "../build/packages.ts";
import { formatCount } from "../fault.ts";
import { checkTarballs, readTarballs } from "./tarballs.ts";

const folder = process.argv[2];
if (folder === undefined || !existsSync(folder)) {
  console.error("usage: node scripts/release/check-tarballs.ts FOLDER   the folder with the packed packages (*.tgz)");
  process.exit(2);
}
const names = listPublishedPackages().map(({ manifest }) => manifest.name);
const tarballs = readTarballs(folder);
const faults = checkTarballs(tarballs, { version: readVersion(), names });
for (const fault of faults) console.log(fault);
console.log(`packed: ${formatCount(tarballs.length, "package")}, ${formatCount(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;
