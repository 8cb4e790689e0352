/** Provides the compaction functions with Pith's and pi's signatures. Both run the same code. */

import {
  type Budget,
  type CompactionSettings,
  createBudget,
  isCompactionSettings,
  isTokenCount,
  type ReductionLevel,
  reductionLevels,
  toCompactionLimits,
} from "../compaction/budget.ts";
import { type CompactionRequest, choosePlan, type PlanChoice } from "../compaction/choose-plan.ts";
import { type CompactionOptions, type CompactionOutcome, compact as compactSession } from "../compaction/compact.ts";
import { type CutPoint, type CutPointOptions, findCutPoint as findCut } from "../compaction/cut-point.ts";
import { type PrepareCompactionResult, prepareCompaction as prepare } from "../compaction/plan.ts";
import { collectPart, type SummaryPart } from "../compaction/summary-message.ts";
import { type CompactionHooks, createHookRunner } from "../compaction-hooks/compaction-hooks.ts";
import {
  type CompactionPreparation,
  type FileOperations,
  toCompactionPreparation,
} from "../compaction-hooks/hook-preparation.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/context-size.ts";
import type { CompactionDetails, Entry } from "../entry.ts";
import { emptyLedger } from "../ledger/ledger.ts";
import { renderLedger } from "../ledger/render-ledger.ts";
import type { AgentMessage } from "../message.ts";
import type { Model } from "../model.ts";
import { removeCitations } from "../references.ts";
import type { Runtime } from "../runtime.ts";
import { type LoadedBranch, loadBranch } from "../session/loaded-branch.ts";
import {
  type GenerateSummaryOptions,
  generateSummary as generate,
  type SummaryResult,
} from "../summary/generate-summary.ts";
import { createSummaryDesign, describeImages } from "../summary-parts/default-parts.ts";
import { type UserMessageSelection, userMessages } from "../summary-parts/user-messages.ts";

/** Estimates the tokens that a message adds to a request, without a tokenizer; 0 for a message that is never sent. */
export function estimateTokens(message: AgentMessage): number {
  if (typeof message?.role !== "string")
    throw new Error(
      'estimateTokens needs a message: estimateTokens({ role: "user", content: "Hello", timestamp: 0 }). For a text, call textTokens("Hello").',
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

/** Plans a compaction at one reduction level, by default the first; it writes nothing and sends no request. */
export function prepareCompaction(
  branch: LoadedBranch,
  budget: Budget,
  level?: ReductionLevel,
): PrepareCompactionResult;
/** Compatible with pi: `prepareCompaction(await session.branchEntries(), settings)` takes a branch from its root and returns undefined if there is nothing to compact. */
export function prepareCompaction(
  pathEntries: readonly Entry[],
  settings: CompactionSettings,
): CompactionPreparation | undefined;
export function prepareCompaction(
  first: LoadedBranch | readonly Entry[],
  second: Budget | CompactionSettings,
  level?: ReductionLevel,
): PrepareCompactionResult | CompactionPreparation | undefined {
  if (!isList(first) && second && "limits" in second)
    return prepare(first, { budget: second, ...(level && { level }), describeImages });
  if (!isList(first) || !isCompactionSettings(second))
    throw new Error(
      "prepareCompaction needs the entries of a branch and settings: prepareCompaction(await session.branchEntries(), { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }); or a loaded branch and a budget: prepareCompaction(session.branch, budget).",
    );
  if (first.at(-1)?.type === "compaction") return undefined;
  // The window is unknown here, so no kept message is reduced to fit it.
  const budget = createBudget(toCompactionLimits(second), { contextWindow: 0 });
  const options = { budget, level: { ...reductionLevels[0], reduceAbove: Number.POSITIVE_INFINITY }, describeImages };
  const result = prepare(loadBranch(first), options);
  return result.type === "planned" ? { ...toCompactionPreparation(result.plan), settings: second } : undefined;
}

/** The plan with the receipt and text of a summary without a model, or the reason why there is no plan. */
export type CompactionPreview =
  | (Extract<PlanChoice, { type: "planned" }> & {
      /** The user's messages as the summary message keeps them. */
      readonly userMessages: UserMessageSelection;
    })
  | Exclude<PlanChoice, { type: "planned" }>;

export interface PreviewOptions extends CompactionRequest {
  /** The parts of the summary message. Default: `defaultParts`. */
  readonly parts?: readonly SummaryPart[];
}

/** Returns what `compact` would do now without a model; it writes nothing and sends no request. */
export function previewCompaction(
  branch: LoadedBranch,
  budget: Budget,
  { parts, ...request }: PreviewOptions = { reason: "asked" },
): CompactionPreview {
  const choice = choosePlan(branch, { ...request, budget, design: createSummaryDesign(parts) });
  if (choice.type !== "planned") return choice;
  const { plan, receipt } = choice;
  return {
    ...choice,
    receipt: { ...receipt, reason: request.reason },
    userMessages: collectPart(userMessages, plan),
  };
}

export interface CompactOptions extends Omit<CompactionOptions, "design" | "hooks"> {
  readonly hooks?: CompactionHooks;
  /** The parts of the summary message. Default: `defaultParts`. */
  readonly parts?: readonly SummaryPart[];
}

/** The result of a compaction in pi's shape, which is not written to a session. */
export interface CompactionResult<Details = CompactionDetails> {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: Details;
}

/** Compacts a session: plans, writes and checks the summary, and appends one batch; expected failures are returned, not thrown. */
export function compact(options: CompactOptions): Promise<CompactionOutcome>;
/**
 * Compatible with pi: summarizes a preparation and writes nothing, e.g. `compact(preparation, model)`. The model already has its
 * key, so `apiKey` is not used. Throws if the model fails or the signal is aborted.
 */
export function compact(
  preparation: CompactionPreparation,
  model: Model,
  apiKey?: string,
  customInstructions?: string,
  signal?: AbortSignal,
): Promise<CompactionResult>;
export async function compact(
  first: CompactOptions | CompactionPreparation,
  model?: Model,
  _apiKey?: string,
  customInstructions?: string,
  signal?: AbortSignal,
): Promise<CompactionOutcome | CompactionResult> {
  const { session, messagesToSummarize } = Object(first) as Partial<CompactOptions & CompactionPreparation>;
  if (session && "session" in first) {
    const { parts, ...options } = first;
    const design = createSummaryDesign(parts);
    return compactSession({ ...options, design, hooks: createHookRunner({ ...options, describeImages }) });
  }
  if (!messagesToSummarize || !("messagesToSummarize" in first))
    throw new Error(
      'compact needs a session: compact({ session, budget, reason: "asked", runtime: nodeRuntime }). To compact only when it is time: if (compactionDue(session.branch, budget).type === "due") await compact({ session, budget, reason: "due", runtime: nodeRuntime }).',
    );
  const { turnPrefixMessages, firstKeptEntryId, tokensBefore, previousSummary, fileOps, settings } = first;
  if (!isCompactionSettings(settings))
    throw new Error("compact needs a preparation of prepareCompaction, with its settings.");
  const summary = await summarizeMessages("compact(preparation, model)", {
    ...{ messages: messagesToSummarize, turn: turnPrefixMessages, model, reserveTokens: settings.reserveTokens },
    ...{ customInstructions, previousSummary, signal },
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
    throw new Error("generateSummary needs the tokens that are reserved: generateSummary(messages, model, 16_384).");
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
  if (entries.length + turnEntries.length === 0) throw new Error(`${call} was given no messages to summarise.`);
  const result = await generate({
    ...{ model, runtime, previous, entries, turn: turnEntries, instructions: customInstructions, signal },
    keepsMessages: false,
    tokens: Math.floor(Math.min(reserveTokens * SUMMARY_SHARE, model.maxTokens || Number.POSITIVE_INFINITY)),
  });
  if (result.type === "summarised") return removeCitations(result.summary);
  if (result.type === "cancelled") {
    signal?.throwIfAborted();
    throw new Error(`${call} was aborted.`);
  }
  throw new Error(`${model.provider}/${model.model} wrote no summary that can be used: ${result.failure.note}`);
}

/** The share of the reserve that a summary may use (B40). */
const SUMMARY_SHARE = 0.8;

/** Throws if the model cannot be called, such as pi's model descriptions, or has no runtime. */
export function requireOpenModel(
  call: string,
  model: Model | undefined,
): { readonly model: Model; readonly runtime: Pick<Runtime, "sleep" | "nonce"> } {
  if (!model || typeof model.stream !== "function")
    throw new Error(
      `${call} needs a model that was opened with its key: const opened = await openModel({ provider: "anthropic", model: "claude-sonnet-4-5", apiKey }); the model is opened.model (openModel is in @pith/models).`,
    );
  if (!model.runtime)
    throw new Error(
      `${call} needs a model with a clock. Models of openModel (@pith/models) have one; to any other add it: Object.assign(model, { runtime: nodeRuntime }) (nodeRuntime is in @pith/context/node).`,
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

export function collectEdits(entries: readonly Entry[]): LoadedBranch["edits"] {
  return entries.filter((entry) => entry.type === "context_edit");
}

/** Converts file operations to sorted lists; a modified file is not listed as read (B47). */
export function toFileLists({ read, written, edited }: FileOperations): CompactionDetails {
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

export function isList<Each>(value: readonly Each[] | object): value is readonly Each[] {
  return Array.isArray(value);
}
