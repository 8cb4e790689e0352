/** Where a session is kept: the port behind which memory, a file or a database stands. The log is the truth; this is its only door. */

import type { Entry, Header } from "../entry.ts";
import type { Window } from "./window.ts";

export interface Store {
  readonly header: Header;
  /** The last entry written; a new session has none. */
  leaf(): Promise<string | null>;
  /** All that the context at this leaf needs. */
  window(leaf: string | null): Promise<Window>;
  entry(id: string): Promise<Entry | undefined>;
  /** In file order; null asks for the roots. */
  children(id: string | null): Promise<readonly Entry[]>;
  /** From the root to this leaf. */
  branch(leaf: string | null): Promise<readonly Entry[]>;
  commonAncestor(one: string | null, other: string | null): Promise<string | null>;
  labels(): Promise<ReadonlyMap<string, string>>;
  /** The session's name, the latest in the file. */
  name(): Promise<string | undefined>;
  /** The line of an entry as it was written, without seal; undefined for a gap and for an id that is not here. */
  line(id: string): Promise<string | undefined>;
  /**
   * Adds a batch, all of it or nothing; its last entry becomes the leaf. A batch that is here already, to the byte, counts as
   * appended. Throws for what no caller may ask: an entry without its parent, an id used for other content.
   */
  append(batch: readonly Entry[], fence: Fence): Promise<Appended>;
}

export interface Fence {
  /** The leaf the writer has seen; null for an empty session. */
  readonly expectedLeaf: string | null;
  /** A hosted writer's token; a store that gives out tokens refuses an older one. */
  readonly token?: number;
}

export type Appended =
  | { readonly type: "appended"; readonly leaf: string | null }
  | { readonly type: "leaf-moved"; readonly leaf: string | null };
