/** Collects the entries of the branch that a move leaves, and summarizes them with a model and the ledger. */

import { isInsideExchange } from "../compaction/cut-point.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { collectLedger } from "../ledger/collect-ledger.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { collectFileLists } from "../ledger/touched-files.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Store } from "../session/store.ts";
import { createSummaryTimeouts, type SummaryTimeouts, type ToolRoles } from "../settings.ts";
import type { Allowance, ModelCall, OnProgress } from "../summary/ask-model.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import type { Flaw } from "../summary/flaw.ts";
import { generateSummary, type SummaryFailure } from "../summary/generate-summary.ts";
import { startTimeLimit } from "../summary/limits.ts";
import {
  noPreviousSummary,
  type PreviousSummary,
  previousNarrative,
  readPreviousSummary,
} from "../summary/parse-summary.ts";
import { previousUserMessages } from "../summary-parts/latest-request.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

export interface BranchSelection {
  /** In their original order. */
  readonly entries: readonly Entry[];
  /** The ids of visible entries that do not fit, oldest first. */
  readonly omittedIds: readonly string[];
}

/** Selects the newest entries that fit, and older summaries if there is room (BR2); `tokens: Infinity` selects all. */
export function selectBranchEntries(
  { entries, edits }: Pick<OldBranch, "entries" | "edits">,
  { tokens }: { readonly tokens: number },
): BranchSelection {
  const entryTokens = entries.map((entry) => ({ entry, tokens: visibleTokens(entry, edits) }));
  const { startIndex, used } = findNewestStart(entryTokens, tokens);
  const olderSummaries = selectOlderSummaries(entryTokens.slice(0, startIndex), { tokens, used });
  const isSelected = (each: EntryTokens, index: number): boolean => index >= startIndex || olderSummaries.has(each);
  return {
    entries: entryTokens.filter(isSelected).map(({ entry }) => entry),
    omittedIds: entryTokens
      .filter((each, index) => hasTokens(each) && !isSelected(each, index))
      .map(({ entry }) => entry.id),
  };
}

interface EntryTokens {
  readonly entry: Entry;
  /** 0 for an entry that the model does not see. */
  readonly tokens: number;
}

// System messages are not summarized, so they do not count.
function visibleTokens(entry: Entry, edits: readonly ContextEditEntry[]): number {
  const { tokens, system } = entrySize(entry, latestEdit(edits, entry));
  return tokens - system;
}

/** Finds where the newest entries that fit begin. A tool call is never separated from its results. */
function findNewestStart(
  entryTokens: readonly EntryTokens[],
  maxTokens: number,
): { readonly startIndex: number; readonly used: number } {
  let result = { startIndex: entryTokens.length, used: 0 };
  let used = 0;
  // Whether a tool result was seen whose call comes earlier.
  let hasOpenResults = false;
  for (const [index, each] of [...entryTokens.entries()].reverse()) {
    used += each.tokens;
    if (used > maxTokens) break;
    if (hasTokens(each)) hasOpenResults = isInsideExchange(each.entry, hasOpenResults);
    if (!hasOpenResults || index === 0) result = { startIndex: index, used };
  }
  return result;
}

// Summaries are short for what they cover, so older ones use the room that a long message did not fit into.
function selectOlderSummaries(
  before: readonly EntryTokens[],
  { tokens, used }: { readonly tokens: number; readonly used: number },
): ReadonlySet<EntryTokens> {
  const selected = new Set<EntryTokens>();
  let totalTokens = used;
  for (const each of before.toReversed()) {
    if (!isSummaryItem(each) || totalTokens >= tokens * NEARLY_FULL_SHARE || totalTokens + each.tokens > tokens)
      continue;
    selected.add(each);
    totalTokens += each.tokens;
  }
  return selected;
}

const NEARLY_FULL_SHARE = 0.9;

const hasTokens = ({ tokens }: EntryTokens): boolean => tokens > 0;

function isSummaryItem({ entry }: EntryTokens): boolean {
  return entry.type === "compaction" || entry.type === "branch_summary";
}

export interface BranchSummaryRequest {
  /** The models to try, in order of preference. */
  readonly models: readonly Model[];
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  readonly oldBranch: Pick<OldBranch, "entries" | "edits">;
  /** The narrative of an earlier summary of this branch, and the entries appended since. */
  readonly earlier?: { readonly narrative: string; readonly newEntries: readonly Entry[] };
  readonly instructions?: string;
  readonly replaceInstructions?: boolean;
  /** The tokens of the branch to summarize, newest entries first. Without it, all entries, in several requests if necessary. */
  readonly maxInputTokens?: number;
  /** The maximum tokens of narrative and ledger together. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  readonly tools?: ToolRoles;
  /** The limit on what model calls may cost. */
  readonly allowance?: Allowance;
  /** Receives progress events. */
  readonly progress?: OnProgress | undefined;
  /** Time limits for model calls; the defaults if absent. */
  readonly time?: SummaryTimeouts;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `generateBranchSummary`. */
export type BranchSummaryOutcome =
  | {
      readonly type: "summarized";
      readonly summary: BranchSummary;
      readonly by: ModelName;
      readonly flaws: readonly Flaw[];
      readonly calls: readonly ModelCall[];
    }
  | { readonly type: "failed"; readonly failures: readonly SummaryFailure[]; readonly calls: readonly ModelCall[] }
  | { readonly type: "cancelled"; readonly calls: readonly ModelCall[] };

/** The text and details of a branch summary. */
export interface BranchSummary {
  readonly summary: string;
  /** The text by a model or a hook; the start of `summary`. */
  readonly narrative: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Summarizes a branch with the first model that succeeds, and appends the ledger of files, commands and errors. */
export async function generateBranchSummary(options: BranchSummaryRequest): Promise<BranchSummaryOutcome> {
  const { models, runtime } = options;
  const calls: ModelCall[] = [];
  const failures: SummaryFailure[] = [];
  const limit = startTimeLimit(options.time ?? createSummaryTimeouts(), runtime);
  try {
    for (const [index, model] of models.entries()) {
      if (limit.totalExpired.aborted) break;
      // A slow model is retried only if it is the last one.
      const time = { ...limit, mayRetrySlowAttempt: index === models.length - 1 };
      const outcome = await generateSummary({ model, ...toGenerateSummaryOptions(options), time });
      calls.push(...outcome.calls);
      if (outcome.type === "cancelled") return { type: "cancelled", calls };
      const { api, provider, model: name } = model;
      if (outcome.type === "summarized") {
        const summary = createBranchSummary(outcome.summary, options);
        return { type: "summarized", summary, by: { api, provider, model: name }, flaws: outcome.flaws, calls };
      }
      failures.push({ ...outcome.failure, note: `${provider}/${name}: ${outcome.failure.note}` });
    }
  } finally {
    limit.stop();
  }
  return { type: "failed", failures, calls };
}

// BR3: tool results are rendered as for a compaction. A compaction at the start of the branch becomes the previous summary.
function toGenerateSummaryOptions({
  oldBranch,
  earlier,
  maxInputTokens = Number.POSITIVE_INFINITY,
  ...options
}: BranchSummaryRequest) {
  const {
    runtime,
    instructions = "",
    replaceInstructions = false,
    thinking = "off",
    signal,
    tokens,
    allowance,
    progress,
  } = options;
  const { edits } = oldBranch;
  const previous = readFirstSummary(oldBranch);
  return {
    runtime,
    entries: selectBranchEntries(
      { entries: earlier?.newEntries ?? oldBranch.entries, edits },
      { tokens: maxInputTokens },
    ).entries,
    edits,
    previous: earlier?.narrative ?? previousMaterial(previous),
    isChecked: earlier !== undefined || previous.isChecked,
    format: "branch" as const,
    instructions,
    replaceInstructions,
    tokens: Math.floor(tokens * BRANCH_NARRATIVE_SHARE),
    thinking,
    evidence: collectBranchEvidence(oldBranch, earlier?.narrative),
    progress,
    signal,
    ...(allowance && { allowance }),
  };
}

// A branch summary does not keep user messages word for word, so the model reads those that a compaction has kept.
function previousMaterial(previous: PreviousSummary): string {
  return [previousUserMessages(previous), previousNarrative(previous)]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

// A compaction comes first; its summary covers the entries before it.
function readFirstSummary({ entries: [first] }: Pick<OldBranch, "entries">): PreviousSummary {
  return first?.type === "compaction" ? readPreviousSummary(first) : noPreviousSummary;
}

/** Collects what a branch summary is checked against: the branch, its earlier summary, and the user messages of a compaction. */
export function collectBranchEvidence(oldBranch: Pick<OldBranch, "entries" | "edits">, narrative?: string): Evidence {
  const previous = readFirstSummary(oldBranch);
  return collectEvidence({
    covered: oldBranch.entries,
    edits: oldBranch.edits,
    previous: narrative ?? previousNarrative(previous),
    isChecked: narrative !== undefined || previous.isChecked,
    userMessages: previousUserMessages(previous),
    pins: [],
    ledger: "",
    request: null,
  });
}

/** Appends the ledger of files, commands and errors to a narrative; it is computed from the entries, not written by a model. */
export function createBranchSummary(
  narrative: string,
  { oldBranch, tools, tokens }: Pick<BranchSummaryRequest, "oldBranch" | "tools" | "tokens">,
): BranchSummary {
  const ledger = collectLedger([...oldBranch.entries, ...oldBranch.edits], tools);
  const { read, modified } = collectFileLists(oldBranch.entries, tools);
  const text = renderLedger(ledger, { tokens: tokens - textTokens(narrative) });
  return {
    summary: text === "" ? narrative : `${narrative}\n\n${text}`,
    narrative,
    details: { readFiles: read, modifiedFiles: modified, pith: { ledger } },
  };
}

/** The maximum share of the tokens for the narrative; the ledger uses the rest. */
const BRANCH_NARRATIVE_SHARE = 0.75;

/** The part of a branch that a move leaves. */
export interface OldBranch {
  /** Oldest first, without duplicates; a compaction comes before the entries it kept. */
  readonly entries: readonly Entry[];
  /** The newest entry on both branches; null if there is none. */
  readonly commonAncestorId: string | null;
  /** The context edits of these entries. */
  readonly edits: readonly ContextEditEntry[];
}

/**
 * Collects the entries that a move leaves; none if the target is a descendant of the old leaf. Loads only the context at
 * the old leaf, not the history before it.
 */
export async function collectEntriesForBranchSummary(
  store: Store,
  oldLeafId: string | null,
  targetId: string | null,
): Promise<OldBranch> {
  const commonAncestorId = await store.commonAncestor(oldLeafId, targetId);
  if (commonAncestorId === oldLeafId) return { entries: [], commonAncestorId, edits: [] };
  const branch = await store.loadBranch(oldLeafId);
  const entries = entriesSinceAncestor(branch, commonAncestorId);
  const ids = new Set(entries.map(({ id }) => id));
  return { entries, commonAncestorId, edits: branch.edits.filter((edit) => ids.has(edit.targetId)) };
}

// BR1: the newest compaction stands for all entries it covers. It is omitted if both branches share all of those entries.
function entriesSinceAncestor({ entries, compactionIndex }: LoadedBranch, ancestorId: string | null): readonly Entry[] {
  const start = entries.findIndex(({ id }) => id === ancestorId) + 1;
  const newEntries = entries.slice(start).filter(({ type }) => type !== "compaction");
  const compaction = entries[compactionIndex];
  const isShared = start > 0 || entries[0]?.parentId === ancestorId;
  return compaction && !isShared ? [compaction, ...newEntries] : newEntries;
}
