/** The search index may remember words of what was purged; it is a copy, and made anew by the next search. */

import { rm } from "node:fs/promises";
import { join } from "node:path";

export async function forgetSearches(home: string): Promise<void> {
  // What else belongs to it goes first: left behind, it would be taken for a part of the next one.
  for (const ending of ["-shm", "-wal", ""]) await rm(join(home, `search.db${ending}`), { force: true });
}
