/** Computes the size of a context, measured and estimated, calibrated per model. Trigger, meter, cut and statistics all use it. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { readPithDetails } from "../entry-details.ts";
import { isObject } from "../json.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { messageTokens } from "../tokens/estimate-tokens.ts";
import { buildSessionContext, createIncrementalFold, entryMessage } from "./build-context.ts";
import { convertToLlm, createUserMessage } from "./convert-to-llm.ts";
import { assistantReply, type EntrySize, entrySize, lastMeasuredIndex, readTokenReport } from "./entry-size.ts";

export interface ModelCalibration {
  /** Real tokens for each that was estimated. */
  readonly factor: number;
  /** Tokens that are sent and not in the log: a prompt and tools of the host's own. */
  readonly overhead: number;
  /** How much it was learnt from, in growths of a typical size. */
  readonly samples: number;
}

export const defaultCalibration: ModelCalibration = { factor: 1, overhead: 0, samples: 0 };

export interface TokenGrowth {
  readonly real: number;
  readonly estimated: number;
}

/** Growth that is tiny or out of all proportion says nothing: reasoning was dropped, or a prompt was changed. */
export function updateCalibration(calibration: ModelCalibration, { real, estimated }: TokenGrowth): ModelCalibration {
  const ratio = real / estimated;
  if (estimated < MIN_GROWTH_TOKENS || ratio < 0.3 || ratio > 4) return calibration;
  const weight = TYPICAL_GROWTH_TOKENS * Math.min(INITIAL_SAMPLES + calibration.samples, MAX_SAMPLES);
  const factor = (calibration.factor * weight + real) / (weight + estimated);
  return {
    ...calibration,
    factor: Math.min(MAX_CALIBRATION_FACTOR, Math.max(MIN_CALIBRATION_FACTOR, factor)),
    samples: calibration.samples + estimated / TYPICAL_GROWTH_TOKENS,
  };
}

/** Estimated tokens of the smallest growth that counts, and of a typical one. */
const MIN_GROWTH_TOKENS = 100;
const TYPICAL_GROWTH_TOKENS = 500;
/** How many typical growths weigh against a new one: at first, and at most, so that recent ones count more. */
const INITIAL_SAMPLES = 1;
const MAX_SAMPLES = 40;
const MIN_CALIBRATION_FACTOR = 0.5;
const MAX_CALIBRATION_FACTOR = 3;

/** What a compaction carries over from before it. It comes from a file, so what is not as we write it is left out. */
export function readCompactionCalibrations(entry: Entry): readonly (readonly [model: string, ModelCalibration])[] {
  const { calibration } = entry.type === "compaction" ? readPithDetails(entry.details) : {};
  if (!isObject(calibration)) return [];
  return Object.entries(calibration).flatMap(([model, value]) => {
    const { factor, overhead, samples } = Object(value) as Partial<ModelCalibration>;
    const isValid =
      isInRange(factor, MIN_CALIBRATION_FACTOR, MAX_CALIBRATION_FACTOR) &&
      isInRange(overhead, 0, 10_000_000) &&
      isInRange(samples, 0, 1e9);
    return isValid ? [[model, { factor, overhead, samples }] as const] : [];
  });
}

function isInRange(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

export interface BranchMeasurement {
  /** Of all that is sent of the log, before any calibration. */
  readonly size: EntrySize;
  /** By the name of the model, the last measured one last. */
  readonly calibrations: Readonly<Record<string, ModelCalibration>>;
}

/** Asked many times of the same window, so kept with it. */
export function measureBranch(branch: LoadedBranch): BranchMeasurement {
  const cached = measurementCache.get(branch);
  if (cached) return cached;
  const { size, calibrations } = measureEntries(branch.entries, branch.compactionIndex);
  const measurement = { size, calibrations: Object.fromEntries(calibrations) };
  measurementCache.set(branch, measurement);
  return measurement;
}

const measurementCache = new WeakMap<LoadedBranch, BranchMeasurement>();

export function modelKey({ provider, model }: Pick<ModelName, "provider" | "model">): string {
  return `${provider}/${model}`;
}

interface MeasurementState {
  readonly compactionAt: number;
  /** How many were taken in, and by their ids. */
  count: number;
  readonly entriesById: Map<string, Entry>;
  /** By the entry they change. */
  readonly edits: Map<string, ContextEditEntry>;
  readonly calibrations: Map<string, ModelCalibration>;
  size: EntrySize;
  /** The last measured reply, while all that follows was appended; and what the context came to with it. */
  reply: { readonly model: string; readonly total: number; readonly tokens: number } | null;
}

// In the order of the log, so that each reply is held against what was sent for it.
const measureEntries = createIncrementalFold<Entry, MeasurementState, number>({
  start: (compactionAt) => ({
    compactionAt,
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
  const { compactionAt, entriesById, calibrations, size } = state;
  const index = state.count++;
  entriesById.set(entry.id, entry);
  if (index < compactionAt && isReplacedByCompaction(entry)) return;
  state.size = adjustSize(size, entrySize(entry, undefined));
  if (index === compactionAt)
    for (const [model, calibration] of readCompactionCalibrations(entry)) calibrations.set(model, calibration);
  if (entry.type === "context_edit") measureEdit(state, entry);
  const reply = index > compactionAt ? assistantReply(entry) : null;
  if (reply) learnFromReply(state, reply, size.tokens);
}

// CTX13: a compaction's system message stands for those before it, and only the newest compaction is shown.
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
  const previous = calibrations.get(model) ?? defaultCalibration;
  const isComparable = reply?.model === model;
  const calibration = isComparable
    ? updateCalibration(previous, { real: report.prompt - reply.total, estimated: sentTokens - reply.tokens })
    : previous;
  // Away first, so that the last measured one comes last.
  calibrations.delete(model);
  calibrations.set(model, {
    ...calibration,
    overhead: Math.max(0, Math.round(report.prompt - calibration.factor * sentTokens)),
  });
  state.reply = { model, total: report.total, tokens: size.tokens };
}

/** By `provider/model`, the last measured one last. Plain JSON: a compaction carries it in `details.pith.calibration`. */
export type Calibration = Readonly<Record<string, ModelCalibration>>;

/** TOK5: what a compaction carried over, and what replies have measured since. */
export function collectCalibration(branch: LoadedBranch): Calibration {
  return measureBranch(branch).calibrations;
}

/** Without a model that of the last one measured. A model never measured is sent as much besides the log as others are. */
export function findCalibration(
  calibration: Calibration,
  model: Pick<ModelName, "provider" | "model"> | undefined,
): ModelCalibration {
  const newest = Object.values(calibration).at(-1) ?? defaultCalibration;
  if (!model) return newest;
  return calibration[modelKey(model)] ?? { ...defaultCalibration, overhead: newest.overhead };
}

/** The size of a context in tokens: what was measured, and what was estimated since. */
export interface ContextSize {
  readonly tokens: number;
  /** Whether no reply has measured any of it: before the first one, and after a compaction or an edit until the next (TOK6). */
  readonly isEstimate: boolean;
  /** By the last reply that can be trusted; 0 if there is none. */
  readonly measured: number;
  /** Of what came since, or of everything. */
  readonly estimated: number;
  /** System prompt and tools, be they in the log or not. */
  readonly fixed: number;
  /** On the wire. */
  readonly bytes: number;
}

export interface ContextSizeOptions {
  readonly model?: ModelName;
  /** Tokens that are sent besides the log, where that is known. */
  readonly fixed?: number;
}

/** TOK1: what the last reply on this branch measured, and an estimate of what came since; without one, of everything (TOK3). */
export function contextSize(branch: LoadedBranch, { model, fixed }: ContextSizeOptions = {}): ContextSize {
  const index = lastMeasuredIndex(branch, model);
  const reply = assistantReply(branch.entries[index]);
  const measured = (reply && readTokenReport(reply)?.total) ?? 0;
  const { size, calibrations } = measureBranch(branch);
  const calibration = findCalibration(calibrations, model ?? reply ?? undefined);
  // What is said to be sent is believed until a reply has measured more.
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

/** What one entry adds to a context. */
export function entryTokens(entry: Entry, edit: ContextEditEntry | undefined, { factor }: ModelCalibration): number {
  return Math.ceil(factor * entrySize(entry, edit).tokens);
}

/** What one entry adds on the wire. */
export function entryBytes(entry: Entry, edit: ContextEditEntry | undefined): number {
  return entrySize(entry, edit).bytes;
}

// What is sent after a reply, made-up results of its calls included. No edit has changed any of it.
function collectLaterMessages(entries: readonly Entry[], model: ModelName | undefined): readonly Message[] {
  const messages = entries.flatMap((entry) => entryMessage(entry, undefined) ?? []);
  const sent = convertToLlm([createUserMessage("a question, for a reply to answer", 0), ...messages], model);
  return sent.slice(sent.findIndex(({ role }) => role === "assistant") + 1);
}
