/** The coverage law: what the model saw before a compaction is kept, or was put before its writer, or was carried on. Nothing falls out. */

import type { Entry } from "../../entry.ts";
import { isShown } from "../planning/cut.ts";
import type { Plan } from "../planning/plan.ts";
import type { Candidate } from "../writing/candidate.ts";

/** The entries that would fall out; a compaction with any is refused. */
export function uncovered({ window, cut, carried }: Plan, { covers, story }: Candidate): readonly Entry[] {
  const before = window.entries[window.compactionAt];
  const isCarried = carried.story === "" || story !== "" || (before !== undefined && covers.has(before.id));
  return window.entries.filter((entry, at) => {
    if (entry.type === "compaction") return at === window.compactionAt && !isCarried;
    return at < cut.at && isShown(entry, window.edits) && !covers.has(entry.id);
  });
}
