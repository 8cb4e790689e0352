/** Counts a session's entries and adds up their tokens and cost, over every branch, every summary and every paid call. */

import { BRANCH_USAGE, COMPACTION_USAGE, type Entry } from "./entry.ts";
import type { AgentMessage, Usage } from "./message.ts";

export interface SessionTotals {
  readonly entries: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly compactions: number;
  readonly branchSummaries: number;
  /** Of all calls to models together. */
  readonly usage: Usage;
  /** The same, by what it was for. */
  readonly spent: Spending;
}

export interface Spending {
  readonly replies: Usage;
  /** Compactions and branch summaries, those that were paid for and not used included. */
  readonly summaries: Usage;
  /** Whatever else, e.g. tries that were made again. */
  readonly rest: Usage;
}

/** Nothing was said, nothing was paid. */
export const noUsage: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** The totals of a session without entries: where the fold begins. */
export const noTotals: SessionTotals = {
  entries: 0,
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolResults: 0,
  compactions: 0,
  branchSummaries: 0,
  usage: noUsage,
  spent: { replies: noUsage, summaries: noUsage, rest: noUsage },
};

/** One more entry, whatever branch it stands on: a fold, so that a store of any size can be read once, entry by entry. */
export function sessionTotals(totals: SessionTotals, entry: Entry): SessionTotals {
  const paid = paidIn(entry);
  const counted = { ...totals, ...countedIn(totals, entry), entries: totals.entries + 1 };
  if (!paid) return counted;
  const spent = { ...totals.spent, [paid.for]: addedUsage(totals.spent[paid.for], paid.usage) };
  return { ...counted, usage: addedUsage(totals.usage, paid.usage), spent };
}

/** What an entry says was paid to a model, and what for; null where it says nothing of it. */
export function paidIn(entry: Entry): { readonly for: keyof Spending; readonly usage: Usage } | null {
  switch (entry.type) {
    case "message": {
      const { usage } = entry.message as { readonly usage?: Usage };
      return usage && entry.message.role === "assistant" ? { for: "replies", usage } : null;
    }
    case "compaction":
    case "branch_summary":
      return entry.usage ? { for: "summaries", usage: entry.usage } : null;
    case "usage":
      return { for: SUMMARIES.includes(entry.kind) ? "summaries" : "rest", usage: entry.usage };
    default:
      return null;
  }
}

const SUMMARIES: readonly string[] = [COMPACTION_USAGE, BRANCH_USAGE];

/** The sum of two; what is no number counts nothing, for it may come from anybody's file. */
export function addedUsage(one: Usage, other: Usage): Usage {
  const more = Object(other) as Partial<Usage>;
  return { ...sums(one, more, TOKENS), cost: sums(one.cost, Object(more.cost) as Usage["cost"], COSTS) };
}

const TOKENS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const;
const COSTS = ["input", "output", "cacheRead", "cacheWrite", "total"] as const;

function sums<Name extends string>(
  one: Readonly<Record<Name, number>>,
  other: Readonly<Partial<Record<Name, number>>>,
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  const sum = (name: Name): number => one[name] + (Number.isFinite(other[name]) ? Number(other[name]) : 0);
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Readonly<Record<Name, number>>;
}

function countedIn(totals: SessionTotals, entry: Entry): Partial<SessionTotals> {
  switch (entry.type) {
    case "message":
      return saidIn(totals, entry.message);
    case "compaction":
      return { compactions: totals.compactions + 1 };
    case "branch_summary":
      return { branchSummaries: totals.branchSummaries + 1 };
    default:
      return {};
  }
}

function saidIn(totals: SessionTotals, message: AgentMessage): Partial<SessionTotals> {
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
