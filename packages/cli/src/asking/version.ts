/** The version of this program: put in when it is built, else as it stands in its own `package.json`. */

import { readFileSync } from "node:fs";

declare const PITH_VERSION: string | undefined;

export function version(): string {
  return typeof PITH_VERSION === "string" ? PITH_VERSION : versionOfSources();
}

/** From the sources, or from what the compiler made of them. */
function versionOfSources(): string {
  const { version: own } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String(own);
}
