/** Defines where extensions are stored and which files are extensions. It is loaded at every start; `find.ts` is not. */

import { join } from "node:path";

export function extensionsFolder(home: string): string {
  return join(home, "extensions");
}

/** An extension whose code has not been loaded yet. */
export interface FoundExtension {
  /** Shown to the user. */
  readonly name: string;
  readonly origin: ExtensionOrigin;
  /** The entry file. */
  readonly path: string;
  /** Changes when a file of the extension changes, so that it is loaded again. */
  readonly stamp: string;
  /** The trusted content of each file by path. No other file of the folder is run. Absent for the user's own extensions. */
  readonly trustedBytes?: ReadonlyMap<string, Uint8Array>;
}

export type ExtensionOrigin = "user" | "package" | "project";

export interface FoundExtensions {
  readonly found: readonly FoundExtension[];
  /** Messages for the user about folders that are not extensions. */
  readonly notes: readonly string[];
}

export const noExtensions: FoundExtensions = { found: [], notes: [] };

/** Whether a file name has the form of an extension file. */
export function isExtensionFile(name: string): boolean {
  return !name.startsWith(".") && /\.(ts|js|mjs)$/.test(name) && !/\.d\.m?ts$/.test(name);
}

/** The entry files of an extension folder. The first that exists is used. */
export const indexFiles: readonly string[] = ["index.ts", "index.js", "index.mjs"];

/** Reads the entry file from the text of a `package.json`: `"pith": { "extension": "./x.js" }`. Null if there is none. */
export function parseExtensionEntry(packageText: string): string | null {
  const { pith } = Object(parseJson(packageText)) as { readonly pith?: unknown };
  const { extension } = Object(pith) as { readonly extension?: unknown };
  return typeof extension === "string" && extension !== "" ? extension : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An invalid package.json declares no extension. Callers that need the file report it.
    return null;
  }
}
