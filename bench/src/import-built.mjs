/** Imports an entry point of the built package by the `exports` of its `package.json`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** `entry` is `.` or a subpath such as `./node`. */
export async function importBuilt(packageFolder, entry) {
  const { exports } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  return import(pathToFileURL(join(packageFolder, exports[entry].default)).href);
}
