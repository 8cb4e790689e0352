/** The receipt of a compaction, where all that is shown of it is there: it comes from a file, and other programs write files, too. */

import { type CompactionEntry, type Receipt, receiptOf } from "@pith/context";

export function wholeReceipt(entry: CompactionEntry): Receipt | null {
  const receipt = receiptOf(entry);
  if (!receipt) return null;
  const { tokens, bytes, covered, kept, calls, cost, durationMs, findings } = receipt as Partial<Receipt>;
  const figures = [tokens?.before, bytes?.before, bytes?.after, covered?.count, kept?.count, calls, cost, durationMs];
  const isWhole = figures.every((figure) => typeof figure === "number") && Array.isArray(findings);
  return isWhole ? receipt : null;
}
