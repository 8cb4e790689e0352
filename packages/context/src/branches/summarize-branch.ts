/** Collects the entries of a left branch and summarises them with the first model that succeeds, the ledger appended. */

import {
  type CarriedFront,
  carriedFront,
  carriedNarrative,
  carriedUserMessages,
  nothingBefore,
} from "../compaction/summary-message.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/entry-size.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { ledgerOf } from "../ledger/collect-ledger.ts";
import { ledgerText } from "../ledger/render-ledger.ts";
import { type ToolRoles, touchedFiles } from "../ledger/touched-files.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model, ModelName } from "../model.ts";
import type { Ports } from "../runtime.ts";
import type { Window } from "../session/loaded-branch.ts";
import type { Store } from "../session/store.ts";
import { type SummaryTime, summaryTimeFor } from "../settings.ts";
import type { Allowance, Call, TellProgress } from "../summary/ask-model.ts";
import type { Flaw } from "../summary/audit.ts";
import { collectEvidence, type Evidence } from "../summary/evidence.ts";
import { generateSummary, type SummaryFailure } from "../summary/generate-summary.ts";
import { type TimeLimit, withTimeLimit } from "../summary/time-limit.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

export interface PreparedBranch {
  /** In the order they had. */
  readonly entries: readonly Entry[];
  /** The ids of what the model saw and there is no room for, oldest first. */
  readonly left: readonly string[];
}

/** The newest of a left branch that fit, and the summaries among the rest (BR2); `tokens: Infinity` takes all. */
export function prepareBranchEntries(
  { entries, edits }: Pick<LeftBranch, "entries" | "edits">,
  { tokens }: { readonly tokens: number },
): PreparedBranch {
  const sized = entries.map((entry) => ({ entry, tokens: seenTokens(entry, edits) }));
  const { from, used } = newest(sized, tokens);
  const squeezed = summariesIn(sized.slice(0, from), { tokens, used });
  const isTaken = (each: Sized, at: number): boolean => at >= from || squeezed.has(each);
  return {
    entries: sized.filter(isTaken).map(({ entry }) => entry),
    left: sized.filter((each, at) => isSeen(each) && !isTaken(each, at)).map(({ entry }) => entry.id),
  };
}

interface Sized {
  readonly entry: Entry;
  /** 0 for what the model did not see. */
  readonly tokens: number;
}

// Nobody summarises the system's words, however many they are.
function seenTokens(entry: Entry, edits: readonly ContextEditEntry[]): number {
  const { tokens, system } = entrySize(entry, latestEdit(edits, entry));
  return tokens - system;
}

/** Where the newest that fit begin. A call and its results are one; what stands between them goes with them. */
function newest(sized: readonly Sized[], room: number): { readonly from: number; readonly used: number } {
  let found = { from: sized.length, used: 0 };
  let used = 0;
  // Whether results were met whose call lies further back.
  let isOpen = false;
  for (const [at, each] of [...sized.entries()].reverse()) {
    used += each.tokens;
    if (used > room) break;
    if (isSeen(each)) isOpen = isResult(each) || (isOpen && !isReply(each));
    if (!isOpen || at === 0) found = { from: at, used };
  }
  return found;
}

// A summary says much in few words, so it may take what little room a long message did not fit into.
function summariesIn(
  before: readonly Sized[],
  { tokens, used }: { readonly tokens: number; readonly used: number },
): ReadonlySet<Sized> {
  const squeezed = new Set<Sized>();
  let all = used;
  for (const each of before.toReversed()) {
    if (!isSummary(each) || all >= tokens * NEARLY_ALL || all + each.tokens > tokens) continue;
    squeezed.add(each);
    all += each.tokens;
  }
  return squeezed;
}

const NEARLY_ALL = 0.9;

const isSeen = ({ tokens }: Sized): boolean => tokens > 0;

function isResult({ entry }: Sized): boolean {
  return entry.type === "message" && entry.message.role === "toolResult";
}

function isReply({ entry }: Sized): boolean {
  return entry.type === "message" && entry.message.role === "assistant";
}

function isSummary({ entry }: Sized): boolean {
  return entry.type === "compaction" || entry.type === "branch_summary";
}

export interface BranchSummaryParts {
  /** In order of preference, each with its own window. */
  readonly models: readonly Model[];
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  readonly left: Pick<LeftBranch, "entries" | "edits">;
  /** What was told of its beginning when it was left before, and the entries that came since. */
  readonly before?: { readonly story: string; readonly since: readonly Entry[] };
  readonly instructions?: string;
  readonly replaceInstructions?: boolean;
  /** Of the branch that is told, newest first; without it all of it, in parts where one question has no room. */
  readonly room?: number;
  /** Of story and ledger together. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  readonly tools?: ToolRoles;
  /** What may be spent on it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress | undefined;
  /** How long models may take for it; without it the usual time. */
  readonly time?: SummaryTime;
  readonly signal?: AbortSignal | undefined;
}

export type BranchSummarised =
  | {
      readonly type: "summarised";
      readonly told: ToldBranch;
      readonly by: ModelName;
      readonly mended: readonly Flaw[];
      readonly calls: readonly Call[];
    }
  | { readonly type: "failed"; readonly failures: readonly SummaryFailure[]; readonly calls: readonly Call[] }
  | { readonly type: "cancelled"; readonly calls: readonly Call[] };

/** What a branch summary holds. */
export interface ToldBranch {
  readonly summary: string;
  /** What a model or a hook wrote; the summary begins with it. */
  readonly story: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Has a left branch told by the first model that can, with what code knows of files, commands and errors behind it. */
export function generateBranchSummary(parts: BranchSummaryParts): Promise<BranchSummarised> {
  const { time = summaryTimeFor(), ports } = parts;
  return withTimeLimit(time, ports, (limit) => firstSummary(parts, limit));
}

async function firstSummary(parts: BranchSummaryParts, limit: TimeLimit): Promise<BranchSummarised> {
  const calls: Call[] = [];
  const failures: SummaryFailure[] = [];
  for (const [at, model] of parts.models.entries()) {
    if (limit.totalExpired.aborted) break;
    // With another model to ask, one that is too slow is not asked again.
    const time = { ...limit, mayRetrySlowAttempt: at === parts.models.length - 1 };
    const outcome = await generateSummary({ model, ...storyParts(parts), time });
    calls.push(...outcome.calls);
    if (outcome.type === "cancelled") return { type: "cancelled", calls };
    if (outcome.type === "failed") {
      failures.push({ ...outcome.failure, note: `${model.provider}/${model.model}: ${outcome.failure.note}` });
      continue;
    }
    const { api, provider, model: name } = model;
    const told = toldBranch(outcome.story, parts);
    return { type: "summarised", told, by: { api, provider, model: name }, mended: outcome.mended, calls };
  }
  return { type: "failed", failures, calls };
}

// BR3: what tools gave is told as it is of a compaction; a summary on the way tells what lies before it.
function storyParts({ left, before, room = Number.POSITIVE_INFINITY, ...parts }: BranchSummaryParts) {
  const {
    ports,
    instructions = "",
    replaceInstructions = false,
    thinking = "off",
    signal,
    tokens,
    allowance,
    progress,
  } = parts;
  const { edits } = left;
  const carried = carriedBefore(left);
  return {
    ports,
    entries: prepareBranchEntries({ entries: before?.since ?? left.entries, edits }, { tokens: room }).entries,
    edits,
    previous: before?.story ?? materialBefore(carried),
    isChecked: before !== undefined || carried.isChecked,
    format: "branch" as const,
    instructions,
    replaceInstructions,
    tokens: Math.floor(tokens * STORY),
    thinking,
    evidence: branchEvidence(left, before?.story),
    progress,
    signal,
    ...(allowance && { allowance }),
  };
}

// No message of the user is kept beside a branch summary: the model reads those that a compaction on the way has kept.
function materialBefore(carried: CarriedFront): string {
  return [carriedUserMessages(carried), carriedNarrative(carried)]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

// A compaction on the way tells what lies before it.
function carriedBefore({ entries: [first] }: Pick<LeftBranch, "entries">): CarriedFront {
  return first?.type === "compaction" ? carriedFront(first) : nothingBefore;
}

/** What such a summary is checked against: the branch, earlier summaries of it, and what a compaction on the way has kept. */
export function branchEvidence(left: Pick<LeftBranch, "entries" | "edits">, story?: string): Evidence {
  const carried = carriedBefore(left);
  return collectEvidence({
    covered: left.entries,
    edits: left.edits,
    previous: story ?? carriedNarrative(carried),
    isChecked: story !== undefined || carried.isChecked,
    userMessages: carriedUserMessages(carried),
    pins: [],
    ledger: "",
    request: null,
  });
}

/** The story, and behind it files, commands and errors as code knows them: no summariser need be believed for those. */
export function toldBranch(
  story: string,
  { left, tools, tokens }: Pick<BranchSummaryParts, "left" | "tools" | "tokens">,
): ToldBranch {
  const ledger = ledgerOf([...left.entries, ...left.edits], tools);
  const { read, modified } = touchedFiles(left.entries, tools);
  const text = ledgerText(ledger, { tokens: tokens - textTokens(story) });
  return {
    summary: text === "" ? story : `${story}\n\n${text}`,
    story,
    details: { readFiles: read, modifiedFiles: modified, pith: { ledger } },
  };
}

/** Of the room: what the story may have at most; the ledger has the rest. */
const STORY = 0.75;

export interface LeftBranch {
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
): Promise<LeftBranch> {
  const commonAncestorId = await store.commonAncestor(oldLeafId, targetId);
  if (commonAncestorId === oldLeafId) return { entries: [], commonAncestorId, edits: [] };
  const window = await store.window(oldLeafId);
  const entries = seenSince(window, commonAncestorId);
  const ids = new Set(entries.map(({ id }) => id));
  return { entries, commonAncestorId, edits: window.edits.filter((edit) => ids.has(edit.targetId)) };
}

// BR1: what the newest compaction covers is told by its summary alone. Where both branches share all of that, it is not left.
function seenSince({ entries, compactionAt }: Window, ancestorId: string | null): readonly Entry[] {
  const start = entries.findIndex(({ id }) => id === ancestorId) + 1;
  const said = entries.slice(start).filter(({ type }) => type !== "compaction");
  const compaction = entries[compactionAt];
  const isShared = start > 0 || entries[0]?.parentId === ancestorId;
  return compaction && !isShared ? [compaction, ...said] : said;
}
