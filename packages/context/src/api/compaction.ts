/** Accepts pi's calls beside ours: converts their arguments, runs the same engine and returns results of pi's shape. */

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
import { collectPart, type SummaryPart } from "../compaction/summary-part.ts";
import { type CompactionHooks, createHookRunner } from "../compaction-hooks/compaction-hooks.ts";
import {
  type CompactionPreparation,
  type FileOperations,
  toCompactionPreparation,
} from "../compaction-hooks/hook-preparation.ts";
import { latestEdit } from "../context/build-context.ts";
import { entrySize } from "../context/entry-size.ts";
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

/** The tokens that a message adds to a request, estimated without a tokenizer; 0 for one that is never sent. */
export function estimateTokens(message: AgentMessage): number {
  if (typeof message?.role !== "string")
    throw new Error(
      'estimateTokens needs a message: estimateTokens({ role: "user", content: "Hello", timestamp: 0 }). For a text, call textTokens("Hello").',
    );
  return entrySize(toEntries([message])[0] as Entry, undefined).tokens;
}

/** Where a cut falls, as pi has it. */
export interface CutPointResult {
  /** The first entry that is kept. */
  readonly firstKeptEntryIndex: number;
  /** Where the turn begins that the cut parts; -1 where it falls between turns. */
  readonly turnStartIndex: number;
  readonly isSplitTurn: boolean;
}

/** Where the kept part begins; null where there is less than should be kept, or no place to cut. */
export function findCutPoint(entries: readonly Entry[], options: CutPointOptions): CutPoint | null;
/**
 * As pi has it, among the entries from `startIndex` up to `endIndex`: `findCutPoint(entries, 0, entries.length, 20_000)`.
 * Where there is nothing to cut, all of them are kept.
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

/** The plan of a compaction on one reduction level, by default the first. It writes nothing and sends no request. */
export function prepareCompaction(
  branch: LoadedBranch,
  budget: Budget,
  level?: ReductionLevel,
): PrepareCompactionResult;
/** As pi has it, for a branch from its root: `prepareCompaction(await session.branchEntries(), settings)`; undefined where there is nothing to do. */
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
  // No window is known here, so that nothing in the kept part is reduced to fit one.
  const budget = createBudget(toCompactionLimits(second), { contextWindow: 0 });
  const options = { budget, level: { ...reductionLevels[0], reduceAbove: Number.POSITIVE_INFINITY }, describeImages };
  const result = prepare(loadBranch(first), options);
  return result.type === "planned" ? { ...toCompactionPreparation(result.plan), settings: second } : undefined;
}

/** The plan, the receipt of a summary without a model, and what the model would see first; or why there is no plan. */
export type CompactionPreview =
  | (Extract<PlanChoice, { type: "planned" }> & {
      /** The user's messages as the summary message keeps them. */
      readonly userMessages: UserMessageSelection;
    })
  | Exclude<PlanChoice, { type: "planned" }>;

export interface PreviewOptions extends CompactionRequest {
  /** The parts of the summary message; `defaultParts` by default. */
  readonly parts?: readonly SummaryPart[];
}

/** Returns what `compact` would do now without a model. It writes nothing and sends no request. */
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
  /** The parts of the summary message; `defaultParts` by default. */
  readonly parts?: readonly SummaryPart[];
}

/** What comes of a compaction, as pi has it: nothing is written to a session. */
export interface CompactionResult<Details = CompactionDetails> {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: Details;
}

/** Plans, has the summary written, checks it and appends one batch to the session; whatever comes of it is an outcome, never an exception. */
export function compact(options: CompactOptions): Promise<CompactionOutcome>;
/**
 * As pi has it: summarises a preparation and writes nothing, e.g. `compact(preparation, model)`. The model holds its key, so
 * `apiKey` is not used. Throws where the model fails or the signal is aborted.
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

/** Has a model summarise these entries, holds its answer against them, lets it correct itself once and mends the rest. */
export function generateSummary(options: GenerateSummaryOptions): Promise<SummaryResult>;
/**
 * As pi has it, for messages: `generateSummary(messages, model, 16_384)` gives the summary without file lists. The model holds
 * its key, so `apiKey` is not used. Throws where the model fails or the signal is aborted.
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

/** Messages have no numbers that hold elsewhere, so the ones that the model cites are taken out again. */
async function summarizeMessages(
  call: string,
  { messages, turn, model: maybeModel, ...options }: SummarizeMessagesOptions,
): Promise<string> {
  const { model, runtime } = requireOpenModel(call, maybeModel);
  const { reserveTokens, customInstructions = "", previousSummary = "", signal } = options;
  // A summary among the messages stands for what was said before them.
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

/** Of the reserve: what a summary may take (B40). */
const SUMMARY_SHARE = 0.8;

/** Throws for pi's model, which is a description without a way to ask it, and for one without a clock. */
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

/** Messages as entries; what stands behind others goes on counting. */
function toEntries(messages: readonly AgentMessage[], offset = 0): readonly Entry[] {
  return messages.map((message, index) => {
    const number = offset + index + 1;
    return { type: "message", id: `message-${number}`, parentId: null, timestamp: "", number, message };
  });
}

export function collectEdits(entries: readonly Entry[]): LoadedBranch["edits"] {
  return entries.filter((entry) => entry.type === "context_edit");
}

/** What was modified is not among the files that were read (B47). */
export function toFileLists({ read, written, edited }: FileOperations): CompactionDetails {
  const modified = new Set([...written, ...edited]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
  };
}

/** The lists in the text are bounded; those in the details are whole. */
function appendFileLists(summary: string, { readFiles, modifiedFiles }: CompactionDetails): string {
  const files = [
    ...readFiles.map((path) => ({ path, did: "read" as const })),
    ...modifiedFiles.map((path) => ({ path, did: "modified" as const })),
  ];
  const text = renderLedger({ ...emptyLedger, files }, { tokens: FILE_LIST_TOKENS, readTokens: FILE_LIST_TOKENS / 2 });
  return text === "" ? summary : `${summary}\n\n${text}`;
}

/** Tokens of both lists. */
const FILE_LIST_TOKENS = 2_000;

export function isList<Each>(value: readonly Each[] | object): value is readonly Each[] {
  return Array.isArray(value);
}
