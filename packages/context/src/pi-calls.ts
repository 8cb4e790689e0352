/** Provides the functions that accept pi's arguments as well as Pith's. Both run the same code. */

import {
  type BranchSelection,
  type BranchSummaryOutcome,
  type BranchSummaryRequest,
  type OldBranch,
  selectBranchEntries,
  generateBranchSummary as summarizeBranch,
} from "./branches/generate-branch-summary.ts";
import { removeCitations } from "./citations.ts";
import { type Budget, type CompactionLevel, compactionLevels, createBudget } from "./compaction/budget.ts";
import {
  type CutPoint,
  type CutPointOptions,
  findCutPoint as findCut,
  isVisibleToModel,
} from "./compaction/cut-point.ts";
import { type PlanResult, planWithLevel } from "./compaction/plan.ts";
import { type CompactionSettings, isCompactionSettings, isTokenCount } from "./compaction/should-compact.ts";
import {
  type CompactionPreparation,
  collectFileOperations,
  type FileOperations,
  toCompactionPreparation,
} from "./compaction-hooks/hook-preparation.ts";
import { entryMessage, latestEdit } from "./context/build-context.ts";
import { entrySize } from "./context/context-size.ts";
import type { BranchSummaryDetails, CompactionDetails, Entry } from "./entry.ts";
import { emptyLedger } from "./ledger/ledger.ts";
import { renderLedger } from "./ledger/render-ledger.ts";
import type { AgentMessage } from "./message.ts";
import type { Model } from "./model.ts";
import type { Runtime } from "./runtime.ts";
import { type LoadedBranch, loadBranch } from "./session/loaded-branch.ts";
import { type CompactionLimits, compactionLimits, toTokenAmount } from "./settings.ts";
import {
  type GenerateSummaryOptions,
  generateSummary as generate,
  type SummaryResult,
} from "./summary/generate-summary.ts";
import { describeImages } from "./summary-parts/default-parts.ts";

/** Estimates the tokens that a message adds to a request, without a tokenizer; 0 for a message that is never sent. */
export function estimateTokens(message: AgentMessage): number {
  if (typeof message?.role !== "string")
    throw new Error(
      'estimateTokens needs a message: estimateTokens({ role: "user", content: "Hello", timestamp: 0 }). For plain text, call textTokens("Hello").',
    );
  return entrySize(toEntries([message])[0] as Entry, undefined).tokens;
}

/** A cut point in pi's shape. */
export interface CutPointResult {
  /** The index of the first kept entry. */
  readonly firstKeptEntryIndex: number;
  /** The index where the split turn begins; -1 if the cut is between turns. */
  readonly turnStartIndex: number;
  readonly isSplitTurn: boolean;
}

/** Finds where the kept part begins, or returns null if the entries have fewer tokens than the target or no cut is allowed. */
export function findCutPoint(entries: readonly Entry[], options: CutPointOptions): CutPoint | null;
/**
 * Compatible with pi: searches the entries from `startIndex` up to `endIndex`, e.g. `findCutPoint(entries, 0, entries.length, 20_000)`.
 * If there is no cut, all of them are kept.
 */
export function findCutPoint(
  entries: readonly Entry[],
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPointResult;
export function findCutPoint(
  entries: readonly Entry[],
  second: CutPointOptions | number,
  endIndex?: number,
  keepRecentTokens?: number,
): CutPoint | null | CutPointResult {
  if (typeof second === "object") return findCut(entries, second);
  const isRange = isTokenCount(second) && isTokenCount(endIndex) && second <= endIndex && endIndex <= entries.length;
  if (!isRange || !isTokenCount(keepRecentTokens))
    throw new Error(
      "findCutPoint needs entries, a range of them and the tokens to keep: findCutPoint(entries, 0, entries.length, 20_000).",
    );
  const edits = collectEdits(entries);
  const tokensOf = (entry: Entry): number => entrySize(entry, latestEdit(edits, entry)).tokens;
  const cut = findCut(entries.slice(second, endIndex), { keepTokens: keepRecentTokens, tokensOf, edits });
  return {
    firstKeptEntryIndex: second + (cut?.index ?? 0),
    turnStartIndex: typeof cut?.turnStartIndex === "number" ? second + cut.turnStartIndex : -1,
    isSplitTurn: typeof cut?.turnStartIndex === "number",
  };
}

/** Plans a compaction at one level, by default the first; it writes nothing and sends no request. Keeps the name that pi gives its call. */
export function prepareCompaction(branch: LoadedBranch, budget: Budget, level?: CompactionLevel): PlanResult;
/** Compatible with pi: `prepareCompaction(await session.branchEntries(), settings)` takes a branch from its root and returns undefined if there is nothing to compact. */
export function prepareCompaction(
  pathEntries: readonly Entry[],
  settings: CompactionSettings,
): CompactionPreparation | undefined;
export function prepareCompaction(
  first: LoadedBranch | readonly Entry[],
  second: Budget | CompactionSettings,
  level?: CompactionLevel,
): PlanResult | CompactionPreparation | undefined {
  if (!isList(first) && second && "limits" in second)
    return planWithLevel(first, { budget: second, ...(level && { level }), describeImages });
  if (!isList(first) || !isCompactionSettings(second))
    throw new Error(
      "prepareCompaction needs the entries of a branch and settings: prepareCompaction(await session.branchEntries(), { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }); or a loaded branch and a budget: prepareCompaction(session.branch, budget).",
    );
  if (first.at(-1)?.type === "compaction") return undefined;
  // The window is unknown here, so no kept message is shortened to fit it.
  const budget = createBudget(toCompactionLimits(second), { contextWindow: 0 });
  const options = { budget, level: { ...compactionLevels[0], shortenAbove: Number.POSITIVE_INFINITY }, describeImages };
  const result = planWithLevel(loadBranch(first), options);
  return result.type === "planned" ? { ...toCompactionPreparation(result.plan), settings: second } : undefined;
}

/** Converts pi's settings to limits. `keepRecentTokens` is not limited to a share of the window, because the window is unknown here. */
function toCompactionLimits({ enabled, reserveTokens, keepRecentTokens }: CompactionSettings): CompactionLimits {
  return {
    ...compactionLimits,
    enabled,
    thresholds: [{ reserve: toTokenAmount(reserveTokens) }],
    tail: { tokens: keepRecentTokens, share: Number.POSITIVE_INFINITY },
  };
}

/** The result of a compaction in pi's shape, which is not written to a session. */
export interface CompactionResult<Details = CompactionDetails> {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: Details;
}

/** Summarizes a preparation with a model and writes nothing; the second half of pi's compaction. */
export async function summarizePreparation(
  preparation: CompactionPreparation,
  { model, ...options }: Pick<SummarizeMessagesOptions, "model" | "customInstructions" | "signal">,
): Promise<CompactionResult> {
  const {
    messagesToSummarize,
    turnPrefixMessages,
    firstKeptEntryId,
    tokensBefore,
    previousSummary,
    fileOps,
    settings,
  } = preparation;
  if (!isCompactionSettings(settings))
    throw new Error("compact needs the result of prepareCompaction, with its settings.");
  const summary = await summarizeMessages("compact(preparation, model)", {
    ...{ messages: messagesToSummarize, turn: turnPrefixMessages, model, reserveTokens: settings.reserveTokens },
    ...{ previousSummary, ...options },
  });
  const details = toFileLists(fileOps);
  return { summary: appendFileLists(summary, details), firstKeptEntryId, tokensBefore, details };
}

/** Summarizes entries with a model, checks the summary against them, requests one correction and repairs remaining errors. */
export function generateSummary(options: GenerateSummaryOptions): Promise<SummaryResult>;
/**
 * Compatible with pi: `generateSummary(messages, model, 16_384)` returns the summary of messages without file lists. The model
 * already has its key, so `apiKey` is not used. Throws if the model fails or the signal is aborted.
 */
export function generateSummary(
  currentMessages: readonly AgentMessage[],
  model: Model,
  reserveTokens: number,
  apiKey?: string,
  signal?: AbortSignal,
  customInstructions?: string,
  previousSummary?: string,
): Promise<string>;
export async function generateSummary(
  first: GenerateSummaryOptions | readonly AgentMessage[],
  model?: Model,
  reserveTokens?: number,
  _apiKey?: string,
  signal?: AbortSignal,
  customInstructions?: string,
  previousSummary?: string,
): Promise<SummaryResult | string> {
  if (!isList(first)) return generate(first);
  if (!isTokenCount(reserveTokens))
    throw new Error("generateSummary needs the number of reserved tokens: generateSummary(messages, model, 16_384).");
  return summarizeMessages("generateSummary(messages, model, 16_384)", {
    ...{ messages: first, turn: [], model, reserveTokens, customInstructions, previousSummary, signal },
  });
}

interface SummarizeMessagesOptions {
  readonly messages: readonly AgentMessage[];
  readonly turn: readonly AgentMessage[];
  readonly model: Model | undefined;
  readonly reserveTokens: number;
  readonly customInstructions: string | undefined;
  readonly previousSummary: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Removes the model's citations from the summary, because the numbers of these messages are valid only within this call. */
async function summarizeMessages(
  call: string,
  { messages, turn, model: maybeModel, ...options }: SummarizeMessagesOptions,
): Promise<string> {
  const { model, runtime } = requireOpenModel(call, maybeModel);
  const { reserveTokens, customInstructions = "", previousSummary = "", signal } = options;
  // A summary among the messages replaces earlier messages, so it is part of the previous summary.
  const earlier = messages.flatMap((message) => (message.role === "compactionSummary" ? message.summary : []));
  const previous = [previousSummary, ...earlier].filter((text) => text !== "").join("\n\n");
  const [entries, turnEntries] = [toEntries(messages), toEntries(turn, messages.length)];
  if (entries.length + turnEntries.length === 0) throw new Error(`${call} was given no messages to summarize.`);
  const result = await generate({
    ...{ model, runtime, previous, entries, turn: turnEntries, instructions: customInstructions, signal },
    keepsMessages: false,
    tokens: Math.floor(Math.min(reserveTokens * SUMMARY_SHARE, model.maxTokens || Number.POSITIVE_INFINITY)),
  });
  if (result.type === "summarized") return removeCitations(result.summary);
  if (result.type === "cancelled") {
    signal?.throwIfAborted();
    throw new Error(`${call} was aborted.`);
  }
  throw new Error(`${model.provider}/${model.model} did not write a usable summary: ${result.failure.note}`);
}

/** The share of the reserve that a summary may use (B40). */
const SUMMARY_SHARE = 0.8;

/** Throws if the model cannot be called, such as pi's model descriptions, or has no runtime. */
function requireOpenModel(
  call: string,
  model: Model | undefined,
): { readonly model: Model; readonly runtime: Pick<Runtime, "sleep" | "nonce"> } {
  if (!model || typeof model.stream !== "function")
    throw new Error(
      `${call} needs a model that was opened with its key: const opened = await openModel({ provider: "anthropic", model: "claude-sonnet-4-5", apiKey }); the model is opened.model (openModel is in @pith/models).`,
    );
  if (!model.runtime)
    throw new Error(
      `${call} needs a model with a clock. Models from openModel (@pith/models) have one; add it to any other model: Object.assign(model, { runtime: nodeRuntime }) (nodeRuntime is in @pith/context/node).`,
    );
  return { model, runtime: model.runtime };
}

/** Converts messages to entries, numbered from `offset + 1`. */
function toEntries(messages: readonly AgentMessage[], offset = 0): readonly Entry[] {
  return messages.map((message, index) => {
    const number = offset + index + 1;
    return { type: "message", id: `message-${number}`, parentId: null, timestamp: "", number, message };
  });
}

function collectEdits(entries: readonly Entry[]): LoadedBranch["edits"] {
  return entries.filter((entry) => entry.type === "context_edit");
}

/** Converts file operations to sorted lists; a modified file is not listed as read (B47). */
function toFileLists({ read, written, edited }: FileOperations): CompactionDetails {
  const modified = new Set([...written, ...edited]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

/** Limits the lists in the text; the lists in the details are complete. */
function appendFileLists(summary: string, { readFiles, modifiedFiles }: CompactionDetails): string {
  const files = [
    ...readFiles.map((path) => ({ path, did: "read" as const })),
    ...modifiedFiles.map((path) => ({ path, did: "modified" as const })),
  ];
  const text = renderLedger({ ...emptyLedger, files }, { tokens: FILE_LIST_TOKENS, readTokens: FILE_LIST_TOKENS / 2 });
  return text === "" ? summary : `${summary}\n\n${text}`;
}

/** The maximum number of tokens of both lists together. */
const FILE_LIST_TOKENS = 2_000;

function isList<Each>(value: readonly Each[] | object): value is readonly Each[] {
  return Array.isArray(value);
}

/** The part of a branch to summarize, in pi's shape. */
export interface BranchPreparation {
  /** Oldest first. */
  readonly messages: AgentMessage[];
  /** The file operations of the whole branch, including entries that exceed the token budget. */
  readonly fileOps: FileOperations;
  readonly totalTokens: number;
}

/** Selects the newest entries of an abandoned branch that fit, and older summaries if they fit (BR2); `tokens: Infinity` selects all. Keeps the name that pi gives its call. */
export function prepareBranchEntries(
  oldBranch: Pick<OldBranch, "entries" | "edits">,
  limit: { readonly tokens: number },
): BranchSelection;
/** Compatible with pi: `prepareBranchEntries(entries, 100_000)` returns messages and files; without a budget, or with 0, it returns all. */
export function prepareBranchEntries(entries: readonly Entry[], tokenBudget?: number): BranchPreparation;
export function prepareBranchEntries(
  first: Pick<OldBranch, "entries" | "edits"> | readonly Entry[],
  second: { readonly tokens: number } | number = 0,
): BranchSelection | BranchPreparation {
  if (!isList(first) && typeof second === "object") return selectBranchEntries(first, second);
  if (!isList(first) || typeof second !== "number" || !(second >= 0))
    throw new Error(
      "prepareBranchEntries needs entries and a token budget: prepareBranchEntries(entries, 100_000); or an abandoned branch: prepareBranchEntries(left, { tokens: 100_000 }).",
    );
  const edits = collectEdits(first);
  const { entries } = selectBranchEntries(
    { entries: first, edits },
    { tokens: second === 0 ? Number.POSITIVE_INFINITY : second },
  );
  const visibleEntries = entries.filter((entry) => entry.type === "compaction" || isVisibleToModel(entry, edits));
  return {
    messages: visibleEntries.flatMap((entry) => entryMessage(entry, latestEdit(edits, entry)) ?? []),
    fileOps: collectFileOperations(first),
    totalTokens: visibleEntries.reduce((sum, entry) => sum + entrySize(entry, latestEdit(edits, entry)).tokens, 0),
  };
}

/** The options of pi's `generateBranchSummary`. */
export interface GenerateBranchSummaryOptions {
  readonly model: Model;
  /** Not used: the model already has its key. */
  readonly apiKey?: string;
  readonly signal?: AbortSignal;
  readonly customInstructions?: string;
  /** Whether `customInstructions` replace the default prompt. */
  readonly replaceInstructions?: boolean;
  /** The tokens of the model's window to keep free, at most a quarter of it. Default: 16,384. */
  readonly reserveTokens?: number;
}

/** A summary with its file lists, or the reason why there is none, in pi's shape. */
export interface BranchSummaryResult extends Partial<BranchSummaryDetails> {
  readonly summary?: string;
  readonly aborted?: boolean;
  readonly error?: string;
}

/** Summarizes an abandoned branch with the first model that succeeds, and appends its files, commands and errors from the log. */
export function generateBranchSummary(request: BranchSummaryRequest): Promise<BranchSummaryOutcome>;
/** Compatible with pi: `generateBranchSummary(entries, { model })` returns a failure as `error` and an abort as `aborted`. */
export function generateBranchSummary(
  entries: readonly Entry[],
  options: GenerateBranchSummaryOptions,
): Promise<BranchSummaryResult>;
export async function generateBranchSummary(
  first: BranchSummaryRequest | readonly Entry[],
  options?: GenerateBranchSummaryOptions,
): Promise<BranchSummaryOutcome | BranchSummaryResult> {
  if (!isList(first)) return summarizeBranch(first);
  const { model, runtime } = requireOpenModel("generateBranchSummary(entries, { model })", options?.model);
  const oldBranch = { entries: first, edits: collectEdits(first) };
  if (!first.some((entry) => isVisibleToModel(entry, oldBranch.edits) || entry.type === "compaction"))
    return { error: "The branch has nothing to summarize." };
  const { customInstructions = "", replaceInstructions = false, reserveTokens, signal } = options ?? {};
  const reserve = reserveTokens === undefined ? {} : { thresholds: [{ reserve: toTokenAmount(reserveTokens) }] };
  const budget = createBudget({ ...compactionLimits, ...reserve }, { contextWindow: model.contextWindow });
  const outcome = await summarizeBranch({
    ...{ models: [model], runtime, oldBranch, instructions: customInstructions, replaceInstructions, signal },
    ...{ tokens: budget.branchSummary, maxInputTokens: budget.limit },
  });
  switch (outcome.type) {
    case "summarized":
      return { summary: outcome.summary.summary, ...toFileLists(collectFileOperations(first)) };
    case "failed":
      return { error: outcome.failures.map(({ note }) => note).join("; ") };
    case "cancelled":
      return { aborted: true };
  }
}
