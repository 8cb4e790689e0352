/** Finding what a provider said beside its words: the name in front differs from package to package. */

import type { JSONValue } from "@ai-sdk/provider";
import type { Metadata } from "./draft.ts";

/** The first text of this name that any package's metadata has. */
export function foundText(metadata: Metadata, name: string): string | undefined {
  const found = Object.values(metadata).find((fields) => isText(fields[name]))?.[name];
  return isText(found) ? found : undefined;
}

function isText(value: JSONValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}
