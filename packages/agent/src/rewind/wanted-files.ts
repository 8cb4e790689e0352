/** What files should be where a move in the tree leads, from what the entries it crosses did to them. Pure. */

import type { Entry } from "@pith/context";
import { type FileChange, fileChanges } from "./file-change.ts";

/** The entries that a move crosses, both as they stand on their branches, the oldest first. */
export interface Crossing {
  /** From behind the place where the branches part to the leaf that is left. */
  readonly left: readonly Entry[];
  /** From there to the place moved to. */
  readonly reached: readonly Entry[];
}

/** Contents are named by their hashes; null stands for no file. */
export interface WantedFile {
  readonly path: string;
  /** As the session left it. */
  readonly expected: string | null;
  /** As it was where the move leads. */
  readonly target: string | null;
  /** Others changed it between two changes of the session: that is undone with them. */
  readonly hasOthersWork: boolean;
}

/** Every file that was changed on the way, in the order of the first change. */
export function wantedFiles({ left, reached }: Crossing): readonly WantedFile[] {
  const [undone, redone] = [byPath(left), byPath(reached)];
  const paths = new Set([...undone.keys(), ...redone.keys()]);
  return [...paths].map((path) => wantedFile(path, undone.get(path) ?? [], redone.get(path) ?? []));
}

function byPath(entries: readonly Entry[]): ReadonlyMap<string, readonly FileChange[]> {
  return Map.groupBy(fileChanges(entries), ({ path }) => path);
}

function wantedFile(path: string, undone: readonly FileChange[], redone: readonly FileChange[]): WantedFile {
  const start = (undone[0] ?? redone[0])?.before ?? null;
  const end = (changes: readonly FileChange[]): string | null => changes.at(-1)?.after ?? start;
  const hasOthersWork = [undone, redone].some(isBroken);
  return { path, expected: end(undone), target: end(redone), hasOthersWork };
}

function isBroken(changes: readonly FileChange[]): boolean {
  return changes.some(({ before }, at) => at > 0 && changes[at - 1]?.after !== before);
}
