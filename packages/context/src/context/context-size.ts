/** Computes the size of a context, measured and estimated, calibrated per model. Trigger, meter, cut and statistics all use it. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { AssistantMessage, Message } from "../message.ts";
import type { ModelName } from "../model.ts";
import type { Window } from "../session/loaded-branch.ts";
import { messageTokens } from "../tokens/estimate-tokens.ts";
import { buildSessionContext, entryMessage, growing } from "./build-context.ts";
import { convertToLlm, userText } from "./convert-to-llm.ts";
import { type EntrySize, entrySize, measuredAt, measureOf, replyIn } from "./entry-size.ts";

export interface Fit {
  /** Real tokens for each that was estimated. */
  readonly factor: number;
  /** Tokens that are sent and not in the log: a prompt and tools of the host's own. */
  readonly overhead: number;
  /** How much it was learnt from, in growths of a typical size. */
  readonly samples: number;
}

export const uncalibrated: Fit = { factor: 1, overhead: 0, samples: 0 };

export interface Growth {
  readonly real: number;
  readonly estimated: number;
}

/** Growth that is tiny or out of all proportion says nothing: reasoning was dropped, or a prompt was changed. */
export function improved(fit: Fit, { real, estimated }: Growth): Fit {
  const ratio = real / estimated;
  if (estimated < SMALLEST || ratio < 0.3 || ratio > 4) return fit;
  const weight = TYPICAL * Math.min(DOUBT + fit.samples, MEMORY);
  const factor = (fit.factor * weight + real) / (weight + estimated);
  return { ...fit, factor: Math.min(HIGHEST, Math.max(LOWEST, factor)), samples: fit.samples + estimated / TYPICAL };
}

/** Estimated tokens of the smallest growth that counts, and of a typical one. */
const SMALLEST = 100;
const TYPICAL = 500;
/** How many typical growths weigh against a new one: at first, and at most, so that recent ones count more. */
const DOUBT = 1;
const MEMORY = 40;
const LOWEST = 0.5;
const HIGHEST = 3;

/** What a compaction carries over from before it. It comes from a file, so what is not as we write it is left out. */
export function carriedFits(entry: Entry): readonly (readonly [model: string, Fit])[] {
  const details = entry.type === "compaction" ? (entry.details as CarriedDetails | null | undefined) : null;
  const calibration: unknown = details?.pith?.calibration;
  if (typeof calibration !== "object" || calibration === null) return [];
  return Object.entries(calibration).flatMap(([model, fit]) => {
    const { factor, overhead, samples } = Object(fit) as Partial<Fit>;
    const isSound = isWithin(factor, LOWEST, HIGHEST) && isWithin(overhead, 0, 10_000_000) && isWithin(samples, 0, 1e9);
    return isSound ? [[model, { factor, overhead, samples }] as const] : [];
  });
}

interface CarriedDetails {
  readonly pith?: { readonly calibration?: unknown } | null;
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

export interface Lessons {
  /** Of all that is sent of the log, before any calibration. */
  readonly size: EntrySize;
  /** By the name of the model, the last measured one last. */
  readonly fits: Readonly<Record<string, Fit>>;
}

/** Asked many times of the same window, so kept with it. */
export function lessonsOf(window: Window): Lessons {
  const known = taught.get(window);
  if (known) return known;
  const { size, fits } = learning(window.entries, window.compactionAt);
  const lessons = { size, fits: Object.fromEntries(fits) };
  taught.set(window, lessons);
  return lessons;
}

const taught = new WeakMap<Window, Lessons>();

export function nameOf({ provider, model }: Pick<ModelName, "provider" | "model">): string {
  return `${provider}/${model}`;
}

interface Learning {
  readonly compactionAt: number;
  /** How many were taken in, and by their ids. */
  count: number;
  readonly taken: Map<string, Entry>;
  /** By the entry they change. */
  readonly edits: Map<string, ContextEditEntry>;
  readonly fits: Map<string, Fit>;
  size: EntrySize;
  /** The last measured reply, while all that follows was appended; and what the context came to with it. */
  reply: { readonly model: string; readonly total: number; readonly tokens: number } | null;
}

// In the order of the log, so that each reply is held against what was sent for it.
const learning = growing<Entry, Learning, number>({
  start: (compactionAt) => ({
    compactionAt,
    count: 0,
    taken: new Map(),
    edits: new Map(),
    fits: new Map(),
    size: { tokens: 0, system: 0, bytes: 0 },
    reply: null,
  }),
  take,
  isSame: (one, other) => one === other,
});

function take(learning: Learning, entry: Entry): void {
  const { compactionAt, taken, fits, size } = learning;
  const at = learning.count++;
  taken.set(entry.id, entry);
  if (at < compactionAt && isCovered(entry)) return;
  learning.size = changed(size, entrySize(entry, undefined));
  if (at === compactionAt) for (const [model, fit] of carriedFits(entry)) fits.set(model, fit);
  if (entry.type === "context_edit") edit(learning, entry);
  const reply = at > compactionAt ? replyIn(entry) : null;
  if (reply) learn(learning, reply, size.tokens);
}

// CTX13: a compaction's system message stands for those before it, and only the newest compaction is shown.
function isCovered(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role === "system");
}

function edit(learning: Learning, edit: ContextEditEntry): void {
  const { taken, edits, size } = learning;
  learning.reply = null;
  const target = taken.get(edit.targetId);
  if (!target) return;
  learning.size = changed(size, entrySize(target, edit), entrySize(target, edits.get(target.id)));
  edits.set(target.id, edit);
}

function changed(size: EntrySize, come: EntrySize, gone?: EntrySize): EntrySize {
  return {
    tokens: size.tokens + come.tokens - (gone?.tokens ?? 0),
    system: size.system + come.system - (gone?.system ?? 0),
    bytes: size.bytes + come.bytes - (gone?.bytes ?? 0),
  };
}

function learn(learning: Learning, message: AssistantMessage, sent: number): void {
  const { fits, reply, size } = learning;
  const measure = measureOf(message);
  if (!measure) return;
  const model = nameOf(message);
  const known = fits.get(model) ?? uncalibrated;
  const isGrown = reply?.model === model;
  const fit = isGrown ? improved(known, { real: measure.prompt - reply.total, estimated: sent - reply.tokens }) : known;
  // Away first, so that the last measured one comes last.
  fits.delete(model);
  fits.set(model, { ...fit, overhead: Math.max(0, Math.round(measure.prompt - fit.factor * sent)) });
  learning.reply = { model, total: measure.total, tokens: size.tokens };
}

/** By `provider/model`, the last measured one last. Plain JSON: a compaction carries it in `details.pith.calibration`. */
export type Calibration = Readonly<Record<string, Fit>>;

/** TOK5: what a compaction carried over, and what replies have measured since. */
export function calibrationAt(window: Window): Calibration {
  return lessonsOf(window).fits;
}

/** Without a model that of the last one measured. A model never measured is sent as much besides the log as others are. */
export function fitOf(calibration: Calibration, to: Pick<ModelName, "provider" | "model"> | undefined): Fit {
  const newest = Object.values(calibration).at(-1) ?? uncalibrated;
  if (!to) return newest;
  return calibration[nameOf(to)] ?? { ...uncalibrated, overhead: newest.overhead };
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

export interface SizeParts {
  readonly to?: ModelName;
  /** Tokens that are sent besides the log, where that is known. */
  readonly fixed?: number;
}

/** TOK1: what the last reply on this branch measured, and an estimate of what came since; without one, of everything (TOK3). */
export function contextSize(window: Window, { to, fixed }: SizeParts = {}): ContextSize {
  const at = measuredAt(window, to);
  const reply = replyIn(window.entries[at]);
  const measured = (reply && measureOf(reply)?.total) ?? 0;
  const { size, fits } = lessonsOf(window);
  const fit = fitOf(fits, to ?? reply ?? undefined);
  // What is said to be sent is believed until a reply has measured more.
  const besides = Math.max(fixed ?? 0, fit.overhead);
  const sent = reply ? sentSince(window.entries.slice(at), to) : convertToLlm(buildSessionContext(window).messages, to);
  const estimated = Math.ceil(fit.factor * sent.reduce((sum, message) => sum + messageTokens(message), 0));
  return {
    tokens: measured + estimated + (reply ? 0 : besides),
    isEstimate: measured === 0,
    measured,
    estimated,
    fixed: Math.ceil(fit.factor * size.system) + besides,
    bytes: size.bytes,
  };
}

/** What one entry adds to a context. */
export function entryTokens(entry: Entry, edit: ContextEditEntry | undefined, { factor }: Fit): number {
  return Math.ceil(factor * entrySize(entry, edit).tokens);
}

/** What one entry adds on the wire. */
export function entryBytes(entry: Entry, edit: ContextEditEntry | undefined): number {
  return entrySize(entry, edit).bytes;
}

// What is sent after a reply, made-up results of its calls included. No edit has changed any of it.
function sentSince(replyAndSince: readonly Entry[], to: ModelName | undefined): readonly Message[] {
  const said = replyAndSince.flatMap((entry) => entryMessage(entry, undefined) ?? []);
  const sent = convertToLlm([userText("a question, for a reply to answer", 0), ...said], to);
  return sent.slice(sent.findIndex(({ role }) => role === "assistant") + 1);
}
