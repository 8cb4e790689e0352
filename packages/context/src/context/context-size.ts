/** Computes the size of a context and of its entries from reported token counts and calibrated estimates. The trigger, the meter and the cut all use it. */

import { createIncrementalFold, getOrCompute } from "../cache.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { runWithPauses, type Steps } from "../event-loop.ts";
import type { AgentMessage, AssistantMessage, Message, Usage } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { messageBytes, messageTokens } from "../tokens/estimate-tokens.ts";
import { buildSessionContext, entryMessage } from "./build-context.ts";
import {
  type Calibration,
  defaultCalibration,
  findCalibration,
  learnCalibration,
  type ModelCalibration,
  modelKey,
  readCompactionCalibrations,
} from "./calibration.ts";
import { convertToLlm, createUserMessage, toLlmMessage } from "./convert-to-llm.ts";
import { sanitizeMessage } from "./sanitize-message.ts";

/** Computes the size of the context: the tokens that the last reply reported plus an estimate of later entries (TOK1), or an estimate of everything (TOK3). */
export function contextSize(branch: LoadedBranch, { model, fixed }: ContextSizeOptions = {}): ContextSize {
  const index = lastMeasuredIndex(branch, model);
  const reply = assistantReply(branch.entries[index]);
  const measured = (reply && readTokenReport(reply)?.total) ?? 0;
  const { size, calibrations } = measureBranch(branch);
  const calibration = findCalibration(calibrations, model ?? reply ?? undefined);
  // The caller's number holds until a reply reports more.
  const fixedTokens = Math.max(fixed ?? 0, calibration.overhead);
  const messages = reply
    ? collectLaterMessages(branch.entries.slice(index), model)
    : convertToLlm(buildSessionContext(branch).messages, model);
  const estimated = Math.ceil(calibration.factor * messages.reduce((sum, message) => sum + messageTokens(message), 0));
  return {
    tokens: measured + estimated + (reply ? 0 : fixedTokens),
    isEstimate: measured === 0,
    measured,
    estimated,
    fixed: Math.ceil(calibration.factor * size.system) + fixedTokens,
    bytes: size.bytes,
  };
}

/** The size of a context: the tokens that a reply measured, plus an estimate for everything after it. */
export interface ContextSize {
  readonly tokens: number;
  /** Whether no reply has measured the context: before the first reply, and after a compaction or an edit until the next (TOK6). */
  readonly isEstimate: boolean;
  /** Tokens reported by the last valid reply; 0 if there is none. */
  readonly measured: number;
  /** Estimated tokens of later entries, or of everything. */
  readonly estimated: number;
  /** Tokens of the system prompt and the tools, in the log or not. */
  readonly fixed: number;
  /** Bytes of the request. */
  readonly bytes: number;
}

/** Options for `contextSize`. */
export interface ContextSizeOptions {
  readonly model?: ModelName;
  /** Tokens that are sent in addition to the log, if known. */
  readonly fixed?: number;
}

// Returns the messages sent after a reply, placeholder results included. No edit has changed any of them.
function collectLaterMessages(entries: readonly Entry[], model: ModelName | undefined): readonly Message[] {
  const messages = entries.flatMap((entry) => entryMessage(entry, undefined) ?? []);
  const sentMessages = convertToLlm([createUserMessage("a question, for a reply to answer", 0), ...messages], model);
  return sentMessages.slice(sentMessages.findIndex(({ role }) => role === "assistant") + 1);
}

/** Estimates the tokens that one entry adds to a context. */
export function entryTokens(entry: Entry, edit: ContextEditEntry | undefined, { factor }: ModelCalibration): number {
  return Math.ceil(factor * entrySize(entry, edit).tokens);
}

/** Returns the bytes that one entry adds to a request. */
export function entryBytes(entry: Entry, edit: ContextEditEntry | undefined): number {
  return entrySize(entry, edit).bytes;
}

/** Returns the calibrations stored by the last compaction and updated by later replies (TOK5). */
export function collectCalibration(branch: LoadedBranch): Calibration {
  return measureBranch(branch).calibrations;
}

/** The uncalibrated size of a branch, and the calibrations learned from its replies. */
export interface BranchMeasurement {
  /** The size of everything that is sent from the log, before calibration. */
  readonly size: EntrySize;
  /** Calibrations by model key, the last measured one last. */
  readonly calibrations: Calibration;
}

/** Measures a branch. The result is cached per branch. */
function measureBranch(branch: LoadedBranch): BranchMeasurement {
  return getOrCompute(measurementCache, branch, () => {
    const { size, calibrations } = measureEntries(branch.entries, branch.compactionIndex);
    return { size, calibrations: Object.fromEntries(calibrations) };
  });
}

const measurementCache = new WeakMap<LoadedBranch, BranchMeasurement>();

interface MeasurementState {
  readonly compactionIndex: number;
  /** The number of entries added so far. */
  count: number;
  readonly entriesById: Map<string, Entry>;
  /** The latest edit of each entry, by entry id. */
  readonly edits: Map<string, ContextEditEntry>;
  readonly calibrations: Map<string, ModelCalibration>;
  size: EntrySize;
  /** The last measured reply, its reported and its estimated context size; null after an edit. */
  reply: { readonly model: string; readonly total: number; readonly tokens: number } | null;
}

// Entries are added in the order of the log, so that each reply is compared with what was sent for it.
const measureEntries = createIncrementalFold<Entry, MeasurementState, number>({
  start: (compactionIndex) => ({
    compactionIndex,
    count: 0,
    entriesById: new Map(),
    edits: new Map(),
    calibrations: new Map(),
    size: { tokens: 0, system: 0, bytes: 0 },
    reply: null,
  }),
  add: measureEntry,
  isSame: (one, other) => one === other,
});

function measureEntry(state: MeasurementState, entry: Entry): void {
  const { compactionIndex, entriesById, calibrations, size } = state;
  const index = state.count++;
  entriesById.set(entry.id, entry);
  if (index < compactionIndex && isReplacedByCompaction(entry)) return;
  state.size = adjustSize(size, entrySize(entry, undefined));
  if (index === compactionIndex)
    for (const [model, calibration] of readCompactionCalibrations(entry)) calibrations.set(model, calibration);
  if (entry.type === "context_edit") measureEdit(state, entry);
  const reply = index > compactionIndex ? assistantReply(entry) : null;
  if (reply) learnFromReply(state, reply, size.tokens);
}

// CTX13: a compaction's system message replaces earlier ones, and only the newest compaction is sent.
function isReplacedByCompaction(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role === "system");
}

function measureEdit(state: MeasurementState, edit: ContextEditEntry): void {
  const { entriesById, edits, size } = state;
  state.reply = null;
  const target = entriesById.get(edit.targetId);
  if (!target) return;
  state.size = adjustSize(size, entrySize(target, edit), entrySize(target, edits.get(target.id)));
  edits.set(target.id, edit);
}

function adjustSize(size: EntrySize, added: EntrySize, removed?: EntrySize): EntrySize {
  return {
    tokens: size.tokens + added.tokens - (removed?.tokens ?? 0),
    system: size.system + added.system - (removed?.system ?? 0),
    bytes: size.bytes + added.bytes - (removed?.bytes ?? 0),
  };
}

function learnFromReply(state: MeasurementState, message: AssistantMessage, sentTokens: number): void {
  const { calibrations, reply, size } = state;
  const report = readTokenReport(message);
  if (!report) return;
  const model = modelKey(message);
  const isComparable = reply?.model === model;
  const calibration = learnCalibration(calibrations.get(model) ?? defaultCalibration, {
    promptTokens: report.prompt,
    sentTokens,
    growth: isComparable ? { real: report.prompt - reply.total, estimated: sentTokens - reply.tokens } : null,
  });
  // Deleted first, so that the last measured model comes last.
  calibrations.delete(model);
  calibrations.set(model, calibration);
  state.reply = { model, total: report.total, tokens: size.tokens };
}

/** Measures a branch, and pauses now and then and at the end if it is long. */
export function measureWithPauses(branch: LoadedBranch, runtime: Pick<Runtime, "sleep">): Promise<void> {
  return runWithPauses(measureBranchInSteps(branch), runtime, { startsAtOnce: true });
}

/** Measures the entries of a branch that are not measured yet, and then the branch. */
export function* measureBranchInSteps(branch: LoadedBranch): Steps<void> {
  for (const entry of branch.entries) {
    if (sizeByEntry.has(entry)) continue;
    // Measuring a text takes less time than most work on it.
    yield entrySize(entry, undefined).bytes / 4;
  }
  yield measureBranch(branch).size.bytes;
}

/** Returns the size that an entry adds to a request. The result is cached per entry and edit. */
export function entrySize(entry: Entry, edit: ContextEditEntry | undefined): EntrySize {
  return edit
    ? getOrCompute(sizeByEdit, edit, () => computeEntrySize(entry, edit))
    : getOrCompute(sizeByEntry, entry, () => computeEntrySize(entry));
}

/** The size of an entry in a request. */
export interface EntrySize {
  readonly tokens: number;
  /** The tokens of system messages, included in `tokens`. */
  readonly system: number;
  /** Bytes of the request. */
  readonly bytes: number;
}

const sizeByEntry = new WeakMap<Entry, EntrySize>();
const sizeByEdit = new WeakMap<ContextEditEntry, EntrySize>();

function computeEntrySize(entry: Entry, edit?: ContextEditEntry): EntrySize {
  const system = entry.type === "compaction" ? messageSize(entry.systemMessage) : ZERO_ENTRY_SIZE;
  return addSizes(system, messageSize(entryMessage(entry, edit)));
}

function messageSize(message: AgentMessage | null | undefined): EntrySize {
  const llmMessage = message && toLlmMessage(message);
  const sendable = llmMessage && sanitizeMessage(llmMessage, undefined);
  if (!sendable) return ZERO_ENTRY_SIZE;
  const tokens = messageTokens(sendable);
  return { tokens, system: sendable.role === "system" ? tokens : 0, bytes: messageBytes(sendable) };
}

const ZERO_ENTRY_SIZE: EntrySize = { tokens: 0, system: 0, bytes: 0 };

function addSizes(one: EntrySize, other: EntrySize): EntrySize {
  return {
    tokens: one.tokens + other.tokens,
    system: one.system + other.system,
    bytes: one.bytes + other.bytes,
  };
}

/** Reads the tokens that a reply reports. Returns null if the reply failed, was aborted or reports none. */
export function readTokenReport({ stopReason, usage }: AssistantMessage): TokenReport | null {
  if (stopReason === "error" || stopReason === "aborted") return null;
  const promptTokens = toTokenCount(usage?.input) + toTokenCount(usage?.cacheRead) + toTokenCount(usage?.cacheWrite);
  const total = calculateContextTokens(usage);
  // Some providers do not report cached tokens, but count them in the total.
  return total === 0 ? null : { prompt: Math.max(promptTokens, total - toTokenCount(usage?.output)), total };
}

/** The tokens that a reply reports. These are the only measured counts. */
export interface TokenReport {
  /** Tokens of the request. */
  readonly prompt: number;
  /** Tokens of the request and the reply. */
  readonly total: number;
}

/** Returns the context size that a usage reports, including the reply (B9). */
export function calculateContextTokens(usage: Usage | undefined): number {
  const parts = [usage?.input, usage?.output, usage?.cacheRead, usage?.cacheWrite];
  return toTokenCount(usage?.totalTokens) || parts.reduce<number>((sum, tokens) => sum + toTokenCount(tokens), 0);
}

// The usage comes from a file, so a count may be any value.
function toTokenCount(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
}

/**
 * Finds the index of the last reply whose reported size is still valid, for one model or for any; -1 if there is none. Replies before a
 * compaction or an edit are not valid (TOK2). The order on the branch decides, not timestamps.
 */
export function lastMeasuredIndex({ entries, compactionIndex }: LoadedBranch, model: ModelName | undefined): number {
  for (let index = entries.length - 1; index > compactionIndex; index--) {
    if (entries[index]?.type === "context_edit") return -1;
    const reply = assistantReply(entries[index]);
    if (reply && isReplyOfModel(reply, model) && readTokenReport(reply) && sanitizeMessage(reply, model)) return index;
  }
  return -1;
}

/** Returns the assistant message of an entry, or null. */
export function assistantReply(entry: Entry | undefined): AssistantMessage | null {
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : null;
}

function isReplyOfModel({ provider, model }: AssistantMessage, target: ModelName | undefined): boolean {
  return target === undefined || (provider === target.provider && model === target.model);
}
