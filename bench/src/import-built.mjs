/** Imports an entry point of the built package by the file that its `package.json` names, as an installed program would. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** `entry` is `.` or, for example, `./node`. */
export async function importBuilt(home, entry) {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  return import(pathToFileURL(join(home, exports[entry].default)).href);
}
