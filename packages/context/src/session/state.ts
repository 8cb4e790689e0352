/** Folds the entries of a branch into the state at its leaf: model, thinking level, tools, pins and queued messages. */

import {
  type CompactionEntry,
  type ContextEditEntry,
  type CustomMessageEntry,
  type Entry,
  PIN,
  UNPIN,
} from "../entry.ts";
import type { CustomMessage, UserMessage } from "../message.ts";
import { entryReference } from "../references.ts";

export interface Pin {
  /** Of the entry that pinned it; by this it is taken away. */
  readonly id: string;
  readonly text: string;
  /** The entry whose words these are; absent where they were said as a pin. */
  readonly entryId?: string;
  /** What opens that entry; absent in pins of earlier versions. */
  readonly reference?: string;
}

/** The pins after this entry; the same list where it changes none. */
export function pinsAfter(pins: readonly Pin[], entry: Entry): readonly Pin[] {
  if (entry.type === "context_edit") return entry.pith?.reduced ? pins : edited(pins, entry);
  if (entry.type === "custom_message" && entry.customType === PIN)
    return [...pins, { id: entry.id, text: textIn(entry.content), reference: entryReference(entry) }];
  if (entry.type !== "custom") return pins;
  const said = Object(entry.data) as Readonly<Record<string, unknown>>;
  if (entry.customType === UNPIN) return pins.filter(({ id }) => id !== said.pin);
  if (entry.customType !== PIN || typeof said.text !== "string" || typeof said.entryId !== "string") return pins;
  const reference = typeof said.reference === "string" ? { reference: said.reference } : {};
  return [...pins, { id: entry.id, text: said.text, entryId: said.entryId, ...reference }];
}

// Words that were said as a pin are pinned as they are changed, and not at all once they are removed.
function edited(pins: readonly Pin[], { targetId, replacement }: ContextEditEntry): readonly Pin[] {
  const isIt = ({ id, entryId }: Pin): boolean => id === targetId && entryId === undefined;
  if (!pins.some(isIt)) return pins;
  return pins.flatMap((pin) => {
    if (!isIt(pin)) return [pin];
    return replacement ? [{ ...pin, text: textIn(replacement.content as CustomMessage["content"]) }] : [];
  });
}

/** The pins in a compaction of ours; it comes from a file, so what is no pin is left out. */
export function pinsIn(value: unknown): readonly Pin[] {
  return Array.isArray(value) ? value.filter(isPin) : [];
}

function isPin(value: unknown): value is Pin {
  const { id, text, entryId, reference } = Object(value) as Readonly<Record<string, unknown>>;
  const isOptional = (each: unknown): boolean => each === undefined || typeof each === "string";
  return typeof id === "string" && typeof text === "string" && isOptional(entryId) && isOptional(reference);
}

function textIn(content: CustomMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((block) => (block?.type === "text" ? block.text : [])).join("\n");
}

/** A message that waits: in the log as soon as it is sent, part of the conversation when its turn comes. */
export interface Queued {
  /** The id that its message will have: once that is on the branch, it no longer waits. */
  readonly id: string;
  /** `steer`: for the next request. `followUp`: for when the model has no more to say. */
  readonly kind: "steer" | "followUp";
  readonly content: UserMessage["content"];
  /** Of a message that no user said. */
  readonly custom?: Pick<CustomMessageEntry, "customType" | "display" | "details">;
}

/** The custom entry of a message that waits; its data is the `Queued`. */
export const QUEUED = "pith.queued";

/** The custom entry that takes messages away before their turn; its data names their ids. */
export const UNQUEUED = "pith.unqueued";

/** What waits after this entry; the same list where it changes nothing. */
export function queueAfter(queue: readonly Queued[], entry: Entry): readonly Queued[] {
  if (entry.type === "message" || entry.type === "custom_message")
    return queue.some(({ id }) => id === entry.id) ? queue.filter(({ id }) => id !== entry.id) : queue;
  if (entry.type !== "custom") return queue;
  if (entry.customType === QUEUED) return [...queue, ...queueIn([entry.data])];
  if (entry.customType !== UNQUEUED) return queue;
  const { ids } = Object(entry.data) as { readonly ids?: unknown };
  return Array.isArray(ids) ? queue.filter(({ id }) => !ids.includes(id)) : queue;
}

/** It comes from a file: what is no message that waits is left out. */
export function queueIn(value: unknown): readonly Queued[] {
  return Array.isArray(value) ? value.filter(isQueued) : [];
}

function isQueued(value: unknown): value is Queued {
  const { id, kind, content, custom } = Object(value) as Readonly<Record<string, unknown>>;
  if (custom !== undefined && typeof Object(custom).customType !== "string") return false;
  const isKnown = kind === "steer" || kind === "followUp";
  return typeof id === "string" && isKnown && (typeof content === "string" || isBlocks(content));
}

function isBlocks(content: unknown): boolean {
  return Array.isArray(content) && content.every((block) => ["text", "image"].includes(Object(block).type));
}

export interface Carried {
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Null: never said, so all that the host offers. */
  readonly activeTools: readonly string[] | null;
  readonly pins: readonly Pin[];
  /** In the order in which they were said. */
  readonly queue: readonly Queued[];
}

/** What holds before anything was said. */
export const nothingCarried: Carried = { model: null, thinkingLevel: "off", activeTools: null, pins: [], queue: [] };

/** What holds after this entry; a fold along a branch, beginning with `nothingCarried`. */
export function carry(state: Carried, entry: Entry): Carried {
  switch (entry.type) {
    case "thinking_level_change":
      return { ...state, thinkingLevel: entry.thinkingLevel };
    case "model_change":
      return { ...state, model: { provider: entry.provider, modelId: entry.modelId } };
    case "active_tools_change":
      return { ...state, activeTools: entry.activeToolNames };
    case "message":
      return entry.message.role === "assistant"
        ? withModel(state, { provider: entry.message.provider, modelId: entry.message.model })
        : withQueue(state, queueAfter(state.queue, entry));
    case "compaction":
      return { ...state, ...carriedBy(entry) };
    case "custom":
    case "custom_message":
      return withQueue(withPins(state, pinsAfter(state.pins, entry)), queueAfter(state.queue, entry));
    case "context_edit":
      return withPins(state, pinsAfter(state.pins, entry));
    case "branch_summary":
    case "label":
    case "session_info":
    case "usage":
    case "unknown":
    case "gap":
      return state;
  }
}

/** The state a compaction of ours carries by value, so that nothing before it needs to be read; null if it is not all there. */
export function carriedBy(entry: Entry): Carried | null {
  if (entry.type !== "compaction") return null;
  const details = entry.details as { readonly pith?: { readonly carried?: Partial<Carried> } } | null | undefined;
  const carried = details?.pith?.carried;
  return isCarried(carried) ? { ...carried, pins: pinsIn(carried.pins), queue: queueIn(carried.queue) } : null;
}

/** The same entries, with the state at its place written into each compaction: so no reader needs to look before it. */
export function carrying(entries: readonly Entry[], before: Carried): readonly Entry[] {
  let state = before;
  return entries.map((entry) => {
    const marked = entry.type === "compaction" && carriedBy(entry) === null ? withCarried(entry, state) : entry;
    state = carry(state, marked);
    return marked;
  });
}

// What others put into `details` stays; where it is no object there is no room for ours.
function withCarried(entry: CompactionEntry, carried: Carried): CompactionEntry {
  const { details = {} } = entry;
  if (!isPlain(details)) return entry;
  return { ...entry, details: { ...details, pith: { ...(isPlain(details.pith) && details.pith), carried } } };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// It comes from a file: another version, or a hand, may have written it.
function isCarried(value: Partial<Carried> | null | undefined): value is Carried {
  if (typeof value?.thinkingLevel !== "string") return false;
  const { model, activeTools } = value;
  return (model === null || typeof model?.modelId === "string") && (activeTools === null || Array.isArray(activeTools));
}

// Most entries change none of them: no new object for those.
function withPins(state: Carried, pins: Carried["pins"]): Carried {
  return pins === state.pins ? state : { ...state, pins };
}

function withQueue(state: Carried, queue: Carried["queue"]): Carried {
  return queue === state.queue ? state : { ...state, queue };
}

// Most assistant messages come from the model already known: no new object for them.
function withModel(state: Carried, model: NonNullable<Carried["model"]>): Carried {
  const same = state.model !== null && state.model.provider === model.provider && state.model.modelId === model.modelId;
  return same ? state : { ...state, model };
}
