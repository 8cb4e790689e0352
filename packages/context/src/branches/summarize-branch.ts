/** Collects the entries of a left branch and summarises them with the first model that succeeds, the ledger appended. */

import {
  noPreviousSummary,
  type PreviousSummary,
  previousNarrative,
  readPreviousSummary,
} from "../compaction/previous-summary.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/entry-size.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { collectLedger } from "../ledger/collect-ledger.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import { collectFileLists } from "../ledger/touched-files.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Store } from "../session/store.ts";
import { createSummaryTimeouts, type SummaryTimeouts } from "../settings.ts";
import type { Allowance, ModelCall, OnProgress } from "../summary/ask-model.ts";
import type { Flaw } from "../summary/audit.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import { generateSummary, type SummaryFailure } from "../summary/generate-summary.ts";
import { type TimeLimit, withTimeLimit } from "../summary/time-limit.ts";
import { previousUserMessages } from "../summary-parts/latest-request.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { ToolRoles } from "../tool-roles.ts";

export interface BranchSelection {
  /** In the order they had. */
  readonly entries: readonly Entry[];
  /** The ids of what the model saw and there is no room for, oldest first. */
  readonly omittedIds: readonly string[];
}

/** The newest of a left branch that fit, and the summaries among the rest (BR2); `tokens: Infinity` takes all. */
export function prepareBranchEntries(
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
  /** 0 for what the model did not see. */
  readonly tokens: number;
}

// Nobody summarises the system's words, however many they are.
function visibleTokens(entry: Entry, edits: readonly ContextEditEntry[]): number {
  const { tokens, system } = entrySize(entry, latestEdit(edits, entry));
  return tokens - system;
}

/** Where the newest that fit begin. A call and its results are one; what stands between them goes with them. */
function findNewestStart(
  entryTokens: readonly EntryTokens[],
  maxTokens: number,
): { readonly startIndex: number; readonly used: number } {
  let result = { startIndex: entryTokens.length, used: 0 };
  let used = 0;
  // Whether results were met whose call lies further back.
  let hasOpenResults = false;
  for (const [index, each] of [...entryTokens.entries()].reverse()) {
    used += each.tokens;
    if (used > maxTokens) break;
    if (hasTokens(each)) hasOpenResults = isToolResultItem(each) || (hasOpenResults && !isAssistantItem(each));
    if (!hasOpenResults || index === 0) result = { startIndex: index, used };
  }
  return result;
}

// A summary says much in few words, so it may take what little room a long message did not fit into.
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

function isToolResultItem({ entry }: EntryTokens): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function isAssistantItem({ entry }: EntryTokens): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isSummaryItem({ entry }: EntryTokens): boolean {
  return entry.type === "compaction" || entry.type === "branch_summary";
}

export interface BranchSummaryRequest {
  /** In order of preference, each with its own window. */
  readonly models: readonly Model[];
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  readonly oldBranch: Pick<OldBranch, "entries" | "edits">;
  /** What was told of its beginning when it was left before, and the entries that came since. */
  readonly earlier?: { readonly narrative: string; readonly newEntries: readonly Entry[] };
  readonly instructions?: string;
  readonly replaceInstructions?: boolean;
  /** Of the branch that is told, newest first; without it all of it, in parts where one question has no room. */
  readonly maxInputTokens?: number;
  /** Of story and ledger together. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  readonly tools?: ToolRoles;
  /** What may be spent on it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: OnProgress | undefined;
  /** How long models may take for it; without it the usual time. */
  readonly time?: SummaryTimeouts;
  readonly signal?: AbortSignal | undefined;
}

/** The result of summarizing a branch that was left. */
export type BranchSummaryOutcome =
  | {
      readonly type: "summarised";
      readonly summary: BranchSummary;
      readonly by: ModelName;
      readonly flaws: readonly Flaw[];
      readonly calls: readonly ModelCall[];
    }
  | { readonly type: "failed"; readonly failures: readonly SummaryFailure[]; readonly calls: readonly ModelCall[] }
  | { readonly type: "cancelled"; readonly calls: readonly ModelCall[] };

/** What a branch summary holds. */
export interface BranchSummary {
  readonly summary: string;
  /** What a model or a hook wrote; the summary begins with it. */
  readonly narrative: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Has a left branch told by the first model that can, with what code knows of files, commands and errors behind it. */
export function generateBranchSummary(options: BranchSummaryRequest): Promise<BranchSummaryOutcome> {
  const { time = createSummaryTimeouts(), runtime } = options;
  return withTimeLimit(time, runtime, (limit) => tryModelsInOrder(options, limit));
}

async function tryModelsInOrder(options: BranchSummaryRequest, limit: TimeLimit): Promise<BranchSummaryOutcome> {
  const calls: ModelCall[] = [];
  const failures: SummaryFailure[] = [];
  for (const [index, model] of options.models.entries()) {
    if (limit.totalExpired.aborted) break;
    // With another model to ask, one that is too slow is not asked again.
    const time = { ...limit, mayRetrySlowAttempt: index === options.models.length - 1 };
    const outcome = await generateSummary({ model, ...toGenerateSummaryOptions(options), time });
    calls.push(...outcome.calls);
    if (outcome.type === "cancelled") return { type: "cancelled", calls };
    if (outcome.type === "failed") {
      failures.push({ ...outcome.failure, note: `${model.provider}/${model.model}: ${outcome.failure.note}` });
      continue;
    }
    const { api, provider, model: name } = model;
    const summary = createBranchSummary(outcome.summary, options);
    return { type: "summarised", summary, by: { api, provider, model: name }, flaws: outcome.flaws, calls };
  }
  return { type: "failed", failures, calls };
}

// BR3: what tools gave is told as it is of a compaction; a summary on the way tells what lies before it.
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
    entries: prepareBranchEntries(
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

// No message of the user is kept beside a branch summary: the model reads those that a compaction on the way has kept.
function previousMaterial(previous: PreviousSummary): string {
  return [previousUserMessages(previous), previousNarrative(previous)]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

// A compaction on the way tells what lies before it.
function readFirstSummary({ entries: [first] }: Pick<OldBranch, "entries">): PreviousSummary {
  return first?.type === "compaction" ? readPreviousSummary(first) : noPreviousSummary;
}

/** What such a summary is checked against: the branch, earlier summaries of it, and what a compaction on the way has kept. */
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

/** The story, and behind it files, commands and errors as code knows them: no summariser need be believed for those. */
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

/** Of the room: what the story may have at most; the ledger has the rest. */
const BRANCH_NARRATIVE_SHARE = 0.75;

/** The part of a branch that a move leaves. */
export interface OldBranch {
  /** Oldest first, each once; a compaction stands before what it kept. */
  readonly entries: readonly Entry[];
  /** Where the branches part; null where they have nothing in common. */
  readonly commonAncestorId: string | null;
  /** Changes of what these entries give to the context. */
  readonly edits: readonly ContextEditEntry[];
}

/**
 * What a move leaves behind; nothing where the target lies further along the same branch. Costs the context at the old
 * leaf, never the history before it.
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

// BR1: what the newest compaction covers is told by its summary alone. Where both branches share all of that, it is not left.
function entriesSinceAncestor({ entries, compactionIndex }: LoadedBranch, ancestorId: string | null): readonly Entry[] {
  const start = entries.findIndex(({ id }) => id === ancestorId) + 1;
  const newEntries = entries.slice(start).filter(({ type }) => type !== "compaction");
  const compaction = entries[compactionIndex];
  const isShared = start > 0 || entries[0]?.parentId === ancestorId;
  return compaction && !isShared ? [compaction, ...newEntries] : newEntries;
}
