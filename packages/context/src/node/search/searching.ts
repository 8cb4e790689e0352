/** What came of a search: what was found, what could not be looked at yet, or why there was none. */

import { refusalNotes } from "../../session/store.ts";
import { type Unavailable, unavailable } from "../files/unavailable.ts";
import type { Hit } from "./hits.ts";
import type { CaughtUp } from "./indexing/catch-up.ts";
import { databaseFault } from "./keeping/sqlite.ts";

export type Searching =
  | {
      readonly type: "searched";
      /** Best first, of the newest 2,000. */
      readonly hits: readonly Hit[];
      /** Whether there were more than the newest 2,000. */
      readonly more: boolean;
      /** What could not be searched yet, and why; null for nothing. */
      readonly pending: { readonly bytes: number; readonly why: string } | null;
    }
  | { readonly type: "aborted" }
  | Unavailable;

/** How far the index is; `full` where the disk had no room for what is new. */
export type Reached = CaughtUp | { readonly type: "full" };

export function pendingAfter(reached: Reached): { readonly bytes: number; readonly why: string } | null {
  switch (reached.type) {
    case "held":
      return { bytes: reached.bytes, why: "another program is just reading what is new; search again in a moment" };
    case "unread":
      return { bytes: reached.bytes, why: "some files cannot be read; check their permissions" };
    case "full":
      return { bytes: 0, why: `what is new could not be added: ${refusalNotes["disk-full"]}` };
    case "up-to-date":
    case "aborted":
      return null;
  }
}

/** What the disk or SQLite had against it, and what to do; throws what neither said. */
export function notSearched(error: unknown): Unavailable {
  const fault = databaseFault(error);
  // One that was just made cannot be: then the fault is ours.
  if (fault === "broken") throw error;
  if (!fault) return unavailable("the sessions cannot be searched", error);
  const why =
    fault === "full" ? refusalNotes["disk-full"] : "check the permissions of search.db in Pith's folder, or delete it";
  return { type: "unavailable", code: fault, why: `the sessions cannot be searched: ${why}` };
}
