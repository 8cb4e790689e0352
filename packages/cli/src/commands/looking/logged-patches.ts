/** What tools told of their changes, by file: all there is where the bytes from before were not kept. Pure. */

import type { Entry } from "@pith/context";
import { type Patch, patchOf } from "./file-patch.ts";

/** In the order of the first change; one file's changes stand one behind the other. */
export function loggedPatches(entries: readonly Entry[]): ReadonlyMap<string, Patch> {
  const lines = new Map<string, string[]>();
  for (const { path, diff } of entries.flatMap(toldIn)) {
    const known = lines.get(path) ?? [];
    lines.set(path, [...known, ...diff.split("\n").filter((line) => line !== "" && !HEAD.test(line))]);
  }
  return new Map([...lines].map(([path, all]) => [path, patchOf(all)]));
}

const HEAD = /^(?:---|\+\+\+) /;

interface Told {
  readonly path: string;
  readonly diff: string;
}

// It comes from a file, so nothing in it is taken on trust.
function toldIn(entry: Entry): readonly Told[] {
  if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.isError) return [];
  const { diff, pith } = fieldsOf(entry.message.details);
  const { path, after } = fieldsOf(pith);
  if (typeof path !== "string" || typeof after !== "string") return [];
  // A file that was written whole has no diff.
  return [{ path, diff: typeof diff === "string" ? diff : "" }];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
