/** The reading side of a store: every question about the lines of a session, answered at once. Held in memory, or read from a file. */

import type { BranchSummaryEntry, Entry } from "../entry.ts";
import type { Window } from "./window.ts";

export interface Lines {
  /** The last entry written, gaps left aside. */
  readonly leaf: string | null;
  has(id: string): boolean;
  entry(id: string): Entry | undefined;
  /** An entry's line as it was written, without seal; undefined for a gap and for an id that is not here. */
  text(id: string): string | undefined;
  /** In file order; null asks for the roots. */
  children(id: string | null): readonly Entry[];
  /** From this leaf up to its root. */
  ancestry(leaf: string | null): Iterable<Entry>;
  window(leaf: string | null): Window;
  commonAncestor(one: string | null, other: string | null): string | null;
  /** Of leaves that were left; in file order. */
  branchSummaries(fromIds: ReadonlySet<string>): readonly BranchSummaryEntry[];
  labels(): ReadonlyMap<string, string>;
  name(): string | undefined;
}

/** The same id, if it is here. */
export function known(lines: Pick<Lines, "has">, id: string | null): string | null {
  if (id !== null && !lines.has(id)) throw new Error(`entry ${id} is not in this session`);
  return id;
}
