/** Counts the entries of a session and adds up their tokens and cost, for all branches, summaries and other paid calls. */

import { type Receipt, readReceipt } from "./compaction/receipt.ts";
import { BRANCH_USAGE, COMPACTION_USAGE, type Entry, type UsageEntry } from "./entry.ts";
import type { AgentMessage, Usage } from "./message.ts";

/** The totals of a session over all branches. */
export interface SessionTotals {
  readonly entries: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly compactions: number;
  readonly branchSummaries: number;
  readonly estimates: EstimateTotals;
  /** The usage of all model calls. */
  readonly usage: Usage;
  /** The same usage by purpose. */
  readonly spent: UsageByPurpose;
}

/** How close the expected cost of compactions came to the actual cost. */
export interface EstimateTotals {
  /** The compactions with both. */
  readonly count: number;
  readonly expectedCost: number;
  readonly actualCost: number;
  /** The sum of the relative errors: 0.1 for a cost that was expected to be 10% lower or higher. */
  readonly errors: number;
}

/** Usage by purpose. */
export interface UsageByPurpose {
  readonly replies: Usage;
  /** Compactions and branch summaries, including those that were paid for but not used. */
  readonly summaries: Usage;
  /** Everything else, e.g. failed attempts that were retried. */
  readonly rest: Usage;
}

/** A usage of zero. */
export const zeroUsage: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** The totals of an empty session. */
export const zeroTotals: SessionTotals = {
  entries: 0,
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolResults: 0,
  compactions: 0,
  branchSummaries: 0,
  estimates: { count: 0, expectedCost: 0, actualCost: 0, errors: 0 },
  usage: zeroUsage,
  spent: { replies: zeroUsage, summaries: zeroUsage, rest: zeroUsage },
};

/** Adds one entry of any branch to the totals. */
export function addToTotals(totals: SessionTotals, entry: Entry): SessionTotals {
  const entryUsage = usageOfEntry(entry);
  const newTotals = { ...totals, ...countEntry(totals, entry), entries: totals.entries + 1 };
  if (!entryUsage) return newTotals;
  const spent = { ...totals.spent, [entryUsage.for]: addUsage(totals.spent[entryUsage.for], entryUsage.usage) };
  return { ...newTotals, usage: addUsage(totals.usage, entryUsage.usage), spent };
}

/** Returns the usage that an entry records and its purpose, or null. */
export function usageOfEntry(entry: Entry): { readonly for: keyof UsageByPurpose; readonly usage: Usage } | null {
  switch (entry.type) {
    case "message": {
      const { usage } = entry.message as { readonly usage?: Usage };
      return usage && entry.message.role === "assistant" ? { for: "replies", usage } : null;
    }
    case "compaction":
    case "branch_summary":
      return entry.usage ? { for: "summaries", usage: entry.usage } : null;
    case "usage":
      return { for: SUMMARY_USAGE_KINDS.includes(entry.kind) ? "summaries" : "rest", usage: entry.usage };
    default:
      return null;
  }
}

const SUMMARY_USAGE_KINDS: readonly string[] = [COMPACTION_USAGE, BRANCH_USAGE];

/** Returns the usage of several calls as one. */
export function sumUsage(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, usage) => addUsage(sum, usage), zeroUsage);
}

/**
 * Adds two usages. Fields that only some providers report are kept. A value that is not a number counts as zero, because it may come from
 * a file.
 */
export function addUsage(one: Usage, other: Usage): Usage {
  const [oneCost, otherCost] = [one, other].map((usage) => Object(usage).cost);
  const { cost, ...tokens } = zeroUsage;
  return { ...addFields(tokens, one, other), cost: addFields(cost, oneCost, otherCost) };
}

/** Returns the fields of `zero` and those that are a number in one of the addends. */
function addFields<Sum extends object>(zero: Sum, ...addends: readonly unknown[]): Sum {
  const sums = new Map<string, number>(Object.entries(zero));
  for (const addend of addends)
    for (const [name, value] of Object.entries(Object(addend)))
      if (typeof value === "number" && Number.isFinite(value)) sums.set(name, (sums.get(name) ?? 0) + value);
  return Object.fromEntries(sums) as Sum;
}

function countEntry(totals: SessionTotals, entry: Entry): Partial<SessionTotals> {
  switch (entry.type) {
    case "message":
      return countMessage(totals, entry.message);
    case "compaction":
      return { compactions: totals.compactions + 1, estimates: addEstimate(totals.estimates, readReceipt(entry)) };
    case "branch_summary":
      return { branchSummaries: totals.branchSummaries + 1 };
    default:
      return {};
  }
}

function addEstimate(totals: EstimateTotals, receipt: Receipt | null): EstimateTotals {
  const { expectedCost = 0, cost = 0 } = receipt ?? {};
  if (!(expectedCost > 0) || !(cost > 0)) return totals;
  return {
    count: totals.count + 1,
    expectedCost: totals.expectedCost + expectedCost,
    actualCost: totals.actualCost + cost,
    errors: totals.errors + Math.abs(expectedCost / cost - 1),
  };
}

function countMessage(totals: SessionTotals, message: AgentMessage): Partial<SessionTotals> {
  switch (message.role) {
    case "user":
      return { userMessages: totals.userMessages + 1 };
    case "assistant": {
      const blocks = Array.isArray(message.content) ? message.content : [];
      const calls = blocks.filter((block) => Object(block).type === "toolCall").length;
      return { assistantMessages: totals.assistantMessages + 1, toolCalls: totals.toolCalls + calls };
    }
    case "toolResult":
      return { toolResults: totals.toolResults + 1 };
    default:
      return {};
  }
}

/** Creates the entry for a paid call whose result is not used. A hook does not report its model, so the caller gives the likely one. */
export function createUsageEntry(
  kind: UsageEntry["kind"],
  usage: Usage,
  { provider, model }: Pick<UsageEntry, "provider" | "model"> = { provider: "", model: "" },
): Pick<UsageEntry, "type" | "kind" | "provider" | "model" | "usage"> {
  return { type: "usage", kind, provider, model, usage };
}
