/** What fills a context by the file it is about, the most first. Pure. */

import { type Entry, fileTouches, type ToolCallBlock, type ToolRoles } from "@pith/context";
import type { EntryWeight } from "./entry-weights.ts";

export interface FileWeight {
  readonly path: string;
  /** How many results are about it. */
  readonly results: number;
  readonly tokens: number;
}

/** A result about several files counts for each of them in part. */
export function byFile(weights: readonly EntryWeight[], roles: ToolRoles = {}): readonly FileWeight[] {
  const files = new Map<string, FileWeight>();
  for (const { entry, call, tokens } of weights) {
    const paths = call ? pathsOf(entry, call, roles) : [];
    for (const path of paths) {
      const known = files.get(path) ?? { path, results: 0, tokens: 0 };
      files.set(path, { ...known, results: known.results + 1, tokens: known.tokens + tokens / paths.length });
    }
  }
  return [...files.values()]
    .map((file) => ({ ...file, tokens: Math.round(file.tokens) }))
    .toSorted((one, other) => other.tokens - one.tokens);
}

function pathsOf({ id, parentId, timestamp }: Entry, call: ToolCallBlock, roles: ToolRoles): readonly string[] {
  const message = { role: "assistant", content: [call] };
  const alone = { type: "message", id, parentId, timestamp, message } as unknown as Entry;
  return [...new Set(fileTouches([alone], roles).map(({ path }) => path))];
}
