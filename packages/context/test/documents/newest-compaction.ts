/** Finds the newest compaction of a session and the part of its summary that a model or a hook wrote. */

import { readSummaryPartTexts } from "../../src/context/read-summary-parts.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import type { Session } from "../../src/session/session.ts";

export function newestCompaction({ branch: { entries, compactionIndex: compactionAt } }: Session): CompactionEntry {
  const compaction = entries[compactionAt];
  if (compaction?.type !== "compaction") throw new Error("this session has no compaction");
  return compaction;
}

export function modelSummary(session: Session): string {
  const parts = readSummaryPartTexts(newestCompaction(session));
  return parts.find(({ part }) => part.kind === "story")?.text.trim() ?? "";
}
