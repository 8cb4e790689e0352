/** `node scripts/release/check-tarballs.ts FOLDER`: checks the packed packages of a folder before they are published. */

import { existsSync } from "node:fs";
import { publishedPackages, readVersion } from "../build/packages.ts";
import { counted } from "../fault.ts";
import { readTarballs, tarballFaults } from "./tarballs.ts";

const folder = process.argv[2];
if (folder === undefined || !existsSync(folder)) {
  console.error("usage: node scripts/release/check-tarballs.ts FOLDER   the folder with the packed packages (*.tgz)");
  process.exit(2);
}
const names = publishedPackages().map(({ manifest }) => manifest.name);
const tarballs = readTarballs(folder);
const faults = tarballFaults(tarballs, { version: readVersion(), names });
for (const fault of faults) console.log(fault);
console.log(`packed: ${counted(tarballs.length, "package")}, ${counted(faults.length, "fault")}`);
process.exitCode = faults.length > 0 ? 1 : 0;
