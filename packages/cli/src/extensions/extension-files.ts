/** Defines where extensions are and which files count as one. Loaded at every start, hence apart from `find.ts`. */

import { join } from "node:path";

export function extensionsFolder(home: string): string {
  return join(home, "extensions");
}

/** An extension before any of its code is run. */
export interface FoundExtension {
  /** For people. */
  readonly name: string;
  readonly origin: ExtensionOrigin;
  /** The file that is loaded first. */
  readonly path: string;
  /** Other than before as soon as a file of it has changed, so that it is loaded anew. */
  readonly stamp: string;
  /** The very bytes that were trusted, by path: nothing else of that folder is run. Absent for the user's own. */
  readonly trustedBytes?: ReadonlyMap<string, Uint8Array>;
}

export type ExtensionOrigin = "user" | "package" | "project";

export interface FoundExtensions {
  readonly found: readonly FoundExtension[];
  /** For people: what lies there and is none. */
  readonly notes: readonly string[];
}

export const noExtensions: FoundExtensions = { found: [], notes: [] };

/** Whether a file is one by its name. */
export function isExtensionFile(name: string): boolean {
  return !name.startsWith(".") && /\.(ts|js|mjs)$/.test(name) && !/\.d\.m?ts$/.test(name);
}

/** In a folder of its own, the first that is there. */
export const indexFiles: readonly string[] = ["index.ts", "index.js", "index.mjs"];

/** What a `package.json` says: `"pith": { "extension": "./x.js" }`; null where it says nothing of it. */
export function parseExtensionEntry(packageText: string): string | null {
  const { pith } = Object(parseJson(packageText)) as { readonly pith?: unknown };
  const { extension } = Object(pith) as { readonly extension?: unknown };
  return typeof extension === "string" && extension !== "" ? extension : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // One that cannot be read names no extension; whoever needs the file says so.
    return null;
  }
}
