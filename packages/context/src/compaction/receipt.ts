/** Defines the receipt that a compaction entry stores, and tracks the cost of summaries for the hourly limit. */

import {
  BRANCH_USAGE,
  COMPACTION_USAGE,
  type CompactionEntry,
  type Entry,
  MOVE_TYPE,
  readPithDetails,
} from "../entry.ts";
import type { Usage } from "../message.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Allowance } from "../summary/ask-model.ts";
import type { FlawCode } from "../summary/flaw.ts";
import type { CompactionLevel } from "./budget.ts";

/** The record of a compaction: what it covered, its token counts, its cost and its findings. */
export interface Receipt {
  readonly reason: CompactionTrigger;
  /** How the summary was written: `model` (with a transcript), `same-prefix` (with the last request), `hook`, `model-free`, … */
  readonly route: string;
  /** The model that wrote the summary, as `provider/model`. */
  readonly by: string | null;
  readonly rung: CompactionLevel["name"];
  /** Set if the summary was derived from the original entries instead of from the previous summary. */
  readonly fromOriginals?: true;
  readonly covered: EntryRange;
  readonly kept: EntryRange;
  /** The estimates before and after use the same method. */
  readonly tokens: { readonly before: number; readonly after: number; readonly limit: number | null };
  readonly bytes: { readonly before: number; readonly after: number };
  readonly calls: number;
  readonly cost: number;
  /** What the summary was expected to cost before it was requested, in dollars. Absent if no prices are known. */
  readonly expectedCost?: number;
  /** The share of the input tokens that the provider read from its cache. Absent if no model was called. */
  readonly cachedShare?: number;
  /** How long the session waited for the compaction. */
  readonly durationMs: number;
  /** How long the summary took, if it was prepared in the background. The session did not wait for it. */
  readonly preparedMs?: number;
  readonly findings: readonly Finding[];
  /** The number of consecutive compactions, including this one, that freed too little. */
  readonly withoutProgress: number;
  /** The leaf to move to for an undo; null for the position before the first entry. */
  readonly undoTo: string | null;
}

/** Why a compaction runs: an explicit request, the threshold, a refusal by the provider, or a switch to a smaller model. */
export type CompactionTrigger = "asked" | "due" | "overflow" | "model-switch";

/** A range of consecutive entries of a branch. */
export interface EntryRange {
  readonly first: string | null;
  readonly last: string | null;
  readonly count: number;
}

/** One problem or notice about a compaction. */
export interface Finding {
  readonly code: FindingCode;
  /** A description for the user. */
  readonly note: string;
}

export type FindingCode =
  // Found by checking a summary against the log.
  | FlawCode
  // Reported by the compaction itself.
  | "part-shortened"
  | "user-messages-carried"
  | "user-messages-shortened"
  | "user-messages-without-question"
  | "user-messages-stubbed"
  | "user-messages-hidden"
  | "result-reduced"
  | "cut-moved"
  | "not-in-context"
  | "nothing-before"
  | "outdated-removed"
  | "prepared-dropped"
  | "not-covered"
  | "no-gain"
  | "does-not-fit"
  | "summarizer-failed"
  | "reply-unused"
  | "hook-failed"
  | "spend-limit"
  | "time-limit";

/** The codes of findings about marked lines of a summary. */
export const MARK_CODES: ReadonlySet<FindingCode> = new Set([
  "unknown-id",
  "false-quote",
  "unknown-name",
  "unfounded",
  "uncited",
  "wrong-number",
  "not-from-user",
]);

export function toEntryRange(entries: readonly Entry[]): EntryRange {
  return { first: entries[0]?.id ?? null, last: entries.at(-1)?.id ?? null, count: entries.length };
}

/** Returns the receipt of a compaction, or null if another program wrote it. Only some fields of the stored data are validated. */
export function readReceipt({ details }: CompactionEntry): Receipt | null {
  const { receipt } = readPithDetails(details);
  const { route, withoutProgress, tokens } = Object(receipt) as Partial<Receipt>;
  const isOurs = typeof route === "string" && typeof withoutProgress === "number" && typeof tokens?.after === "number";
  return isOurs ? (receipt as Receipt) : null;
}

/** Returns how many consecutive compactions of a branch, up to the newest, freed too little. */
export function roundsWithoutProgress({ entries, compactionIndex }: LoadedBranch): number {
  const compaction = entries[compactionIndex];
  return compaction?.type === "compaction" ? (readReceipt(compaction)?.withoutProgress ?? 0) : 0;
}

/** The cost of one model call, stored in the log so that the hourly limit applies across compactions, undos and restarts. */
export interface CallCost {
  readonly at: string;
  readonly cost: number;
}

/** Returns the cost of each call within an hour before or after `now`, because the clock may have been changed. */
export function recentCallCosts({ entries, compactionIndex }: LoadedBranch, now: number): readonly CallCost[] {
  return entries
    .slice(Math.max(0, compactionIndex))
    .flatMap((entry) => [...readCallCosts(entry), ...entryCallCosts(entry)])
    .filter(({ at }) => Math.abs(Date.parse(at) - now) < HOUR_MS)
    .slice(-MAX_CALL_COSTS);
}

/** Calculates how much of the hourly limit is left. */
export function calculateAllowance(
  branch: LoadedBranch,
  { calls, cost }: Allowance,
  { now, unusedCalls = [] }: { readonly now: number; readonly unusedCalls?: readonly { readonly usage: Usage }[] },
): Allowance {
  const costs = [
    ...recentCallCosts(branch, now).map((each) => each.cost),
    ...unusedCalls.map(({ usage }) => usage.cost.total),
  ];
  return { calls: calls - costs.length, cost: cost - costs.reduce((sum, each) => sum + each, 0) };
}

export const isAllowed = ({ calls, cost }: Allowance): boolean => calls > 0 && cost > 0;

export function toCallCost(at: string, { cost }: Usage): CallCost {
  return { at, cost: Number.isFinite(cost?.total) ? cost.total : 0 };
}

// A summary may take several calls. Its cost is divided equally among them.
function entryCallCosts(entry: Entry): readonly CallCost[] {
  const isSummary = entry.type === "compaction" || entry.type === "branch_summary";
  const isPaid = isSummary || (entry.type === "usage" && [COMPACTION_USAGE, BRANCH_USAGE].includes(entry.kind));
  if (!isPaid || !entry.usage) return [];
  const callCost = toCallCost(entry.timestamp, entry.usage);
  const calls = entry.type === "compaction" ? summaryCallCount(entry.details) : 1;
  return Array.from({ length: calls }, () => ({ ...callCost, cost: callCost.cost / calls }));
}

function summaryCallCount(details: unknown): number {
  const { ownCalls: callCount } = readPithDetails(details);
  return typeof callCount === "number" && callCount >= 1 && callCount <= MAX_CALL_COSTS ? Math.floor(callCount) : 1;
}

// A compaction stores the costs before it, and an undo stores the costs of the branch that it leaves. Invalid items are ignored.
function readCallCosts(entry: Entry): readonly CallCost[] {
  const spending = readSpending(entry);
  return Array.isArray(spending) ? spending.filter(isCallCost) : [];
}

function readSpending(entry: Entry): unknown {
  if (entry.type === "compaction") return readPithDetails(entry.details).spending;
  return entry.type === "custom" && entry.customType === MOVE_TYPE ? Object(entry.data).spending : null;
}

function isCallCost(value: unknown): value is CallCost {
  const { at, cost } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof at === "string" && typeof cost === "number";
}

const HOUR_MS = 3_600_000;
/** The maximum number of items that a compaction stores. */
const MAX_CALL_COSTS = 1_000;
