/** The version of this program, as it stands in its own `package.json`. */

import { readFileSync } from "node:fs";

/** However it was built, it lies one to three folders below. */
export function version(): string {
  for (const place of ["../package.json", "../../package.json", "../../../package.json"]) {
    const found = versionIn(new URL(place, import.meta.url));
    if (found !== null) return found;
  }
  throw new Error("the package.json of pith is not where it should be");
}

function versionIn(file: URL): string | null {
  try {
    const { name, version: own } = JSON.parse(readFileSync(file, "utf8"));
    return name === "pith" ? String(own) : null;
  } catch {
    // Not this place: the next one.
    return null;
  }
}
