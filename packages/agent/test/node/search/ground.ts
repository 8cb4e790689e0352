/** Test helpers: a folder of real files, and both search engines. */

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { onTestFinished } from "vitest";
import { nodeSearch } from "../../../src/node/search/search.ts";
import type { GrepHit, GrepQuery, SearchOptions, SearchResult, WorkspaceSearch } from "../../../src/ports.ts";

/** By name: where ripgrep is, or null. */
export const ways: readonly (readonly [string, string | null])[] = [
  ["with ripgrep", rgPath],
  ["without it", null],
];

export interface SearchFolder {
  readonly root: string;
  at(path: string): string;
  /** Each file is a minute older than the one before. */
  put(files: Readonly<Record<string, string | Uint8Array>>): void;
  search(ripgrep: string | null): WorkspaceSearch;
}

export function createSearchFolder(): SearchFolder {
  const root = mkdtempSync(join(tmpdir(), "pith-search-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let minute = 0;
  const at = (path: string): string => join(root, path);
  return {
    root,
    at,
    put: (files) => {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(at(path)), { recursive: true });
        writeFileSync(at(path), content);
        minute += 1;
        utimesSync(at(path), NOON - minute * 60, NOON - minute * 60);
      }
    },
    search: (ripgrep) => nodeSearch({ root, home: at("home"), ripgrep }),
  };
}

const NOON = 1_700_000_000;

export function act(most = 1_000): SearchOptions {
  return { signal: new AbortController().signal, maxResults: most };
}

/** As `path:line:text`, a line around a hit as `path-line-text`. */
export async function lines(
  search: WorkspaceSearch,
  query: Partial<GrepQuery>,
  most?: number,
): Promise<readonly string[]> {
  return shown(await search.grep({ pattern: "needle", path: ".", ...query }, act(most)));
}

export function shown(found: SearchResult<GrepHit>): readonly string[] {
  if (found.type !== "found") return [`${found.type}: ${found.message}`];
  const all = found.items.map(({ path, line, text, isContext }) => [path, line, text].join(isContext ? "-" : ":"));
  return found.isComplete ? all : [...all, "more"];
}

export async function names(search: WorkspaceSearch, glob: string, folder = "."): Promise<readonly string[]> {
  const found = await search.find({ folder, glob }, act());
  return found.type === "found" ? found.items : [`${found.type}: ${found.message}`];
}

/** Runs without root's rights, which ignore file permissions. */
export async function asAnybody<Outcome>(doIt: () => Promise<Outcome>): Promise<Outcome> {
  if (process.getuid?.() !== 0) return doIt();
  process.seteuid?.(NOBODY);
  try {
    return await doIt();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;
