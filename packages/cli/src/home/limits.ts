/** The user's settings of compaction as the limits they stand for. */

import { type CompactionLimits, compactionLimits } from "@pith/context";
import type { CompactionSettings } from "./settings.ts";

export function limitsOf({ enabled, reserveTokens, keepRecentTokens }: CompactionSettings = {}): CompactionLimits {
  const { tail } = compactionLimits;
  return {
    ...compactionLimits,
    ...(enabled !== undefined && { enabled }),
    ...(reserveTokens !== undefined && { thresholds: [{ reserve: reserveTokens }] }),
    ...(keepRecentTokens !== undefined && { tail: { ...tail, tokens: keepRecentTokens } }),
  };
}
