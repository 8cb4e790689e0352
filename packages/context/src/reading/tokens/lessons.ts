/** What a branch teaches about its size: what it comes to by estimate, and how that compares with each model's own counts. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import type { AssistantMessage } from "../../message.ts";
import type { ModelName } from "../../request.ts";
import type { Window } from "../../session/window.ts";
import { growing } from "../growing.ts";
import { type EntrySize, entrySize } from "./entry-size.ts";
import { carriedFits, type Fit, improved, uncalibrated } from "./fit.ts";
import { measureOf, replyIn } from "./measure.ts";

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
