/** What came of a compaction, with what stands in the log now. */

import type { Compaction } from "@pith/context";
import type { CompactionResult } from "./compaction-events.ts";

export type Compacted =
  | Exclude<Compaction, { type: "compacted" }>
  | (Extract<Compaction, { type: "compacted" }> & CompactionResult);
